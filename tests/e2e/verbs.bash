# SPDX-License-Identifier: MIT
# The life of an installation, for scripts that try it in different surroundings. They are given two releases of
# examples/minimal in $releases: 1.0.0 and 2.0.0.

# make_releases <source> <build>: builds both. The second says its version and nothing else differs.
make_releases() {
  local source=$1 build=$2 version
  cp -R "$SOURCE/examples/minimal" "$source"
  mkdir -p "$releases"
  for version in 1.0.0 2.0.0; do
    sed -i "s/^  VERSION .*/  VERSION $version/" "$source/CMakeLists.txt"
    sed -i "s/\"version\": \"[^\"]*\"/\"version\": \"$version\"/" "$source/package.json"
    configure "$source" "$build"
    build "$build"
    cp "$build"/releases/*"$version"*.tar.zst "$releases/$version.tar.zst"
  done
}

# expect_status <status> <command...>: it ends with that status, and what it says is kept in $SCRATCH/said.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" > "$said" 2>&1 || status=$?
  [ "$status" = "$expected" ] || { cat "$said"; fail "$surroundings: '$*' ended with $status instead of $expected"; }
}

expect_said() {
  grep -q -e "$1" "$said" || { cat "$said"; fail "$surroundings: that does not say '$1'"; }
}

# live <surroundings> <homes> [wrapper...]: every verb, with homes in a fresh directory, each started by the wrapper.
live() {
  surroundings=$1
  local homes=$2
  shift 2
  said="${said_directory:-$SCRATCH}/said"
  use_homes "$homes"
  local run=("$@") piship=${runtime:-$PREFIX/bin/piship} command="$PISHIP_BIN_HOME/hello" version
  expect_status 0 "${run[@]}" "$piship" install "$releases/1.0.0.tar.zst"
  expect_status 0 "${run[@]}" "$command" "(x)"
  expect_said '^Hello, (x)!$'
  expect_status 0 "${run[@]}" "$piship" install "$releases/1.0.0.tar.zst"
  expect_said "already installed"
  expect_status 0 "${run[@]}" "$piship" list
  expect_said '^hello 1[.]0[.]0$'
  for version in 1.0.0 2.0.0; do
    expect_status 0 "${run[@]}" "$piship" install --json "$releases/$version.tar.zst"
    expect_status 0 "${run[@]}" "$piship" inspect hello --json
    expect_said "\"version\": \"$version\""
    expect_status 0 "${run[@]}" "$piship" verify hello
    expect_status 0 "${run[@]}" "$piship" verify "$releases/$version.tar.zst"
    expect_status 0 "${run[@]}" "$piship" launch hello -- --version
    expect_said "^$version\$"
    echo "damage" >> "$PISHIP_INSTALL_HOME/apps/hello/$version/app/src/main.js"
    expect_status 3 "${run[@]}" "$piship" verify hello
    expect_said "app/src/main.js"
    expect_status 0 "${run[@]}" "$piship" install "$releases/$version.tar.zst"
    expect_said "repaired"
    expect_status 0 "${run[@]}" "$command" --version
    expect_said "^$version\$"
  done
  expect_status 0 "${run[@]}" "$piship" list
  expect_said '^hello 2[.]0[.]0 (kept: 1[.]0[.]0)$'
  expect_modes
  mkdir -p "$PISHIP_STATE_HOME/hello"
  echo data > "$PISHIP_STATE_HOME/hello/data"
  expect_status 0 "${run[@]}" "$piship" uninstall hello --purge
  expect_status 1 "${run[@]}" "$piship" uninstall hello
  local left
  left=$(find "$PISHIP_INSTALL_HOME/apps" "$PISHIP_INSTALL_HOME/receipts" "$PISHIP_STATE_HOME" "$PISHIP_BIN_HOME" -mindepth 1)
  [ -z "$left" ] || fail "$surroundings: uninstall has left $left"
  echo "ok: $surroundings"
}

# What is installed can be read by everybody and written by its owner, whatever the umask; where modes are not kept
# ($modeless), nothing can be said.
expect_modes() {
  [ -z "${modeless-}" ] || return 0
  local wrong
  wrong=$(find "$PISHIP_INSTALL_HOME/apps/hello" ! -name .lock ! -perm 644 ! -perm 755)
  [ -z "$wrong" ] || fail "$surroundings: wrong modes: $wrong"
}
