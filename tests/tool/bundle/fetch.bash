# SPDX-License-Identifier: MIT
# fetch.bash <piship-vendor> <directory> <name> <package> <version> <integrity> <executable>: puts one program of an npm
# package into a store of the directory, and as <name> beside it. Skips where npm's configured registry does not answer.
set -euo pipefail
vendor=$1 directory=$2 name=$3 package=$4 version=$5 integrity=$6 executable=$7
mkdir -p "$directory"
fetch() {
  "$vendor" --engine-package "$package" --engine-version "$version" --engine-integrity "$integrity" --executable "$executable" \
    --store "$directory/store" --tarballs "$directory/tarballs" --output "$directory/$name.inventory" \
    --depfile "$directory/$name.d" "$@"
}
if ! fetch --offline 2> /dev/null; then
  command -v npm > /dev/null || { echo "skipped: npm is not there to say which registry is configured"; exit 77; }
  npm ping > /dev/null 2>&1 || { echo "skipped: npm's configured registry does not answer"; exit 77; }
  fetch --registry "$(npm config get registry)"
fi
digest=$(sed -n '2s/ .*//p' "$directory/$name.inventory")
cp "$directory/store/objects/${digest:0:2}/${digest:2}" "$directory/$name.new"
chmod 755 "$directory/$name.new"
mv "$directory/$name.new" "$directory/$name"
