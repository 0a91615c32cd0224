# SPDX-License-Identifier: MIT
# fetch_esbuild.bash <piship-vendor> <directory> <package> <version> <integrity>: puts esbuild into a store of the
# directory. Skips where npm's configured registry does not answer.
set -euo pipefail
vendor=$1 directory=$2 package=$3 version=$4 integrity=$5
mkdir -p "$directory"
fetch() {
  "$vendor" --engine-package "$package" --engine-version "$version" --engine-integrity "$integrity" --executable bin/esbuild \
    --store "$directory/store" --tarballs "$directory/tarballs" --output "$directory/esbuild.inventory" \
    --depfile "$directory/esbuild.d" "$@"
}
fetch --offline 2> /dev/null && exit 0
command -v npm > /dev/null || { echo "skipped: npm is not there to say which registry is configured"; exit 77; }
npm ping > /dev/null 2>&1 || { echo "skipped: npm's configured registry does not answer"; exit 77; }
fetch --registry "$(npm config get registry)"
