# SPDX-License-Identifier: MIT
# Installing a distribution into a home of the build tree, for RunDriver and SmokeDriver. The variables piship_* come from
# the script that includes this (Scripts.cmake).

# Everything that the runtime writes goes below the home of the build tree; the user's own homes stay untouched.
set(ENV{PISHIP_INSTALL_HOME} "${piship_home}/install")
set(ENV{PISHIP_STATE_HOME} "${piship_home}/state")
set(ENV{PISHIP_BIN_HOME} "${piship_home}/bin")
set(ENV{PISHIP_CACHE_HOME} "${piship_home}/cache")

function(piship_install_current)
  file(MAKE_DIRECTORY "${piship_home}")
  execute_process(COMMAND "${piship_runtime}" install --quiet "${piship_archive}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${piship_target}: 'piship install ${piship_archive}' failed (${status})\n${output}")
  endif()
endfunction()
