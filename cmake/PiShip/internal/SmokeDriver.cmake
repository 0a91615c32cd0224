# SPDX-License-Identifier: MIT
# One smoke test: starts the installed command and judges its exit code and what it wrote.
if(piship_optional AND NOT EXISTS "${piship_archive}")
  message(STATUS "skipped: the target ${piship_target} is not part of ALL and has not been built")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/HomeDriver.cmake")

# The application must not find the user's own files, nor leave any there.
file(MAKE_DIRECTORY "${piship_home}/user")
set(ENV{HOME} "${piship_home}/user")
foreach(name IN ITEMS CACHE CONFIG DATA STATE)
  unset(ENV{XDG_${name}_HOME})
endforeach()
foreach(assignment IN LISTS piship_environment)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${assignment}")
  set(ENV{${CMAKE_MATCH_1}} "${CMAKE_MATCH_2}")
endforeach()

set(input_file "${piship_home}/${piship_name}.input")
file(WRITE "${input_file}" "${piship_input}")
execute_process(COMMAND "${piship_home}/bin/${piship_command}" ${piship_arguments}
  WORKING_DIRECTORY "${piship_home}/user" INPUT_FILE "${input_file}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)

set(problems "")
if(NOT status EQUAL 0)
  string(APPEND problems "it ended with ${status}\n")
endif()
foreach(expression IN LISTS piship_pass)
  if(NOT output MATCHES "${expression}")
    string(APPEND problems "its output does not match '${expression}'\n")
  endif()
endforeach()
foreach(expression IN LISTS piship_fail)
  if(output MATCHES "${expression}")
    string(APPEND problems "its output matches '${expression}'\n")
  endif()
endforeach()
if(problems)
  list(JOIN piship_arguments " " arguments)
  message(FATAL_ERROR "${piship_command} ${arguments}\n${problems}--- output\n${output}\n---")
endif()
