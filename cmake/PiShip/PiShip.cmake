# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
PiShip
------

JavaScript command-line applications as CMake targets. ``find_package(PiShip)``, ``FetchContent`` and ``add_subdirectory``
all include this module; a project needs no compiler and may say ``LANGUAGES NONE``.

Variables
^^^^^^^^^

.. variable:: PISHIP_CACHE_HOME

  Where the content store and the downloaded tarballs lie, outside every build tree and shared by all of them. Set when
  configuring first: the environment variable of that name, else ``$XDG_CACHE_HOME/piship``, else ``~/.cache/piship``.

.. variable:: PISHIP_NPM_REGISTRY

  The npm registry for packages whose registry no ``.npmrc`` names. Where it is empty and npm is there, it becomes what
  ``npm config get registry`` answers, once, when a distribution with npm packages is configured.

.. variable:: PISHIP_OFFLINE

  ``ON`` refuses the network: what is not in the cache is an error.

.. variable:: PISHIP_COMPRESSION_LEVEL

  The zstd level, 1 to 22, of distributions that give no ``COMPRESSION_LEVEL``. 19 where it is not set; 3 is much faster.

.. variable:: PISHIP_BUNDLE

  Whether distributions that do not say ``BUNDLE`` are bundled. ``OFF`` where it is not set.

.. variable:: PISHIP_RELEASE_DIRECTORY

  Where releases are written, ``releases`` in the distribution's binary directory where it is not set. With Ninja
  Multi-Config all configurations share it, unless it contains ``$<CONFIG>``.

.. variable:: PISHIP_RUNTIME_FILE_<platform>

  The ``piship`` program that goes into payloads for ``<platform>``, where that is not the platform of this machine.
#]=======================================================================]
include_guard(GLOBAL)

# The functions behave alike whatever the project's minimum is.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25...3.31)
foreach(_piship_module IN ITEMS Arguments Settings Stages Bundler Scripts)
  include("${CMAKE_CURRENT_LIST_DIR}/internal/${_piship_module}.cmake")
endforeach()
foreach(_piship_module IN ITEMS Distribution Resources Test Install Installer Package Channel)
  include("${CMAKE_CURRENT_LIST_DIR}/PiShip${_piship_module}.cmake")
endforeach()
unset(_piship_module)
cmake_policy(POP)
