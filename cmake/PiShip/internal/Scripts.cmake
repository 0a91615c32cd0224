# SPDX-License-Identifier: MIT
# Small scripts that are made when configuring and run by `cmake -P`: each sets its variables and includes one of the
# drivers beside this file. That way no argument ever passes through a shell.
include_guard(GLOBAL)

set_property(GLOBAL PROPERTY _PISHIP_INTERNAL_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}")

# set(<name> <value>...) as text that gives exactly these values back, whatever characters they contain; generator
# expressions in them are evaluated.
function(_piship_script_set result name)
  set(text "set(${name}")
  foreach(value IN LISTS ARGN)
    # Bracket arguments drop a first line break and nothing else; eight equal signs end no sane value.
    string(APPEND text "\n  [========[${value}]========]")
  endforeach()
  set(${result} "${text})\n" PARENT_SCOPE)
endfunction()

# What every driver of an installation needs to know about the distribution, as the text of a script.
function(_piship_script_head target home result)
  get_target_property(id "${target}" PISHIP_ID)
  _piship_property("${target}" PISHIP_COMMAND command)
  _piship_property("${target}" PISHIP_ARCHIVE archive)
  _piship_property("${target}" PISHIP_RELEASE release)
  set(text "")
  foreach(assignment IN ITEMS
      "piship_target;${target}" "piship_id;${id}" "piship_command;${command}"
      "piship_archive;${archive}" "piship_release;${release}"
      "piship_runtime;$<TARGET_FILE:PiShip::runtime>" "piship_home;${home}")
    list(GET assignment 0 name)
    list(GET assignment 1 value)
    _piship_script_set(line "${name}" "${value}")
    string(APPEND text "${line}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(_piship_add_run_target target)
  if(NOT TARGET PiShip::runtime)
    return()
  endif()
  get_property(directory GLOBAL PROPERTY _PISHIP_INTERNAL_DIRECTORY)
  get_target_property(work "${target}" PISHIP_WORK_DIRECTORY)
  _piship_script_head("${target}" "${work}/run" head)
  file(GENERATE OUTPUT "${work}/run.cmake" CONTENT "${head}include([========[${directory}/RunDriver.cmake]========])\n")
  add_custom_target("${target}-run" COMMAND "${CMAKE_COMMAND}" -P "${work}/run.cmake" USES_TERMINAL VERBATIM
    COMMENT "${target}: install into the build tree and start")
  add_dependencies("${target}-run" "${target}" PiShip::runtime)
endfunction()
