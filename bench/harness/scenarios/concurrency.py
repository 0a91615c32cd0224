# SPDX-License-Identifier: MIT
"""How many writers and how large a buffer an install should have: every combination, in rising order and then in falling
order, so that what the machine does meanwhile hits both ends. A default is worth changing only where another one is faster
in all of its runs than the default in any of its own."""
import os
import shutil

from harness.runner import Contender
from harness.scenarios import ratio
from harness.scenarios.install import TMPFS, check_payload_only

WRITERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
WAITING = (4 << 20, 16 << 20, 64 << 20)
DEFAULT_WAITING = 16 << 20


def scenarios(context):
    archive = context.payloads(context.toolsets[0]).get("pi").archive
    program = os.path.join(context.programs, "piship_bench_install")

    def contender(name, writers, waiting, role):
        return Contender(name, lambda d: ([program, archive, str(writers), str(waiting)], None), check_payload_only, role)

    contenders = [contender("default", 0, DEFAULT_WAITING, "subject")]
    contenders += [contender(f"{w:2} writers, {b >> 20:2} MiB", w, b, "peer") for w in WRITERS for b in WAITING]
    runs = context.runs(2)
    results = []
    places = [("disk", None)]
    if os.path.isdir(TMPFS) and shutil.disk_usage(TMPFS).free > runs * len(contenders) * 150_000_000:
        places.insert(0, ("tmpfs", TMPFS))
    for name, where in places:
        result = context.runner.compare(f"concurrency on {name}", contenders, runs, warm_up=0, where=where)
        default, *others = result["contenders"]
        best = min(others, key=lambda c: c["wall"]["median"])
        ratio(result, best["name"], "default")
        if runs < 2:
            context.note(f"concurrency on {name}: a single run has no spread, so it says nothing about the default")
        elif best["wall"]["max"] < default["wall"]["min"]:
            context.note(f"concurrency on {name}: '{best['name']}' beats the default by more than the spread")
        else:
            context.note(f"concurrency on {name}: nothing beats the default by more than the spread")
        results.append(result)
    return results
