# SPDX-License-Identifier: MIT
# What an edit re-runs: the table. Tools are edited too, so the package is copied.
start
cp -R "$PREFIX" "$SCRATCH/package"
PREFIX=$SCRATCH/package
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
source=$SCRATCH/source build=$SCRATCH/build
cat >> "$source/CMakeLists.txt" <<'END'
if(LEVEL)
  set_property(TARGET hello PROPERTY PISHIP_COMPRESSION_LEVEL ${LEVEL})
endif()
set_property(TARGET hello PROPERTY PISHIP_ENVIRONMENT ${VARIABLES})
END
configure "$source" "$build"
build "$build"
expect_no_work "$build"
resource=resources-greetings-0

edited; touch "$source/src/main.js"
expect_edges "$build" "own source touched" sources
edited; echo '// edited' >> "$source/src/main.js"
expect_edges "$build" "own source changed" sources assemble archive
edited; echo 'export {};' > "$source/src/added.js"
expect_edges "$build" "own source added" sources assemble archive
edited; rm "$source/src/added.js"
expect_edges "$build" "own source deleted" sources assemble archive
edited; chmod +x "$source/src/main.js"; touch "$source/src/main.js"
expect_edges "$build" "own source made executable" sources assemble archive

edited; sed -i 's/Hallo/Moin/' "$source/resources/greetings/de.json"
expect_edges "$build" "resource changed" $resource assemble archive
edited; echo '{ "text": "Salut, %!", "world": "le monde" }' > "$source/resources/greetings/fr.json"
expect_edges "$build" "resource added" $resource assemble archive
edited; rm "$source/resources/greetings/fr.json"
expect_edges "$build" "resource deleted" $resource assemble archive

edited; sed -i 's/VERSION 1.0.0/VERSION 1.0.1/' "$source/CMakeLists.txt"
expect_edges "$build" "VERSION" assemble archive
edited; sed -i 's/COMMAND hello/COMMAND hello NAME "Hello, all"/' "$source/CMakeLists.txt"
expect_edges "$build" "NAME" assemble archive
configure "$source" "$build" -DVARIABLES=GREETING=hi
expect_edges "$build" "ENVIRONMENT through the property" assemble archive
configure "$source" "$build" -DLEVEL=5
expect_edges "$build" "COMPRESSION_LEVEL through the property" archive
configure "$source" "$build" -DPISHIP_OFFLINE=ON
expect_edges "$build" "an option that nothing here reads"

edited; printf '\0' >> "$PREFIX/libexec/piship/piship-sources"
expect_edges "$build" "tool: sources" sources $resource
edited; printf '\0' >> "$PREFIX/libexec/piship/piship-assemble"
expect_edges "$build" "tool: assemble" assemble
edited; printf '\0' >> "$PREFIX/libexec/piship/piship-archive"
expect_edges "$build" "tool: archive" archive
edited; printf '\0' >> "$PREFIX/libexec/piship/piship-vendor"
expect_edges "$build" "a tool that nothing here uses"
edited; printf '\0' >> "$PREFIX/bin/piship"
expect_edges "$build" "the runtime" assemble archive
