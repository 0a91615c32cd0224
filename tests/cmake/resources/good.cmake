# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_add_resources(hello data DIRECTORY data)
piship_add_resources(hello data FILES main.js)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/made.in" "made")
add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/made.txt"
  COMMAND "${CMAKE_COMMAND}" -E copy made.in made.txt DEPENDS made.in)
piship_add_resources(hello made FILES "${CMAKE_CURRENT_BINARY_DIR}/made.txt" BASE "${CMAKE_CURRENT_BINARY_DIR}")
piship_add_resources(hello made FILES "$<1:${CMAKE_CURRENT_SOURCE_DIR}/main.js>")
