# import() of a module of CommonJS has the names that its exports have, and is the same object each time.
program: main.mjs
-- main.mjs --
import { two } from "./two.mjs";
const names = await import("names");
const { first, default: whole } = names;
console.log(first, whole === names.default, whole.first === first, names === await import("names"), names === await two());
console.log(Object.prototype.toString.call(names), Object.keys(names).filter((name) => name !== "module.exports"), "constructor" in names);
try { names.first = 3; } catch (error) { console.log(error.constructor.name); }
const transpiled = await import("transpiled");
console.log(transpiled.__esModule, transpiled.named, transpiled.default.default, transpiled.default.named);
const callable = await import("callable");
console.log(callable.default(), callable.member);
console.log((await import("text")).default);
await import("throws").catch((error) => console.log(error.message));
-- two.mjs --
export const two = () => import("names");
-- node_modules/names/package.json --
{"name": "names", "main": "index.js"}
-- node_modules/names/index.js --
exports.first = 1;
exports.second = require("./second.js");
-- node_modules/names/second.js --
module.exports = "second";
-- node_modules/transpiled/package.json --
{"name": "transpiled", "main": "index.js"}
-- node_modules/transpiled/index.js --
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = "default";
exports.named = "named";
-- node_modules/callable/package.json --
{"name": "callable", "main": "index.js"}
-- node_modules/callable/index.js --
module.exports = function callable() { return "called"; };
module.exports.member = "member";
-- node_modules/text/package.json --
{"name": "text", "main": "index.js"}
-- node_modules/text/index.js --
module.exports = "text";
-- node_modules/throws/package.json --
{"name": "throws", "main": "index.js"}
-- node_modules/throws/index.js --
exports.a = 1;
throw new Error("thrown");
