# SPDX-License-Identifier: MIT
"""Checks results without PiShip's code: what is on disk, and what an inventory (docs/formats/inventory.md) says."""
import hashlib
import os

from harness.runner import BenchError

INVENTORY = "metadata/inventory"


def of_bytes(data):
    return hashlib.sha256(data).hexdigest()


def of_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_inventory(path):
    """The text's digest, and {path: (digest, size, mode)}."""
    with open(path, "rb") as file:
        data = file.read()
    entries = {}
    for line in data.decode().split("\n")[1:-1]:
        digest, size, mode, name = line.split(" ", 3)
        entries[name] = (digest, int(size), mode)
    if not entries:
        raise BenchError(f"{path} lists nothing")
    return of_bytes(data), entries


def walk(directory):
    """Every file below, by its path: (digest, size, mode)."""
    found = {}
    for base, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(base, name)
            status = os.lstat(path)
            if not os.path.isfile(path) or os.path.islink(path):
                raise BenchError(f"{path} is no regular file")
            found[os.path.relpath(path, directory)] = (of_file(path), status.st_size, "x" if status.st_mode & 0o100 else "-")
    return found


def same_files(found, expected, what):
    if found == expected:
        return
    differences = [name for name in sorted(set(found) | set(expected)) if found.get(name) != expected.get(name)]
    raise BenchError(f"{what}: {len(differences)} files are not what they should be: {', '.join(differences[:5])}")


def check_payload(directory):
    """A payload on disk against the inventory in it; the inventory's digest."""
    digest, expected = read_inventory(os.path.join(directory, INVENTORY))
    found = walk(directory)
    del found[INVENTORY]
    same_files(found, expected, directory)
    return digest


def check_npm_tree(directory, inventory):
    """What npm has put on disk against an inventory of PiShip; the inventory's digest. The links in .bin and npm's own
    note are no part of a payload."""
    digest, expected = read_inventory(inventory)
    found = {}
    for base, directories, names in os.walk(os.path.join(directory, "node_modules")):
        if os.path.basename(base) == ".bin":
            directories[:] = []
            continue
        for name in names:
            path = os.path.join(base, name)
            if name != ".package-lock.json":
                found[os.path.relpath(path, directory)] = (of_file(path), os.path.getsize(path), "x" if os.stat(path).st_mode & 0o100 else "-")
    same_files(found, expected, directory)
    return digest


def check_store(store, inventory):
    """Every object of the inventory is in the store (docs/formats/store.md); the inventory's digest."""
    digest, entries = read_inventory(inventory)
    for name, (content, _, _) in entries.items():
        path = os.path.join(store, "objects", content[:2], content[2:])
        if not os.path.exists(path) or of_file(path) != content:
            raise BenchError(f"the store lacks the content of {name}")
    return digest
