# SPDX-License-Identifier: MIT
"""Runs contenders in turns and measures them.

A contender makes a fresh directory for each run, is timed in it, and is then checked: a run that fails, or that gives
something else than it should, ends the benchmark with an error and leaves no time. Nothing is deleted between runs, since
deleting large trees slows down what comes after it; everything goes when the benchmark ends."""
import json
import os
import shutil
import statistics
import subprocess

PIPE = "|"
COUNTED = ("wall", "user", "system", "cpu", "peak")


class BenchError(Exception):
    """Something could not be measured, or gave a wrong result."""


class Skip(Exception):
    """A scenario that can't run here; the message says why."""


class Contender:
    """One way of doing a scenario's work.

    prepare(directory) -> (command, environment or None): `command` is an argument list, with PIPE between programs.
    check(directory) -> a text that names the result (a digest), equal in every run; raises BenchError if it is wrong."""

    def __init__(self, name, prepare, check, role="peer"):
        self.name = name
        self.prepare = prepare
        self.check = check
        self.role = role


class Runner:
    def __init__(self, scratch, programs, say):
        self.scratch = scratch
        self.measure_program = os.path.join(programs, "piship_bench_measure")
        self.say = say

    def once(self, contender, directory, settle):
        os.makedirs(directory)
        command, environment = contender.prepare(directory)
        if settle:
            os.sync()  # what earlier runs have left to write is not this one's to pay
        sample = self.time(command, directory, environment)
        return sample, contender.check(directory)

    def time(self, command, directory, environment):
        result = os.path.join(directory, "usage.json")
        with open(os.path.join(directory, "stdout"), "wb") as out, open(os.path.join(directory, "stderr"), "wb") as err:
            ended = subprocess.run([self.measure_program, result, *command], cwd=directory, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, env=environment or self.scratch.environment(directory), check=False)
        usage = {}
        if ended.returncode == 0:
            with open(result, encoding="utf-8") as file:
                usage = json.load(file)
        if any(usage.get("statuses", [1])):
            with open(os.path.join(directory, "stderr"), encoding="utf-8", errors="replace") as file:
                said = file.read()[-2000:]
            raise BenchError(f"{' '.join(command)}\nended with {usage.get('statuses', ended.returncode)}:\n{said}")
        user, system = usage["user_us"] / 1e6, usage["system_us"] / 1e6
        return {"wall": usage["wall_ns"] / 1e9, "user": user, "system": system, "cpu": user + system, "peak": usage["peak_kb"] * 1024}

    def compare(self, title, contenders, runs, warm_up=1, settle=True, where=None):
        """Runs every contender `runs` times (after `warm_up` runs that do not count), in turns: there and back, so that
        neither has the better place. The first of role "subject" is what ratios are of."""
        base = self.scratch.directory(where, title)
        samples = {c.name: [] for c in contenders}
        results = {}
        for number in range(warm_up + runs):
            for contender in contenders if number % 2 == 0 else reversed(contenders):
                self.say(f"{title}: {contender.name} ({number + 1} of {warm_up + runs})")
                sample, result = self.once(contender, os.path.join(base, f"{number}-{contender.name.replace(' ', '-').replace('/', '-')}"), settle)
                if results.setdefault(contender.name, result) != result:
                    raise BenchError(f"{title}: {contender.name} gave {result}, and {results[contender.name]} before")
                if number >= warm_up:
                    samples[contender.name].append(sample)
        return {"title": title, "contenders": [summary(c, samples[c.name], results[c.name]) for c in contenders]}


def summary(contender, samples, result):
    return {"name": contender.name, "role": contender.role, "result": result, "samples": samples,
            **{key: spread([s[key] for s in samples]) for key in COUNTED}}


def spread(values):
    ordered = sorted(values)
    last = len(ordered) - 1
    return {"min": ordered[0], "median": statistics.median(ordered), "p95": ordered[min(last, int(0.95 * len(ordered)))],
            "max": ordered[last]}


class Scratch:
    """Where everything happens, with homes of its own in the place of the user's."""

    def __init__(self, path, keep):
        self.path = path
        self.keep = keep
        self.others = []
        os.makedirs(path)

    def directory(self, where, name):
        """A fresh directory; `where` is a directory on another file system, for tmpfs."""
        if where is None:
            base = self.path
        else:
            base = os.path.join(where, f"piship-bench-{os.getpid()}")
            if base not in self.others:
                self.others.append(base)
        directory = os.path.join(base, name.replace(" ", "-"))
        number = 1
        while os.path.exists(directory):
            number += 1
            directory = os.path.join(base, f"{name.replace(' ', '-')}-{number}")
        os.makedirs(directory)
        return directory

    def environment(self, directory, **more):
        """The caller's, with every home in `directory`. What says how to reach the registry stays: npm's settings, with
        the user's file of them where it is, and the certificates of NODE_EXTRA_CA_CERTS."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PISHIP_", "XDG_")) and name not in ("NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "CDPATH")}
        kept.setdefault("npm_config_userconfig", os.path.join(os.path.expanduser("~"), ".npmrc"))
        home = os.path.join(directory, "home")
        os.makedirs(os.path.join(home, "tmp"), exist_ok=True)
        kept.update(HOME=home, TMPDIR=os.path.join(home, "tmp"), LC_ALL="C.UTF-8",
                    npm_config_cache=os.path.join(home, "npm-cache"), npm_config_update_notifier="false",
                    PISHIP_INSTALL_HOME=os.path.join(directory, "install"), PISHIP_STATE_HOME=os.path.join(directory, "state"),
                    PISHIP_BIN_HOME=os.path.join(directory, "bin"), PISHIP_CACHE_HOME=os.path.join(directory, "cache"))
        kept.update(more)
        return kept

    def close(self):
        for path in self.others + ([] if self.keep else [self.path]):
            shutil.rmtree(path, ignore_errors=True)
