# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0-rc.1
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_add_debian_package(hello MAINTAINER "Ada <ada@example.org>")
piship_add_debian_package(hello MAINTAINER "Ada <ada@example.org>" PACKAGE hello)
