# SPDX-License-Identifier: MIT
# How PiShip itself is compiled; consumers never include this.
include_guard(GLOBAL)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(PISHIP_BINARY_DIR "${CMAKE_CURRENT_BINARY_DIR}" CACHE INTERNAL "PiShip's build tree")
set(PISHIP_SANITIZERS "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")
option(PISHIP_FUZZERS "Build the fuzz targets as libFuzzer programs; needs clang" OFF)
option(PISHIP_WARNINGS_AS_ERRORS "Warnings stop the build" ${PROJECT_IS_TOP_LEVEL})
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PISHIP_FUZZERS AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "PISHIP_FUZZERS needs clang, the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()
# Compiling again what was compiled before is most of the time between two branches.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PISHIP_CCACHE ccache)
  if(PISHIP_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PISHIP_CCACHE}")
  endif()
endif()

# The runtime is fully static, and one build of the boxes serves it and the tools.
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3.0 REQUIRED)
find_package(LibArchive 3.6 REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tl-expected 1.0 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_path(PISHIP_ZSTD_INCLUDE zstd.h REQUIRED)
find_library(PISHIP_ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
find_path(PISHIP_UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_library(PISHIP_UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc REQUIRED)
find_path(PISHIP_LIBDEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(PISHIP_LIBDEFLATE_LIBRARY NAMES libdeflate.a deflate REQUIRED)

# The settings of every target of ours.
add_library(piship_settings INTERFACE)
target_compile_features(piship_settings INTERFACE cxx_std_20)
target_compile_options(piship_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough
  $<$<BOOL:${PISHIP_WARNINGS_AS_ERRORS}>:-Werror>)
# GCC 12 and 13 see an overlap in "literal" + std::string at -O3 that is not there (GCC bug 105651).
target_compile_options(piship_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(piship_settings INTERFACE _FILE_OFFSET_BITS=64)
target_link_libraries(piship_settings INTERFACE Threads::Threads)
if(PISHIP_SANITIZERS)
  target_compile_options(piship_settings INTERFACE -fsanitize=${PISHIP_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # GCC takes what sanitizers add for paths on which nothing was written.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(piship_settings INTERFACE -fsanitize=${PISHIP_SANITIZERS})
endif()
if(PISHIP_FUZZERS)
  target_compile_options(piship_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# piship_add_box(<name> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...])
# One layer of tools/lib: a static library piship_<name>, included as "<name>/<file>.h".
function(piship_add_box name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;PRIVATE_LINKS")
  add_library(piship_${name} STATIC ${arg_SOURCES})
  target_include_directories(piship_${name} PUBLIC "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../tools/lib")
  target_link_libraries(piship_${name} PUBLIC ${arg_LINKS} PRIVATE piship_settings ${arg_PRIVATE_LINKS})
endfunction()

# piship_add_tool(<name> SOURCES <file>... LINKS <target>...)
# A host program piship-<name>, also as PiShip::<name>, in <build tree>/bin. main.cc is its only file outside the library
# piship_tool_<name>, which unit tests link.
function(piship_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_library(piship_tool_${name} STATIC ${arg_SOURCES})
  target_include_directories(piship_tool_${name} PUBLIC "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../tools")
  target_link_libraries(piship_tool_${name} PUBLIC ${arg_LINKS} PRIVATE piship_settings)
  add_executable(piship-${name} main.cc)
  add_executable(PiShip::${name} ALIAS piship-${name})
  target_link_libraries(piship-${name} PRIVATE piship_tool_${name} piship_settings)
  set_target_properties(piship-${name} PROPERTIES EXPORT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PISHIP_BINARY_DIR}/bin")
  set_property(GLOBAL APPEND PROPERTY PISHIP_TOOLS piship-${name})
endfunction()
