# SPDX-License-Identifier: MIT
# The set-up of a distribution's smoke tests: a fresh home with the current release.
if(NOT EXISTS "${piship_archive}")
  if(piship_optional)
    message(STATUS "skipped: the target ${piship_target} is not part of ALL and has not been built")
    return()
  endif()
  message(FATAL_ERROR "${piship_target}: ${piship_archive} does not exist; build the target ${piship_target} first")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/HomeDriver.cmake")
file(REMOVE_RECURSE "${piship_home}")
piship_install_current()
