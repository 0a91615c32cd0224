# SPDX-License-Identifier: MIT
"""Lists a tar stream from standard input with Python's tarfile: "<mode> <size> <sha256> <path>" a line."""
import hashlib
import sys
import tarfile

with tarfile.open(fileobj=sys.stdin.buffer, mode="r|", encoding="utf-8") as archive:
    for member in archive:
        if not member.isreg() or member.uid or member.gid or member.mtime or member.uname or member.gname:
            sys.exit(f"{member.name}: not a plain entry")
        digest = hashlib.sha256()
        content = archive.extractfile(member)
        while piece := content.read(1 << 20):
            digest.update(piece)
        sys.stdout.buffer.write(f"{member.mode:o} {member.size} {digest.hexdigest()} {member.name}\n".encode())
