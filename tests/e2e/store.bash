# SPDX-License-Identifier: MIT
# Two build trees share one store, which is deleted, pruned or damaged between builds: the next build notices and ends
# right, in one go where the store's rules were kept, else after one failure that says to build again.
start
for tree in a b; do
  cp -R "$SOURCE/examples/minimal" "$SCRATCH/$tree"
  configure "$SCRATCH/$tree" "$SCRATCH/$tree/build"
  build "$SCRATCH/$tree/build"
done
store=$PISHIP_CACHE_HOME/store
cp "$(archive_of "$SCRATCH/a/build")" "$SCRATCH/expected.tar.zst"

object_of() {  # object_of <tree> <path in the payload>
  local digest
  digest=$(grep -- " $2\$" "$SCRATCH/$1/build/piship/hello/payload.inventory" | cut -d' ' -f1)
  echo "$store/objects/${digest:0:2}/${digest:2}"
}

# expect_right <tree> <what>: builds, with nothing remembered that could hide a missing object, and compares the bytes.
expect_right() {
  local build=$SCRATCH/$1/build
  rm -rf "$build/releases"
  build "$build"
  cmp "$SCRATCH/expected.tar.zst" "$(archive_of "$build")" || fail "$2: another archive"
  expect_no_work "$build" "$2"
  echo "ok: $2"
}

# expect_healed <tree> <what> <code>: the build fails with that code and a hint, and the next one is right.
expect_healed() {
  local build=$SCRATCH/$1/build
  rm -rf "$build/releases"
  if cmake --build "$build" > "$SCRATCH/build.log" 2>&1; then
    fail "$2: the build did not notice"
  fi
  grep -q "$3" "$SCRATCH/build.log" || { cat "$SCRATCH/build.log"; fail "$2: the build failed without $3"; }
  expect_right "$1" "$2"
}

rm -rf "$store"
expect_right a "the store deleted, first tree"
expect_right b "the store deleted, second tree"

# Pruned by the rules: the epoch is rewritten first.
printf 'piship-store 1 %s\n' "$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')" > "$store/epoch"
rm -rf "$store/objects" "$store/memo" "$store/remembered"
expect_right a "pruned, first tree"
expect_right b "pruned, second tree"

forget() {
  find "$store" -mindepth 1 -maxdepth 1 ! -name objects ! -name epoch -exec rm -rf {} +
}
forget
rm -f "$(object_of a app/src/main.js)"
expect_healed a "an object removed behind the epoch's back" OBJECT_MISSING
expect_right b "the same, second tree"

forget
object=$(object_of a resources/greetings/de.json)
chmod u+w "$object"
printf 'X' | dd of="$object" bs=1 conv=notrunc status=none
expect_healed a "a flipped byte in an object" OBJECT_DAMAGED
expect_right b "the same, second tree"

forget
object=$(object_of a bin/piship)
chmod u+w "$object"
truncate -s 100 "$object"
expect_healed b "a truncated object" "OBJECT_DAMAGED\|OBJECT_MISSING"
expect_right a "the same, first tree"

# Both trees at once on an empty store.
rm -rf "$store" "$SCRATCH"/[ab]/build/releases
cmake --build "$SCRATCH/a/build" > "$SCRATCH/build-a.log" 2>&1 & first=$!
cmake --build "$SCRATCH/b/build" > "$SCRATCH/build-b.log" 2>&1 & second=$!
wait $first || { cat "$SCRATCH/build-a.log"; fail "two builds at once: the first"; }
wait $second || { cat "$SCRATCH/build-b.log"; fail "two builds at once: the second"; }
for tree in a b; do
  expect_right $tree "two builds at once, tree $tree"
done
