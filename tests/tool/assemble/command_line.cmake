# SPDX-License-Identifier: MIT
# The command line of piship-assemble: silent where it succeeds, values that look like options, stable codes where it fails.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${DIRECTORY}")
file(MAKE_DIRECTORY "${DIRECTORY}")
set(empty e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855)
file(WRITE "${DIRECTORY}/sources" "piship-inventory 1\n${empty} 0 - main.js\n")
file(WRITE "${DIRECTORY}/runtime" "runtime")

function(assemble expected_status)
  execute_process(
    COMMAND "${ASSEMBLE}" --sources sources --runtime runtime --id hello --command hello --platform linux-x64
      --entry-point main.js --engine-range ">=18" --store store --output out/payload.inventory
      --lock-output out/piship.lock --depfile out/payload.d ${ARGN}
    WORKING_DIRECTORY "${DIRECTORY}" RESULT_VARIABLE status OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
  if(NOT status EQUAL expected_status)
    message(FATAL_ERROR "status ${status} instead of ${expected_status} for: ${ARGN}\n${stdout}${stderr}")
  endif()
  if(expected_status EQUAL 0 AND NOT "${stdout}${stderr}" STREQUAL "")
    message(FATAL_ERROR "not silent: ${stdout}${stderr}")
  endif()
  set(stderr "${stderr}" PARENT_SCOPE)
endfunction()

function(expect text regex)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "'${regex}' is not in:\n${text}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${DIRECTORY}/out")
assemble(0 --distribution-version 1.0.0 --argument=--extension --argument=a=b --environment=MODE=x=y --environment=EMPTY=)
file(READ "${DIRECTORY}/out/piship.lock" lock)
expect("${lock}" "\"--extension\",\n    \"a=b\"")
expect("${lock}" "\"EMPTY\": \"\",\n    \"MODE\": \"x=y\"")
file(READ "${DIRECTORY}/out/payload.d" depfile)
expect("${depfile}" "store/epoch")

# Nothing changed: the outputs keep their times, which is what Ninja's restat goes by.
file(TIMESTAMP "${DIRECTORY}/out/payload.inventory" before "%s")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
assemble(0 --distribution-version 1.0.0 --argument=--extension --argument=a=b --environment=MODE=x=y --environment=EMPTY=)
file(TIMESTAMP "${DIRECTORY}/out/payload.inventory" after "%s")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "an unchanged inventory was written again")
endif()

assemble(2 --distribution-version 1.0.0 --enviroment=A=1)
expect("${stderr}" "did you mean '--environment'")
assemble(2)
expect("${stderr}" "--distribution-version")
assemble(1 --distribution-version 1.0)
expect("${stderr}" "VERSION_INVALID")
assemble(2 --distribution-version 1.0.0 "--environment=A={nowhere}")
expect("${stderr}" "USAGE")
file(WRITE "${DIRECTORY}/sources" "piship-inventory 1\n${empty} 0 - other.js\n")
assemble(1 --distribution-version 1.0.0)
expect("${stderr}" "ENTRY_POINT_MISSING")
file(WRITE "${DIRECTORY}/sources" "piship-inventory 1\n${empty} 0 - ../main.js\n")
assemble(3 --distribution-version 1.0.0)
expect("${stderr}" "INVENTORY_INVALID")
