# SPDX-License-Identifier: MIT
"""Archiving stripped Pi without an engine: size and time from nothing against tar with gzip and with zstd, and the time of
a new archive after a change of one line."""
import os
import shlex
import struct
import subprocess
import tarfile
import hashlib

from harness import digests, payload
from harness.runner import PIPE, BenchError, Contender
from harness.scenarios import ratio, value

THEN = "&&"
TOOLS = ("piship-sources", "piship-assemble", "piship-archive")


def check_archive(toolset, archive):
    """The archive has the digest that stands beside it, and PiShip finds it intact; the digest."""
    with open(archive + ".sha256", encoding="utf-8") as file:
        said = file.read().split()[0]
    if digests.of_file(archive) != said:
        raise BenchError(f"{archive} does not have the digest {said}")
    payload.run([toolset.program("piship"), "verify", archive], {**os.environ, "HOME": os.path.dirname(archive)})
    return said


class Cold:
    """A store that has the payload's objects and no frame, made anew for each run."""

    def __init__(self, context, toolset):
        self.context = context
        self.toolset = toolset
        self.sizes = []

    def prepare(self, directory):
        release = self.context.payloads(self.toolset).build("pi", directory, os.path.join(directory, "cache"), until="payload")
        return release.archive_command(directory), None

    def check(self, directory):
        archive = os.path.join(directory, "release.tar.zst")
        self.sizes.append(os.path.getsize(archive))
        return check_archive(self.toolset, archive)

    def contender(self):
        return Contender(self.context.name_of("piship-archive", self.toolset), self.prepare, self.check, "subject")


class TarPeer:
    """`tar | <compressor>` of the same payload on disk."""

    def __init__(self, name, directory, compressor, decompressor):
        self.name = name
        self.directory = directory
        self.compressor = compressor
        self.decompressor = decompressor
        self.size = 0
        self.digest, self.expected = digests.read_inventory(os.path.join(directory, digests.INVENTORY))

    def command(self):
        names = sorted(os.listdir(self.directory))
        return ["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-cf", "-", "-C", self.directory, *names, PIPE, *self.compressor]

    def check(self, directory):
        """What comes out of it again is the payload."""
        out = os.path.join(directory, "stdout")
        self.size = os.path.getsize(out)
        with open(out, "rb") as packed, subprocess.Popen(self.decompressor, stdin=packed, stdout=subprocess.PIPE) as unpacker:
            found = {}
            with tarfile.open(fileobj=unpacker.stdout, mode="r|", encoding="utf-8") as archive:
                for member in archive:
                    if member.isreg():
                        content = archive.extractfile(member).read()
                        found[member.name] = (hashlib.sha256(content).hexdigest(), member.size, "x" if member.mode & 0o100 else "-")
        del found[digests.INVENTORY]
        digests.same_files(found, self.expected, self.name)
        return self.digest

    def contender(self):
        return Contender(self.name, lambda d: (self.command(), None), self.check)


def frame_table(archive):
    """The frames of content as the seek table at the end says (docs/formats/archive.md): (compressed, content) sizes."""
    with open(archive, "rb") as file:
        data = file.read()
    count, _, magic = struct.unpack("<IBI", data[-9:])
    if magic != 0x8F92EAB1:
        raise BenchError(f"{archive} has no seek table")
    table = data[-9 - 8 * count:-9]
    return [struct.unpack_from("<II", table, 8 * index) for index in range(count - 1)]


def cold(context):
    colds = [Cold(context, t) for t in context.toolsets]
    contenders = [c.contender() for c in colds]
    peers = []
    if not context.baseline:
        directory = context.scratch.directory(None, "archive-payload")
        release = context.payloads(context.toolsets[0]).get("pi")
        payload.run(["tar", "--zstd", "-xf", release.archive, "-C", directory], context.scratch.environment(directory + "-homes"))
        threads = len(os.sched_getaffinity(0))
        peers = [TarPeer("tar | gzip -6", directory, ["gzip", "-6"], ["gzip", "-dc"]),
                 TarPeer("tar | zstd -19", directory, ["zstd", "-19", f"-T{threads}", "-q", "-c"], ["zstd", "-dcq"])]
    result = context.runner.compare("archive cold", contenders + [p.contender() for p in peers], context.runs(1), warm_up=0)
    if context.baseline:
        ratio(result, contenders[0].name, contenders[1].name)
        value(result, "size of the baseline's", colds[0].sizes[0] / colds[1].sizes[0], "times")
    for peer in peers:
        ratio(result, contenders[0].name, peer.name)
        ratio(result, contenders[0].name, peer.name, "cpu")
    value(result, "size", colds[0].sizes[0], "bytes")
    for peer, goal in zip(peers, (0.75, None)):
        value(result, f"size of {peer.name}", peer.size, "bytes")
        value(result, f"share of {peer.name}", colds[0].sizes[0] / peer.size, "times", goal)
    frames(context, result)
    return result


def frames(context, result):
    payloads = context.payloads(context.toolsets[0])
    plain = payloads.get("pi").archive
    table = frame_table(plain)
    packed = sorted(size for size, _ in table)
    contents = sorted(size for _, size in table)
    value(result, "frames", len(table), "frames")
    for name, sizes in (("compressed frame", packed), ("frame's content", contents)):
        for what, number in (("smallest", sizes[0]), ("median", sizes[len(sizes) // 2]), ("largest", sizes[-1])):
            value(result, f"{what} {name}", number, "bytes")
    if not context.baseline:
        engine = payloads.get("pi-engine").archive
        value(result, "the engine's share, with an engine", os.path.getsize(engine) - os.path.getsize(plain), "bytes")


class Edited:
    """A project that was built; each run is after another change of one line, so nothing of the run before serves it."""

    def __init__(self, context, toolset, kind, path, with_cmake):
        self.context = context
        self.toolset = toolset
        self.path = path
        self.with_cmake = with_cmake
        name = "cmake --build" if with_cmake else "tools"
        self.name = context.name_of(f"{kind}, {name}", toolset)
        home = context.payloads(toolset)
        home.get("pi")  # all frames are known
        self.release = home.build("pi", context.scratch.directory(None, f"edit-{kind}-{name}".replace(" ", "-")), home.cache_home)
        self.number = 0

    def commands(self):
        """What Ninja would run for the stages behind the edit, without the shell around it."""
        said = payload.run(["ninja", "-C", self.release.build, "-t", "commands"], dict(os.environ)).splitlines()
        commands = []
        for line in said:
            words = shlex.split(line)
            words = words[words.index(THEN) + 1:] if THEN in words else words
            tool = next((w for w in words if os.path.basename(w) in TOOLS), None)
            mine = tool is not None and (os.path.basename(tool) != "piship-sources" or self.belongs(words))
            if mine:
                commands += ([THEN] if commands else []) + words[words.index(tool):]
        return commands

    def belongs(self, words):
        base = words[words.index("--base") + 1]
        with open(words[words.index("--list") + 1], encoding="utf-8") as file:
            listed = [os.path.normpath(os.path.join(base, line)) for line in file.read().splitlines()]
        target = os.path.join(self.release.project, self.path)
        return any(target == one or target.startswith(one + "/") for one in listed)

    def prepare(self, directory):
        self.number += 1
        with open(os.path.join(self.release.project, self.path), "a", encoding="utf-8") as file:
            file.write(f"\n// change {self.number} {os.urandom(8).hex()}\n")
        return (["cmake", "--build", self.release.build] if self.with_cmake else self.commands()), None

    def check(self, _):
        archive = self.release.archive
        check_archive(self.toolset, archive)
        with open(os.path.join(self.release.project, self.path), "rb") as file:
            edited = digests.of_bytes(file.read())
        _, entries = digests.read_inventory(self.release.inventory)
        if edited not in {entry[0] for entry in entries.values()}:
            raise BenchError(f"{self.name}: the change of {self.path} is not in the payload")
        return f"{len(entries)} files with the change"

    def contender(self):
        return Contender(self.name, self.prepare, self.check, "subject")


def edits(context):
    results = []
    for kind, path in (("resource", "resources/skills/release-notes/SKILL.md"), ("own file", "src/mypi.js")):
        contenders = [Edited(context, t, kind, path, c).contender() for c in (False, True) for t in context.toolsets]
        result = context.runner.compare(f"archive after a change, {kind}", contenders, context.runs(5))
        if context.baseline:
            ratio(result, contenders[0].name, contenders[1].name)
        else:
            for contender in result["contenders"]:
                value(result, f"median, {contender['name']}", contender["wall"]["median"], "s", goal=0.5)
        results.append(result)
    return results


def scenarios(context):
    context.pinned.require()
    return [cold(context), *edits(context)]
