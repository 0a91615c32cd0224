# SPDX-License-Identifier: MIT
# A Debian package of examples/minimal: what it holds, that its bytes depend on the release alone, that its command starts
# where nothing of it can be written, and that only the package manager changes it.
start
export LC_ALL=C
command -v dpkg-deb > /dev/null || skip "dpkg-deb is not there"
command -v bwrap > /dev/null || skip "bubblewrap is not there"
source="$SCRATCH/source" build="$SCRATCH/build"
cp -R "$SOURCE/examples/minimal" "$source"
cat >> "$source/CMakeLists.txt" << 'PACKAGE'
piship_add_debian_package(hello MAINTAINER "Ada Lovelace <ada@example.org>" PACKAGE hello-friend
  DESCRIPTION "Greets\nwhoever is named." HOMEPAGE https://example.org)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # faster
include(CPack)
PACKAGE
configure "$source" "$build"
build "$build"

# pack <umask> <name>: the package, made with that umask.
pack() {
  (umask "$1" && cd "$build" && cmake --build . --target package) > "$SCRATCH/cpack.log" 2>&1 || { cat "$SCRATCH/cpack.log"; fail "cpack"; }
  mv "$build"/hello-friend_1.0.0_*.deb "$SCRATCH/$2.deb"
}
pack 022 first
sleep 1.1  # times of files have seconds
pack 022 second
cmp "$SCRATCH/first.deb" "$SCRATCH/second.deb" || fail "the same release gave other bytes"
# CPack gives the members of the outermost archive the umask's mode, which nobody reads; all within is the same.
pack 077 third
for name in first third; do
  mkdir "$SCRATCH/$name"
  (cd "$SCRATCH/$name" && ar x "../$name.deb")
  chmod 644 "$SCRATCH/$name"/*
done
diff -r "$SCRATCH/first" "$SCRATCH/third" || fail "another umask gave another content"
cp -R "$source" "$SCRATCH/elsewhere"
configure "$SCRATCH/elsewhere" "$SCRATCH/elsewhere build"
build "$SCRATCH/elsewhere build"
(cd "$SCRATCH/elsewhere build" && cpack) > "$SCRATCH/cpack.log" 2>&1 || { cat "$SCRATCH/cpack.log"; fail "cpack alone"; }
cmp "$SCRATCH/first.deb" "$SCRATCH/elsewhere build"/hello-friend_1.0.0_*.deb || fail "another directory gave other bytes"

# What dpkg says of it.
field() { dpkg-deb -f "$SCRATCH/first.deb" "$1"; }
expect_output hello-friend field Package
expect_output 1.0.0 field Version
expect_output "$(dpkg --print-architecture)" field Architecture
expect_output "Ada Lovelace <ada@example.org>" field Maintainer
expect_output utils field Section
expect_output optional field Priority
expect_output https://example.org field Homepage
expect_output "" field Depends
expect_output nodejs field Recommends
field Description | head -n 1 | grep -qx Greets || fail "the summary is: $(field Description)"
dpkg-deb -c "$SCRATCH/first.deb" > "$SCRATCH/listing"
awk '$2 != "root/root" { print; bad = 1 } END { exit bad }' "$SCRATCH/listing" || fail "a file is not root's"
awk '{ print $1 }' "$SCRATCH/listing" | sort -u | tr '\n' ' ' | grep -qx -- "-rw-r--r-- -rwxr-xr-x drwxr-xr-x lrwxrwxrwx " ||
  { cat "$SCRATCH/listing"; fail "a mode is wrong"; }
grep -q "[.]/usr/bin/hello -> /opt/hello-friend/apps/hello/launch$" "$SCRATCH/listing" || { cat "$SCRATCH/listing"; fail "there is no command"; }
outside=$(awk '{ print $6 }' "$SCRATCH/listing" | grep -v "^[.]/opt/hello-friend/apps/hello/1[.]0[.]0/" | sort | tr '\n' ' ')
[ "$outside" = "./opt/ ./opt/hello-friend/ ./opt/hello-friend/apps/ ./opt/hello-friend/apps/hello/ ./opt/hello-friend/apps/hello/launch ./opt/hello-friend/receipts/ ./opt/hello-friend/receipts/hello.json ./usr/ ./usr/bin/ ./usr/bin/hello " ] ||
  fail "beside the payload the package holds: $outside"
dpkg-deb -e "$SCRATCH/first.deb" "$SCRATCH/control"
(mkdir "$SCRATCH/root" && dpkg-deb -x "$SCRATCH/first.deb" "$SCRATCH/root" && cd "$SCRATCH/root" && md5sum --quiet -c "$SCRATCH/control/md5sums") || fail "md5sums"

# A plain cmake --install has nothing of it, nor has another generator's package.
cmake --install "$build" --prefix "$SCRATCH/prefix" > /dev/null
[ ! -e "$SCRATCH/prefix/opt" ] || fail "cmake --install made the package's home"
(cd "$build" && cpack -G TGZ -B "$SCRATCH/tgz") > "$SCRATCH/cpack.log" 2>&1 || { cat "$SCRATCH/cpack.log"; fail "cpack -G TGZ"; }
tar -tzf "$SCRATCH"/tgz/*.tar.gz > "$SCRATCH/listing"
grep -q "/share/piship/hello/release.json$" "$SCRATCH/listing" || fail "the tar file lacks the release"
grep -q "opt/" "$SCRATCH/listing" && fail "the tar file has the package's home"

# Installed: /opt can't be written, and the home directory is another one.
mkdir "$SCRATCH/user"
system() {
  bwrap --dev-bind / / --tmpfs /opt --ro-bind "$SCRATCH/root/opt" /opt --clearenv --setenv PATH "$SCRATCH/root/usr/bin:$PATH" \
    --setenv HOME "$SCRATCH/user" "$@"
}
system true 2> "$SCRATCH/bwrap.log" || skip "bubblewrap does not work here: $(cat "$SCRATCH/bwrap.log")"
system touch /opt/hello-friend/apps/hello/touched 2> /dev/null && fail "/opt can be written"
expect_output "Hello, you!" system hello you
expect_output 1.0.0 system hello --version
system hello --piship verify > "$SCRATCH/verify.log" 2>&1 || { cat "$SCRATCH/verify.log"; fail "verify"; }
system hello --piship doctor > "$SCRATCH/doctor.log" 2>&1 || { cat "$SCRATCH/doctor.log"; fail "doctor"; }
grep -q "^  ok    receipt .*origin sha256, unqualified, of the package hello-friend of dpkg$" "$SCRATCH/doctor.log" || { cat "$SCRATCH/doctor.log"; fail "doctor does not name the package"; }
grep -q "^  ok    command .*/usr/bin/hello' leads to the launcher$" "$SCRATCH/doctor.log" || { cat "$SCRATCH/doctor.log"; fail "doctor does not find the command"; }

# refused <hint> <arguments...>
refused() {
  local hint=$1 status=0
  shift
  system "$@" > "$SCRATCH/refused.log" 2>&1 || status=$?
  [ "$status" = 1 ] && grep -q "belongs to the package 'hello-friend' of dpkg, and only that changes it \[PACKAGE_MANAGED\]$" "$SCRATCH/refused.log" &&
    grep -q "hint: sudo apt-get $hint" "$SCRATCH/refused.log" || { cat "$SCRATCH/refused.log"; fail "'$*' ended with $status"; }
}
archive=$(archive_of "$build")
refused "install --only-upgrade hello-friend, or " hello --piship update
refused "install --only-upgrade hello-friend, or " hello --piship update --check
refused "install --reinstall hello-friend" hello --piship repair
refused "install ./" hello --piship rollback
refused "install ./" hello --piship keep 2
refused "remove hello-friend" hello --piship uninstall
refused "remove hello-friend" hello --piship uninstall --purge
refused "install ./" hello --piship install "$archive"
system hello --piship doctor --fix > "$SCRATCH/doctor.log" 2>&1 && fail "doctor --fix changed what is the package's"
grep -q "^  fail  fix .*belongs to the package" "$SCRATCH/doctor.log" || { cat "$SCRATCH/doctor.log"; fail "doctor --fix"; }
expect_output "Hello, you!" system hello you
(cd "$SCRATCH/root" && md5sum --quiet -c "$SCRATCH/control/md5sums") || fail "something was changed"

# Where it could be written (by root), it is refused as well.
writable() {
  bwrap --dev-bind / / --tmpfs /opt --bind "$SCRATCH/root/opt" /opt --clearenv --setenv PATH "$SCRATCH/root/usr/bin:$PATH" \
    --setenv HOME "$SCRATCH/user" "$@"
}
for verb in update repair rollback uninstall; do
  writable hello --piship "$verb" > "$SCRATCH/refused.log" 2>&1 && fail "$verb was not refused"
  grep -q PACKAGE_MANAGED "$SCRATCH/refused.log" || { cat "$SCRATCH/refused.log"; fail "$verb failed otherwise"; }
done
left=$(cd "$SCRATCH/root" && find . -type f | sort)
[ "$left" = "$(cd "$SCRATCH/root" && sed 's|^[0-9a-f]*  |./|' "$SCRATCH/control/md5sums" | sort)" ] || fail "files were added: $left"

# The user's own homes are another matter: the same release installs and goes there.
piship install --quiet "$archive"
expect_output "Hello, me!" "$PISHIP_BIN_HOME/hello" me
piship uninstall --quiet hello
