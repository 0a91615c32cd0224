# SPDX-License-Identifier: MIT
# Directories with blanks, letters beyond ASCII, "+", parentheses and more. (CMake refuses "#", "<" and ">"; what its rewriting
# of depfiles or Ninja's reader breaks, such as "$" and quotes, still builds right but never stops building.)
start
odd="$SCRATCH/Ünï cödé + (copy), [x] = ~1%!"
mkdir -p "$odd/src dir"
cp -R "$SOURCE/examples/minimal/." "$odd/src dir"
export PISHIP_CACHE_HOME="$odd/cache"
use_homes "$odd/home"
configure "$odd/src dir" "$odd/build dir"
build "$odd/build dir"
expect_no_work "$odd/build dir"
edited; sed -i 's/Hallo/Moin/' "$odd/src dir/resources/greetings/de.json"
expect_edges "$odd/build dir" "resource changed" resources-greetings-0 assemble archive
edited; echo '{}' > "$odd/src dir/resources/greetings/fr (neu) + ä.json"
expect_edges "$odd/build dir" "resource with an odd name added" resources-greetings-0 assemble archive
(cd "$odd/build dir" && ctest -R 'hello.install|hello.greets' --output-on-failure > "$SCRATCH/ctest.log" 2>&1) || { cat "$SCRATCH/ctest.log"; fail "the smoke tests"; }
piship install --quiet "$(archive_of "$odd/build dir")"
expect_output "Hello, (x)!" "$PISHIP_BIN_HOME/hello" "(x)"
