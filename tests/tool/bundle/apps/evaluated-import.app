# What is evaluated imports from the place of the file that evaluates it, so that stays a file.
program: main.mjs
-- main.mjs --
import load from "loader";
import { state } from "state";
state.n += 1;
console.log((await load("./lib/part.mjs")).part, (await load("state")).state === state);
-- node_modules/state/package.json --
{"name": "state", "type": "module", "exports": "./index.js"}
-- node_modules/state/index.js --
export const state = { n: 0 };
-- node_modules/loader/package.json --
{"name": "loader", "main": "index.js"}
-- node_modules/loader/index.js --
const known = ["./lib/part.mjs", "state"];
const load = new Function("name", "return import(name)");
module.exports = (name) => (known.includes(name) ? load(name) : Promise.reject(name));
-- node_modules/loader/lib/part.mjs --
import { state } from "state";
export const part = state.n;
