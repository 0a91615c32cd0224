# Top-level await: who imports a waiting module waits, and siblings keep their order.
program: main.mjs
-- main.mjs --
import "./first.mjs";
import { value } from "./waits.mjs";
import "./last.mjs";
console.log("main", value);
const { lazy } = await import("./lazy.mjs");
console.log(lazy);
-- first.mjs --
console.log("first");
-- waits.mjs --
import "./below.mjs";
console.log("before");
export const value = await new Promise((done) => setTimeout(() => done(42), 5));
console.log("after");
-- below.mjs --
console.log("below");
-- last.mjs --
console.log("last");
-- lazy.mjs --
import { value } from "./waits.mjs";
export const lazy = `lazy ${value}`;
