# SPDX-License-Identifier: MIT
# One file that installs a release: made by its edge, only when the archive or the runtime changes, and the same bytes anywhere.
start
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
source=$SCRATCH/source build="$SCRATCH/build tree"
# In another directory than the distribution.
mkdir "$source/installer"
echo 'piship_add_installer(hello-installer DISTRIBUTION hello)' > "$source/installer/CMakeLists.txt"
echo 'add_subdirectory(installer)' >> "$source/CMakeLists.txt"
configure "$source" "$build"
build "$build" --target hello-installer
build "$build"
expect_no_work "$build"
installer=$(find "$build/releases" -name 'hello-1.0.0-*.run')
[ -x "$installer" ] || fail "the installer is not executable"
(cd "$build/releases" && sha256sum --quiet -c "$installer.sha256") || fail "its checksum"

edited; touch "$source/src/main.js"
expect_edges "$build" "own source touched" sources
edited; sed -i 's/Hallo/Moin/' "$source/resources/greetings/de.json"
expect_edges "$build" "resource changed" resources-greetings-0 assemble archive installer
rm "$installer"
expect_edges "$build" "installer deleted" installer

cp -R "$source" "$SCRATCH/copy"
(umask 077; PISHIP_CACHE_HOME="$SCRATCH/other cache" configure "$SCRATCH/copy" "$SCRATCH/elsewhere"; build "$SCRATCH/elsewhere")
cmp "$installer" "$SCRATCH"/elsewhere/releases/*.run || fail "the installers differ"

# The bytes are the runtime, the archive and 96 more.
archive=$(archive_of "$build")
cat "$PREFIX/bin/piship" "$archive" | cmp -n "$(cat "$PREFIX/bin/piship" "$archive" | wc -c)" - "$installer" || fail "its parts are others"
[ "$(wc -c < "$installer")" = "$(($(cat "$PREFIX/bin/piship" "$archive" | wc -c) + 96))" ] || fail "its size"

cp "$installer" "$SCRATCH/renamed"
"$SCRATCH/renamed" --quiet
expect_output "Moin, Welt!" "$PISHIP_BIN_HOME/hello" --language de
cmp "$PISHIP_INSTALL_HOME/apps/hello/launch" "$PREFIX/bin/piship" || fail "the launcher is not the plain runtime"
expect_output "hello" bash -c '"$1" --extract "$2" --json 2> /dev/null | sed -n "s/^  \"id\": \"\(.*\)\",*$/\1/p"' - "$SCRATCH/renamed" "$SCRATCH/extracted"
piship verify "$SCRATCH/extracted" 2> /dev/null

# Another runtime than the payload's is refused.
cp "$PREFIX/bin/piship" "$SCRATCH/other"
printf '\0' >> "$SCRATCH/other"
if "$PREFIX/libexec/piship/piship-installer" --runtime "$SCRATCH/other" --archive "$archive" --output "$SCRATCH/x.run" --checksum "$SCRATCH/x.sum" 2> "$SCRATCH/refused"; then
  fail "a foreign runtime was taken"
fi
grep -q PAYLOAD_INVALID "$SCRATCH/refused" || fail "$(cat "$SCRATCH/refused")"
[ ! -e "$SCRATCH/x.run" ] || fail "a refused installer was written"
