# SPDX-License-Identifier: MIT
# From a CMake target to a channel behind a web server, with the commands of docs/publishing.md, and back to the archive.
start
command -v python3 > /dev/null || skip "python3 is not there to serve files"
cp -R "$SOURCE/examples/minimal" "$SCRATCH/source"
cat >> "$SCRATCH/source/CMakeLists.txt" << 'CHANNEL'
piship_add_channel(hello-stable DISTRIBUTIONS hello CHANNEL stable REPOSITORY ../repository
  KEYS ../keys/stable.pem ../keys/snapshot.pem ../keys/timestamp.pem PASSPHRASE_VARIABLE HELLO_PASSPHRASE)
CHANNEL
export HELLO_PASSPHRASE="correct horse"
publish() {
  "$PREFIX/libexec/piship/piship-publish" "$@"
}
repository="$SCRATCH/repository" keys="$SCRATCH/keys"
publish init --repository "$repository" --channel stable --channel beta --new-keys "$keys" --passphrase-env HELLO_PASSPHRASE > "$SCRATCH/init.log"
grep -q "ENCRYPTED PRIVATE KEY" "$keys/root.pem" || fail "a key is not encrypted"
configure "$SCRATCH/source" "$SCRATCH/build"
build "$SCRATCH/build"
[ ! -e "$repository/targets" ] || fail "a plain build published something"
cmake --build "$SCRATCH/build" --target hello-stable-publish > "$SCRATCH/publish.log" 2>&1 || { cat "$SCRATCH/publish.log"; fail "publishing"; }
publish status --repository "$repository" > "$SCRATCH/status.log"
grep -q "^stable: version 2, good for [0-9]* days, 1 archives, 0 deltas$" "$SCRATCH/status.log" || { cat "$SCRATCH/status.log"; fail "status"; }
publish refresh --repository "$repository" --key "$keys/timestamp.pem" --passphrase-env HELLO_PASSPHRASE > /dev/null

# A server writes the port that it got; its log goes to a file.
cat > "$SCRATCH/serve.py" << 'SERVE'
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
print(server.server_address[1], flush=True)
server.serve_forever()
SERVE
exec 3< <(exec python3 "$SCRATCH/serve.py" "$repository")
server=$!
trap 'kill "$server"' EXIT
read -r port <&3
archive=$(cd "$SCRATCH/build/releases" && echo *.tar.zst)
client="$BUILD/tests/conformance/piship-tuf-client"
"$client" --metadata-dir "$SCRATCH/trust" init "$repository/metadata/1.root.json"
"$client" --metadata-dir "$SCRATCH/trust" --metadata-url "http://127.0.0.1:$port/metadata" --target-name "stable/$archive" \
  --target-base-url "http://127.0.0.1:$port/targets" --target-dir "$SCRATCH/got" download
cmp "$SCRATCH/got/stable%2F$archive" "$SCRATCH/build/releases/$archive"
piship install --quiet "$SCRATCH/got/stable%2F$archive"
expect_output "Hello, you!" "$PISHIP_BIN_HOME/hello" you

# The runtime itself takes it from the channel, and then knows where updates come from.
piship uninstall --quiet hello
piship install --quiet "http://127.0.0.1:$port" --id hello --root "$repository/metadata/1.root.json"
expect_output "Hello, you!" "$PISHIP_BIN_HOME/hello" you
piship update hello --check 2> "$SCRATCH/check.log"
grep -q "^hello 1.0.0 is up to date$" "$SCRATCH/check.log" || { cat "$SCRATCH/check.log"; fail "update --check"; }

# The same build again changes nothing that users have; other bytes under the same version are refused.
cmake --build "$SCRATCH/build" --target hello-stable-publish > "$SCRATCH/publish.log" 2>&1 || { cat "$SCRATCH/publish.log"; fail "publishing again"; }
sed -i 's/Hello, %!/Good day, %!/' "$SCRATCH/source/resources/greetings/en.json"
cmake --build "$SCRATCH/build" --target hello-stable-publish > "$SCRATCH/publish.log" 2>&1 && fail "a version was published twice"
grep -q VERSION_CONFLICT "$SCRATCH/publish.log" || { cat "$SCRATCH/publish.log"; fail "the refusal is another one"; }
sed -i 's/Good day, %!/Hello, %!/' "$SCRATCH/source/resources/greetings/en.json"

# A newer version comes by a delta, and what is installed gives the rest.
publish_version() {
  sed -i "s/VERSION [0-9.]*$/VERSION $1/; s/VERSION [0-9.]*)/VERSION $1)/" "$SCRATCH/source/CMakeLists.txt"
  sed -i "s/\"[A-Za-z ]*, %!\"/\"$2, %!\"/" "$SCRATCH/source/resources/greetings/en.json"
  cmake --build "$SCRATCH/build" --target hello-stable-publish > "$SCRATCH/publish.log" 2>&1 || { cat "$SCRATCH/publish.log"; fail "publishing $1"; }
}
member() {
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2]))' "$SCRATCH/update.json" "$1"
}
publish_version 1.1.0 Welcome
grep -q "^added stable/hello-1.1.0-.*from-1.0.0.delta (" "$SCRATCH/publish.log" || { cat "$SCRATCH/publish.log"; fail "no delta was made"; }
piship update hello --json > "$SCRATCH/update.json" 2> "$SCRATCH/update.log" || { cat "$SCRATCH/update.log"; fail "updating"; }
grep -q "^downloading hello 1.1.0 ([0-9,]* bytes, what is new since 1.0.0)$" "$SCRATCH/update.log" || { cat "$SCRATCH/update.log"; fail "another way was taken"; }
expect_output "Welcome, you!" "$PISHIP_BIN_HOME/hello" you
[ "$(member way)" = delta ] && [ "$(member action)" = updated ] && [ "$(member fallback)" = None ] || { cat "$SCRATCH/update.json"; fail "update --json"; }
archive=$(cd "$SCRATCH/build/releases" && echo hello-1.1.0-*.tar.zst)
[ "$(($(member downloaded_bytes) * 100))" -lt "$(stat -c %s "$SCRATCH/build/releases/$archive")" ] || fail "the delta is large: $(member downloaded_bytes) bytes"
piship verify hello > /dev/null 2>&1

# A base that was changed on disk does not serve, and this server gives no parts of a file; the whole archive does.
publish_version 1.2.0 Greetings
chmod u+w "$PISHIP_INSTALL_HOME"/apps/hello/1.1.0/bin/piship
printf x >> "$PISHIP_INSTALL_HOME"/apps/hello/1.1.0/bin/piship
piship update hello --json > "$SCRATCH/update.json" 2> "$SCRATCH/update.log" || { cat "$SCRATCH/update.log"; fail "updating a damaged version"; }
grep -q "^note: the delta from 1.1.0 does not serve: " "$SCRATCH/update.log" || { cat "$SCRATCH/update.log"; fail "no fallback"; }
[ "$(member way)" = whole ] || { cat "$SCRATCH/update.json"; fail "update --json"; }
expect_output "Greetings, you!" "$PISHIP_BIN_HOME/hello" you
piship verify hello > /dev/null 2>&1

# So it is where the server does not have the delta.
publish_version 1.3.0 Hi
rm "$repository"/targets/stable/*from-1.2.0.delta
# The installed command updates itself; where PiShip's own program is does not matter.
PISHIP_INSTALL_HOME="$SCRATCH/elsewhere" "$PISHIP_BIN_HOME/hello" --piship update --json > "$SCRATCH/update.json" 2> "$SCRATCH/update.log" || { cat "$SCRATCH/update.log"; fail "updating without the delta"; }
[ "$(member way)" = whole ] || { cat "$SCRATCH/update.json"; fail "update --json"; }
expect_output "Hi, you!" "$PISHIP_BIN_HOME/hello" you

# Only a first --piship is PiShip's.
"$PISHIP_BIN_HOME/hello" --piship verify > /dev/null 2>&1
"$PISHIP_BIN_HOME/hello" --piship doctor > "$SCRATCH/doctor.log" 2>&1 || { cat "$SCRATCH/doctor.log"; fail "doctor"; }
grep -q "^hello$" "$SCRATCH/doctor.log" || { cat "$SCRATCH/doctor.log"; fail "doctor looked at something else"; }
expect_output "Hi, me!" "$PISHIP_BIN_HOME/hello" --piship launch -- me
expect_output "Hi, --piship!" "$PISHIP_BIN_HOME/hello" -- --piship
"$PISHIP_BIN_HOME/hello" --piship uninstall --quiet
[ ! -e "$PISHIP_BIN_HOME/hello" ] || fail "the command is still there"
