# SPDX-License-Identifier: MIT
# The smallest distribution: configure, build, smoke tests, install by the runtime, launch, run, cmake --install, rebuild.
start
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
configure "$SCRATCH/source" "$SCRATCH/build"
build "$SCRATCH/build"
expect_no_work "$SCRATCH/build"
archive=$SCRATCH/build/releases/hello-1.0.0-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/').tar.zst
[ -f "$archive" ] || fail "no archive at $archive"
(cd "$SCRATCH/build/releases" && sha256sum --check --quiet "$(basename "$archive").sha256")
grep -q '"qualification": "unqualified"' "$SCRATCH/build/releases/release.json" || fail "release.json does not say unqualified"

(cd "$SCRATCH/build" && ctest --output-on-failure > "$SCRATCH/ctest.log" 2>&1) || { cat "$SCRATCH/ctest.log"; fail "the smoke tests"; }
grep -q "tests passed, 0 tests failed out of 5" "$SCRATCH/ctest.log" || { cat "$SCRATCH/ctest.log"; fail "not five tests"; }

piship install --quiet "$archive"
expect_output "Hello, you!" "$PISHIP_BIN_HOME/hello" you
expect_output "1.0.0" "$PISHIP_BIN_HOME/hello" --version
status=0
"$PISHIP_BIN_HOME/hello" --language xx > /dev/null 2>&1 || status=$?
[ "$status" = 1 ] || fail "the exit code $status instead of 1 came through"

# An edit is tried with one command, under the same version.
PISHIP_RUN_ARGUMENTS="'two words'" cmake --build "$SCRATCH/build" --target hello-run > "$SCRATCH/run.log" 2>&1 || { cat "$SCRATCH/run.log"; fail "hello-run"; }
grep -qx "Hello, two words!" "$SCRATCH/run.log" || { cat "$SCRATCH/run.log"; fail "hello-run printed something else"; }
edited
sed -i 's/Hello, %!/Good day, %!/' "$SCRATCH/source/resources/greetings/en.json"
PISHIP_RUN_ARGUMENTS="Ada" cmake --build "$SCRATCH/build" --target hello-run > "$SCRATCH/run.log" 2>&1 || { cat "$SCRATCH/run.log"; fail "hello-run after an edit"; }
grep -qx "Good day, Ada!" "$SCRATCH/run.log" || { cat "$SCRATCH/run.log"; fail "hello-run did not take the edit"; }

cmake --install "$SCRATCH/build" --prefix "$SCRATCH/prefix" > /dev/null
(cd "$SCRATCH/prefix/share/piship/hello" && sha256sum --check --quiet ./*.sha256 && [ -f release.json ])
use_homes "$SCRATCH/home of the prefix"
"$SCRATCH/prefix/bin/piship" install --quiet "$SCRATCH"/prefix/share/piship/hello/*.tar.zst
expect_output "Good day, Bob!" "$PISHIP_BIN_HOME/hello" Bob
