# An import that nothing resolves fails when it runs, as before, and only there.
program: main.mjs
-- main.mjs --
import guarded from "./guarded.cjs";
console.log("started", guarded);
for (const load of [() => import("./provider.mjs"), () => import("absent-two"), () => Promise.resolve().then(() => guarded.late())]) {
  await load().catch((error) => console.log(error.code, error.message.split("'")[1]));
}
-- provider.mjs --
import { trace } from "absent-peer";
export default trace;
-- guarded.cjs --
let optional = "none";
try { optional = require("absent-optional"); } catch (error) { optional = error.code; }
exports.optional = optional;
exports.late = () => require("absent-three/sub");
