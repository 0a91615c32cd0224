// SPDX-License-Identifier: MIT
// Greets whoever is named: hello [--language <code>] [<name> | -]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { greetingFor, languages } from "./greetings.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: "string", default: "en" },
    version: { type: "boolean", default: false },
  },
});

function main() {
  if (values.version) {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    console.log(manifest.version);
    return 0;
  }
  const greeting = greetingFor(values.language);
  if (greeting === undefined) {
    console.error(`hello: no greeting in '${values.language}'; there are: ${languages().join(", ")}`);
    return 1;
  }
  const name = positionals[0] === "-" ? readFileSync(0, "utf8").trim() : positionals[0];
  console.log(greeting.text.replace("%", name ?? greeting.world));
  return 0;
}

process.exitCode = main();
