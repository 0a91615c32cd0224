# SPDX-License-Identifier: MIT
# An application of own files, bundled: it behaves as it did, and an edit re-runs the bundle only where it is of a module's.
start
source "$SOURCE/tests/e2e/registry.bash"
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
source=$SCRATCH/source build=$SCRATCH/build
configure "$source" "$build" -DPISHIP_BUNDLE=ON
build "$build"
expect_no_work "$build"
(cd "$build" && ctest --output-on-failure > "$SCRATCH/ctest.log" 2>&1) || { cat "$SCRATCH/ctest.log"; fail "the smoke tests"; }
grep -q "tests passed, 0 tests failed out of 5" "$SCRATCH/ctest.log" || { cat "$SCRATCH/ctest.log"; fail "not five tests"; }
archive=$(archive_of "$build")
tar --zstd -tf "$archive" > "$SCRATCH/files"
grep -q '^app/node_modules/@piship/bundle/main-[A-Z0-9]*\.mjs$' "$SCRATCH/files" || fail "there is no bundle in $archive"
grep -qx metadata/bundle.json "$SCRATCH/files" || fail "there is no report in $archive"
! grep -q greetings.js "$SCRATCH/files" || fail "a module of the bundle is still a file in $archive"

edited; touch "$source/src/main.js"
expect_edges "$build" "own module touched" sources
edited; echo 'console.error("edited");' >> "$source/src/greetings.js"
expect_edges "$build" "own module changed" sources bundle assemble archive
edited; echo 'export {};' > "$source/src/added.js"
expect_edges "$build" "own module added" sources bundle assemble archive
edited; rm "$source/src/added.js"
expect_edges "$build" "own module deleted" sources bundle assemble archive
edited; sed -i 's/Hallo/Moin/' "$source/resources/greetings/de.json"
expect_edges "$build" "resource changed" resources-greetings-0 assemble archive
edited; sed -i 's/VERSION 1.0.0/VERSION 1.0.1/' "$source/CMakeLists.txt"
expect_edges "$build" "VERSION" assemble archive
configure "$source" "$build" -DPISHIP_OFFLINE=ON
expect_edges "$build" "offline, with everything cached" esbuild
piship install --quiet "$(find "$build/releases" -name 'hello-1.0.1-*.tar.zst')"
expect_output "edited
Hello, you!" bash -c "'$PISHIP_BIN_HOME/hello' you 2>&1"

# An option that stops the build says which file it is about, and the bundle goes where it is not wanted.
echo 'set_property(TARGET hello PROPERTY PISHIP_BUNDLE_KEEP "absent/**")' >> "$source/CMakeLists.txt"
! cmake --build "$build" > "$SCRATCH/build.log" 2>&1 || fail "a pattern that matches nothing was taken"
grep -q "absent/\*\*" "$SCRATCH/build.log" || { cat "$SCRATCH/build.log"; fail "the pattern is not named"; }
sed -i 's|"absent/\*\*"|src/greetings.js|' "$source/CMakeLists.txt"
expect_edges "$build" "BUNDLE_KEEP through the property" bundle assemble archive
configure "$source" "$build" -DPISHIP_BUNDLE=OFF
expect_edges "$build" "BUNDLE off" assemble archive
