# SPDX-License-Identifier: MIT
"""Vendoring Pi: with tarballs cached and an empty store against npm with a warm cache; with everything known; with one
package changed."""
import json
import os
import shutil

from harness import digests
from harness.payload import PI_LOCK, run
from harness.runner import Contender
from harness.scenarios import ratio, value

# Another version of a package of Pi's lock that nothing forbids.
CHANGED = ("node_modules/yargs-parser", "20.2.4",
           "sha512-WOkpgNhPTlE73h4VFAFsOnomJVaovO8VqLDzy5saChRBFQFBoMYirowyW+Q9HB4HFF4Z7VZTiG3iSzJJA29yRA==")


class Vendor:
    def __init__(self, context, toolset):
        self.context = context
        self.toolset = toolset
        self.pinned = context.pinned
        self.locks = os.path.join(self.pinned.source, PI_LOCK)

    def command(self, directory, store, lockfile=None):
        out = os.path.join(directory, "packages.inventory")
        return [self.toolset.program("piship-vendor"), "--package-json", os.path.join(self.locks, "package.json"),
                "--lockfile", lockfile or os.path.join(self.locks, "package-lock.json"), "--platform", self.context.platform,
                "--store", store, "--tarballs", self.pinned.tarballs, "--registry", self.pinned.registry,
                "--output", out, "--depfile", os.path.join(directory, "packages.d"), "--report", os.path.join(directory, "vendor.json")]

    def store_of(self, directory):
        return os.path.join(directory, "store")

    def vendor_now(self, directory, store):
        run(self.command(directory, store), self.context.scratch.environment(directory))

    def check(self, directory, store):
        return digests.check_store(store, os.path.join(directory, "packages.inventory"))

    def cold(self, name):
        return Contender(name, lambda d: (self.command(d, self.store_of(d)), None), lambda d: self.check(d, self.store_of(d)), "subject")


def npm_contender(context, inventory):
    """`npm ci` into a fresh directory; what it makes is compared with PiShip's inventory, file by file."""
    pinned = context.pinned
    command = [*pinned.npm, "ci", "--prefer-offline", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error",
               f"--registry={pinned.registry}"]

    def prepare(directory):
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(pinned.source, PI_LOCK, name), directory)
        return command, context.scratch.environment(directory, npm_config_cache=pinned.npm_cache)

    return Contender("npm ci", prepare, lambda d: digests.check_npm_tree(d, inventory))


def changed_lock(context, directory):
    path, version, integrity = CHANGED
    with open(os.path.join(context.pinned.source, PI_LOCK, "package-lock.json"), encoding="utf-8") as file:
        lock = json.load(file)
    lock["packages"][path].update(version=version, integrity=integrity)
    lockfile = os.path.join(directory, "package-lock.json")
    with open(lockfile, "w", encoding="utf-8") as file:
        json.dump(lock, file, indent=2)
    return lockfile


def cold(context):
    context.pinned.require()
    inventory = os.path.join(context.scratch.directory(None, "vendor-reference"), "packages.inventory")
    vendors = [Vendor(context, t) for t in context.toolsets]
    # Brings the tarballs, and says what npm should give.
    vendors[0].vendor_now(os.path.dirname(inventory), os.path.join(os.path.dirname(inventory), "store"))
    contenders = [v.cold(context.name_of("piship-vendor", v.toolset)) for v in vendors]
    if not context.baseline:
        contenders.append(npm_contender(context, inventory))
        warm_npm(context, contenders[-1])
    result = context.runner.compare("vendor cold", contenders, context.runs(2), warm_up=0 if not context.baseline else 1)
    ratio(result, contenders[0].name, contenders[-1].name, goal=None if context.baseline else 1 / 8)
    value(result, "files", len(digests.read_inventory(inventory)[1]), "files")
    return result


def warm_npm(context, contender):
    """npm's cache is warm when a run before has used it; that is checked, and done where it was not."""
    if os.path.isdir(os.path.join(context.pinned.npm_cache, "_cacache", "index-v5")):
        return
    context.say("vendor: warming npm's cache")
    context.runner.once(contender, context.scratch.directory(None, "warm-npm") + "/run", settle=False)


def known(context):
    """The store knows everything: once with the output of the run before in its place, once without, once with one
    package changed. All of it is of one full store, which the first run fills."""
    context.pinned.require()
    results = []
    vendors = [Vendor(context, t) for t in context.toolsets]
    base = context.scratch.directory(None, "vendor-known")
    stores = {}
    for vendor in vendors:
        place = os.path.join(base, vendor.toolset.name)
        os.makedirs(place)
        stores[vendor.toolset.name] = os.path.join(place, "store")
        vendor.vendor_now(place, stores[vendor.toolset.name])

    def contender(vendor, with_output):
        store = stores[vendor.toolset.name]

        def prepare(directory):
            if with_output:
                vendor.vendor_now(directory, store)
            return vendor.command(directory, store), None

        return Contender(context.name_of("piship-vendor", vendor.toolset), prepare, lambda d: vendor.check(d, store), "subject")

    for title, with_output in (("vendor known, output there", True), ("vendor known, output removed", False)):
        contenders = [contender(v, with_output) for v in vendors]
        result = context.runner.compare(title, contenders, context.runs(5), settle=False)
        ratio(result, contenders[0].name, contenders[-1].name) if context.baseline else value(
            result, "median", result["contenders"][0]["wall"]["median"], "s", goal=0.1)
        results.append(result)
    results.append(changed(context, vendors, stores))
    return results


def changed(context, vendors, stores):
    """A fresh copy of the full store for each run, since the first run with the other package fills it."""
    lockfile = changed_lock(context, context.scratch.directory(None, "vendor-changed-lock"))
    fetch = context.scratch.directory(None, "vendor-changed-fetch")
    run(vendors[0].command(fetch, os.path.join(fetch, "store"), lockfile), context.scratch.environment(fetch))

    def contender(vendor):
        def prepare(directory):
            shutil.copytree(stores[vendor.toolset.name], vendor.store_of(directory))
            return vendor.command(directory, vendor.store_of(directory), lockfile), None

        return Contender(context.name_of("piship-vendor", vendor.toolset), prepare, lambda d: vendor.check(d, vendor.store_of(d)), "subject")

    contenders = [contender(v) for v in vendors]
    result = context.runner.compare("vendor one package changed", contenders, context.runs(2), warm_up=0)
    if context.baseline:
        ratio(result, contenders[0].name, contenders[-1].name)
    return result


def scenarios(context):
    return [cold(context), *known(context)]
