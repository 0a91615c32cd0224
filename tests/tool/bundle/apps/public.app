# Code from outside imports public modules and gets the application's own instances, of either kind.
program: main.mjs
public: library
public: library/extra
public: old
-- main.mjs --
import { pathToFileURL } from "node:url";
import Library, { Thing, counter } from "library";
import { extra } from "library/extra";
import old, { named } from "old";
counter.n += 1;
const extension = await import(pathToFileURL(process.argv[2]));
console.log(extension.make() instanceof Thing, extension.Library === Library, extension.extra === extra, counter.n);
console.log(extension.old === old, extension.named === named, extension.required === old, extension.names);
-- node_modules/library/package.json --
{"name": "library", "type": "module", "exports": {".": "./index.js", "./extra": "./extra.js"}}
-- node_modules/library/index.js --
import { shared } from "./internal.js";
export class Thing { constructor() { this.shared = shared; } }
export const counter = { n: 0 };
export default class Library extends Thing {}
-- node_modules/library/extra.js --
export { shared as extra } from "./internal.js";
-- node_modules/library/internal.js --
export const shared = { object: true };
-- node_modules/old/package.json --
{"name": "old", "main": "main.js"}
-- node_modules/old/main.js --
exports.named = function named() {};
exports.helper = require("./helper.js");
-- node_modules/old/helper.js --
module.exports = {};
-- outside/extension.mjs --
import { createRequire } from "node:module";
import Library, { Thing, counter } from "library";
import { extra } from "library/extra";
import old, { named } from "old";
import * as namespace from "old";
counter.n += 1;
export const make = () => new Thing();
export { Library, extra, old, named };
export const required = createRequire(import.meta.url)("old");
export const names = Object.keys(namespace).sort();
