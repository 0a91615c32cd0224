# SPDX-License-Identifier: MIT
# The content of a Debian package, below the prefix that CPack gives. The variables piship_* come from PiShipPackage.
string(REGEX REPLACE "/+$" "" piship_root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
# Directories are for everybody, whatever the umask.
foreach(piship_directory IN ITEMS opt usr usr/bin)
  if(NOT EXISTS "${piship_root}/${piship_directory}")
    file(MAKE_DIRECTORY "${piship_root}/${piship_directory}")
    file(CHMOD "${piship_root}/${piship_directory}" PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
if(NOT EXISTS "${piship_release}")
  message(FATAL_ERROR "${piship_target}: ${piship_release} does not exist; build the target ${piship_target} first")
endif()
execute_process(COMMAND "${piship_home_tool}" --release "${piship_release}" --manager dpkg --package "${piship_package}"
    --output "${piship_root}/opt/${piship_package}"
  RESULT_VARIABLE piship_status OUTPUT_VARIABLE piship_output ERROR_VARIABLE piship_output)
if(NOT piship_status EQUAL 0)
  message(FATAL_ERROR "${piship_target}: the install home could not be made (${piship_status})\n${piship_output}")
endif()
# Links between top-level directories are absolute, as Debian's policy wants them.
file(CREATE_LINK "/opt/${piship_package}/apps/${piship_id}/launch" "${piship_root}/usr/bin/${piship_command}" SYMBOLIC)
