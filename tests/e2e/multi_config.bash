# SPDX-License-Identifier: MIT
# Ninja Multi-Config: inputs may depend on the configuration, and each configuration has its own release where that is asked for.
start
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
cat >> "$SCRATCH/source/CMakeLists.txt" <<'END'
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/modes/Debug.txt" "debug\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/modes/Release.txt" "release\n")
piship_add_resources(hello mode FILES "${CMAKE_CURRENT_BINARY_DIR}/modes/$<CONFIG>.txt" BASE "${CMAKE_CURRENT_BINARY_DIR}/modes")
piship_add_installer(hello-installer DISTRIBUTION hello)
END
configure "$SCRATCH/source" "$SCRATCH/build" -G "Ninja Multi-Config" "-DCMAKE_CONFIGURATION_TYPES=Debug;Release" '-DPISHIP_RELEASE_DIRECTORY=releases/$<CONFIG>'
for config in Debug Release; do
  build "$SCRATCH/build" --config $config
  build "$SCRATCH/build" --config $config
  grep -q "no work to do" "$SCRATCH/build.log" || { cat "$SCRATCH/build.log"; fail "a second build of $config had work to do"; }
  tar -tf "$SCRATCH/build/releases/$config"/*.tar.zst | grep -qx "resources/mode/$config.txt" || fail "$config has another configuration's resource"
  "$SCRATCH/build/releases/$config"/*.run --quiet --extract "$SCRATCH/extracted/$config"
  [ -f "$SCRATCH/extracted/$config/resources/mode/$config.txt" ] || fail "$config has another configuration's installer"
done
(cd "$SCRATCH/build" && ctest -C Release --output-on-failure > "$SCRATCH/ctest.log" 2>&1) || { cat "$SCRATCH/ctest.log"; fail "the smoke tests of Release"; }
cmake --install "$SCRATCH/build" --config Debug --prefix "$SCRATCH/prefix" > /dev/null
tar -tf "$SCRATCH"/prefix/share/piship/hello/*.tar.zst | grep -qx "resources/mode/Debug.txt" || fail "--config Debug installed another configuration"

# Where nobody asks, the release lies where every other generator puts it.
configure "$SCRATCH/source" "$SCRATCH/plain" -G "Ninja Multi-Config"
build "$SCRATCH/plain" --config Release
[ -f "$(archive_of "$SCRATCH/plain")" ]
