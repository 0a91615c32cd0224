# SPDX-License-Identifier: MIT
# Two build trees on one store, with real Ninja edges: a store that is deleted, pruned or damaged between two builds is
# noticed by the next build of either, which ends right.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${DIRECTORY}")
foreach(tree IN ITEMS one two)
  file(WRITE "${DIRECTORY}/source/${tree}.txt" "own bytes of ${tree}\n")
  file(WRITE "${DIRECTORY}/source/common.txt" "common bytes\n")
  file(WRITE "${DIRECTORY}/${tree}/list" "${tree}.txt\ncommon.txt\n")
  file(WRITE "${DIRECTORY}/${tree}/build.ninja" "
rule sources
  command = '${SOURCES}' --base ../source --list list --store ../store --output $out --depfile $out.d
  depfile = $out.d
  restat = 1
build sources.inventory: sources list
")
endforeach()
function(build tree expected)
  execute_process(COMMAND "${NINJA}" -C "${DIRECTORY}/${tree}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the build of ${tree} failed:\n${output}")
  endif()
  if(output MATCHES "no work to do")
    set(ran "nothing")
  else()
    set(ran "edges")
  endif()
  if(NOT ran STREQUAL expected)
    message(FATAL_ERROR "${tree}: ran ${ran}, expected ${expected}:\n${output}")
  endif()
endfunction()

function(expect_complete)
  execute_process(COMMAND "${STORE}" check --store "${DIRECTORY}/store" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${output}")
  endif()
  file(GLOB_RECURSE objects "${DIRECTORY}/store/objects/*")
  list(LENGTH objects count)
  if(NOT count EQUAL 3)
    message(FATAL_ERROR "${count} objects instead of 3")
  endif()
endfunction()

function(build_both_after what)
  message(STATUS "after: ${what}")
  build(one edges)
  build(two edges)
  expect_complete()
  build(one nothing)
  build(two nothing)
endfunction()

build_both_after("nothing")
file(REMOVE_RECURSE "${DIRECTORY}/store")
build_both_after("the store was deleted")
execute_process(COMMAND "${STORE}" prune --max-bytes 0 --store "${DIRECTORY}/store" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
build_both_after("everything was pruned")

# Damage: found by whoever reads, here by check; the next builds make it again.
file(GLOB_RECURSE objects "${DIRECTORY}/store/objects/*")
list(GET objects 0 object)
file(SIZE "${object}" size)
string(REPEAT "x" ${size} bytes)
file(REMOVE "${object}")
file(WRITE "${object}" "${bytes}")
execute_process(COMMAND "${STORE}" check --store "${DIRECTORY}/store" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 4)
  message(FATAL_ERROR "check did not find the damage")
endif()
build_both_after("an object was damaged")
