# A program of CommonJS is the main module, with its name in argv and its exit status; what it requires is not.
program: bin/tool
arguments: one two
status: 3
-- package.json --
{"name": "tool", "bin": "bin/tool"}
-- bin/tool --
#!/usr/bin/env node
"use strict";
const lib = require("../lib.js");
console.log(require.main === module, lib.isMain, process.argv.slice(2), process.argv[1], __filename);
if (require.main === module) process.exitCode = 3;
-- lib.js --
exports.isMain = require.main === module;
if (!module.parent) console.log("started as a program");
