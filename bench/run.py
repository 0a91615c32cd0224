#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`./dev bench` runs this: PiShip's programs against their peers, in turns, as a table and as JSON."""
import argparse
import importlib
import json
import os
import platform
import sys
import time

sys.dont_write_bytecode = True  # nothing is written beside the sources
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../tests/support")]
from harness import machine, payload, report  # noqa: E402
from harness.runner import BenchError, Runner, Scratch, Skip  # noqa: E402

SCENARIOS = ("vendor", "archive", "install", "launch", "verify", "update")
OTHERS = ("concurrency",)


class Context:
    """What a scenario gets."""

    def __init__(self, options, scratch, toolsets, say):
        self.scratch = scratch
        self.toolsets = toolsets
        self.baseline = len(toolsets) > 1
        self.programs = os.path.join(options.build, "bench", "bin")
        self.runner = Runner(scratch, self.programs, say)
        self.pinned = payload.Pinned(options.source, options.cache, toolsets[0], scratch)
        self.platform = "linux-arm64" if platform.machine() == "aarch64" else "linux-x64"
        self.say = say
        self.notes = []
        self._runs = options.runs
        self._payloads = {t.name: payload.Payloads(t, self.pinned, options.cache, scratch) for t in toolsets}

    def runs(self, usual):
        return self._runs or usual

    def payloads(self, toolset):
        return self._payloads[toolset.name]

    def name_of(self, program, toolset):
        return f"{program} ({toolset.name})" if self.baseline else program

    def note(self, text):
        self.notes.append(text)
        self.say(text)


def parse():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="scenario", help=f"of {', '.join(SCENARIOS)}; all of them where none is named. And {', '.join(OTHERS)}")
    parser.add_argument("--runs", type=int, help="how many runs of each contender count; each scenario has its own default")
    parser.add_argument("--json", metavar="FILE", help="writes every sample and the machine's description")
    parser.add_argument("--markdown", metavar="FILE", help="writes the tables as docs/performance.md has them")
    parser.add_argument("--keep", action="store_true", help="keeps what the runs have left, in build/bench/runs")
    parser.add_argument("--source", default=here, help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.path.join(here, "build/release"), help=argparse.SUPPRESS)
    parser.add_argument("--baseline-build", help=argparse.SUPPRESS)
    parser.add_argument("--baseline-revision", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [s for s in options.scenarios if s not in SCENARIOS + OTHERS]
    if unknown:
        parser.error(f"unknown scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS + OTHERS)}")
    options.cache = os.path.join(options.source, "build/bench/cache")
    return options


def main():
    options = parse()
    begin = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - begin:5.0f} s] {text}", file=sys.stderr, flush=True)

    toolsets = [payload.Toolset("this", options.source, options.build)]
    if options.baseline_build:
        toolsets.append(payload.Toolset("baseline", options.source, options.baseline_build))
    scratch = Scratch(os.path.join(options.source, f"build/bench/runs/{os.getpid()}"), options.keep)
    described = {"format": 1, "machine": machine.describe(scratch.path), **machine.revision(options.source),
                 "baseline": options.baseline_revision, "results": []}
    context = Context(options, scratch, toolsets, say)
    try:
        failed = run_scenarios(options, context, described)
        described["machine"]["peers"].update(context.pinned.versions())
        described["notes"] = context.notes
        described["machine"]["load_after"] = list(os.getloadavg())
        described["seconds"] = time.monotonic() - begin
        write(options, described)
    finally:
        say("deleting what the runs have left")
        scratch.close()
    return 1 if failed else 0


def run_scenarios(options, context, described):
    """Fills the results; whether one of them failed."""
    failed = False
    for name in options.scenarios or SCENARIOS:
        try:
            described["results"] += importlib.import_module(f"harness.scenarios.{name}").scenarios(context)
        except Skip as skip:
            context.note(f"{name}: skipped: {skip}")
        except BenchError as error:
            failed = True
            context.note(f"{name}: FAILED: {error}")
    return failed


def write(options, described):
    print(report.as_text(described), flush=True)
    for path, text in ((options.json, json.dumps(described, indent=1) + "\n"), (options.markdown, report.as_markdown(described))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


if __name__ == "__main__":
    sys.exit(main())
