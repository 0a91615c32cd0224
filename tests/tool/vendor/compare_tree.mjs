// SPDX-License-Identifier: MIT
// compare_tree.mjs <directory> <inventory>: every file below node_modules must be in the inventory with the same bytes
// and the same executable bit, and the other way round. The links in .bin and npm's own note are no part of a payload.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';

const [directory, inventory] = process.argv.slice(2);
const expected = new Map();
const found = [];
const differences = [];

function walk(path) {
  for (const name of readdirSync(`${directory}/${path}`)) {
    const below = `${path}/${name}`;
    const status = lstatSync(`${directory}/${below}`);
    if (status.isDirectory()) {
      walk(below);
    } else if (status.isSymbolicLink()) {
      if (!path.endsWith('/.bin')) differences.push(`${below}: npm made a link`);
    } else if (below !== 'node_modules/.package-lock.json') {
      found.push([below, status]);
    }
  }
}

for (const line of readFileSync(inventory, 'utf8').split('\n').slice(1, -1)) {
  const [digest, size, mode, ...path] = line.split(' ');
  expected.set(path.join(' '), { digest, size, mode });
}
walk('node_modules');
for (const [path, status] of found) {
  const entry = expected.get(path);
  expected.delete(path);
  if (!entry) {
    differences.push(`${path}: only npm has it`);
    continue;
  }
  const digest = createHash('sha256').update(readFileSync(`${directory}/${path}`)).digest('hex');
  if (digest !== entry.digest) differences.push(`${path}: other bytes`);
  const mode = status.mode & 0o100 ? 'x' : '-';
  if (mode !== entry.mode) differences.push(`${path}: npm ${mode}, inventory ${entry.mode}`);
}
for (const path of expected.keys()) differences.push(`${path}: npm does not have it`);
if (found.length === 0) differences.push('npm put nothing on disk');
if (differences.length > 0) {
  console.error(`${differences.length} differences:\n${differences.slice(0, 50).join('\n')}`);
  process.exit(1);
}
console.log(`${found.length} files are the same`);
