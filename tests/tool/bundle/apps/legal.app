# Licence comments are not lost.
program: main.mjs
-- main.mjs --
/*! main: licence of main */
import { x } from "./x.mjs";
console.log(x);
-- x.mjs --
/** @license licence of x */
export const x = 1;
