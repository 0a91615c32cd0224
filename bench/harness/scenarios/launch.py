# SPDX-License-Identifier: MIT
"""What a launch adds to Node itself: the installed command against `node <entry>` with the same environment, for a program
that ends at once and for Pi."""
import os
import re
import shutil

from harness import payload
from harness.runner import BenchError, Contender
from harness.scenarios import ratio, value

# What examples/personal puts into the environment.
PI_ENVIRONMENT = {"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}


class Installed:
    """A release, installed once for all runs: a launch changes nothing."""

    def __init__(self, context, toolset, name, node):
        self.context = context
        self.release = context.payloads(toolset).get(name)
        self.directory = context.scratch.directory(None, f"launch-{name}-{toolset.name}")
        self.environment = context.scratch.environment(self.directory, PATH=f"{os.path.dirname(node)}:{os.environ['PATH']}")
        payload.run([toolset.program("piship"), "install", "--quiet", self.release.archive], self.environment)
        # A verb that settles: the first launches after an install look at the boot's name as well.
        payload.run([toolset.program("piship"), "list"], self.environment)

    def command(self, name):
        return os.path.join(self.directory, "bin", name)

    def payload(self, id):
        return os.path.join(self.directory, "install", "apps", id, "1.0.0")


def expecting(text):
    def check(directory):
        said = ""
        for name in ("stdout", "stderr"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                said += file.read()
        if said.strip() != text:
            raise BenchError(f"{directory}: printed {said!r} instead of {text!r}")
        return text
    return check


def measure(context, name, id, arguments, expected, entry, runs, node):
    contenders = []
    for toolset in context.toolsets:
        installed = Installed(context, toolset, name, node)
        environment = {**installed.environment, **PI_ENVIRONMENT, "PI_CODING_AGENT_DIR": os.path.join(installed.directory, "state", id, "agent")}
        contenders.append(Contender(context.name_of(id, toolset),
                                    lambda d, i=installed, e=environment: ([i.command(id), *arguments], e), expecting(expected), "subject"))
        if not context.baseline:
            contenders.append(Contender("node <entry>", lambda d, i=installed, e=environment: ([node, os.path.join(i.payload(id), entry), *arguments], e),
                                        expecting(expected)))
    result = context.runner.compare(f"launch {id}", contenders, runs, settle=False)
    ratio(result, contenders[0].name, contenders[-1].name)
    medians = [c["wall"]["median"] for c in result["contenders"]]
    if not context.baseline:
        value(result, "added to the median", medians[0] - medians[1], "s", goal=0.003)
        value(result, "added to the minimum", result["contenders"][0]["wall"]["min"] - result["contenders"][1]["wall"]["min"], "s")
    return result, installed


def system_calls(context, result, installed, id):
    """From the launcher's execve to the engine's, as tests/budget counts them."""
    if shutil.which("strace") is None:
        context.note("launch: system calls are not counted, since there is no strace")
        return
    import calls
    traced = calls.trace([installed.command(id)], installed.environment, installed.directory)
    count = calls.until_engine(traced)
    resources = sum(1 for call in traced[:count] if call.name == "newfstatat" and '"resources' in call.text)
    value(result, "system calls to the engine's execve", count - resources, "calls", goal=30)
    value(result, "and for the resources that the lock names", resources, "calls")


def scenarios(context):
    node = shutil.which("node")
    try:
        context.pinned.require()
        node = context.pinned.node
    except payload.Skip:
        pass
    if node is None:
        raise payload.Skip("there is no node")
    results = []
    result, installed = measure(context, "hello", "hello", [], "Hello, world!", "app/src/main.js", context.runs(30), node)
    system_calls(context, result, installed, "hello")
    results.append(result)
    try:
        result, _ = measure(context, "pi", "mypi", ["--version"], "0.73.1", "app/src/mypi.js", context.runs(5), node)
        results.append(result)
    except payload.Skip as skip:
        context.note(f"launch mypi: {skip}")
    return results
