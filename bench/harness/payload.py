# SPDX-License-Identifier: MIT
"""What the scenarios run on: PiShip's programs of one build, npm and Node as the tests pin them, and releases made from
PiShip's own examples. What comes from the registry stays between benchmarks (build/bench/cache)."""
import os
import re
import shutil
import subprocess

from harness.runner import BenchError, Skip

PI_LOCK = "tests/data/locks/pi"
PI_CLI = "app/node_modules/@mariozechner/pi-coding-agent/dist/cli.js"
# What examples/personal says, so that the user's node runs it instead.
ENGINE_ARGUMENTS = re.compile(r"ENGINE_PACKAGE.*?ENGINE_INTEGRITY \S+", re.S)


def run(command, environment, directory=None, what=None):
    ended = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise BenchError(f"{what or ' '.join(command)} failed:\n{(ended.stdout + ended.stderr)[-3000:]}")
    return ended.stdout


class Toolset:
    """PiShip's programs out of one build tree, and the sources that it was made from."""

    def __init__(self, name, source, build):
        self.name = name
        self.source = source
        self.build = build

    def program(self, name):
        return os.path.join(self.build, "bin", name)


class Pinned:
    """Needs the registry once: npm and Node as tests/tool/vendor pins them, tarballs, npm's warm cache."""

    def __init__(self, source, cache, toolset, scratch):
        self.source = source
        self.cache = cache
        self.toolset = toolset
        self.scratch = scratch
        self.work = os.path.join(cache, "npm")
        self.tarballs = os.path.join(self.work, "tarballs")
        self.npm_cache = os.path.join(self.work, "npm-cache")
        self._why_not = None
        self._ready = False

    def require(self):
        """Makes everything, once; Skip where the registry does not answer and not all of it is there."""
        if self._why_not:
            raise Skip(self._why_not)
        if self._ready:
            return
        script = os.path.join(self.source, "tests/tool/vendor/npm_fixture.cmake")
        # With the user's own configuration: it says which registry there is, and how it is reached.
        environment = {**os.environ, "npm_config_cache": self.npm_cache, "npm_config_update_notifier": "false"}
        ended = subprocess.run(["cmake", f"-DVENDOR={self.toolset.program('piship-vendor')}", f"-DWORK={self.work}",
                                f"-DLOCKS={os.path.join(self.source, 'tests/data/locks')}", "-P", script],
                               env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if "skipped: " in ended.stderr:
            self._why_not = ended.stderr.split("skipped: ", 1)[1].strip().splitlines()[0]
            raise Skip(self._why_not)
        if ended.returncode != 0:
            raise BenchError(f"npm and Node can't be made ready:\n{ended.stderr[-3000:]}")
        self._ready = True

    @property
    def registry(self):
        with open(os.path.join(self.work, "ready"), encoding="utf-8") as file:
            return file.read().strip()

    def versions(self):
        """Of what is pinned, where a scenario has used it."""
        if not self._ready:
            return {}
        said = run([*self.npm, "--version"], self.scratch.environment(self.scratch.directory(None, "versions")))
        return {"npm": f"npm {said.strip()}", "node": f"Node {run([self.node, '--version'], dict(os.environ)).strip()}"}

    @property
    def node(self):
        return os.path.join(self.work, "tools/engine/node")

    @property
    def npm(self):
        return [self.node, os.path.join(self.work, "tools/node_modules/npm/bin/npm-cli.js")]


class Release:
    """A built project: the payload's inventory and lock, and the archive where it was built."""

    def __init__(self, toolset, project, build, target, cache_home):
        self.toolset = toolset
        self.project = project
        self.build = build
        self.cache_home = cache_home
        self.store = os.path.join(cache_home, "store")
        self.work = os.path.join(build, "piship", target)
        self.inventory = os.path.join(self.work, "payload.inventory")
        self.lock = os.path.join(self.work, "piship.lock")

    @property
    def archive(self):
        found = [n for n in os.listdir(os.path.join(self.build, "releases")) if n.endswith(".tar.zst")]
        if len(found) != 1:
            raise BenchError(f"not one archive in {self.build}/releases: {found}")
        return os.path.join(self.build, "releases", found[0])

    def archive_command(self, directory, level=19):
        """The archive stage by itself, with its outputs in `directory`."""
        out = os.path.join(directory, "release.tar.zst")
        return [self.toolset.program("piship-archive"), "--inventory", self.inventory, "--lock", self.lock, "--store", self.store,
                "--level", str(level), "--output", out, "--checksum", out + ".sha256", "--release", os.path.join(directory, "release.json"),
                "--depfile", os.path.join(directory, "archive.d")]


class Payloads:
    """Releases by name, made when they are asked for first and then kept for this benchmark. Their store is kept between
    benchmarks, one for each toolset, so that only the first one compresses Pi."""

    def __init__(self, toolset, pinned, cache, scratch):
        self.toolset = toolset
        self.pinned = pinned
        self.cache_home = os.path.join(cache, "homes", toolset.name)
        self.scratch = scratch
        self._made = {}

    def get(self, name):
        if name not in self._made:
            self._made[name] = self.build(name, self.scratch.directory(None, f"release-{name}-{self.toolset.name}"), self.cache_home)
        return self._made[name]

    def build(self, name, directory, cache_home, until="archive", edit=None):
        """"pi": Pi without an engine; "pi-engine": with its own; "hello": examples/minimal. `until` "payload": all but
        the archive. `edit` gets the copied project."""
        example, target = ("minimal", "hello") if name == "hello" else ("personal", "mypi")
        if name != "hello":
            self.pinned.require()
        project, build = os.path.join(directory, "project"), os.path.join(directory, "build")
        shutil.copytree(os.path.join(self.pinned.source, "examples", example), project)
        if name == "pi":
            listing = os.path.join(project, "CMakeLists.txt")
            with open(listing, encoding="utf-8") as file:
                text = file.read()
            with open(listing, "w", encoding="utf-8") as file:
                file.write(ENGINE_ARGUMENTS.sub('ENGINE SYSTEM ">=20"', text))
        if edit is not None:
            edit(project)
        os.makedirs(cache_home, exist_ok=True)
        tarballs = os.path.join(cache_home, "tarballs")
        if name != "hello" and not os.path.lexists(tarballs):
            os.symlink(self.pinned.tarballs, tarballs)
        environment = self.scratch.environment(directory)
        registry = [f"-DPISHIP_NPM_REGISTRY={self.pinned.registry}"] if name != "hello" else []
        run(["cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DPiShip_DIR={self.toolset.build}", f"-DPISHIP_CACHE_HOME={cache_home}",
             *registry], environment, what=f"configuring {name}")
        release = Release(self.toolset, project, build, target, cache_home)
        goal = [os.path.relpath(release.inventory, build)] if until == "payload" else []
        run(["ninja", "-C", build, *goal], environment, what=f"building {name}")
        return release
