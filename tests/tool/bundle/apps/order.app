# Modules with side effects run in Node's order, also those that a lazily loaded module shares.
program: main.mjs
-- main.mjs --
import "./a.mjs";
import "./b.mjs";
import { C } from "./c.mjs";
console.log("main", new C().constructor.name);
import("./lazy.mjs").then((lazy) => console.log("then", lazy.d));
-- a.mjs --
globalThis.seen = ["a"];
console.log("a");
-- b.mjs --
globalThis.seen.push("b");
console.log("b", globalThis.seen.join());
export const b = 1;
-- c.mjs --
import "./b.mjs";
console.log("c");
export class C {}
-- lazy.mjs --
import { b } from "./b.mjs";
import { C } from "./c.mjs";
import { d } from "./d.mjs";
console.log("lazy", b, C.name, d);
export { d };
-- d.mjs --
console.log("d");
export const d = "D";
