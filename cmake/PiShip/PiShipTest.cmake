# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipTest
----------

.. command:: piship_add_smoke_test

  Adds a test that starts the installed command::

    piship_add_smoke_test(<target> NAME <name>
      [ARGUMENTS <argument>...] [INPUT <text>]
      [PASS_REGULAR_EXPRESSION <regex>...] [FAIL_REGULAR_EXPRESSION <regex>...]
      [ENVIRONMENT <name>=<value>...] [TIMEOUT <seconds>])

  ``ctest`` knows it as ``<target>.<name>``. Before the first of them, the test ``<target>.install`` installs the current
  release into a throwaway home in the build tree. A smoke test passes when the command ends with 0 and its output
  matches as is asked below. ``enable_testing()`` must have been called in the project's top directory. The tests of a
  distribution for another platform than this machine's are disabled.

  ``NAME <name>``
    Unique for the target.
  ``ARGUMENTS <argument>...``
    The arguments of the command.
  ``INPUT <text>``
    What the command reads from its standard input; nothing where it is not given.
  ``PASS_REGULAR_EXPRESSION <regex>...``
    CMake regular expressions; the output (standard output and error together) must match each.
  ``FAIL_REGULAR_EXPRESSION <regex>...``
    The output must match none of these.
  ``ENVIRONMENT <name>=<value>...``
    Variables for the command. ``HOME`` is an empty directory of the test.
  ``TIMEOUT <seconds>``
    60 where it is not given.
#]=======================================================================]
include_guard(GLOBAL)

function(piship_add_smoke_test target)
  set(function piship_add_smoke_test)
  set(single NAME INPUT TIMEOUT)
  set(lists ARGUMENTS PASS_REGULAR_EXPRESSION FAIL_REGULAR_EXPRESSION ENVIRONMENT)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "${lists}")
  _piship_check_parsed(FUNCTION ${function} TARGET "${target}" KEYWORDS ${single} ${lists} LISTS ${lists} REQUIRED NAME)
  _piship_check_distribution(${function} "${target}")
  if(NOT arg_NAME MATCHES "^[A-Za-z0-9][A-Za-z0-9._-]*$" OR arg_NAME STREQUAL "install")
    _piship_fail(${function} "${target}" "NAME '${arg_NAME}' must consist of letters, digits, '.', '_' and '-', and not be 'install'")
  endif()
  foreach(assignment IN LISTS arg_ENVIRONMENT)
    if(NOT assignment MATCHES "^[A-Za-z_][A-Za-z0-9_]*=")
      _piship_fail(${function} "${target}" "ENVIRONMENT '${assignment}' is not <name>=<value>")
    endif()
  endforeach()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  elseif(NOT arg_TIMEOUT MATCHES "^[1-9][0-9]*$")
    _piship_fail(${function} "${target}" "TIMEOUT must be a number of seconds, not '${arg_TIMEOUT}'")
  endif()
  get_property(names TARGET "${target}" PROPERTY _PISHIP_SMOKE_TESTS)
  if(arg_NAME IN_LIST names)
    _piship_fail(${function} "${target}" "NAME '${arg_NAME}' is the name of another smoke test of this distribution")
  endif()
  if(NOT names)
    _piship_add_smoke_script("${target}" install SmokeInstallDriver "")
    set_tests_properties("${target}.install" PROPERTIES FIXTURES_SETUP "piship.${target}" TIMEOUT 300)
  endif()
  set_property(TARGET "${target}" APPEND PROPERTY _PISHIP_SMOKE_TESTS "${arg_NAME}")

  _piship_script_set(name piship_name "${arg_NAME}")
  _piship_script_set(arguments piship_arguments ${arg_ARGUMENTS})
  _piship_script_set(input piship_input "${arg_INPUT}")
  _piship_script_set(pass piship_pass ${arg_PASS_REGULAR_EXPRESSION})
  _piship_script_set(fail piship_fail ${arg_FAIL_REGULAR_EXPRESSION})
  _piship_script_set(environment piship_environment ${arg_ENVIRONMENT})
  _piship_add_smoke_script("${target}" "${arg_NAME}" SmokeDriver "${name}${arguments}${input}${pass}${fail}${environment}")
  set_tests_properties("${target}.${arg_NAME}" PROPERTIES FIXTURES_REQUIRED "piship.${target}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# The test <target>.<name>, which runs `driver` after the assignments of `variables`.
function(_piship_add_smoke_script target name driver variables)
  if(NOT TARGET PiShip::runtime)
    _piship_fail(piship_add_smoke_test "${target}" "the runtime is not there; find_package(PiShip) needs the component Runtime")
  endif()
  get_property(directory GLOBAL PROPERTY _PISHIP_INTERNAL_DIRECTORY)
  get_target_property(work "${target}" PISHIP_WORK_DIRECTORY)
  get_target_property(source_directory "${target}" SOURCE_DIR)
  get_property(optional DIRECTORY "${source_directory}" PROPERTY EXCLUDE_FROM_ALL)
  if(NOT optional)
    set(optional FALSE)
  endif()
  _piship_script_head("${target}" "${work}/smoke" head)
  file(GENERATE OUTPUT "${work}/smoke-${name}.cmake" CONTENT
    "${head}set(piship_optional ${optional})\n${variables}include([========[${directory}/${driver}.cmake]========])\n")
  add_test(NAME "${target}.${name}" COMMAND "${CMAKE_COMMAND}" -P "${work}/smoke-${name}.cmake")
  set_tests_properties("${target}.${name}" PROPERTIES LABELS "smoke" SKIP_REGULAR_EXPRESSION "skipped: the target ")
  # A payload for another platform can't be started here.
  get_target_property(platform "${target}" PISHIP_PLATFORM)
  _piship_host_platform(host)
  if(NOT platform STREQUAL host)
    set_tests_properties("${target}.${name}" PROPERTIES DISABLED TRUE)
  endif()
endfunction()
