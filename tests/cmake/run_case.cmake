# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)

get_filename_component(case_name "${CASE}" NAME)
get_filename_component(case_directory "${CASE}" DIRECTORY)
set(source "${DIRECTORY}/source tree")
file(REMOVE_RECURSE "${DIRECTORY}")
file(MAKE_DIRECTORY "${source}")
file(COPY "${CASE}.cmake" DESTINATION "${source}")
file(WRITE "${DIRECTORY}/outside.js" "")
file(WRITE "${source}/main.js" "console.log('hello');\n")
file(WRITE "${source}/data/one.txt" "one\n")
file(WRITE "${source}/package-lock.json" "{}\n")
file(WRITE "${source}/package.json" "{}\n")
file(WRITE "${source}/elsewhere/package-lock.json" "{}\n")
set(find_package "find_package(PiShip 0.1 REQUIRED)")
if(EXISTS "${CASE}-find.txt")
  file(STRINGS "${CASE}-find.txt" find_package)
endif()
file(WRITE "${source}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25...3.31)\nproject(case LANGUAGES NONE)\nenable_testing()\n"
  "${find_package}\ninclude(\"${case_name}.cmake\")\n")

set(generator Ninja)
if(EXISTS "${CASE}-generator.txt")
  file(STRINGS "${CASE}-generator.txt" generator)
endif()
# CMake looks for a generator's program before it reads the project, and Debian need not have every one; none is started.
set(program "")
if(NOT generator MATCHES "Ninja")
  set(program "-DCMAKE_MAKE_PROGRAM=${CMAKE_COMMAND}")
endif()
set(expected_result 0)
if(EXISTS "${CASE}-result.txt")
  file(STRINGS "${CASE}-result.txt" expected_result)
endif()
set(expected_stderr "")
if(EXISTS "${CASE}-stderr.txt")
  file(READ "${CASE}-stderr.txt" expected_stderr)
endif()

# The registry stays unasked: no case fetches anything.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G "${generator}" ${program} "-DPiShip_DIR=${PISHIP}" "-DPISHIP_CACHE_HOME=${DIRECTORY}/cache"
    -DPISHIP_NPM_REGISTRY=https://registry.invalid/ -S "${source}" -B "${DIRECTORY}/build"
  RESULT_VARIABLE result OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)

# CMake wraps its messages, so white space is compared as one blank.
foreach(text IN ITEMS expected_stderr stderr)
  string(REGEX REPLACE "[ \n]+" " " ${text} "${${text}}")
  string(STRIP "${${text}}" ${text})
endforeach()
set(problems "")
if(NOT result EQUAL expected_result)
  string(APPEND problems "exit code ${result} instead of ${expected_result}\n")
endif()
if(expected_stderr STREQUAL "" AND NOT stderr STREQUAL "")
  string(APPEND problems "standard error is not empty\n")
elseif(NOT stderr MATCHES "${expected_stderr}")
  string(APPEND problems "standard error is not as expected\n")
endif()
if(problems)
  message(FATAL_ERROR "${case_name}: ${problems}expected> ${expected_stderr}\nactual> ${stderr}\nstdout> ${stdout}")
endif()
