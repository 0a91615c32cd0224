# SPDX-License-Identifier: MIT
"""What the figures were measured on."""
import os
import platform
import re
import subprocess


def first_line(*command):
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = (said.stdout or said.stderr).strip()
    return text.splitlines()[0].strip("* ") if text else None


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def file_system(path):
    """The type of the file system of `path`, and its options."""
    best = ("", "unknown", "")
    for line in read("/proc/self/mounts").splitlines():
        fields = line.split(" ")
        mount = fields[1].rstrip("/")
        if (os.path.realpath(path) + "/").startswith(mount + "/") and len(mount) >= len(best[0]):
            best = (mount, fields[2], fields[3])
    return {"type": best[1], "options": best[2]}


def describe(scratch):
    info = read("/proc/cpuinfo")
    model = re.search(r"^(?:model name|Hardware)\s*:\s*(.*)$", info, re.M)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", info, re.M)
    memory = re.search(r"^MemTotal:\s*(\d+)", read("/proc/meminfo"), re.M)
    return {
        "processor": model.group(1) if model else platform.machine(),
        "sha_instructions": bool(flags and {"sha_ni", "sha2"} & set(flags.group(1).split())),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": int(memory.group(1)) * 1024 if memory else None,
        "kernel": platform.release(),
        "system": (re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"), re.M) or [None, "unknown"])[1],
        "file_system": file_system(scratch),
        "load_before": list(os.getloadavg()),
        "peers": {"tar": first_line("tar", "--version"), "bsdtar": first_line("bsdtar", "--version"),
                  "zstd": first_line("zstd", "--version"), "gzip": first_line("gzip", "--version")},
    }


def revision(source):
    """The commit that is checked out, and whether the tree differs from it."""
    commit = first_line("git", "-C", source, "rev-parse", "HEAD")
    changed = subprocess.run(["git", "-C", source, "status", "--porcelain"], capture_output=True, text=True, check=False)
    return {"revision": commit, "dirty": bool(changed.stdout.strip()) if changed.returncode == 0 else None}
