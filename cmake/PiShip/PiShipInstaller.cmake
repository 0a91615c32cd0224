# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipInstaller
---------------

.. command:: piship_add_installer

  Makes one file of a distribution's release, which installs it wherever it is executed::

    piship_add_installer(<name> DISTRIBUTION <target>)

  The target ``<name>``, part of ``ALL``, makes ``<id>-<version>-<platform>.run`` and its ``.sha256`` beside the archive: the
  ``piship`` program with the archive behind it. It needs no other program, no root and no network; ``--help`` lists its
  options, ``docs/runtime.md`` says more.

  ``DISTRIBUTION <target>``
    The distribution.

  Target properties with the results: ``PISHIP_INSTALLER``, ``PISHIP_INSTALLER_CHECKSUM``.
#]=======================================================================]
include_guard(GLOBAL)

foreach(_piship_property IN ITEMS INSTALLER INSTALLER_CHECKSUM)
  define_property(TARGET PROPERTY PISHIP_${_piship_property} BRIEF_DOCS "See piship_add_installer")
endforeach()
unset(_piship_property)

function(piship_add_installer name)
  set(function piship_add_installer)
  set(single DISTRIBUTION)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "")
  _piship_check_parsed(FUNCTION ${function} TARGET "${name}" KEYWORDS ${single} REQUIRED ${single})
  if(TARGET "${name}")
    _piship_fail(${function} "${name}" "a target of this name exists already")
  endif()
  set(distribution "${arg_DISTRIBUTION}")
  _piship_check_distribution(${function} "${distribution}")
  get_property(others GLOBAL PROPERTY _PISHIP_INSTALLED_DISTRIBUTIONS)
  if(distribution IN_LIST others)
    _piship_fail(${function} "${name}" "the distribution '${distribution}' has an installer already")
  endif()
  set_property(GLOBAL APPEND PROPERTY _PISHIP_INSTALLED_DISTRIBUTIONS "${distribution}")

  get_target_property(archive "${distribution}" PISHIP_ARCHIVE)
  string(REGEX REPLACE "[.]tar[.]zst$" ".run" installer "${archive}")
  _piship_stage_installer("${name}" "${distribution}" "${archive}" "${installer}")
  add_custom_target("${name}" ALL DEPENDS "${installer}" "${installer}.sha256")
  # The archive's edge may be another directory's.
  add_dependencies("${name}" "${distribution}")
  set_target_properties("${name}" PROPERTIES
    PISHIP_INSTALLER "${installer}" PISHIP_INSTALLER_CHECKSUM "${installer}.sha256")
endfunction()
