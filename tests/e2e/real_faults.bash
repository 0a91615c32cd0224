# SPDX-License-Identifier: MIT
# Faults while Pi is installed and uninstalled by several threads: the tests RealPayload of tool.runtime on the release of
# examples/personal.
start
source "$SOURCE/tests/e2e/registry.bash"
cp -R "$SOURCE/examples/personal" "$SCRATCH/source"
configure "$SCRATCH/source" "$SCRATCH/build"
build "$SCRATCH/build"
export PISHIP_TEST_ARCHIVE
PISHIP_TEST_ARCHIVE=$(find "$SCRATCH/build/releases" -name 'mypi-1.0.0-*.tar.zst')
"$BUILD/tests/bin/piship_test_tool_fault_points" --gtest_filter='RealPayload.*' > "$SCRATCH/faults.log" 2>&1 || {
  cat "$SCRATCH/faults.log"
  fail "a fault"
}
grep 'faults$' "$SCRATCH/faults.log" || fail "nothing was tried: $(tail -n 3 "$SCRATCH/faults.log")"
