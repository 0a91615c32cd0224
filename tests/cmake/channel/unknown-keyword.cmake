# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_install_distribution(hello DESTINATION share/hello COMPONENT app)
piship_add_channel(hello-stable DISTRIBUTIONS hello CHANEL stable REPOSITORY ../repository)
