#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tar archives of every shape, legal and nearly so, and compares what our reader of npm tarballs sees in those that
it accepts with libarchive, Python's tarfile, GNU tar and bsdtar: names, kinds, sizes, contents and where these lie.

compare_readers.py --list PROGRAM --work DIRECTORY [--count N] [--seed N]

PROGRAM is piship_list_tar. A difference is a bug of our reader, which must agree or refuse. Programs that are not there
are left out and named. Each archive follows from its number and the seed alone."""
import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile

BLOCK = 512


def pad(data):
    return data + b"\0" * (-len(data) % BLOCK)


def put(block, at, data):
    block[at:at + len(data)] = data


def pax_record(key, value):
    body = b" " + key + b"=" + value + b"\n"
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


class Maker:
    def __init__(self, number, seed):
        self.random = random.Random(f"{seed}/{number}")
        self.number = number
        self.entries = 0

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def size_field(self, size):
        forms = [b"%011o\0" % size, b"%011o " % size, b"%012o" % size, b"%11o " % size, b"%o\0" % size]
        base256 = b"\x80" + size.to_bytes(11, "big")
        return self.random.choice([forms[0]] * 12 + forms + [base256])

    def header(self, name, size, kind=b"0", prefix=b"", size_field=None):
        r = self.random
        block = bytearray(BLOCK)
        magic = r.choice([b"ustar\00000"] * 8 + [b"ustar  \0", b"\0" * 8, b"ustar\0\0\0"]) if not prefix or self.one_in(6) \
            else b"ustar\00000"
        put(block, 0, name[:100])
        put(block, 100, r.choice([b"0000644\0", b"0000755\0", b"000644 \0", b"100644 \0"]))
        put(block, 108, r.choice([b"0000000\0", b"0001750\0", b"\x80\0\0\0\0\0\x03\xe8"]))
        put(block, 116, b"0000000\0")
        put(block, 124, self.size_field(size) if size_field is None else size_field)
        put(block, 136, r.choice([b"00000000000\0", b"14000000000\0"]))
        put(block, 156, kind)
        if kind in (b"1", b"2"):
            put(block, 157, r.choice([b"p/target", b"/etc/passwd", b"../x"]))
        put(block, 257, magic)
        put(block, 345, prefix[:155])
        if self.one_in(40):
            put(block, 345, b"q")
        put(block, 148, b" " * 8)
        total = sum(block)
        put(block, 148, r.choice([b"%06o\0 "] * 6 + [b"%07o\0", b"%6o\0 "]) % total)
        return bytes(block)

    def name(self):
        r = self.random
        self.entries += 1
        parts = [b"p"]
        for _ in range(r.randrange(3)):
            parts.append(r.choice([b"lib", b"src", b"d" * r.choice([5, 60, 99, 120]), "\u00e9t\u00e9".encode(), b".", b""]))
        parts.append(b"%d-" % self.entries + r.choice([b"a.js", b"n" * r.choice([1, 80, 98, 99, 100, 101, 150]), "\U0001f6a2".encode()]))
        return b"/".join(parts)

    def extension(self, kind, body, name=b"ext"):
        return self.header(name, len(body), kind, size_field=b"%011o\0" % len(body)) + pad(body)

    def entry(self):
        r = self.random
        name = self.name()
        kind = r.choice([b"0"] * 14 + [b"\0", b"7", b"5", b"2", b"1", b"6", b"3", b"4", b"S", b"Q", b"V", b"D"])
        data = b"" if kind in b"123456" and not self.one_in(15) else \
            b"%d/%d:" % (self.number, self.entries) + r.randbytes(r.choice([0, 1, 505, 511, 512, 513, 1500]))
        if kind == b"5" or self.one_in(60):
            name += b"/"
        out = b""
        records = b""
        short = name
        prefix = b""
        if self.one_in(3) and len(name) > 10:
            cut = name.find(b"/", max(0, len(name) - 101))
            if 0 < cut <= 155 and len(name) - cut - 1 <= 100:
                prefix, short = name[:cut], name[cut + 1:]
        if (len(name) > 100 and not prefix) or self.one_in(12):
            how = r.randrange(4)
            if how == 0:
                out += self.extension(b"L", name + b"\0" * r.randrange(2), b"././@LongLink")
            else:
                records += pax_record(b"path", name)
            if self.one_in(8):  # both, or twice
                other = name if r.randrange(2) else b"p/other%d" % self.entries
                out += self.extension(r.choice([b"L", b"x"]), other if self.one_in(2) else pax_record(b"path", other))
        size_field = None
        if self.one_in(10):
            size = r.choice([len(data)] * 6 + [0, len(data) + 1, len(data) + BLOCK])
            records += pax_record(b"size", b"%d" % size)
            size_field = r.choice([None, b"%011o\0" % 0, b"%011o\0" % len(data)])
        if self.one_in(10):
            records += pax_record(r.choice([b"mtime", b"comment", b"SCHILY.xattr.user.x", b"hdrcharset"]), b"1.5")
        if self.one_in(60):
            records += pax_record(r.choice([b"GNU.sparse.name", b"GNU.sparse.realsize", b"SCHILY.realsize"]), b"7")
        if records:
            if self.one_in(20):
                records += b"\0" * r.randrange(40)
            out += self.extension(r.choice([b"x"] * 20 + [b"X"]), records, b"p/PaxHeader")
        if self.one_in(15):
            key = r.choice([b"comment"] * 4 + [b"path", b"size", b"linkpath", b"mtime"])
            out = self.extension(b"g", pax_record(key, b"p/global" if key == b"path" else b"3")) + out
        if self.one_in(30):
            out += self.extension(b"K", b"some/target\0", b"././@LongLink")
        return out + self.header(short, len(data), kind, prefix, size_field) + pad(data)

    def archive(self):
        out = b""
        for _ in range(self.random.randrange(1, 6)):
            out += self.entry()
            if self.one_in(60):
                out += b"\0" * BLOCK
        out += self.random.choice([b"\0" * BLOCK * 2] * 8 + [b"", b"\0" * BLOCK, b"\0" * BLOCK * 18, b"\0" * 700])
        if self.one_in(25):
            out += self.random.choice([self.entry(), b"trailing", b"\0" * 100])
        if self.one_in(25) and out:
            bits = bytearray(out)
            bits[self.random.randrange(len(bits))] ^= 1 << self.random.randrange(8)
            out = bytes(bits)
        return out


def read_list(program, paths):
    """{path: (our entries or None, libarchive's entries and whether it went to the end)}"""
    out = subprocess.run([program, *paths], capture_output=True, check=True).stdout.decode()
    result, entries = {}, None
    for line in out.splitlines():
        word, rest = line.split(" ", 1)
        if word in ("ours", "libarchive"):
            entries = {"entries": [], "refused": None}
            result.setdefault(rest, {})[word] = entries
        elif word == "refused":
            entries["refused"] = rest
        else:
            size, offset, digest, name = (rest.split(" ", 3) + [""])[:4]
            entries["entries"].append((word, int(size), int(offset), digest, bytes.fromhex(name)))
    return result


def read_python(path):
    kinds = {tarfile.REGTYPE: "-", tarfile.AREGTYPE: "-", tarfile.CONTTYPE: "-", tarfile.DIRTYPE: "d", tarfile.SYMTYPE: "l",
             tarfile.LNKTYPE: "h", tarfile.FIFOTYPE: "p", tarfile.CHRTYPE: "c", tarfile.BLKTYPE: "b"}
    entries, refused = [], None
    try:
        with tarfile.open(path, "r:", encoding="utf-8", errors="surrogateescape") as archive, open(path, "rb") as file:
            for member in archive:
                kind = kinds.get(member.type, "?")
                size = member.size if kind in "-?" else 0
                file.seek(member.offset_data)
                entries.append((kind, size, member.offset_data, hashlib.sha256(file.read(size)).hexdigest(),
                                member.name.encode("utf-8", "surrogateescape")))
    except (tarfile.TarError, ValueError, OverflowError) as error:
        refused = str(error)
    return {"entries": entries, "refused": refused}


def unescape(text):
    simple = {"n": 10, "t": 9, "\\": 92, "a": 7, "b": 8, "f": 12, "r": 13, "v": 11, " ": 32}
    out, index = bytearray(), 0
    while index < len(text):
        if text[index] != "\\":
            out += text[index].encode("utf-8", "surrogateescape")
            index += 1
        elif text[index + 1] in "01234567":
            out.append(int(text[index + 1:index + 4], 8))
            index += 4
        else:
            out.append(simple.get(text[index + 1], ord(text[index + 1])))
            index += 2
    return bytes(out)


GNU_LINE = re.compile(r"block (\d+): (.)\S+ +\S+ +(\S+) \d{4,}-\d\d-\d\d \d\d:\d\d (.*)")
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def read_gnu(path):
    run = subprocess.run(["tar", "--quoting-style=escape", "--block-number", "--numeric-owner", "-tvf", path],
                         capture_output=True, check=False, env=ENVIRONMENT)
    entries = []
    for line in run.stdout.decode("utf-8", "surrogateescape").splitlines():
        match = GNU_LINE.match(line)
        if not match:
            continue
        block, kind, size, name = match.groups()
        kind = {"C": "-"}.get(kind, kind if kind in "-dlhpcb" else "?")
        name = re.split(r" -> | link to |--| unknown file type ", name)[0] if kind in "lh?" else name
        entries.append((kind, int(size) if kind == "-" else 0, int(block), None, unescape(name)))
    return {"entries": entries, "refused": run.stderr.decode(errors="replace") if run.returncode else None}


def read_bsdtar(path):
    """Names alone: the rest is libarchive's."""
    run = subprocess.run(["bsdtar", "-tf", path], capture_output=True, check=False, env=ENVIRONMENT)
    entries = [("?", 0, 0, None, line) for line in run.stdout.split(b"\n")[:-1]]
    return {"entries": entries, "refused": None}  # its status does not tell warnings from errors; libarchive itself does


def differences(ours, other, reader):
    """What `other` sees differently, as text; None where they agree."""
    if other["refused"] is not None:
        return f"refuses it: {other['refused'].strip()}"
    theirs = other["entries"]
    if len(ours) != len(theirs):
        return f"sees {len(theirs)} entries, not {len(ours)}: {[t[4] for t in theirs]}"
    for mine, its in zip(ours, theirs):
        if mine[0] == "?":
            continue  # skipped by its name, whatever it is
        if mine[4].rstrip(b"/") != its[4].rstrip(b"/"):
            return f"sees the name {its[4]!r}, not {mine[4]!r}"
        if "?" not in (mine[0], its[0]) and mine[0] != its[0]:
            # A name that ends in a slash makes a file a directory for most.
            if not (reader == "python" and its[1] == 0 and mine[4].endswith(b"/")):
                return f"sees {mine[4]!r} as '{its[0]}', not '{mine[0]}'"
        if mine[0] != "-" or reader == "bsdtar":
            continue
        if mine[1] != its[1]:
            return f"sees {its[1]} bytes of {mine[4]!r}, not {mine[1]}"
        if its[3] is not None and mine[3] != its[3]:
            return f"sees another content of {mine[4]!r}"
        if reader == "python" and mine[2] != its[2]:
            return f"sees the content of {mine[4]!r} at {its[2]}, not {mine[2]}"
        # GNU tar names the block of the first header of an entry.
        if reader == "gnu" and its[2] * BLOCK > mine[2] - BLOCK:
            return f"sees the header of {mine[4]!r} in block {its[2]}, its content is at {mine[2]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    has_gnu = shutil.which("tar") and b"GNU tar" in subprocess.run(["tar", "--version"], capture_output=True, check=False).stdout
    has_bsdtar = shutil.which("bsdtar") is not None
    os.makedirs(options.work, exist_ok=True)
    paths = []
    for number in range(options.count):
        path = os.path.join(options.work, f"{number}.tar")
        with open(path, "wb") as file:
            file.write(Maker(number, options.seed).archive())
        paths.append(path)
    listed = {}
    for begin in range(0, len(paths), 500):
        listed.update(read_list(options.list, paths[begin:begin + 500]))
    accepted = found = 0
    for path in paths:
        ours = listed[path]["ours"]
        if ours["refused"] is not None:
            continue
        accepted += 1
        readers = {"libarchive": listed[path]["libarchive"], "python": read_python(path)}
        if has_gnu:
            readers["gnu"] = read_gnu(path)
        if has_bsdtar:
            readers["bsdtar"] = read_bsdtar(path)
        for reader, seen in readers.items():
            difference = differences(ours["entries"], seen, reader)
            if difference:
                found += 1
                print(f"{path}: {reader} {difference}")
    print(f"{options.count} archives, {accepted} accepted, {found} differences" + ("" if has_gnu else "; GNU tar is not there") +
          ("" if has_bsdtar else "; bsdtar is not there"))
    if accepted < options.count // 5:
        sys.exit("too few archives were accepted for this to mean anything")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
