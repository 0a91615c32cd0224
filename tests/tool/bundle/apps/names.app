# Names of functions and classes that meet in one file stay what they were, in traces of errors too; strictness stays.
program: main.mjs
-- main.mjs --
import { Thing, make } from "./one.mjs";
import { Thing as Other, make as makeOther } from "./two.mjs";
import sloppy from "./sloppy.cjs";
import strict from "./strict.cjs";
console.log(Thing.name, Other.name, make.name, makeOther.name, new Other().constructor.name, sloppy(), strict());
try { makeOther(); } catch (error) { console.log(error.stack.split("\n").slice(0, 2).map((l) => l.replace(/ \(.*/, "")).join("|")); }
-- one.mjs --
export class Thing {}
export function make() { return new Thing(); }
-- two.mjs --
export class Thing {}
export function make() { throw new TypeError("no thing"); }
-- sloppy.cjs --
module.exports = function () { return (function () { return this; })() === globalThis; };
-- strict.cjs --
"use strict";
module.exports = function () { return typeof this; };
