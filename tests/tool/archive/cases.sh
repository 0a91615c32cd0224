#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cases.sh <case> <piship-archive> <fixture> <list.py> <piship>: what other programs make of an archive.
set -euo pipefail
case=$1 tool=$2 fixture=$3 list=$4 runtime=$5

work=$(mktemp -d "${TMPDIR:-/tmp}/piship archive XXXXXX")
trap 'rm -rf "$work"' EXIT
unset TAR_OPTIONS TAPE
export LC_ALL=C.UTF-8 TZ=UTC

fail() {
  echo "$case: $*" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null || { echo "$1 is not installed"; exit 77; }
}

# make <directory> [option...]: the archive of the fixture in <directory>.
make_archive() {
  local directory=$1
  shift
  "$tool" --inventory "$directory/payload.inventory" --lock "$directory/piship.lock" --store "$directory/store" --level 3 \
    --output "$directory/a.tar.zst" --checksum "$directory/a.tar.zst.sha256" --release "$directory/release.json" \
    --depfile "$directory/a.d" "$@"
}

"$fixture" "$work"

expect_same() {
  diff -u "$1" "$2" >&2 || fail "$3"
}

names() { cut -d' ' -f4- "$work/listing"; }

case $case in
  zstd_finds_no_fault)
    need zstd
    make_archive "$work"
    zstd -q -t "$work/a.tar.zst"
    ;;
  tar_agrees)
    need tar
    make_archive "$work"
    # Type, mode, owner, size, day, minute, name.
    tar --zstd --numeric-owner --quoting-style=literal -tvf "$work/a.tar.zst" |
      sed -E 's/^(\S+) +(\S+) +([0-9]+) (\S+ \S+) (.*)$/\1 \2 \3 \4 \5/' >"$work/seen"
    while read -r mode size _ path; do
      printf '%s 0/0 %s 1970-01-01 00:00 %s\n' "$([[ $mode == 755 ]] && echo -rwxr-xr-x || echo -rw-r--r--)" "$size" "$path"
    done <"$work/listing" >"$work/expected"
    expect_same "$work/expected" "$work/seen" "tar lists something else"
    ;;
  bsdtar_agrees)
    need bsdtar
    make_archive "$work"
    bsdtar -tvf "$work/a.tar.zst" | sed -E 's/^(\S+) +\S+ +(\S+) +(\S+) +([0-9]+) \S+ +\S+ +\S+ (.*)$/\1 \2\/\3 \4 \5/' >"$work/seen"
    while read -r mode size _ path; do
      printf '%s 0/0 %s %s\n' "$([[ $mode == 755 ]] && echo -rwxr-xr-x || echo -rw-r--r--)" "$size" "$path"
    done <"$work/listing" >"$work/expected"
    expect_same "$work/expected" "$work/seen" "bsdtar lists something else"
    ;;
  cmake_agrees)
    need cmake
    make_archive "$work"
    names >"$work/expected"
    cmake -E tar tf "$work/a.tar.zst" >"$work/seen"
    expect_same "$work/expected" "$work/seen" "cmake -E tar lists something else"
    ;;
  python_agrees)
    need python3
    need zstd
    make_archive "$work"
    zstd -q -d -c "$work/a.tar.zst" | python3 "$list" >"$work/seen"
    expect_same "$work/listing" "$work/seen" "Python lists something else"
    ;;
  random_payloads_agree)
    # Python reads each file's bytes where it thinks they are, so its digests compare offsets too.
    need tar
    need bsdtar
    need python3
    need zstd
    for seed in 1 2 3 4; do
      rm -rf "${work:?}"/*
      "$fixture" "$work" random $seed
      make_archive "$work"
      zstd -q -d -c "$work/a.tar.zst" | python3 "$list" >"$work/seen"
      expect_same "$work/listing" "$work/seen" "Python lists something else for seed $seed"
      names >"$work/expected"
      tar --zstd --quoting-style=literal -tf "$work/a.tar.zst" >"$work/seen"
      expect_same "$work/expected" "$work/seen" "tar lists something else for seed $seed"
      bsdtar -tf "$work/a.tar.zst" >"$work/seen"
      expect_same "$work/expected" "$work/seen" "bsdtar lists something else for seed $seed"
      while read -r mode size _ path; do printf '%s %s\n' "$size" "$path"; done <"$work/listing" >"$work/expected"
      tar --zstd --quoting-style=literal -tvf "$work/a.tar.zst" | sed -E 's/^\S+ +\S+ +([0-9]+) \S+ \S+ (.*)$/\1 \2/' >"$work/seen"
      expect_same "$work/expected" "$work/seen" "tar sees other sizes for seed $seed"
    done
    ;;
  extracts_to_the_same_bytes)
    need tar
    make_archive "$work"
    mkdir "$work/tree"
    tar --zstd -xf "$work/a.tar.zst" -C "$work/tree"
    while read -r mode size digest path; do
      [[ $(sha256sum <"$work/tree/$path") == "$digest  -" ]] || fail "$path differs"
      [[ $(stat -c %a "$work/tree/$path") == "$mode" ]] || fail "$path has another mode"
    done <"$work/listing"
    [[ $(find "$work/tree" -type f | wc -l) == $(wc -l <"$work/listing") ]] || fail "there are more files"
    ;;
  checksum_holds)
    make_archive "$work"
    (cd "$work" && sha256sum --quiet -c a.tar.zst.sha256)
    grep -q "\"sha256\": \"$(cut -d' ' -f1 "$work/a.tar.zst.sha256")\"" "$work/release.json" || fail "release.json has another digest"
    ;;
  same_bytes_everywhere)
    make_archive "$work" --threads 1
    expected=$(sha256sum <"$work/a.tar.zst")
    # Another directory, working directory, umask, locale, time zone, home, user and number of threads, and a cold store.
    other="$work/somewhere else/Ünï"
    mkdir -p "$other" "$work/home"
    (
      umask 077
      "$fixture" "$other"
      cd "$other"
      export LC_ALL=C TZ=Asia/Kolkata HOME="$work/home" USER=nobody SOURCE_DATE_EPOCH=7
      make_archive . --threads 7
    )
    [[ $(sha256sum <"$other/a.tar.zst") == "$expected" ]] || fail "another place gives other bytes"
    # Another volume, where there is one to write to.
    if [[ -w /dev/shm && $(stat -c %d /dev/shm) != $(stat -c %d "$work") ]]; then
      volume=$(mktemp -d /dev/shm/piship-archive-XXXXXX)
      trap 'rm -rf "$work" "$volume"' EXIT
      "$fixture" "$volume"
      make_archive "$volume"
      [[ $(sha256sum <"$volume/a.tar.zst") == "$expected" ]] || fail "another volume gives other bytes"
    fi
    ;;
  silent_on_success)
    make_archive "$work" >"$work/out" 2>&1
    [[ ! -s "$work/out" ]] || fail "it printed: $(cat "$work/out")"
    grep -q "^.*a.tar.zst:" "$work/a.d" && grep -q '/store/epoch' "$work/a.d" || fail "the depfile is wrong: $(cat "$work/a.d")"
    ;;
  missing_option_is_usage)
    status=0
    "$tool" --inventory "$work/payload.inventory" 2>"$work/err" || status=$?
    [[ $status == 2 ]] || fail "status $status"
    grep -q USAGE "$work/err" || fail "$(cat "$work/err")"
    ;;
  file_size_limit)
    make_archive "$work"
    for blocks in 0 1 20; do
      rm -rf "$work"/a.*
      status=0
      # What it says goes through a pipe, which no limit holds for.
      said=$( (ulimit -f $blocks; make_archive "$work") 2>&1) || status=$?
      [[ $status == 4 && $said == *"error: "*"File too large [IO_FAILED]"* ]] || fail "a file size limit of $blocks KiB: $status, $said"
      [[ ! -e "$work/a.tar.zst" ]] || fail "a part of an archive is there"
    done
    make_archive "$work" 0<&- 1>&- 2>&-
    zstd -q -t "$work/a.tar.zst"
    ;;
  file_above_8_gib)
    need zstd
    need python3
    free=$(df --output=avail -B1 "$work" | tail -1)
    ((free > 2 << 30)) || { echo "too little space in $work"; exit 77; }
    rm -rf "$work"/*
    "$fixture" "$work" large
    status=0
    make_archive "$work" 2>"$work/err" || status=$?
    [[ $status == 3 ]] && grep -q LIMIT_EXCEEDED "$work/err" || fail "8 GiB of zeros passed the limit: $(cat "$work/err")"
    make_archive "$work" --max-ratio 100000
    zstd -q -d -c "$work/a.tar.zst" | python3 "$list" >"$work/seen"
    expect_same "$work/listing" "$work/seen" "Python lists something else"
    for program in tar bsdtar; do
      command -v $program >/dev/null || continue
      [[ $($program -tvf "$work/a.tar.zst" | grep -c 8589934593) == 1 ]] || fail "$program does not see 8 GiB and a byte"
    done
    cmake -E tar tf "$work/a.tar.zst" >"$work/seen"
    names >"$work/expected"
    expect_same "$work/expected" "$work/seen" "cmake -E tar lists something else"
    status=0
    "$runtime" verify "$work/a.tar.zst" 2>"$work/err" || status=$?
    [[ $status == 3 ]] && grep -q -e --max-ratio "$work/err" || fail "8 GiB of zeros passed the reader's limit: $(cat "$work/err")"
    "$runtime" verify --quiet "$work/a.tar.zst" --max-ratio 100000
    free=$(df --output=avail -B1 "$work" | tail -1)
    ((free > 10 << 30)) || { echo "not run: the install, too little space in $work"; exit 0; }
    export PISHIP_INSTALL_HOME="$work/install" PISHIP_STATE_HOME="$work/state" PISHIP_BIN_HOME="$work/bin"
    "$runtime" install --quiet "$work/a.tar.zst" --max-ratio 100000
    [[ $(stat -c %s "$work"/install/apps/*/1.0.0/resources/model/zeros) == 8589934593 ]] || fail "another size was installed"
    "$runtime" verify --quiet "$(basename "$work"/install/apps/*)"
    ;;
  *)
    fail "there is no such case"
    ;;
esac
