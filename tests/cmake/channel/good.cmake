# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18")
piship_install_distribution(hello DESTINATION share/hello COMPONENT app)
piship_add_channel(hello-stable DISTRIBUTIONS hello CHANNEL stable REPOSITORY ../repository KEYS keys/stable.pem)
if(NOT TARGET hello-stable-publish)
  message(FATAL_ERROR "there is no target that publishes")
endif()
