# SPDX-License-Identifier: MIT
# Sources and resources that other rules of the project make.
start
mkdir -p "$SCRATCH/source/lib"
cd "$SCRATCH/source"
echo 'import { word } from "./lib/word.js"; import { readFileSync } from "node:fs";
console.log(word, process.argv.slice(2).join("|"), process.env.MODE, readFileSync(new URL("../resources/data/made.txt", import.meta.url), "utf8").trim());' > main.mjs
echo first > word.txt
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25...3.31)
project(made LANGUAGES NONE)
find_package(PiShip 0.1 REQUIRED)
set(made "${CMAKE_CURRENT_BINARY_DIR}/made")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/package.json" "{\"type\": \"module\"}\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/word.js.in" "export const word = '@WORD@';\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/word.cmake"
  "file(STRINGS \"\${IN}\" WORD)\nconfigure_file(word.js.in \"\${OUT}\" @ONLY)\n")
add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/lib/word.js"
  COMMAND "${CMAKE_COMMAND}" "-DIN=${CMAKE_CURRENT_SOURCE_DIR}/word.txt" -DOUT=lib/word.js -P word.cmake DEPENDS word.txt)
add_custom_command(OUTPUT "${made}/made.txt" COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/word.txt" "${made}/made.txt"
  DEPENDS word.txt)
piship_add_distribution(made VERSION 1.0.0 COMMAND made ENTRY_POINT main.mjs ENGINE SYSTEM ">=18"
  SOURCES main.mjs "${CMAKE_CURRENT_BINARY_DIR}/lib/word.js" "${CMAKE_CURRENT_BINARY_DIR}/package.json"
  ARGUMENTS --flag "a b" 0 off "$HOME" "'q'" ENVIRONMENT "MODE=x y=z")
add_subdirectory(more)
END
mkdir more
cat > more/CMakeLists.txt <<'END'
# Another directory than the distribution's.
piship_add_resources(made data FILES "${made}/made.txt" BASE "${made}")
END
sed -i 's/^add_subdirectory/add_custom_target(make-data DEPENDS "${made}\/made.txt")\nadd_subdirectory/; $a add_dependencies(made-resources-data-0 make-data)' CMakeLists.txt
configure "$SCRATCH/source" "$SCRATCH/build"
build "$SCRATCH/build"
expect_no_work "$SCRATCH/build"
piship install --quiet "$(archive_of "$SCRATCH/build")"
expect_output "first --flag|a b|0|off|\$HOME|'q'|mine x y=z first" "$PISHIP_BIN_HOME/made" mine
edited; echo second > word.txt
expect_edges "$SCRATCH/build" "the input of a rule" word.js made.txt sources-made resources-data-0 assemble archive
