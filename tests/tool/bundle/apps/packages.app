# Maps of exports and imports, conditions, a package that comes as both kinds and is loaded as both, nested versions.
program: main.mjs
-- package.json --
{"name": "own", "type": "module", "imports": {"#inner": {"node": "./inner.js", "default": "./wrong.js"}}, "exports": {"./self": "./self.js"}}
-- main.mjs --
import { createRequire } from "node:module";
import inner from "#inner";
import self from "own/self";
import dual, { kind } from "dual";
import { kind as required } from "./uses-dual.cjs";
import sub from "dual/sub/deep";
import { version } from "nested";
import { inside } from "holder";
console.log(inner, self, dual, kind, required, sub, version, inside);
console.log(createRequire(import.meta.url)("dual").kind);
-- inner.js --
export default "inner";
-- wrong.js --
export default "wrong";
-- self.js --
export default "self";
-- uses-dual.cjs --
exports.kind = require("dual").kind;
-- node_modules/dual/package.json --
{"name": "dual", "exports": {".": {"browser": "./no.js", "module": "./no.js", "import": "./index.mjs", "require": "./index.cjs"}, "./sub/*": "./lib/*.js"}, "main": "./no.js", "module": "./no.js"}
-- node_modules/dual/no.js --
throw new Error("a bundler's condition");
-- node_modules/dual/index.mjs --
export const kind = "module";
export default "default of module";
-- node_modules/dual/index.cjs --
exports.kind = "commonjs";
-- node_modules/dual/lib/deep.js --
module.exports = "deep";
-- node_modules/nested/package.json --
{"name": "nested", "version": "1.0.0", "type": "module", "exports": "./index.js"}
-- node_modules/nested/index.js --
export const version = 1;
-- node_modules/holder/package.json --
{"name": "holder", "type": "module", "main": "index.js", "module": "no.js"}
-- node_modules/holder/no.js --
throw new Error("a bundler's field");
-- node_modules/holder/index.js --
import { version } from "nested";
export const inside = `inside ${version}`;
-- node_modules/holder/node_modules/nested/package.json --
{"name": "nested", "version": "2.0.0", "type": "module", "exports": "./index.js"}
-- node_modules/holder/node_modules/nested/index.js --
export const version = 2;
