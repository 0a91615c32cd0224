# SPDX-License-Identifier: MIT
# Programs of the registry do the same bundled and unbundled: what they print, their exit status, what they write.
start
source "$SOURCE/tests/e2e/registry.bash"

# program <package> <version> <bin> <more dependencies as JSON members or nothing> [option of the distribution...]: builds it
# both ways, and compares what `scenario` does with it in a fresh directory.
program() {
  local package=$1 version=$2 bin=$3 more=$4 directory=$SCRATCH/$1 way
  shift 4
  mkdir -p "$directory/source"
  echo "{\"name\":\"owner\",\"version\":\"1.0.0\",\"private\":true,\"dependencies\":{\"$package\":\"$version\"$more}}" > "$directory/source/package.json"
  (cd "$directory/source" && npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --no-audit --no-fund > "$SCRATCH/npm.log" 2>&1) ||
    { cat "$SCRATCH/npm.log"; fail "npm could not make a lockfile for $package"; }
  cat > "$directory/source/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25...3.31)
project(program LANGUAGES NONE)
find_package(PiShip 0.1 REQUIRED)
piship_add_distribution(program VERSION 1.0.0 COMMAND program LOCKFILE package-lock.json ENTRY_PACKAGE $package ENTRY_BIN $bin
  ENGINE SYSTEM ">=18" $*)
END
  for way in OFF ON; do
    configure "$directory/source" "$directory/build" "-DPISHIP_BUNDLE=$way"
    build "$directory/build"
    piship install --quiet "$(archive_of "$directory/build")"
    rm -rf "$SCRATCH/user"
    mkdir -p "$SCRATCH/user"
    (cd "$SCRATCH/user" && scenario) > "$directory/$way.log" 2>&1 || fail "$package, BUNDLE $way"
    rm -rf "${directory:?}/$way"
    mv "$SCRATCH/user" "$directory/$way"
    tar --zstd -tf "$(archive_of "$directory/build")" | grep -c '^app/' > "$directory/$way.files"
    piship uninstall --quiet program
  done
  diff "$directory/OFF.log" "$directory/ON.log" || fail "$package prints something else when it is bundled"
  diff -r "$directory/OFF" "$directory/ON" || fail "$package writes something else when it is bundled"
  echo "ok: $package: $(cat "$directory/OFF.files") files unbundled, $(cat "$directory/ON.files") bundled"
}

# run <argument...>: the program, and its exit status in words.
run() {
  local status=0
  "$PISHIP_BIN_HOME/program" "$@" < /dev/null || status=$?
  echo "status $status"
}

scenario() {
  echo 'let   a = {b:1,   c : [1,2]}' > a.js
  echo 'a:   [1,   2]' > b.yaml
  printf '# A\n* b\n* c\n' > c.md
  echo 'type A = {a:string}' > d.ts
  echo '<p  class=a>b</p>' > e.html
  echo 'let = ;' > f.js
  run --check .
  run a.js b.yaml c.md d.ts e.html
  run --write a.js | sed -E 's,[0-9]+ms,ms,'
  run --version
}
program prettier 3.6.2 prettier ""

scenario() {
  echo 'export const a: number = "text"; export class B { c = 1n; }' > a.ts
  echo '{"compilerOptions": {"strict": true, "declaration": true, "outDir": "out", "target": "es2022"}, "files": ["a.ts"]}' > tsconfig.json
  run --project .
  run --help
}
program typescript 5.9.3 tsc ""

scenario() {
  echo 'export default [{ files: ["*.js"], rules: { "no-unused-vars": "error", semi: ["error", "always"] } }];' > eslint.config.mjs
  echo 'const a = 1' > a.js
  run .
  run --fix --format json a.js | sed "s|$PWD||g"
  run --print-config a.js
}
program eslint 9.39.1 eslint ""

scenario() {
  mkdir test
  echo 'describe("a", () => { it("b", () => {}); it("c", () => { throw new Error("d"); }); });' > test/a.cjs
  run --reporter json-stream --no-color test/a.cjs | sed -E 's/"duration":[0-9]+/"duration":0/; s/"(start|end)":"[^"]*"/"\1":""/g; /^ *at /d; s/"stack":"[^"]*"//'
}
program mocha 11.7.5 mocha ""
