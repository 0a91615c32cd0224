# SPDX-License-Identifier: MIT
"""budget.py --source DIR --build DIR --counting DIR --work DIR [--record]
Counts what does not depend on the machine and holds it against rules.py. Everything runs on one processor: threads would
make calls of their own, as many as there is luck."""
import argparse
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../support")]
import calls  # noqa: E402
import rules  # noqa: E402
from fixture import Fixture  # noqa: E402

DELETING = ("unlink", "unlinkat", "rmdir")
STARTING = ("fork", "vfork", "clone", "clone3")
READING = ("read", "pread64", "readv", "preadv", "preadv2")
EDGE = re.compile(r"^\[\d+/\d+\] ", re.M)


def as_strace_writes(path):
    return "".join(c if ord(c) < 127 else "".join(f"\\{byte:o}" for byte in c.encode()) for c in path)


def exactly(number, parts, what):
    if number % parts:
        raise RuntimeError(f"{what}: {number} calls can't be shared among {parts}")
    return number // parts


class Launches:
    """Calls from the launcher's execve to the engine's."""

    def __init__(self, fixture):
        self.fixture = fixture

    def installed(self, name, settled=True, path=None, **release):
        archive = self.fixture.release(name, **release)
        environment = self.fixture.homes(name, path)
        self.fixture.piship("install", "--quiet", archive, environment=environment)
        if settled:
            self.fixture.piship("list", environment=environment)
        return environment

    def trace(self, environment):
        return calls.trace([os.path.join(environment["PISHIP_BIN_HOME"], "hello")], environment, self.fixture.work)

    def count(self):
        fixture = self.fixture
        environment = self.installed("plain", settled=False)
        counts = {"launch, engine in the payload, right after the install: system calls": calls.until_engine(self.trace(environment))}
        fixture.piship("list", environment=environment)
        traced = self.trace(environment)
        plain = counts["launch, engine in the payload: system calls"] = calls.until_engine(traced)
        counts["launch: processes"] = calls.count(traced, *STARTING)
        few = self.until("few", {"a/1": "1", "b/2": "2"})
        more = self.until("more", {"a/1": "1", "a/2": "2", "a/3": "3", "b/4": "4"})
        resource = counts["launch: calls for each resource"] = exactly(more - few, 2, "two more resources")
        counts["launch: calls for each directory of resources"] = exactly(few - plain - 2 * resource, 3, "three directories")
        environment = self.installed("path", path=fixture.engine, own_engine=False)
        first = counts["launch, engine of PATH: system calls"] = calls.until_engine(self.trace(environment))
        environment["PATH"] = f"/missing/a:/missing/b:{fixture.engine}"
        later = calls.until_engine(self.trace(environment))
        counts["launch: calls for each directory of PATH before the engine's"] = exactly(later - first, 2, "two more directories")
        return counts

    def until(self, name, resources):
        return calls.until_engine(self.trace(self.installed(name, resources=resources)))


def count_install(fixture):
    archive = fixture.release("plain")
    environment = fixture.homes("traced")
    traced = calls.trace([os.path.join(fixture.bin, "piship"), "install", "--quiet", archive], environment, fixture.work)
    fixture.piship("verify", "hello", environment=environment)
    return {"install: system calls": len(traced), "install: deletions": calls.count(traced, *DELETING),
            "install: processes": calls.count(traced, *STARTING)}


def count_payload(fixture):
    """With a runtime of a fixed size in the place of the real one, which depends on the compiler."""
    archive = fixture.release("sized", runtime=os.path.join(fixture.work, "runtime/piship"))
    with open(os.path.join(fixture.work, "sized.payload"), encoding="utf-8") as file:
        entries = [line.split(" ") for line in file.read().splitlines()[1:]]
    return {"payload: files": len(entries), "payload: bytes": sum(int(entry[1]) for entry in entries), "archive: bytes": os.path.getsize(archive)}


def count_rebuild(fixture):
    """One resource has changed: what sources, assemble and archive read and hash, the second time."""
    name, kind = "rebuilt", "skills"
    resources = {f"{kind}/note.md": "one\n", f"{kind}/other.md": "two\n"}
    runtime = os.path.join(fixture.work, "runtime/piship")
    fixture.release(name, resources=resources, runtime=runtime)
    with open(os.path.join(fixture.work, f"{name}-resources/{kind}/note.md"), "a", encoding="utf-8") as file:
        file.write("changed\n")
    hashed = os.path.join(fixture.work, "hashed")
    environment = {**fixture.environment, "PISHIP_TEST_HASHED": hashed}
    tools = fixture.counting
    read = 0
    ours = f"<{as_strace_writes(fixture.work)}/"
    for command in (fixture.sources(f"{name}-{kind}", f"{name}-resources/{kind}", tools=tools),
                    fixture.assemble(name, [kind], runtime=runtime, tools=tools), fixture.archive(name, tools=tools)):
        for call in calls.trace(command, environment, fixture.work, options=("-y",)):
            if call.name in READING and call.result and ours in call.text:
                read += call.result
    with open(hashed, encoding="utf-8") as file:
        lines = file.read().split()
    if len(lines) != 3:
        raise RuntimeError(f"three tools should have said what they hash, {len(lines)} did")
    return {"rebuild after a change of one resource: bytes read": read, "rebuild after a change of one resource: bytes hashed": sum(map(int, lines))}


def count_edges(fixture, source, build):
    project, tree = os.path.join(fixture.work, "project"), os.path.join(fixture.work, "build")
    shutil.copytree(os.path.join(source, "examples/minimal"), project)
    fixture.run("cmake", "-G", "Ninja", "-S", project, "-B", tree, f"-DPiShip_DIR={build}", f"-DPISHIP_CACHE_HOME={fixture.work}/cache",
                "-DPISHIP_COMPRESSION_LEVEL=3")
    fixture.run("ninja", "-C", tree)
    counts = {"build without a change: edges": len(EDGE.findall(fixture.run("ninja", "-C", tree, "-n", "-v")))}
    with open(os.path.join(project, "resources/greetings/en.json"), "a", encoding="utf-8") as file:
        file.write("\n")
    counts["build after a change of one resource: edges"] = len(EDGE.findall(fixture.run("ninja", "-C", tree, "-v")))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "counting", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitizers", default="")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    why_not = "the sanitizers make calls of their own" if options.sanitizers else calls.why_not()
    if why_not:
        print(f"skipped: {why_not}")
        return 77
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    fixture = Fixture(options.build, options.counting, os.path.realpath(options.work))
    counts = {**count_payload(fixture), **Launches(fixture).count(), **count_install(fixture), **count_rebuild(fixture),
              **count_edges(fixture, options.source, options.build)}
    record, platform = os.path.join(HERE, "record"), fixture.platform()
    if options.record:
        rules.write_record(record, platform, counts)
    failures, notes = rules.compare(counts, rules.read_record(record, platform))
    for name, count in counts.items():
        print(f"{count:>12,}  {name}")
    for line in notes:
        print(f"note: {line}")
    for line in failures:
        print(f"FAILED: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
