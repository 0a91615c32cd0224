# SPDX-License-Identifier: MIT
# <target>-run: installs the current build and becomes, as nearly as a script can, the installed command.
include("${CMAKE_CURRENT_LIST_DIR}/HomeDriver.cmake")

# A version is installed once and never changed, but an edit that is tried keeps its version: when the release is another
# one than last time, the old installation is removed first. The state stays.
set(installed_release "${piship_home}/release.json")
set(is_current FALSE)
if(EXISTS "${installed_release}" AND EXISTS "${piship_home}/bin/${piship_command}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${piship_release}" "${installed_release}"
    RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs EQUAL 0)
    set(is_current TRUE)
  endif()
endif()
if(NOT is_current)
  if(EXISTS "${piship_home}/install/receipts/${piship_id}.json")
    execute_process(COMMAND "${piship_runtime}" uninstall "${piship_id}"
      RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${piship_target}: 'piship uninstall ${piship_id}' failed (${status})\n${output}")
    endif()
  endif()
  piship_install_current()
  configure_file("${piship_release}" "${installed_release}" COPYONLY)
endif()

separate_arguments(arguments UNIX_COMMAND "$ENV{PISHIP_RUN_ARGUMENTS}")
execute_process(COMMAND "${piship_home}/bin/${piship_command}" ${arguments} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${piship_command} ended with ${status}")
endif()
