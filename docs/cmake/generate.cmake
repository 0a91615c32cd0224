# SPDX-License-Identifier: MIT
# The CMake reference: the comments at the top of the public modules, one page each.
#   cmake -P docs/cmake/generate.cmake               writes the pages
#   cmake -DMODE=check -P docs/cmake/generate.cmake  fails where a page or a keyword has drifted
# A keyword has drifted where a function knows it and the text does not, or the other way round.
cmake_minimum_required(VERSION 3.25)

get_filename_component(modules "${CMAKE_CURRENT_LIST_DIR}/../../cmake/PiShip" ABSOLUTE)

function(check_keywords name text)
  # What the code parses: the list variables, or the literal arguments of cmake_parse_arguments.
  string(REGEX MATCHALL "set\\((single|lists) [^)]*\\)" groups "${text}")
  string(REGEX MATCHALL "cmake_parse_arguments\\(PARSE_ARGV [^)]*\\)" calls "${text}")
  set(code ${groups} ${calls})
  string(REGEX MATCHALL "[A-Z][A-Z_]*[A-Z]" parsed "${code}")
  list(REMOVE_ITEM parsed PARSE_ARGV)
  # What the text explains.
  string(REGEX MATCHALL "\n  ``[A-Z][A-Z_]+ [<S]" explained "${text}")
  list(TRANSFORM explained REPLACE "^[^A-Z]+([A-Z_]+) .*" "\\1")
  foreach(keyword IN LISTS parsed)
    if(NOT keyword IN_LIST explained)
      message(SEND_ERROR "${name}: the text does not explain ${keyword}")
    endif()
  endforeach()
  foreach(keyword IN LISTS explained)
    if(NOT keyword IN_LIST parsed)
      message(SEND_ERROR "${name}: the text explains ${keyword}, which the function does not know")
    endif()
  endforeach()
endfunction()

foreach(name IN ITEMS PiShip PiShipDistribution PiShipResources PiShipTest PiShipInstall PiShipInstaller PiShipPackage PiShipChannel)
  file(READ "${modules}/${name}.cmake" text)
  if(NOT text MATCHES "#\\[=+\\[[.]rst:\n(.*)\n#\\]=+\\]")
    message(FATAL_ERROR "${name}.cmake has no reference text")
  endif()
  set(page "..\n  Generated from cmake/PiShip/${name}.cmake by docs/cmake/generate.cmake.\n\n${CMAKE_MATCH_1}\n")
  if(NOT MODE STREQUAL "check")
    file(WRITE "${CMAKE_CURRENT_LIST_DIR}/${name}.rst" "${page}")
    continue()
  endif()
  set(present "")
  if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/${name}.rst")
    file(READ "${CMAKE_CURRENT_LIST_DIR}/${name}.rst" present)
  endif()
  if(NOT present STREQUAL page)
    message(SEND_ERROR "docs/cmake/${name}.rst differs from its module; run cmake -P docs/cmake/generate.cmake")
  endif()
  if(NOT name STREQUAL "PiShip")
    check_keywords(${name} "${text}")
  endif()
endforeach()
