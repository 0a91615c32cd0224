// SPDX-License-Identifier: MIT
// The life of a channel, with this project and a web server of its own: 1.0.0 is published and installed, 1.1.0 is published,
// the installed command updates itself and goes back. Everything lies in a temporary directory, so no key is ever in a
// source or build tree.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { parseArgs } from "node:util";

const names = ["piship", "publish", "cmake", "source", "package", "cache"];
const { values: given } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });

const place = mkdtempSync(join(tmpdir(), "greeter-"));
const owner = join(place, "owner");
const repository = join(owner, "repository");
const keys = join(owner, "keys");
const environment = {
  ...process.env,
  HOME: place,
  PISHIP_INSTALL_HOME: join(place, "home/share"),
  PISHIP_STATE_HOME: join(place, "home/state"),
  PISHIP_BIN_HOME: join(place, "home/bin"),
  PISHIP_CACHE_HOME: given.cache || join(place, "cache"),
};
for (const name of ["http_proxy", "HTTP_PROXY", "XDG_CACHE_HOME"]) delete environment[name];
const greeter = join(environment.PISHIP_BIN_HOME, "greeter");

// Runs a program to its end, and gives all that it printed. The server goes on meanwhile.
async function run(program, ...words) {
  const child = spawn(program, words, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  console.log(`$ ${[program, ...words].join(" ")}\n${printed}`);
  assert.equal(status, 0, `'${program}' ended with ${status}`);
  return printed;
}

async function publish(version) {
  const build = join(place, "build");
  await run(given.cmake, "-G", "Ninja", "-S", given.source, "-B", build, `-DPiShip_DIR=${given.package}`,
    `-DGREETER_OWNER=${owner}`, `-DGREETER_VERSION=${version}`, "-DPISHIP_COMPRESSION_LEVEL=3");
  await run(given.cmake, "--build", build, "--target", "greeter-stable-publish");
}

// What a static server does: a file for a path, ranges left aside.
function serve(directory) {
  const server = createServer((request, response) => {
    const file = join(directory, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    createReadStream(file)
      .on("error", () => response.writeHead(404).end())
      .on("open", () => response.writeHead(200))
      .pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function live(url) {
  await run(given.publish, "init", "--repository", repository, "--channel", "stable", "--new-keys", keys);
  await publish("1.0.0");
  await run(given.piship, "install", url, "--id", "greeter", "--root", join(repository, "metadata/1.root.json"));
  assert.equal(await run(greeter), "Greetings from 1.0.0!\n");
  assert.match(await run(greeter, "--piship", "update"), /^greeter 1[.]0[.]0 is up to date$/m);

  await publish("1.1.0");
  assert.match(await run(greeter, "--piship", "update", "--check"), /^greeter 1[.]1[.]0 is available /m);
  assert.equal(await run(greeter), "Greetings from 1.0.0!\n");
  assert.match(await run(greeter, "--piship", "update"), /^updated greeter from 1[.]0[.]0 to 1[.]1[.]0 /m);
  assert.equal(await run(greeter), "Greetings from 1.1.0!\n");

  await run(greeter, "--piship", "rollback");
  assert.equal(await run(greeter), "Greetings from 1.0.0!\n");
  // Whoever went back is not brought forward again without being asked.
  assert.match(await run(greeter, "--piship", "update"), /you went back from it/);
  await run(greeter, "--piship", "update", "--release-version", "1.1.0");
  assert.equal(await run(greeter), "Greetings from 1.1.0!\n");
  await run(greeter, "--piship", "doctor");
  await run(greeter, "--piship", "uninstall");
}

const server = await serve(repository);
try {
  await live(`http://127.0.0.1:${server.address().port}`);
} finally {
  server.close();
  server.closeAllConnections?.();
  rmSync(place, { recursive: true, force: true });
}
