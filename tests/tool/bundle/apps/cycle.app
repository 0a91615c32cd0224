# Cycles, in both kinds of modules: functions are there early, bindings are live.
program: main.mjs
-- main.mjs --
import { even } from "./even.mjs";
import one from "./one.cjs";
console.log(even(10), even(7), one.name(), one.other());
-- even.mjs --
import { odd } from "./odd.mjs";
export let count = 0;
export function even(n) { count += 1; return n === 0 || odd(n - 1); }
-- odd.mjs --
import { count, even } from "./even.mjs";
export function odd(n) { return n !== 0 && even(n - 1); }
export const calls = () => count;
-- one.cjs --
exports.early = "early";
const two = require("./two.cjs");
exports.name = () => "one";
exports.other = () => two.seen;
-- two.cjs --
const one = require("./one.cjs");
exports.seen = `${one.early} ${typeof one.name}`;
