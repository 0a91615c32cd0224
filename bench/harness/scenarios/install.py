# SPDX-License-Identifier: MIT
"""Installing stripped Pi without an engine, against programs that extract the same archive and verify nothing; on disk
and on tmpfs, from a file and from a pipe."""
import os
import shutil

from harness import digests
from harness.runner import PIPE, BenchError, Contender
from harness.scenarios import ratio, value

TMPFS = "/dev/shm"


def payload_directory(directory):
    app = os.path.join(directory, "install", "apps", "mypi")
    return os.path.join(app, "1.0.0")


def check_payload_only(directory):
    return digests.check_payload(payload_directory(directory))


def check_install(directory):
    digest = check_payload_only(directory)
    if not os.access(os.path.join(directory, "bin", "mypi"), os.X_OK):
        raise BenchError(f"{directory}: there is no command")
    return digest


def installs(context, toolset, archive):
    program = toolset.program("piship")
    return [
        Contender(context.name_of("piship install", toolset), lambda d: ([program, "install", "--quiet", archive], None), check_install, "subject"),
        Contender(context.name_of("piship install -", toolset),
                  lambda d: (["cat", archive, PIPE, program, "install", "--quiet", "-"], None), check_install, "subject"),
    ]


def extractors(archive):
    def into(command):
        def prepare(directory):
            out = os.path.join(directory, "out")
            os.makedirs(out)
            return [part.replace("{out}", out) for part in command], None
        return prepare

    def check(directory):
        return digests.check_payload(os.path.join(directory, "out"))

    return [Contender("tar -xf", into(["tar", "-xf", archive, "-C", "{out}"]), check),
            Contender("cat | tar --zstd -x", into(["cat", archive, PIPE, "tar", "--zstd", "-x", "-C", "{out}"]), check),
            Contender("bsdtar -xf", into(["bsdtar", "-xf", archive, "-C", "{out}"]), check)]


def one_place(context, title, where, runs, goal):
    ours = [installs(context, t, context.payloads(t).get("pi").archive) for t in context.toolsets]
    contenders = [c for pair in ours for c in pair] if where is None else [pair[0] for pair in ours]
    peers = [] if context.baseline else extractors(context.payloads(context.toolsets[0]).get("pi").archive)
    if where is not None:
        peers = [p for p in peers if "cat" not in p.name]
    result = context.runner.compare(title, contenders + peers, runs, where=where)
    first = result["contenders"][0]["name"]
    if context.baseline:
        ratio(result, first, ours[1][0].name)
    else:
        for key in ("wall", "cpu"):
            ratio(result, first, "tar -xf", key, goal if key == "wall" else None)
        ratio(result, first, "bsdtar -xf")
        if where is None:
            ratio(result, "piship install -", "cat | tar --zstd -x", goal=goal)
    value(result, "peak memory", result["contenders"][0]["peak"]["max"], "bytes", goal=128 * 1000 * 1000)
    return result


def scenarios(context):
    archive = context.payloads(context.toolsets[0]).get("pi").archive
    results = [one_place(context, "install on disk", None, context.runs(5), goal=1.0)]
    # Nothing is deleted between runs, so all of them must fit.
    runs = context.runs(5)
    needed = (runs + 1) * 3 * 150_000_000
    if not os.path.isdir(TMPFS) or shutil.disk_usage(TMPFS).free < needed:
        context.note(f"install on tmpfs: {TMPFS} has less than {needed // 1_000_000} MB")
        return results
    results.append(one_place(context, "install on tmpfs", TMPFS, runs, goal=0.75))
    value(results[0], "archive", os.path.getsize(archive), "bytes")
    return results
