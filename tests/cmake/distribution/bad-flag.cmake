# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18"
  ENGINE_FLAGS --max-old-space-size=64 main.js)
