# SPDX-License-Identifier: MIT
# tuf-js gets a release from a repository of piship-publish, and our client a target from one of @tufjs/repo-mock.
start
source "$SOURCE/tests/e2e/registry.bash"
command -v node > /dev/null || skip "node is not there to run the other implementation"
cp "$SOURCE/tests/conformance/interop/"* "$SCRATCH"
(cd "$SCRATCH" && npm install --ignore-scripts --no-audit --no-fund > npm.log 2>&1) || { cat "$SCRATCH/npm.log"; skip "npm can't install the other implementation"; }

publish() {
  "$BUILD/bin/piship-publish" "$@"
}

release="$BUILD/examples/minimal/releases"
archive=$(cd "$release" && echo hello-*.tar.zst)
mkdir "$SCRATCH/their-trust"
keys="$SCRATCH/keys"
publish init --repository "$SCRATCH/repository" --channel stable --new-keys "$keys"
publish add --repository "$SCRATCH/repository" --channel stable --release "$release/release.json" \
  --key "$keys/stable.pem" --key "$keys/snapshot.pem" --key "$keys/timestamp.pem"
node "$SCRATCH/interop.js" client "$SCRATCH/repository" "stable/$archive" "$SCRATCH/their-trust" > "$SCRATCH/got"
cmp "$SCRATCH/got" "$release/$archive" || fail "tuf-js got something else"

mkdir "$SCRATCH/theirs"
exec 3< <(exec node "$SCRATCH/interop.js" serve "$SCRATCH/theirs")
server=$!
trap 'kill "$server"' EXIT
read -r url <&3
client="$BUILD/tests/conformance/piship-tuf-client"
"$client" --metadata-dir "$SCRATCH/our-trust" init "$SCRATCH/theirs/root.json"
"$client" --metadata-dir "$SCRATCH/our-trust" --metadata-url "$url/metadata" --target-name dir/target.txt \
  --target-base-url "$url/targets" --target-dir "$SCRATCH/our-targets" download
[ "$(cat "$SCRATCH/our-targets/dir%2Ftarget.txt")" = "from the other side" ] || fail "our client got something else"
