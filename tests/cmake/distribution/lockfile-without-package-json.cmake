# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENGINE SYSTEM ">=18"
  ENTRY_PACKAGE x
  LOCKFILE elsewhere/package-lock.json)
