# Modules behind computed imports and requires, with their names in strings, are found and are the same instances.
program: main.mjs
-- main.mjs --
import { createRequire } from "node:module";
import { registry } from "./registry.mjs";
import { load, loadLater } from "./loader.mjs";
import old from "./old.cjs";
const names = ["./plugins/a.mjs", "./plugins/b.mjs"];
for (const name of names) console.log((await import(name)).name);
console.log(await load(), await loadLater("a"), registry.names, old("./old-plugin.cjs"));
console.log(await load("./absent.mjs").catch((error) => error.code));
console.log(createRequire(import.meta.url)("./old-plugin.cjs").name);
-- registry.mjs --
export const registry = { names: [] };
-- loader.mjs --
const importIt = (specifier) => import(specifier);
export const load = (name = "./plugins/a.mjs") => importIt(name).then((plugin) => plugin.name);
export const loadLater = (name) => import(`./plugins/${name}.mjs`).then((plugin) => plugin.name);
-- plugins/a.mjs --
import { registry } from "../registry.mjs";
registry.names.push("a");
export const name = "plugin a";
-- plugins/b.mjs --
import { registry } from "../registry.mjs";
registry.names.push("b");
export const name = "plugin b";
-- old.cjs --
const known = ["./old-plugin.cjs"];
module.exports = (name) => known.includes(name) && require(name).name;
-- old-plugin.cjs --
exports.name = "old plugin";
