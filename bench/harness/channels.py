# SPDX-License-Identifier: MIT
"""Releases of Pi one after the other, and repositories that offer them over loopback."""
import os
import shutil
import subprocess
import sys

from harness import payload
from harness.runner import BenchError

ROLES = ("stable", "snapshot", "timestamp")


class Releases:
    """Three of them, built one after the other in one build tree: Pi 0.73.0; Pi 0.73.1; and that with another resource."""

    VERSIONS = ("1.0.0", "1.1.0", "1.2.0")

    def __init__(self, context, toolset):
        self.toolset = toolset
        self.directory = context.scratch.directory(None, f"releases-{toolset.name}")
        data = os.path.join(context.pinned.source, "bench/data/pi-0.73.0")
        example = os.path.join(context.pinned.source, "examples/personal")
        built = None
        for version in self.VERSIONS:
            def edit(project, version=version):
                for name in ("package.json", "package-lock.json"):
                    shutil.copy(os.path.join(data if version == "1.0.0" else example, name), os.path.join(project, name))
                listing = os.path.join(project, "CMakeLists.txt")
                with open(listing, encoding="utf-8") as file:
                    text = file.read()
                with open(listing, "w", encoding="utf-8") as file:
                    file.write(text.replace("VERSION 1.0.0\n", f"VERSION {version}\n", 1))
                if version == "1.2.0":
                    with open(os.path.join(project, "resources/settings/settings.json"), "a", encoding="utf-8") as file:
                        file.write("\n")
            payloads = context.payloads(toolset)
            built = payloads.build("pi", os.path.join(self.directory, version), payloads.cache_home, edit=edit)
            shutil.copytree(os.path.join(built.build, "releases"), self.of(version))

    def of(self, version):
        return os.path.join(self.directory, "releases", version)

    def archive(self, version):
        found = [name for name in os.listdir(self.of(version)) if name.endswith(".tar.zst")]
        return os.path.join(self.of(version), found[0])


class Repository:
    """A channel with some of the releases; `deltas` as piship-publish takes it."""

    def __init__(self, context, releases, name, versions, deltas):
        self.publish_program = releases.toolset.program("piship-publish")
        self.context = context
        self.releases = releases
        self.deltas = deltas
        self.directory = context.scratch.directory(None, name)
        self.root = os.path.join(self.directory, "repository/metadata/1.root.json")
        self.publish("init", "--new-keys", os.path.join(self.directory, "keys"))
        for version in versions:
            self.add(version)
        harness = os.path.join(context.pinned.source, "bench/harness/server.py")
        self.log = os.path.join(self.directory, "answers")
        with open(self.log, "wb") as log:
            self.server = subprocess.Popen([sys.executable, harness, os.path.join(self.directory, "repository")], stdout=log)
        while not self.answers():
            if self.server.poll() is not None:
                raise BenchError("the web server did not start")
        self.url = f"http://127.0.0.1:{self.answers()[0]}"

    def publish(self, verb, *arguments):
        payload.run([self.publish_program, verb, "--repository", os.path.join(self.directory, "repository"), "--channel", "stable", *arguments],
                    self.context.scratch.environment(self.directory))

    def add(self, version):
        keys = [f"--key={os.path.join(self.directory, 'keys', role + '.pem')}" for role in ROLES]
        self.publish("add", "--release", os.path.join(self.releases.of(version), "release.json"), "--deltas", str(self.deltas), *keys)

    def answers(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def close(self):
        self.server.terminate()
        self.server.wait()
