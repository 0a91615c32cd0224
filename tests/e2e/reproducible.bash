# SPDX-License-Identifier: MIT
# Two clones in different directories, under different umasks, locales, time zones and numbers of jobs give the same bytes;
# so do a cold store, a warm one, and one whose objects were damaged and made again.
start
first=$SCRATCH/a second="$SCRATCH/another directory/b"
mkdir -p "$(dirname "$second")"
(umask 022; cp -R "$SOURCE/examples/minimal" "$first")
(umask 077; cp -R "$SOURCE/examples/minimal" "$second")
chmod -R go-rwx "$second"
touch -d 2001-01-01 "$second/src/main.js"

(umask 022; export LC_ALL=C TZ=UTC PISHIP_CACHE_HOME="$SCRATCH/cache one"; configure "$first" "$first/build"; build "$first/build" -j1)
(umask 077; export LC_ALL=C.UTF-8 TZ=Asia/Kathmandu PISHIP_CACHE_HOME="$SCRATCH/cache two"; configure "$second" "$second/build"; build "$second/build" -j8)
one=$(archive_of "$first/build") two=$(archive_of "$second/build")
cmp "$one" "$two" || fail "the archives differ"
cmp "$one.sha256" "$two.sha256" || fail "the checksums differ"
cmp "$first/build/releases/release.json" "$second/build/releases/release.json" || fail "release.json differs"

# Another build tree on a store that knows everything.
PISHIP_CACHE_HOME="$SCRATCH/cache one" configure "$first" "$SCRATCH/warm"
build "$SCRATCH/warm"
cmp "$one" "$(archive_of "$SCRATCH/warm")" || fail "the archive from a warm store differs"
! tar -tf "$one" | grep -q "$SCRATCH" || fail "the archive names this machine's directories"
! zstd -dc "$one" | grep -qaF "$SCRATCH" || fail "the payload names this machine's directories"
