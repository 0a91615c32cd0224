# SPDX-License-Identifier: MIT
# The whole path on file systems of several kinds: store, build and homes lie on each. XFS shares blocks (reflinks);
# NTFS is a program's (FUSE), takes names in any case, and mounted in its usual way shows one mode for all files.
if [ "${1-}" != inside ]; then
  start
  [ "$(id -u)" = 0 ] || skip "only root can mount a file system"
  unshare --mount true 2> /dev/null || skip "no mount is possible here"
  # The mounts end with this shell's own view of them, whatever happens.
  exec unshare --mount bash -c 'source "$SOURCE/tests/e2e/common.bash"; source "$SOURCE/tests/e2e/file_systems.bash" inside'
fi

source "$SOURCE/tests/e2e/verbs.bash"
mkdir -p "$SCRATCH/disk"
tried=0

# on <name> <mount argument...>
on() {
  local name=$1 disk="$SCRATCH/disk"
  shift
  if ! mount "$@" "$disk" 2> "$SCRATCH/mount.log"; then
    echo "not run: $name: it can't be mounted here: $(head -n 1 "$SCRATCH/mount.log")"
    return
  fi
  tried=$((tried + 1))
  export PISHIP_CACHE_HOME="$disk/cache"
  releases="$disk/releases"
  make_releases "$disk/source" "$disk/build"
  live "$name" "$disk/homes"
  umount "$disk"
}

# image <size> <mkfs...>
image() {
  local size=$1
  shift
  rm -f "$SCRATCH/image"
  truncate -s "$size" "$SCRATCH/image"
  "$@" "$SCRATCH/image" > "$SCRATCH/mkfs.log" 2>&1
}

on tmpfs -t tmpfs none
if image 256M mkfs.ext4 -q -F; then
  on ext4 -o loop "$SCRATCH/image"
else
  echo "not run: ext4: $(head -n 1 "$SCRATCH/mkfs.log")"
fi
if image 512M mkfs.xfs -q -m reflink=1; then
  on "XFS with reflinks" -o loop "$SCRATCH/image"
else
  echo "not run: XFS: $(head -n 1 "$SCRATCH/mkfs.log")"
fi
if image 512M mkntfs -q -F -f; then
  on "FUSE, any case" -t lowntfs-3g -o ignore_case,permissions "$SCRATCH/image"
  modeless=1
  on "FUSE, any case, without modes" -t lowntfs-3g -o ignore_case "$SCRATCH/image"
else
  echo "not run: FUSE: $(head -n 1 "$SCRATCH/mkfs.log")"
fi
[ "$tried" -gt 0 ] || skip "no file system could be mounted"
