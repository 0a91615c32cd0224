# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0-rc.1
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_add_debian_package(hello MAINTAINER "Ada <ada@example.org>")
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  message(FATAL_ERROR "the generator is ${CPACK_GENERATOR}")
endif()
include(CPack)
