# A waiting module below another: only what imports it stays files.
program: main.mjs
-- main.mjs --
import "./above.mjs";
import { log } from "./log.mjs";
log("main");
-- above.mjs --
import "./one.mjs";
import "./waits.mjs";
import "./two.mjs";
import { log } from "./log.mjs";
log("above");
-- one.mjs --
import { log } from "./log.mjs";
log("one");
-- two.mjs --
import { log } from "./log.mjs";
log("two");
-- waits.mjs --
import { log } from "./log.mjs";
log("before");
await new Promise((done) => setTimeout(done, 5));
log("after");
-- log.mjs --
const lines = [];
export const log = (line) => { lines.push(line); console.log(lines.join()); };
