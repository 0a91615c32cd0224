# Code sees its own, original place, and finds what lies beside it.
program: src/main.mjs
-- package.json --
{"name": "app", "type": "module"}
-- src/main.mjs --
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import about from "package";
const require = createRequire(import.meta.url);
console.log(import.meta.url, import.meta.dirname, import.meta.filename, Object.keys(import.meta).filter((k) => k !== "main"));
console.log(import.meta.resolve("./data.txt"), import.meta.resolve("package"), typeof require, typeof __dirname);
console.log(readFileSync(new URL("./data.txt", import.meta.url), "utf8"), require("../package.json").name);
console.log(readdirSync(dirname(fileURLToPath(import.meta.url))).sort(), process.argv[1]);
console.log(about);
function shadowed(__dirname) { return __dirname; }
console.log(shadowed("local"), "import.meta.url in a string");
-- src/data.txt --
data
-- node_modules/package/package.json --
{"name": "package", "version": "3.2.1"}
-- node_modules/package/index.js --
"use strict";
const fs = require("fs");
const path = require("path");
const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, "package.json")));
module.exports = [version, __filename, __dirname, require.resolve("./template.html"), module.parent !== null,
  module.filename === __filename, typeof require.cache, fs.readFileSync(require.resolve("./template.html"), "utf8"),
  (function () { return this === undefined; })()];
-- node_modules/package/template.html --
<p>template</p>
