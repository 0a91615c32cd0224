# What is loaded by a name that no text has finds what it imports, also where that is in the bundle.
program: main.mjs
-- main.mjs --
import { createRequire } from "node:module";
import { registry } from "./registry.mjs";
import old from "./old.cjs";
const name = ["plug", "in"].join("");
console.log((await import(`./${name}.mjs`)).add("x"), registry.names);
console.log(createRequire(import.meta.url)(`./${name}.cjs`).old, old.helper.name);
-- registry.mjs --
export const registry = { names: [] };
-- old.cjs --
exports.helper = require("./helper.cjs");
-- helper.cjs --
exports.name = "helper";
-- plugin.mjs --
import { registry } from "./registry.mjs";
export const add = (name) => registry.names.push(name);
-- plugin.cjs --
exports.old = require("./old.cjs").helper.name;
