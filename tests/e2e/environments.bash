# SPDX-License-Identifier: MIT
# The runtime's verbs in surroundings that are not a developer's.
start
source "$SOURCE/tests/e2e/verbs.bash"
releases="$SCRATCH/releases"
make_releases "$SCRATCH/source" "$SCRATCH/build"

live "homes with an odd name" "$SCRATCH/Ünï cödé \"q' \$x"

# Node itself is the dearest part and does not differ: from here on a script stands for it.
mkdir "$SCRATCH/stub"
cat > "$SCRATCH/stub/node" <<'END'
#!/bin/sh
for word; do
  case $word in */app/src/main.js) entry=$word ;; esac
done
case $word in
  --version) sed -n 's/.*"version": "\(.*\)".*/\1/p' "${entry%/src/main.js}/package.json" ;;
  *) echo "Hello, $word!" ;;
esac
END
chmod 755 "$SCRATCH/stub/node"
node_path=$PATH
PATH="$SCRATCH/stub:$PATH"

(umask 077 && live "umask 077" "$SCRATCH/umask 077")
(umask 000 && live "umask 000" "$SCRATCH/umask 000")

live "locale C" "$SCRATCH/locale C" env LC_ALL=C LANG=C
mkdir "$SCRATCH/locales"
if localedef -i tr_TR -f UTF-8 "$SCRATCH/locales/tr_TR.UTF-8" 2> "$SCRATCH/localedef.log"; then
  live "locale tr_TR.UTF-8" "$SCRATCH/locale tr" env "PATH=$node_path" "LOCPATH=$SCRATCH/locales" LC_ALL=tr_TR.UTF-8
else
  echo "not run: locale tr_TR.UTF-8: localedef can't make it here: $(head -n 1 "$SCRATCH/localedef.log")"
fi

cat > "$SCRATCH/limited" <<'END'
#!/bin/bash
ulimit -n 64 && exec "$@"
END
chmod +x "$SCRATCH/limited"
live "64 descriptors" "$SCRATCH/limited homes" "$SCRATCH/limited"

PATH=$node_path

# With each standard stream closed, and with all; nothing can be said then, so the statuses and the files are looked at.
use_homes "$SCRATCH/closed streams"
closed() {
  local expected=$1 streams=$2 status=0
  shift 2
  case $streams in
    in) "$@" <&- > "$SCRATCH/said" 2>&1 || status=$? ;;
    out) "$@" >&- 2> "$SCRATCH/said" || status=$? ;;
    err) "$@" > "$SCRATCH/said" 2>&- || status=$? ;;
    all) "$@" <&- >&- 2>&- || status=$? ;;
  esac
  [ "$status" = "$expected" ] || fail "'$*' with closed streams ($streams) ended with $status instead of $expected"
}
for streams in in out err all; do
  closed 0 "$streams" piship install "$releases/1.0.0.tar.zst"
  closed 0 "$streams" piship install "$releases/2.0.0.tar.zst"
  closed 0 "$streams" piship list
  closed 0 "$streams" piship inspect hello
  closed 0 "$streams" piship verify hello
  closed 0 "$streams" "$PISHIP_BIN_HOME/hello" --version
  closed 0 "$streams" piship launch hello -- --version
  echo damage >> "$PISHIP_INSTALL_HOME/apps/hello/2.0.0/app/src/main.js"
  closed 3 "$streams" piship verify hello
  closed 0 "$streams" piship install "$releases/2.0.0.tar.zst"
  piship verify hello > "$SCRATCH/said" 2>&1 || { cat "$SCRATCH/said"; fail "a repair with closed streams ($streams)"; }
  closed 0 "$streams" piship uninstall hello --purge
  closed 125 "$streams" piship launch hello
  [ -z "$(ls -A "$PISHIP_INSTALL_HOME/apps" "$PISHIP_BIN_HOME" | grep -v :)" ] || fail "uninstall with closed streams ($streams) has left something"
done
echo "ok: closed standard streams"

# An ordinary user can't reach what lies below root's directories, so everything lies in a place for all.
if [ "$(id -u)" != 0 ]; then
  live "ordinary user" "$SCRATCH/ordinary user"
  echo "not run: root: this is not root"
elif setpriv --reuid=65534 --regid=65534 --clear-groups node --version > /dev/null 2> "$SCRATCH/setpriv.log"; then
  live "root" "$SCRATCH/root"
  place=$(mktemp -d /tmp/piship-user-XXXXXX)
  trap 'rm -rf "$place"' EXIT
  chmod 755 "$place"
  cp -R "$releases" "$PREFIX/bin/piship" "$place"
  install -d -o 65534 -g 65534 "$place/homes"
  # What the test damages it must own, too: all of it runs as that user.
  export -f live expect_status expect_said expect_modes use_homes fail
  (cd "$place" && said_directory="$place/homes" runtime="$place/piship" releases="$place/releases" HOME="$place/homes" \
    setpriv --reuid=65534 --regid=65534 --clear-groups bash -euo pipefail -c 'live "ordinary user" "$HOME/all"') ||
    fail "as an ordinary user"
else
  echo "not run: ordinary user: $(head -n 1 "$SCRATCH/setpriv.log")"
fi
