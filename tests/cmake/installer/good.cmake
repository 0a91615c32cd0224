# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_add_installer(hello-installer DISTRIBUTION hello)
get_target_property(installer hello-installer PISHIP_INSTALLER)
get_target_property(checksum hello-installer PISHIP_INSTALLER_CHECKSUM)
if(NOT installer MATCHES "/releases/hello-1[.]0[.]0-[a-z0-9-]+[.]run$" OR NOT checksum STREQUAL "${installer}.sha256")
  message(FATAL_ERROR "the results are '${installer}' and '${checksum}'")
endif()
