#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks of the sources that no compiler makes. `lint.py --root DIR RULE [ARGUMENT...]`; each rule is a function below and
a test lint.<rule>. A rule prints one line a finding, "file:line: what", and fails if there is any."""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import transcripts as transcript

ROOT = "."
SOURCES = (".cc", ".h", ".def")
SCRIPTS = (".py", ".sh", ".bash", ".cmake", "CMakeLists.txt", "dev", ".ci/run")

# The boxes of tools/lib, each of which may include itself and those before it.
BOXES = ["base", "os", "model", "format", "store", "tree", "net", "tuf"]
# The parts of the runtime and what each may include beside lib.
RUNTIME = {"home": {"home"}, "launch": {"launch", "home"}, "source": {"source", "home"},
           "commands": {"commands", "home", "launch", "source"}, "main.cc": {"commands", "launch"}}
# Who may open connections.
NET_USERS = {"tools/vendor", "runtime/source"}
# Who may verify or make repositories without opening connections.
TUF_USERS = {"tools/assemble", "tools/publish", "runtime/source"}
# What a launch must not contain, by include or by link.
NOT_IN_LAUNCH = re.compile(r"^(net|tuf|store|format|source|commands)/|^tree/(?!compare\.)|^home/(install|uninstall|rollback|versions|command_link|reclaim|doctor|mend)")
THIRD_PARTY = re.compile(r"#include <(nlohmann|boost|CLI|openssl|archive|zstd|fmt|utf8proc|gtest|gmock)[/.]")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def files():
    """Every file that is kept, relative to the root."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        found = listed.stdout.split("\0")
    else:  # an unpacked archive, or someone else's checkout
        found = []
        for directory, names, members in os.walk(ROOT):
            names[:] = [n for n in names if n not in (".git", ".cache") and not (directory == ROOT and n == "build")]
            found += [os.path.relpath(os.path.join(directory, member), ROOT) for member in members]
    return sorted(f for f in found if f and os.path.isfile(os.path.join(ROOT, f)))


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def lines(path):
    return text(path).split("\n")


def includes(path):
    for number, line in enumerate(lines(path), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def owner(path):
    """'tools/lib/base/x.h' -> 'base', 'tools/vendor/x.cc' -> 'tools/vendor', 'runtime/home/x.h' -> 'runtime/home'."""
    parts = path.split("/")
    if path.startswith("tools/lib/"):
        return parts[2]
    return "/".join(parts[:2])


def allowed(path):
    """The first components that `path` may include."""
    mine = owner(path)
    if mine in BOXES:
        return set(BOXES[:BOXES.index(mine) + 1])
    lib = set(BOXES) if mine in NET_USERS else set(BOXES) - {"net", "tuf"}
    if mine in TUF_USERS:
        lib |= {"tuf"}
    if mine.startswith("tools/"):
        return lib | {mine.split("/")[1]}
    return (lib - {"store"}) | RUNTIME.get(mine.split("/")[1], set())


def compiled():
    return [f for f in files() if f.endswith((".cc", ".h")) and f.startswith(("tools/", "runtime/"))]


def locate(name):
    """The file behind an include of ours."""
    for base in ("tools/lib/", "tools/", "runtime/"):
        if os.path.isfile(os.path.join(ROOT, base + name)):
            return base + name
    return None


def foreign_headers():
    """Headers that need a library's header, directly or through a header of ours; only their own box may include them."""
    headers = [f for f in compiled() if f.endswith(".h")]
    found = {h for h in headers if THIRD_PARTY.search(text(h))}
    while True:
        more = {h for h in headers if h not in found and any(locate(i) in found for _, i in includes(h))}
        if not more:
            return found
        found |= more


def layers(_):
    findings = []
    foreign = foreign_headers()
    for path in compiled():
        may = allowed(path)
        for number, include in includes(path):
            first = include.split("/")[0]
            if first not in may:
                findings.append(f"{path}:{number}: {owner(path)} may not include {include}")
            target = locate(include)
            if target in foreign and owner(target) != owner(path):
                findings.append(f"{path}:{number}: {include} exposes the headers of a library")
    return findings


def launch(arguments):
    """What the launch path includes, and (the argument is a list that CMake wrote) what it links."""
    findings = []
    seen = set()
    todo = [f for f in compiled() if f.startswith("runtime/launch/")]
    if not todo:
        return ["runtime/launch: there is nothing to check"]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for number, include in includes(path):
            if NOT_IN_LAUNCH.match(include):
                findings.append(f"{path}:{number}: the launch path includes {include}")
            target = locate(include)
            if target:
                todo += [f for f in (target, re.sub(r"\.h$", ".cc", target)) if os.path.isfile(os.path.join(ROOT, f))]
    for listing in arguments:
        with open(listing, encoding="utf-8") as file:
            for target in file.read().split():
                part = re.sub(r"^piship_(runtime_)?", "", target)
                if part in ("net", "tuf", "store", "format", "tree", "tree_writer", "home", "source", "commands"):
                    findings.append(f"runtime/CMakeLists.txt:1: the launch path links {target}")
    return findings


def sizes(_):
    findings = []
    for path in files():
        if path.endswith(SOURCES + SCRIPTS):
            count = text(path).count("\n")
            if count >= 500:
                findings.append(f"{path}:500: has {count} lines; the limit is 499")
    return findings


def spdx(_):
    return [f"{path}:1: lacks the SPDX line" for path in files()
            if path.endswith(SOURCES + SCRIPTS) and "SPDX-License-Identifier: MIT" not in "\n".join(lines(path)[:3])]


def words(_):
    """Hosts of registries and paths of one machine. The list is built from pieces so that it does not find itself."""
    pieces = [("registry.", "npm", "js"), ("www.", "npm", "js"), ("registry.yarn", "pkg"), ("npm", "mirror"), ("/tmp", "/wt/"),
              ("/work", "/main"), ("/work", "/shared"), ("TO", "DO"), ("FIX", "ME"), ("X", "XX:")]
    pattern = re.compile("|".join(re.escape("".join(p)) for p in pieces))
    findings = []
    for path in files():
        for number, line in enumerate(lines(path), 1):
            match = pattern.search(line)
            if match:
                findings.append(f"{path}:{number}: contains '{match.group(0)}'")
    return findings


def links(_):
    """Documents that documents and comments point to."""
    findings = []
    kept = files()
    for path in kept:
        if path.endswith(".md"):
            for number, line in enumerate(lines(path), 1):
                for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", line):
                    if "://" in target or target.startswith("mailto:"):
                        continue
                    if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), target)):
                        findings.append(f"{path}:{number}: points to {target}, which is not there")
        if path.endswith(SOURCES + SCRIPTS + (".md",)):
            for number, line in enumerate(lines(path), 1):
                for target in re.findall(r"\bdocs/(?:adr/\d{4}|[a-z_/-]+\.md)", line):
                    if not any(f.startswith(target) for f in kept):
                        findings.append(f"{path}:{number}: names {target}, which is not there")
    return findings


TEST_MACRO = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)


def attacks(_):
    """The table of attacks: each test that it names is there, and each number has a row and stands in a test's name."""
    page = "docs/security.md"
    tests = {f"{suite}.{name}" for f in files() if f.startswith("tests/") and f.endswith(".cc")
             for suite, name in TEST_MACRO.findall(text(f))}
    others = {name for f in files() if f.endswith("CMakeLists.txt")
              for name in re.findall(r"add_test\(NAME ([\w.]+)", text(f))}
    others |= {f"e2e.{os.path.splitext(os.path.basename(f))[0]}" for f in files() if f.startswith("tests/e2e/")}
    others |= {f"fuzz.{name}" for name in re.findall(r"piship_add_fuzz\w*\((\w+)", text("tests/fuzz/CMakeLists.txt"))}
    findings, rows = [], set()
    for number, line in enumerate(lines(page), 1):
        cells = line.split("|")
        if len(cells) != 5 or cells[3].strip() in ("Test", "---"):
            continue
        for first, last in re.findall(r"\bT(\d\d)(?:-T(\d\d))?", cells[1]):
            rows |= set(range(int(first), int(last or first) + 1))
        named = re.findall(r"`([^`]+)`", cells[3])
        for name in named:
            begins = name.endswith("...") and any(test.startswith(name[:-3]) for test in tests)
            if name not in tests | others and not begins:
                findings.append(f"{page}:{number}: names the test {name}, which is not there")
        if not named:
            findings.append(f"{page}:{number}: names no test")
    carried = {int(digits) for test in tests for name in [test.split(".")[1]] for digits in numbers_in(name)}
    for number in range(1, 41):
        if number == 25:  # mirrors, which do not exist
            continue
        if number not in rows:
            findings.append(f"{page}:1: has no row for T{number:02}")
        if number not in carried:
            findings.append(f"{page}:1: no test carries T{number:02} in its name")
    return findings


def numbers_in(name):
    """Of a test's name: "T02ToT05..." has 2 to 5, "T06AndT31..." has 6 and 31."""
    match = re.match(r"T(\d\d)(?:(To|And)T(\d\d))?", name)
    if not match:
        return []
    first, joined, last = int(match.group(1)), match.group(2), int(match.group(3) or match.group(1))
    return range(first, last + 1) if joined == "To" else [first, last]


ERROR_ROW = re.compile(r'PISHIP_ERROR\((\w+), "(\w+)", (\d+), "([^"]*)"\)')


def provoked(_):
    """Every error is provoked by a test: its enumerator or its code stands in one."""
    tests = "".join(text(f) for f in files() if f.startswith(("tests/", "examples/")) and not f.startswith("tests/lint/"))
    used = set(re.findall(r"\w+", tests))
    return [f"tools/lib/base/errors.def:1: no test provokes {code}"
            for name, code, _, _ in ERROR_ROW.findall(text("tools/lib/base/errors.def"))
            if "k" + name not in used and code not in used and name != "Internal"]


def error_page():
    page = ["# Errors", "", "Generated from `tools/lib/base/errors.def` by `./dev docs`.", "",
            "Every failure is printed as `<program>: error: <what is wrong> [<CODE>]`, then each problem, the operations around it",
            "and a hint; [here](failures.md) are some. The code never changes its meaning; match it, not the words.", "",
            "| Exit status | Meaning |", "| --- | --- |",
            "| 0 | success |", "| 1 | the operation failed, or the answer is no |", "| 2 | the command line is wrong |",
            "| 3 | integrity or trust |", "| 4 | the environment; a retry may help |", "| 70 | a bug in PiShip |",
            "| 125, 126, 127 | a launcher's own failure; the engine can't run; the engine is missing |"]
    for line in lines("tools/lib/base/errors.def"):
        section = re.match(r"// ([A-Z][^.:]*)$", line)
        if section:
            page += ["", f"## {section.group(1)}", "", "| Code | Exit | Meaning |", "| --- | --- | --- |"]
        row = ERROR_ROW.match(line)
        if row:
            page.append(f"| `{row.group(2)}` | {row.group(3)} | {row.group(4)} |")
    return "\n".join(page) + "\n"


def drift(path, wanted, write):
    full = os.path.join(ROOT, path)
    present = text(path) if os.path.exists(full) else None
    if present == wanted:
        return []
    if not write:
        return [f"{path}:1: is not what the source says; run ./dev docs"]
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(wanted)
    return []


def error_docs(arguments):
    return drift("docs/errors.md", error_page(), "--write" in arguments)


def cli_docs(arguments):
    """docs/cli/<program>.md is what the program prints for --reference. Arguments: the programs."""
    write = "--write" in arguments
    findings = []
    names = set()
    for program in arguments:
        if program == "--write":
            continue
        page = subprocess.run([program, "--reference"], capture_output=True, text=True, check=True).stdout
        names.add(os.path.basename(program) + ".md")
        findings += drift(f"docs/cli/{os.path.basename(program)}.md", page, write)
    for path in files():
        if path.startswith("docs/cli/") and os.path.basename(path) not in names and not path.startswith("docs/cli/generated"):
            findings.append(f"{path}:1: there is no such program")
    return findings


def transcripts(arguments):
    """The commands of documents and what they print. Arguments: PiShip's build tree, the programs."""
    write = "--write" in arguments
    build, *programs = [argument for argument in arguments if argument != "--write"]
    missing = transcript.needs()
    if missing:
        print("skipped: needs " + ", ".join(missing))
        sys.exit(77)
    findings = []
    pages = []
    for path, wanted, found in transcript.written(os.path.abspath(ROOT), programs, build, text):
        findings += found
        if not write:
            findings += list(difflib.unified_diff(lines(path), wanted.split("\n"), path, "this run", lineterm="", n=1))
        findings += drift(path, wanted, write)
        pages.append(wanted)
    missing, surplus = transcript.not_shown([row[1] for row in ERROR_ROW.findall(text("tools/lib/base/errors.def"))], pages)
    findings += [f"docs/failures.md:1: does not show {code}" for code in missing]
    findings += [f"tests/lint/transcripts.py:1: {code} is shown; NOT_SHOWN says it is not" for code in surplus]
    return findings


def clang_format(_):
    program = shutil.which("clang-format")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout if program else ""
    if " 14." not in version:
        print("skipped: needs clang-format 14")
        sys.exit(77)
    paths = [f for f in files() if f.endswith((".cc", ".h"))]
    done = subprocess.run([program, "--dry-run", "-Werror", *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"^(\S+:\d+):\d+: error: .*$", done.stderr, re.M))) if done.returncode else []


RULES = [layers, launch, sizes, spdx, words, links, attacks, provoked, error_docs, cli_docs, transcripts, clang_format]


def main():
    global ROOT
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("rule", choices=[rule.__name__ for rule in RULES])
    options, arguments = parser.parse_known_args()
    ROOT = options.root
    findings = next(rule for rule in RULES if rule.__name__ == options.rule)(arguments)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
