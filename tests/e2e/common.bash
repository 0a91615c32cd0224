# SPDX-License-Identifier: MIT
# What every end-to-end script begins with. ctest gives:
#   SOURCE   PiShip's source tree           BUILD   its build tree
#   PREFIX   the installed package          SCRATCH a directory of this test alone
# Each script stops at the first command that fails; `fail` says why. SCRATCH is kept.
set -euo pipefail

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# A fresh SCRATCH with a store and homes of its own: nothing of the user is read or written.
start() {
  rm -rf "$SCRATCH"
  mkdir -p "$SCRATCH"
  unset CDPATH CMAKE_GENERATOR CMAKE_BUILD_TYPE CMAKE_INSTALL_PREFIX PISHIP_RUN_ARGUMENTS XDG_CACHE_HOME
  export PISHIP_CACHE_HOME="$SCRATCH/cache"
  use_homes "$SCRATCH/home"
}

use_homes() {
  export PISHIP_INSTALL_HOME="$1/install" PISHIP_STATE_HOME="$1/state" PISHIP_BIN_HOME="$1/bin"
}

# The runtime that the package brings.
piship() {
  "$PREFIX/bin/piship" "$@"
}

# configure <source> <build> [option...]: with the installed package, Ninja and a fast compression unless options say other.
configure() {
  local source=$1 build=$2
  shift 2
  cmake -G Ninja "-DCMAKE_PREFIX_PATH=$PREFIX" -DPISHIP_COMPRESSION_LEVEL=3 -S "$source" -B "$build" "$@" > "$SCRATCH/configure.log" 2>&1 ||
    { cat "$SCRATCH/configure.log"; fail "configuring $source"; }
}

build() {
  local build=$1
  shift
  cmake --build "$build" "$@" > "$SCRATCH/build.log" 2>&1 || { cat "$SCRATCH/build.log"; fail "building $build"; }
}

expect_no_work() {
  build "$1"
  grep -q "no work to do" "$SCRATCH/build.log" || { cat "$SCRATCH/build.log"; fail "a second build of $1 had work to do${2:+ after: $2}"; }
}

# The edges that ran since the log was the file $2, by the names of their outputs; what CMake itself does is left out.
# (CMake shortens the log when it generates, so lines can't be counted.)
edges_since() {
  sort "$1/.ninja_log" | comm -13 "$2" - | cut -f4 | sed 's|.*/||' |
    sed -e '/^$/d; /^build.*\.ninja$/d; /^rules\.ninja$/d; /^CTestTestfile\.cmake$/d; /^cmake_install\.cmake$/d; /^CMakeCache\.txt$/d' \
        -e 's/^payload\.inventory$/assemble/; s/^piship\.lock$/assemble/; s/^packages\.inventory$/vendor/; s/^vendor\.json$/vendor/' \
        -e 's/^stripped\.inventory$/strip/; s/^strip\.json$/strip/; s/^bundled\.inventory$/bundle/; s/^bundle\.json$/bundle/; s/^release\.json$/archive/' \
        -e 's/.*\.tar\.zst.*/archive/; s/.*\.run$/installer/; s/.*\.run\.sha256$/installer/; s/\.inventory$//' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# expect_edges <build> <what was done> <edge...>: builds, and exactly these edges run; then nothing is left to do.
expect_edges() {
  local build=$1 what=$2 actual expected
  shift 2
  sort "$build/.ninja_log" > "$SCRATCH/log-before"
  build "$build"
  actual=$(edges_since "$build" "$SCRATCH/log-before")
  expected=$(printf '%s\n' "$@" | sort -u | tr '\n' ' ' | sed 's/ $//')
  [ "$actual" = "$expected" ] || { cat "$SCRATCH/build.log"; fail "$what: the edges '$actual' ran instead of '$expected'"; }
  expect_no_work "$build" "$what"
  echo "ok: $what: ${expected:-none}"
}

# Ninja compares times, so an edit must be later than the last build by the file system's clock.
edited() {
  sleep 0.02
}

archive_of() {
  local found
  found=$(find "$1/releases" -name '*.tar.zst')
  [ "$(printf '%s\n' "$found" | wc -l)" = 1 ] || fail "not one archive below $1/releases: $found"
  echo "$found"
}

# expect_output <expected> <command...>
expect_output() {
  local expected=$1 actual
  shift
  actual=$("$@") || fail "'$*' ended with $?"
  [ "$actual" = "$expected" ] || fail "'$*' printed '$actual' instead of '$expected'"
}
