# SPDX-License-Identifier: MIT
# The real thing: Pi from the registry with its own engine, an extension, a skill and a prompt.
start
source "$SOURCE/tests/e2e/registry.bash"
cp -R "$SOURCE/examples/personal" "$SCRATCH/source"
build=$SCRATCH/build
configure "$SCRATCH/source" "$build"
build "$build"
expect_no_work "$build"
(cd "$build" && ctest --output-on-failure > "$SCRATCH/ctest.log" 2>&1) || { cat "$SCRATCH/ctest.log"; fail "the smoke tests"; }

edited; echo '- Mention who reported it.' >> "$SCRATCH/source/resources/skills/release-notes/SKILL.md"
expect_edges "$build" "a skill changed" resources-skills-1 assemble archive installer
edited; sed -i 's/VERSION 1.0.0/VERSION 1.0.1/' "$SCRATCH/source/CMakeLists.txt"
expect_edges "$build" "VERSION" assemble archive installer
edited; touch "$SCRATCH/source/package-lock.json"
expect_edges "$build" "the lockfile touched" vendor assemble
configure "$SCRATCH/source" "$build" -DPISHIP_OFFLINE=ON
expect_edges "$build" "offline, with everything cached" vendor engine

# Installed as a user would, by the one file and without a PATH: the engine is in the payload.
installer=$(find "$build/releases" -name 'mypi-1.0.1-*.run')
(cd "$build/releases" && sha256sum --quiet -c "$installer.sha256")
mkdir -p "$SCRATCH/user"
env -i "HOME=$SCRATCH/user" "PISHIP_INSTALL_HOME=$PISHIP_INSTALL_HOME" "PISHIP_STATE_HOME=$PISHIP_STATE_HOME" "PISHIP_BIN_HOME=$PISHIP_BIN_HOME" "$installer" --quiet
version=$(env -i "HOME=$SCRATCH/user" "PISHIP_STATE_HOME=$PISHIP_STATE_HOME" "$PISHIP_BIN_HOME/mypi" --version 2>&1)  # on standard error without a terminal
[ "$version" = "0.73.1" ] || fail "--version printed '$version'"
answer=$(echo '{"type":"get_state"}' | env -i "HOME=$SCRATCH/user" "PISHIP_STATE_HOME=$PISHIP_STATE_HOME" "$PISHIP_BIN_HOME/mypi" --mode rpc --no-session)
case $answer in
  *'"command":"get_state","success":true'*) ;;
  *) fail "rpc answered: $answer" ;;
esac
[ -f "$PISHIP_STATE_HOME/mypi/agent/settings.json" ] || fail "the owner's settings were not put into the state"
[ ! -e "$SCRATCH/user/.pi" ] || fail "mypi wrote into the user's own Pi directory"
