# SPDX-License-Identifier: MIT
# A program out of an npm package (ENTRY_PACKAGE), and what edits of the lockfile and of the strip options re-run.
start
source "$SOURCE/tests/e2e/registry.bash"
source=$SCRATCH/source build=$SCRATCH/build
mkdir "$source"
cat > "$source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25...3.31)
project(ranges LANGUAGES NONE)
find_package(PiShip 0.1 REQUIRED)
set(STRIP ON CACHE BOOL "")
set(KEEP "" CACHE STRING "")
piship_add_distribution(ranges VERSION 1.0.0 COMMAND ranges LOCKFILE package-lock.json ENTRY_PACKAGE semver
  ENGINE SYSTEM ">=18" STRIP ${STRIP})
set_property(TARGET ranges PROPERTY PISHIP_STRIP_KEEP ${KEEP})
END
lock() {  # lock <version>: a lockfile as npm writes it, without the places that the packages come from
  echo "{\"name\":\"ranges\",\"version\":\"1.0.0\",\"private\":true,\"dependencies\":{\"semver\":\"$1\"}}" > "$source/package.json"
  rm -f "$source/package-lock.json"
  (cd "$source" && npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --no-audit --no-fund > "$SCRATCH/npm.log" 2>&1) ||
    { cat "$SCRATCH/npm.log"; fail "npm could not make a lockfile"; }
}
lock 7.6.2
configure "$source" "$build"
build "$build"
expect_no_work "$build"
piship install --quiet "$(archive_of "$build")"
expect_output "1.2.3" "$PISHIP_BIN_HOME/ranges" 1.2.3

edited; touch "$source/package-lock.json"
expect_edges "$build" "the lockfile touched" vendor assemble
edited; lock 7.6.3
expect_edges "$build" "the lockfile changed" vendor strip assemble archive
configure "$source" "$build" "-DKEEP=node_modules/semver/README.md"
expect_edges "$build" "STRIP_KEEP" strip
configure "$source" "$build" -DSTRIP=OFF
expect_edges "$build" "STRIP off" assemble archive
configure "$source" "$build" -DPISHIP_OFFLINE=ON
expect_edges "$build" "offline, with everything cached" vendor
