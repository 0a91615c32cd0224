# SPDX-License-Identifier: MIT
"""Counts system calls with strace, for the benchmarks and for the budgets of tests/budget."""
import os
import re
import shutil
import subprocess

CALL = re.compile(r"^(\d+) +(?:<\.\.\. )?([a-z_0-9]+)(?: resumed>|\()")
RESULT = re.compile(r"= (-?\d+)(?: [A-Z]+ .*)?$")


def why_not():
    """Why system calls can't be counted here; None where they can."""
    if shutil.which("strace") is None:
        return "there is no strace"
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"strace can't trace here: {tried.stderr.strip()}"


class Call:
    """One system call of one process; `result` is None where there is none (a call that ended the process)."""

    def __init__(self, process, name, text):
        self.process = process
        self.name = name
        self.text = text
        result = RESULT.search(text)
        self.result = int(result.group(1)) if result else None


def trace(command, environment, directory, options=()):
    """Runs the command (strace has the `options` too) and gives its calls, those of its threads and children too, in the order in which they began."""
    log = os.path.join(directory, "strace.log")
    ended = subprocess.run([shutil.which("strace"), "-f", "-qq", *options, "-o", log, "--", *command], env=environment, cwd=directory,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    calls, open_calls = [], {}
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = CALL.match(line)
            if not match:
                continue
            process, name = match.groups()
            line = line.rstrip()
            if "resumed>" in line and (process, name) in open_calls:
                begun = open_calls.pop((process, name))
                begun.text += line
                result = RESULT.search(line)
                begun.result = int(result.group(1)) if result else None
                continue
            call = Call(process, name, line)
            calls.append(call)
            if line.endswith("<unfinished ...>"):
                open_calls[(process, name)] = call
    return calls


def is_execution(call):
    return call.name == "execve" and call.result == 0


def until_engine(calls):
    """The calls after the launcher was executed, until the engine was."""
    executed = [index for index, call in enumerate(calls) if is_execution(call)]
    if len(executed) < 2:
        raise RuntimeError("no engine was executed")
    return executed[1] - executed[0]


def count(calls, *names):
    return sum(1 for call in calls if call.name in names)
