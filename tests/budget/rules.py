# SPDX-License-Identifier: MIT
"""What counts are held against: the record of the platform, and limits that are promises and never follow a record."""
import json
import os

TOLERANCE = 0.10

# What is promised to users (docs/performance.md says where).
LIMITS = {
    "launch, engine in the payload: system calls": 30,
    "launch, engine in the payload, right after the install: system calls": 30,
    "launch, engine of PATH: system calls": 30,
    "launch: calls for each directory of PATH before the engine's": 1,
    "launch: calls for each resource": 1,
    "launch: calls for each directory of resources": 1,
    "launch: processes": 0,
    "install: processes": 0,
    "install: deletions": 0,
    "build without a change: edges": 0,
}


def compare(counts, record, limits=None):
    """(failures, notes), a line each. `record` None: there is none for this platform."""
    failures, notes = [], []
    for name, limit in (LIMITS if limits is None else limits).items():
        if name not in counts:
            failures.append(f"{name}: was not counted, and {limit} is promised")
        elif counts[name] > limit:
            failures.append(f"{name}: {counts[name]}, at most {limit} is promised")
    if record is None:
        notes.append("there is no record for this platform: counts are only held against what is promised")
        return failures, notes
    for name, count in counts.items():
        if name not in record:
            notes.append(f"{name}: {count} is not recorded")
        elif count > record[name] * (1 + TOLERANCE):
            failures.append(f"{name}: {count}, {record[name]} is recorded")
        elif count < record[name] * (1 - TOLERANCE):
            notes.append(f"{name}: {count} is better than the {record[name]} that is recorded; record it, so that it stays")
    failures += [f"{name}: is recorded and was not counted" for name in record if name not in counts]
    return failures, notes


def record_path(directory, platform):
    return os.path.join(directory, f"{platform}.json")


def read_record(directory, platform):
    path = record_path(directory, platform)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)["counts"]


def write_record(directory, platform, counts):
    os.makedirs(directory, exist_ok=True)
    with open(record_path(directory, platform), "w", encoding="utf-8") as file:
        json.dump({"format": 1, "counts": counts}, file, indent=1, ensure_ascii=False)
        file.write("\n")
