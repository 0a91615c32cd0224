// SPDX-License-Identifier: MIT
// The greetings are resources of the distribution: one JSON file per language.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const directory = new URL("../../resources/greetings/", import.meta.url);

export function greetingFor(language) {
  const file = new URL(`${encodeURIComponent(language)}.json`, directory);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function languages() {
  return readdirSync(directory).map((name) => name.replace(/[.]json$/, "")).sort();
}
