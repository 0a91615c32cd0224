# SPDX-License-Identifier: MIT
piship_add_distribution(hello
  VERSION 1.0.0
  COMMAND hello
  ENTRY_POINT main.js
  SOURCES main.js
  ENGINE SYSTEM ">=18"
  NAME "Hello, world"
  ID hi-there
  STRIP OFF
  PLATFORM linux-x64-musl
  COMPRESSION_LEVEL 3
  ENVIRONMENT A=1 "B={state}/x"
  ARGUMENTS --one two
  VERIFY_AT_LAUNCH ON
  KEEP_VERSIONS 3
  STATE_SCHEMA 12)

get_target_property(archive hello PISHIP_ARCHIVE)
if(NOT archive STREQUAL "${CMAKE_CURRENT_BINARY_DIR}/releases/hi-there-1.0.0-linux-x64-musl.tar.zst")
  message(SEND_ERROR "PISHIP_ARCHIVE is ${archive}")
endif()
foreach(property IN ITEMS PISHIP_CHECKSUM PISHIP_RELEASE PISHIP_INVENTORY PISHIP_LOCK)
  get_target_property(value hello ${property})
  if(NOT value)
    message(SEND_ERROR "${property} is not set")
  endif()
endforeach()
if(NOT TARGET hello-run)
  message(SEND_ERROR "there is no target hello-run")
endif()
