# SPDX-License-Identifier: MIT
"""A full check of an installed Pi against reading and hashing the same files with as many threads."""
import os

from harness import digests, payload
from harness.runner import BenchError, Contender
from harness.scenarios import ratio, value


class Installed:
    def __init__(self, context, toolset):
        self.directory = context.scratch.directory(None, f"verify-{toolset.name}")
        self.environment = context.scratch.environment(self.directory)
        self.program = toolset.program("piship")
        payload.run([self.program, "install", "--quiet", context.payloads(toolset).get("pi").archive], self.environment)
        self.payload = os.path.join(self.directory, "install", "apps", "mypi", "1.0.0")
        self.inventory, self.entries = digests.read_inventory(os.path.join(self.payload, digests.INVENTORY))
        self.list = os.path.join(self.directory, "list")
        with open(self.list, "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in self.entries)


def ours(context, toolset, installed):
    def check(directory):
        with open(os.path.join(directory, "stdout"), encoding="utf-8") as file:
            said = file.read()
        if '"intact":true' not in said.replace(" ", "") or installed.inventory not in said:
            raise BenchError(f"verify said {said!r}")
        return installed.inventory

    return Contender(context.name_of("piship verify", toolset),
                     lambda d: ([installed.program, "verify", "--json", "mypi"], installed.environment), check, "subject")


def hashers(context, installed, threads):
    everything = digests.of_bytes("".join(entry[0] + "\n" for entry in installed.entries.values()).encode())

    def same_digest(directory):
        with open(os.path.join(directory, "stdout"), encoding="utf-8") as file:
            if file.read().strip() != everything:
                raise BenchError(f"{directory}: the files do not have the digests of the inventory")
        return everything

    def same_lines(directory):
        with open(os.path.join(directory, "stdout"), encoding="utf-8") as file:
            found = {line.split("  ", 1)[1]: line.split("  ", 1)[0] for line in file.read().splitlines()}
        if found != {name: entry[0] for name, entry in installed.entries.items()}:
            raise BenchError(f"{directory}: the files do not have the digests of the inventory")
        return everything

    hash_files = os.path.join(context.programs, "piship_bench_hash_files")
    return [Contender("read and hash", lambda d: (["env", "-C", installed.payload, hash_files, str(threads), installed.list], None), same_digest),
            Contender("xargs sha256sum", lambda d: (["env", "-C", installed.payload, "xargs", "-a", installed.list, "-d", "\\n", "-n", "256", "-P",
                                                     str(threads), "sha256sum"], None), same_lines)]


def scenarios(context):
    installed = [Installed(context, t) for t in context.toolsets]
    contenders = [ours(context, t, i) for t, i in zip(context.toolsets, installed)]
    threads = min(8, len(os.sched_getaffinity(0)))
    if not context.baseline:
        contenders += hashers(context, installed[0], threads)
    result = context.runner.compare("verify", contenders, context.runs(7), settle=False)
    for key in ("wall", "cpu"):
        ratio(result, contenders[0].name, contenders[1].name, key, goal=1.3 if key == "wall" and not context.baseline else None)
    value(result, "bytes", sum(entry[1] for entry in installed[0].entries.values()), "bytes")
    value(result, "threads", threads, "threads")
    return [result]
