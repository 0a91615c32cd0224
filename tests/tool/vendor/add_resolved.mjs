// SPDX-License-Identifier: MIT
// add_resolved.mjs <package-lock.json> <registry>: gives each entry that is fetched the URL under which registries keep
// tarballs.
import { readFileSync, writeFileSync } from 'node:fs';

const [file, registry] = process.argv.slice(2);
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || !entry.integrity) continue;
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const base = name.slice(name.indexOf('/') + 1);
  entry.resolved = `${registry.replace(/\/$/, '')}/${name}/-/${base}-${entry.version}.tgz`;
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
