# A program of ESM knows itself: argv[1] is its own file, import.meta.main is true where the engine has it.
program: main.js
-- package.json --
{"type": "module"}
-- main.js --
#!/usr/bin/env node
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "./lib.js";
const isProgram = realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
console.log(isProgram, "main" in import.meta ? import.meta.main : true, main);
-- lib.js --
export const main = "main" in import.meta ? import.meta.main : false;
