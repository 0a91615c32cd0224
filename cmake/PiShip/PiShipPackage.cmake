# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShipPackage
-------------

.. command:: piship_add_debian_package

  Lets CPack make a Debian package that installs a distribution for everybody on a machine::

    piship_add_debian_package(<target>
      MAINTAINER <text>
      [PACKAGE <name>]
      [DESCRIPTION <text>]
      [HOMEPAGE <url>]
      [SECTION <section>]
      [DEPENDS <dependency>...]
      [RECOMMENDS <dependency>...])
    include(CPack)

  It is called before ``include(CPack)``, in the same directory; then ``cpack -G DEB``, the target ``package`` and, where the
  project sets no ``CPACK_GENERATOR``, ``cpack`` alone make ``<package>_<version>_<architecture>.deb``. Other generators of
  the project are not touched; with ``DEB`` the packages of these calls are made and nothing else. Its bytes depend on
  the release and on CPack (which writes the umask into it) alone; ``SOURCE_DATE_EPOCH`` in the environment sets another time
  than 2000-01-01.

  The package holds the install home ``/opt/<package>`` with the payload and its receipt, and the link
  ``/usr/bin/<command>``. What is installed so is changed by the package manager alone: ``update``, ``repair``,
  ``rollback`` and ``uninstall`` are refused and say what to do instead.

  ``MAINTAINER <text>``
    ``<name> <<address>>``. One for all packages of a project, as are ``HOMEPAGE`` and the version.
  ``PACKAGE <name>``
    The package's name; the distribution's id where it is not given.
  ``DESCRIPTION <text>``
    The first line is the summary. The distribution's name where it is not given.
  ``HOMEPAGE <url>``
    Where the application is described.
  ``SECTION <section>``
    Debian's section; ``utils`` where it is not given.
  ``DEPENDS <dependency>...``
    Packages that it needs, as Debian writes them (``git (>= 1:2.30)``). Where it is not given: none for a distribution
    that runs with the user's Node or was made for musl, and ``libc6, libstdc++6`` for one with an engine of its own.
  ``RECOMMENDS <dependency>...``
    Packages that are installed with it unless the user says otherwise. Where it is not given: ``nodejs`` for a
    distribution that runs with the user's Node, else none.
#]=======================================================================]
include_guard(GLOBAL)

function(piship_add_debian_package target)
  set(function piship_add_debian_package)
  set(single MAINTAINER PACKAGE DESCRIPTION HOMEPAGE SECTION)
  set(lists DEPENDS RECOMMENDS)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "${lists}")
  _piship_check_parsed(FUNCTION ${function} TARGET "${target}" KEYWORDS ${single} ${lists} LISTS ${lists} REQUIRED MAINTAINER)
  _piship_check_distribution(${function} "${target}")
  get_target_property(arg_ID "${target}" PISHIP_ID)
  if(NOT DEFINED arg_PACKAGE)
    set(arg_PACKAGE "${arg_ID}")
  endif()
  if(NOT DEFINED arg_SECTION)
    set(arg_SECTION utils)
  endif()
  _piship_debian_check("${target}")
  _piship_debian_dependencies("${target}")
  get_target_property(version "${target}" PISHIP_VERSION)
  # "1.0.0-rc.1" comes before "1.0.0", which Debian writes with a tilde; another hyphen would be Debian's own revision.
  string(REGEX REPLACE "^([0-9.]+)-" "\\1~" version "${version}")
  string(REPLACE "-" "." version "${version}")
  _piship_debian_settings("${target}" "${version}" settings)
  _piship_debian_install("${target}")

  # CPack reads this file for each generator, so the others keep what the project has chosen for them.
  get_property(others GLOBAL PROPERTY _PISHIP_DEBIAN_SETTINGS)
  string(APPEND others "${settings}")
  set_property(GLOBAL PROPERTY _PISHIP_DEBIAN_SETTINGS "${others}")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/piship-debian.cmake")
  get_property(project_file GLOBAL PROPERTY _PISHIP_CPACK_PROJECT_CONFIG_FILE)
  if(CPACK_PROJECT_CONFIG_FILE AND NOT CPACK_PROJECT_CONFIG_FILE STREQUAL file)
    set(project_file "${CPACK_PROJECT_CONFIG_FILE}")
    set_property(GLOBAL PROPERTY _PISHIP_CPACK_PROJECT_CONFIG_FILE "${project_file}")
  endif()
  _piship_script_set(chained piship_project_config_file "${project_file}")
  get_property(directory GLOBAL PROPERTY _PISHIP_INTERNAL_DIRECTORY)
  file(WRITE "${file}" "${chained}set(piship_components)\n${others}include([========[${directory}/DebianSettings.cmake]========])\n")
  set(CPACK_PROJECT_CONFIG_FILE "${file}" PARENT_SCOPE)
  if(NOT CPACK_GENERATOR)
    set(CPACK_GENERATOR DEB PARENT_SCOPE)
  endif()
endfunction()

function(_piship_debian_check target)
  set(function piship_add_debian_package)
  if(CPack_CMake_INCLUDED)
    _piship_fail(${function} "${target}" "call it before include(CPack), which reads what it sets")
  endif()
  if(NOT arg_MAINTAINER MATCHES "^[^<>\n]*[^<> \n] <[^<>@ \n]+@[^<>@ \n]+>$")
    _piship_fail(${function} "${target}" "MAINTAINER '${arg_MAINTAINER}' is not of the form <name> <<address>>")
  endif()
  if(NOT arg_PACKAGE MATCHES "^[a-z0-9][a-z0-9+.-]+$")
    _piship_fail(${function} "${target}" "PACKAGE '${arg_PACKAGE}' is not a name of Debian's: lower-case letters, digits, "
                 "'+', '-' and '.', beginning with a letter or digit, at least two")
  endif()
  get_property(packages GLOBAL PROPERTY _PISHIP_DEBIAN_PACKAGES)
  if(arg_PACKAGE IN_LIST packages)
    _piship_fail(${function} "${target}" "there is a package '${arg_PACKAGE}' already")
  endif()
  get_target_property(version "${target}" PISHIP_VERSION)
  set(common "${version};${arg_MAINTAINER};${arg_HOMEPAGE}")
  get_property(first GLOBAL PROPERTY _PISHIP_DEBIAN_COMMON)
  if(packages AND NOT first STREQUAL common)
    _piship_fail(${function} "${target}" "CPack gives all packages of a project the same version, maintainer and homepage, and "
                 "another call has other ones")
  endif()
  set_property(GLOBAL PROPERTY _PISHIP_DEBIAN_COMMON "${common}")
  set_property(GLOBAL APPEND PROPERTY _PISHIP_DEBIAN_PACKAGES "${arg_PACKAGE}")
endfunction()

# arg_DEPENDS and arg_RECOMMENDS, where they are not given. The runtime itself is static.
function(_piship_debian_dependencies target)
  get_target_property(engine "${target}" PISHIP_ENGINE_PACKAGE)
  get_target_property(platform "${target}" PISHIP_PLATFORM)
  if(NOT DEFINED arg_DEPENDS AND engine AND NOT platform MATCHES "-musl$")
    set(arg_DEPENDS libc6 "libstdc++6" PARENT_SCOPE)
  endif()
  if(NOT DEFINED arg_RECOMMENDS AND NOT engine)
    set(arg_RECOMMENDS nodejs PARENT_SCOPE)
  endif()
endfunction()

# What CPack has to know about the package, as the text of a script.
function(_piship_debian_settings target version result)
  get_target_property(platform "${target}" PISHIP_PLATFORM)
  string(REGEX REPLACE "^linux-([^-]+).*$" "\\1" cpu "${platform}")
  set(names_x64 amd64)
  set(names_arm armhf)
  set(names_ia32 i386)
  set(names_ppc64 ppc64el)
  set(architecture "${cpu}")
  if(DEFINED names_${cpu})
    set(architecture "${names_${cpu}}")
  endif()
  if(NOT DEFINED arg_DESCRIPTION)
    get_target_property(arg_DESCRIPTION "${target}" PISHIP_NAME)
    if(NOT arg_DESCRIPTION)
      set(arg_DESCRIPTION "${arg_ID}")
    endif()
  endif()
  list(JOIN arg_DEPENDS ", " depends)
  list(JOIN arg_RECOMMENDS ", " recommends)
  set(component "${target}-deb")
  string(TOUPPER "${component}" upper)
  set(text "list(APPEND piship_components [========[${component}]========])\n")
  foreach(setting IN ITEMS NAME ARCHITECTURE DEPENDS RECOMMENDS SECTION)
    set(name "CPACK_DEBIAN_${upper}_PACKAGE_${setting}")
    set(value_NAME "${arg_PACKAGE}")
    set(value_ARCHITECTURE "${architecture}")
    set(value_DEPENDS "${depends}")
    set(value_RECOMMENDS "${recommends}")
    set(value_SECTION "${arg_SECTION}")
    _piship_script_set(line "piship_${name}" "${value_${setting}}")
    string(APPEND text "${line}")
  endforeach()
  foreach(setting IN ITEMS "CPACK_DEBIAN_${upper}_DESCRIPTION;${arg_DESCRIPTION}" "CPACK_DEBIAN_PACKAGE_VERSION;${version}"
      "CPACK_DEBIAN_PACKAGE_MAINTAINER;${arg_MAINTAINER}" "CPACK_DEBIAN_PACKAGE_HOMEPAGE;${arg_HOMEPAGE}")
    list(POP_FRONT setting name)
    _piship_script_set(line "piship_${name}" "${setting}")
    string(APPEND text "${line}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The component <target>-deb: the install home and the link. `cmake --install` alone leaves it out.
function(_piship_debian_install target)
  get_property(directory GLOBAL PROPERTY _PISHIP_INTERNAL_DIRECTORY)
  _piship_property("${target}" PISHIP_RELEASE release)
  _piship_property("${target}" PISHIP_COMMAND command)
  set(text "")
  foreach(assignment IN ITEMS "piship_target;${target}" "piship_id;${arg_ID}" "piship_command;${command}" "piship_release;${release}"
      "piship_package;${arg_PACKAGE}" "piship_home_tool;$<TARGET_FILE:PiShip::home>")
    list(POP_FRONT assignment name)
    _piship_script_set(line "${name}" "${assignment}")
    string(APPEND text "${line}")
  endforeach()
  install(CODE "${text}include([========[${directory}/DebianInstall.cmake]========])" COMPONENT "${target}-deb" EXCLUDE_FROM_ALL)
endfunction()
