# Worker threads and child processes start from their own files.
program: main.mjs
-- main.mjs --
import { fork } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { shared } from "./shared.mjs";
for (const file of ["./worker.mjs", "./worker.cjs"]) {
  const [message] = await once(new Worker(new URL(file, import.meta.url), { workerData: 20 }), "message");
  console.log(message);
}
const child = fork(new URL("./child.mjs", import.meta.url), ["x"]);
console.log((await once(child, "message"))[0], shared());
-- shared.mjs --
let calls = 0;
export const shared = () => `shared ${++calls}`;
-- worker.mjs --
import { parentPort, workerData } from "node:worker_threads";
import { shared } from "./shared.mjs";
parentPort.postMessage(`module ${workerData + 1} ${shared()}`);
-- worker.cjs --
const { parentPort, workerData } = require("worker_threads");
parentPort.postMessage(`commonjs ${workerData + 2} ${require("./helper.cjs")}`);
-- helper.cjs --
module.exports = "helped";
-- child.mjs --
import { shared } from "./shared.mjs";
process.send(`child ${process.argv[2]} ${shared()}`);
process.disconnect();
