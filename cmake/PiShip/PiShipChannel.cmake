# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipChannel
-------------

.. command:: piship_add_channel

  Makes a target that publishes releases to a channel of a signed repository::

    piship_add_channel(<name>
      DISTRIBUTIONS <target>...
      CHANNEL <channel>
      REPOSITORY <directory>
      [DELTAS <number>]
      [KEYS <file>...]
      [PASSPHRASE_VARIABLE <variable>])

  ``<name>-publish`` is outside ``ALL``: it builds the distributions and adds their releases to the channel. The repository
  is state that its owner keeps, with one history, and no product of the build; ``piship-publish init`` begins it, and
  a static web server serves its ``metadata`` and ``targets``.

  ``DISTRIBUTIONS <target>...``
    Targets of ``piship_add_distribution``, one for each platform or application.
  ``CHANNEL <channel>``
    The channel's name, as the repository has it.
  ``REPOSITORY <directory>``
    Outside the build tree, which may be deleted.
  ``DELTAS <number>``
    From how many releases before the newest one an update downloads only what changed. Default: 5.
  ``KEYS <file>...``
    Private keys (PEM) to sign with: the channel's, the snapshot's and the timestamp's. What lacks signatures is staged
    and published by ``piship-publish sign``.
  ``PASSPHRASE_VARIABLE <variable>``
    The environment variable that holds the keys' passphrase. Without it a terminal is asked.
#]=======================================================================]
include_guard(GLOBAL)

function(piship_add_channel name)
  set(function piship_add_channel)
  set(single CHANNEL DELTAS REPOSITORY PASSPHRASE_VARIABLE)
  set(lists DISTRIBUTIONS KEYS)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "${lists}")
  _piship_check_parsed(FUNCTION ${function} TARGET "${name}" KEYWORDS ${single} ${lists} LISTS ${lists}
    REQUIRED DISTRIBUTIONS CHANNEL REPOSITORY)
  if(TARGET "${name}-publish")
    _piship_fail(${function} "${name}" "there is a target ${name}-publish already")
  endif()
  get_filename_component(repository "${arg_REPOSITORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${repository}" NORMALIZE inside)
  if(inside)
    _piship_fail(${function} "${name}" "REPOSITORY '${arg_REPOSITORY}' lies in the build tree, which may be deleted; "
                 "a repository is kept by its owner")
  endif()
  if(NOT DEFINED arg_DELTAS)
    set(arg_DELTAS 5)
  elseif(NOT arg_DELTAS MATCHES "^[0-9]+$")
    _piship_fail(${function} "${name}" "DELTAS '${arg_DELTAS}' is not a number")
  endif()
  set(arguments add --repository "${repository}" --channel "${arg_CHANNEL}" --deltas "${arg_DELTAS}")
  foreach(target IN LISTS arg_DISTRIBUTIONS)
    _piship_check_distribution(${function} "${target}")
    _piship_property("${target}" PISHIP_RELEASE release)
    list(APPEND arguments --release "${release}")
  endforeach()
  foreach(key IN LISTS arg_KEYS)
    get_filename_component(key "${key}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND arguments --key "${key}")
  endforeach()
  if(DEFINED arg_PASSPHRASE_VARIABLE)
    list(APPEND arguments --passphrase-env "${arg_PASSPHRASE_VARIABLE}")
  endif()
  add_custom_target("${name}-publish" COMMAND PiShip::publish ${arguments} USES_TERMINAL VERBATIM
    COMMENT "${name}: publish to ${arg_CHANNEL}")
  add_dependencies("${name}-publish" ${arg_DISTRIBUTIONS})
endfunction()
