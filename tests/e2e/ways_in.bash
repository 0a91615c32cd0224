# SPDX-License-Identifier: MIT
# The ways to PiShip: installed package (elsewhere), -DPiShip_DIR=<build tree>, FetchContent that finds the package, and
# FetchContent that builds PiShip as a part of the project (there the graph is looked at, not built: the main build is
# that case, with its own smoke tests).
start
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"

configure "$SCRATCH/source" "$SCRATCH/build tree" "-DPiShip_DIR=$BUILD" -DCMAKE_PREFIX_PATH=
build "$SCRATCH/build tree"
expect_no_work "$SCRATCH/build tree"
archive_of "$SCRATCH/build tree" > /dev/null

cat > "$SCRATCH/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25...3.31)
project(hello LANGUAGES NONE)
if(BUILD_PISHIP)
  enable_language(CXX)
endif()
include(FetchContent)
FetchContent_Declare(PiShip SOURCE_DIR "${PISHIP_SOURCE}" FIND_PACKAGE_ARGS 0.1 COMPONENTS Tools Runtime)
FetchContent_MakeAvailable(PiShip)
piship_add_distribution(hello VERSION 1.0.0 COMMAND hello ENTRY_POINT src/main.js SOURCES package.json src ENGINE SYSTEM ">=18")
piship_add_resources(hello greetings DIRECTORY resources/greetings)
piship_install_distribution(hello)
END
configure "$SCRATCH/source" "$SCRATCH/found" "-DPISHIP_SOURCE=$SOURCE"
build "$SCRATCH/found"
expect_no_work "$SCRATCH/found"

configure "$SCRATCH/source" "$SCRATCH/built" "-DPISHIP_SOURCE=$SOURCE" -DBUILD_PISHIP=ON -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER
ninja -C "$SCRATCH/built" -n hello > "$SCRATCH/dry-run.log"
for words in "hello: sources" "hello: payload" "hello: archive" "Linking CXX executable .*piship-archive"; do
  grep -q "$words" "$SCRATCH/dry-run.log" || fail "building PiShip as a part: no edge '$words'"
done
! grep -q "install.*piship-archive" "$SCRATCH/built/_deps/piship-build/cmake/cmake_install.cmake" || fail "the project would install PiShip's tools"
