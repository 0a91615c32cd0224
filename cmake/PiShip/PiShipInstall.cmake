# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipInstall
-------------

.. command:: piship_install_distribution

  Makes ``cmake --install`` (and CPack) install a distribution's release and the runtime that installs it for a user::

    piship_install_distribution(<target> [DESTINATION <directory>] [COMPONENT <name>])

  The archive, its ``.sha256`` and ``release.json`` go into the destination, the ``piship`` program into ``bin`` (component
  ``PiShipRuntime``). For another platform than this machine's the program is that platform's.

  ``DESTINATION <directory>``
    Relative to the prefix; ``share/piship/<id>`` where it is not given.
  ``COMPONENT <name>``
    The target's name where it is not given.
#]=======================================================================]
include_guard(GLOBAL)

function(piship_install_distribution target)
  set(function piship_install_distribution)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION;COMPONENT" "")
  _piship_check_parsed(FUNCTION ${function} TARGET "${target}" KEYWORDS DESTINATION COMPONENT)
  _piship_check_distribution(${function} "${target}")
  get_target_property(id "${target}" PISHIP_ID)
  if(NOT DEFINED arg_DESTINATION)
    set(arg_DESTINATION "share/piship/${id}")
  endif()
  if(NOT DEFINED arg_COMPONENT)
    set(arg_COMPONENT "${target}")
  endif()
  _piship_property("${target}" PISHIP_ARCHIVE archive)
  _piship_property("${target}" PISHIP_CHECKSUM checksum)
  _piship_property("${target}" PISHIP_RELEASE release)
  install(FILES "${archive}" "${checksum}"
    DESTINATION "${arg_DESTINATION}" COMPONENT "${arg_COMPONENT}")
  install(FILES "${release}"
    DESTINATION "${arg_DESTINATION}" COMPONENT "${arg_COMPONENT}" RENAME release.json)

  get_target_property(platform "${target}" PISHIP_PLATFORM)
  _piship_runtime_for(${function} "${target}" "${platform}" runtime depends)
  get_property(installed GLOBAL PROPERTY _PISHIP_INSTALLED_RUNTIMES)
  if(NOT runtime IN_LIST installed)
    set_property(GLOBAL APPEND PROPERTY _PISHIP_INSTALLED_RUNTIMES "${runtime}")
    install(PROGRAMS "${runtime}" DESTINATION bin COMPONENT PiShipRuntime RENAME piship)
  endif()
endfunction()
