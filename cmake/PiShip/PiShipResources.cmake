# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipResources
---------------

.. command:: piship_add_resources

  Adds files that an application finds at run time below ``{resources}/<kind>``::

    piship_add_resources(<target> <kind> {FILES <file>... | DIRECTORY <directory>} [BASE <directory>])

  ``<kind>`` is a name that the owner chooses, for example ``skills``. Each file keeps its path below ``BASE``. Adding,
  changing or deleting a file re-runs only what reads it. May be called several times, also for one kind.

  ``FILES <file>...``
    Files, relative to the current source directory. Outputs of other rules and generator expressions may be used.
  ``DIRECTORY <directory>``
    Everything below a directory; what is added to it is noticed without configuring again.
  ``BASE <directory>``
    The directory that paths are counted from: where it is not given, the current source directory for ``FILES`` and the
    directory itself for ``DIRECTORY``.
#]=======================================================================]
include_guard(GLOBAL)

function(piship_add_resources target kind)
  set(function piship_add_resources)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "DIRECTORY;BASE" "FILES")
  _piship_check_parsed(FUNCTION ${function} TARGET "${target}" KEYWORDS FILES DIRECTORY BASE LISTS FILES)
  _piship_check_distribution(${function} "${target}")
  _piship_check_id(${function} "${target}" "the kind" "${kind}")
  if(DEFINED arg_FILES AND DEFINED arg_DIRECTORY)
    _piship_fail(${function} "${target}" "FILES and DIRECTORY exclude each other")
  elseif(NOT DEFINED arg_FILES AND NOT DEFINED arg_DIRECTORY)
    _piship_fail(${function} "${target}" "FILES or DIRECTORY is missing\nValid keywords: FILES DIRECTORY BASE")
  endif()

  set(base "${CMAKE_CURRENT_SOURCE_DIR}")
  set(paths ${arg_FILES})
  if(DEFINED arg_DIRECTORY)
    get_filename_component(base "${arg_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT IS_DIRECTORY "${base}")
      _piship_fail(${function} "${target}" "DIRECTORY: '${arg_DIRECTORY}' is not a directory (looked for ${base})")
    endif()
    set(paths "${base}")
  endif()
  if(DEFINED arg_BASE)
    get_filename_component(base "${arg_BASE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${base}" NORMALIZE is_made)
    if(is_made)
      file(MAKE_DIRECTORY "${base}")  # what lies there may be made later
    endif()
    if(NOT IS_DIRECTORY "${base}")
      _piship_fail(${function} "${target}" "BASE: '${arg_BASE}' is not a directory (looked for ${base})")
    endif()
  endif()
  _piship_input_paths(${function} "${target}" FILES "${base}" relative generated ${paths})

  get_target_property(work "${target}" PISHIP_WORK_DIRECTORY)
  get_property(others TARGET "${target}" PROPERTY PISHIP_RESOURCES)
  list(LENGTH others number)
  set(name "resources-${kind}-${number}")
  _piship_stage_sources("${target}" "${work}" "${name}" "${base}" "${relative}" "${generated}")
  set_property(TARGET "${target}" APPEND PROPERTY PISHIP_RESOURCES "${kind}=${work}/${name}.inventory")
  set_property(TARGET "${target}" APPEND PROPERTY PISHIP_RESOURCE_INVENTORIES "${work}/${name}.inventory")
  # CMake writes an edge only where a target of its own directory needs it.
  get_target_property(directory "${target}" SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    add_custom_target("${target}-${name}" DEPENDS "${work}/${name}.inventory")
    add_dependencies("${target}" "${target}-${name}")
  endif()
endfunction()
