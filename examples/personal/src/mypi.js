// SPDX-License-Identifier: MIT
// Starts Pi with this distribution's own extensions, skills and prompts.
//
// Pi takes them as options (--extension, --skill, --prompt-template), but its subcommands (`mypi install`, `mypi list`,
// ...) must be the first word of the command line. Arguments that the launcher puts before the user's would turn
// `mypi list` into a message to the model; so the decision is made here, where the command line can be read.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const subcommands = new Set(["install", "remove", "uninstall", "list", "config"]);
const resources = fileURLToPath(new URL("../../resources", import.meta.url));

function entriesOf(kind) {
  return readdirSync(join(resources, kind)).sort().map((name) => join(resources, kind, name));
}

// The owner's settings are a start; what the user changes is kept.
function seedSettings() {
  const agentDirectory = process.env.PI_CODING_AGENT_DIR;
  if (!agentDirectory) return;
  const settings = join(agentDirectory, "settings.json");
  if (existsSync(settings)) return;
  mkdirSync(dirname(settings), { recursive: true });
  copyFileSync(join(resources, "settings", "settings.json"), settings);
}

// What Pi gets instead of the user's arguments, or nothing where mypi has answered itself.
function argumentsForPi(given) {
  const [first, ...rest] = given;
  if (subcommands.has(first)) return given;
  if (first === "update") {
    // Pi itself is part of this distribution, whose owner releases updates; packages that the user added are not.
    const wantsPi = rest.some((word) => word === "pi" || word === "self" || word === "--self");
    if (wantsPi) {
      console.error("mypi: Pi is a part of mypi and is updated with it; 'mypi update' updates the packages that you added");
      process.exitCode = 1;
      return undefined;
    }
    return rest.some((word) => !word.startsWith("-") || word.startsWith("--extension")) ? given : [first, "--extensions", ...rest];
  }
  const own = [
    ...entriesOf("extensions").flatMap((path) => ["--extension", path]),
    ...entriesOf("skills").flatMap((path) => ["--skill", path]),
    ...entriesOf("prompts").flatMap((path) => ["--prompt-template", path]),
  ];
  return [...own, ...given];
}

const argumentsOfPi = argumentsForPi(process.argv.slice(2));
if (argumentsOfPi !== undefined) {
  seedSettings();
  process.argv.splice(2, Infinity, ...argumentsOfPi);
  await import(new URL("../node_modules/@mariozechner/pi-coding-agent/dist/cli.js", import.meta.url));
}
