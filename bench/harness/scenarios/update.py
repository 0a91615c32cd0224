# SPDX-License-Identifier: MIT
"""Updates of Pi without an engine from a channel over loopback: by a delta, by frames and whole, against installing the same
version anew; what they download; and a whole life of an installation."""
import json
import os

from harness import channels, digests, payload
from harness.runner import BenchError, Contender, summary
from harness.scenarios import ratio, value

NEW = "1.2.0"


def version_directory(directory, version):
    return os.path.join(directory, "install", "apps", "mypi", version)


def check_version(version):
    return lambda directory: digests.check_payload(version_directory(directory, version))


def install(program, repository, environment, version):
    payload.run([program, "install", "--quiet", repository.url, "--id", "mypi", "--root", repository.root, "--release-version", version], environment)


def updates(context, program, repository, name, base, to):
    """Each run updates an installation of `base`, which is made before the clock starts."""
    def prepare(directory):
        environment = context.scratch.environment(directory)
        install(program, repository, environment, base)
        return [program, "update", "mypi", "--quiet", "--json", "--release-version", to], environment
    return Contender(name, prepare, check_version(to), "subject")


def fresh(context, program, name, to, source):
    return Contender(name, lambda d: ([program, "install", "--quiet", *source], context.scratch.environment(d)), check_version(to))


def downloaded(repository, context, program, base, to):
    """(bytes, requests, way) of one update, metadata included."""
    directory = context.scratch.directory(None, "download")
    environment = context.scratch.environment(directory)
    install(program, repository, environment, base)
    before = len(repository.answers())
    said = payload.run([program, "update", "mypi", "--quiet", "--json", "--release-version", to], environment)
    answers = repository.answers()[before:]
    return sum(int(line.split()[1]) for line in answers), len(answers), json.loads(said)["way"]


def one_update(context, releases, program, deltas, plain, base, to, what):
    archive = releases.archive(to)
    contenders = [updates(context, program, deltas, "update by a delta", base, to),
                  updates(context, program, plain, "update by frames", base, to),
                  fresh(context, program, "install from the channel", to,
                        [plain.url, "--id", "mypi", "--root", plain.root, "--release-version", to]),
                  fresh(context, program, "install from a file", to, [archive])]
    result = context.runner.compare(f"update {what}", contenders, context.runs(5))
    ratio(result, "update by a delta", "install from the channel", goal=0.5)
    ratio(result, "update by frames", "install from the channel", goal=0.5)
    ratio(result, "update by a delta", "install from a file", goal=1.0)
    value(result, "peak memory of a delta", result["contenders"][0]["peak"]["max"], "bytes", goal=64 * 1000 * 1000)
    size = os.path.getsize(archive)
    for repository, way, goal in ((deltas, "delta", 0.01), (plain, "frames", None)):
        got, requests, took = downloaded(repository, context, program, base, to)
        if took not in (way, "whole"):
            raise BenchError(f"the update went by {took}")
        value(result, f"downloaded by {took} in {requests} requests", got, "bytes")
        value(result, "share of the archive", got / size, "times", goal=goal)
    return result


def a_check(context, program, repository):
    directory = context.scratch.directory(None, "check")
    environment = context.scratch.environment(directory)
    install(program, repository, environment, NEW)

    def prepare(_):
        return [program, "update", "mypi", "--check", "--quiet"], environment
    before = len(repository.answers())
    result = context.runner.compare("update --check with nothing new", [Contender("update --check", prepare, lambda d: "done", "subject")], context.runs(9), settle=False)
    requests = (len(repository.answers()) - before) // (context.runs(9) + 1)
    value(result, "median", result["contenders"][0]["wall"]["median"], "s", goal=0.1)
    value(result, "requests", requests, "requests", goal=4)
    return result


def a_life(context, program, repository, node):
    """Install, first session, signed update, first session after it, rollback: one after the other, each timed."""
    steps = ("install", "first session", "update", "first session after it", "rollback")
    samples = {step: [] for step in steps}
    files = 0
    for number in range(context.runs(5)):
        directory = context.scratch.directory(None, f"life-{number}")
        environment = context.scratch.environment(directory, PATH=f"{os.path.dirname(node)}:{os.environ['PATH']}")
        command = os.path.join(directory, "bin", "mypi")
        commands = ([program, "install", "--quiet", repository.url, "--id", "mypi", "--root", repository.root, "--release-version", "1.1.0"],
                    [command, "--version"], [program, "update", "mypi", "--quiet"], [command, "--version"], [program, "rollback", "mypi", "--quiet"])
        for step, line in zip(steps, commands):
            context.say(f"a life: {step} ({number + 1})")
            run = os.path.join(directory, step.replace(" ", "-"))
            os.makedirs(run)
            os.sync()
            samples[step].append(context.runner.time(line, run, environment))
            if step == "update":
                files = sum(len(names) for _, _, names in os.walk(os.path.join(directory, "install")))
        for version in ("1.1.0", NEW):
            digests.check_payload(version_directory(directory, version))
    result = {"title": "a life", "contenders": [summary(Contender(step, None, None, "subject"), samples[step], "done") for step in steps]}
    value(result, "files on disk with two versions", files, "files")
    value(result, "rollback", result["contenders"][-1]["wall"]["median"], "s", goal=0.03)
    return result


def scenarios(context):
    if context.baseline:
        raise payload.Skip("updates are not measured against a revision")
    context.pinned.require()
    toolset = context.toolsets[0]
    program = toolset.program("piship")
    releases = channels.Releases(context, toolset)
    # Deltas lead to the newest release of a channel only, so each question has its own.
    opened = []

    def repository(name, versions, deltas):
        opened.append(channels.Repository(context, releases, name, versions, deltas))
        return opened[-1]
    try:
        minor = repository("minor", ("1.0.0", "1.1.0"), 5)
        everything = repository("newest", ("1.0.0", "1.1.0", NEW), 5)
        plain = repository("plain", ("1.0.0", "1.1.0", NEW), 0)
        return [one_update(context, releases, program, everything, plain, "1.1.0", NEW, "of one resource"),
                one_update(context, releases, program, minor, plain, "1.0.0", "1.1.0", "from Pi 0.73.0 to 0.73.1"),
                a_check(context, program, everything), a_life(context, program, everything, context.pinned.node)]
    finally:
        for each in opened:
            each.close()
