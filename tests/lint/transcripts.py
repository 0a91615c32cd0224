# SPDX-License-Identifier: MIT
"""Documents whose commands are run. In a fenced block

    ```console
    $ a command \\
        that goes on
    what it printed
    ```

every line after `$ ` is a command of bash (a line that ends in a backslash goes on), and what stands below it is what it
printed, standard output and error together; `[exit status 3]` follows where that is not 0. What those of a block
```console quiet print is not shown, and they must succeed; so must the commands of a comment `<!-- console ... -->`,
which do what the reader has done otherwise. All commands of one document run in order in one home, against one web server:

    ~ and /home/ada             the home of this run; the commands begin in it
    https://example.org/        a server of this run, which offers the files of /srv/www
    https://other.example.org/  another one, with those of /srv/other
    PiShip's programs           on PATH; its examples in $PISHIP_EXAMPLES

What depends on the machine, the time or the compiler is printed as a placeholder, by PLACEHOLDERS below and in no other way.
"""
import functools
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

DOCUMENTS = ["docs/publishing.md", "docs/updating.md", "docs/debian.md", "docs/failures.md"]
TIMEOUT = 300  # seconds, for one command

PLACEHOLDERS = [
    (re.compile(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{2}/[0-9a-f]{62}\b"), "<sha256>"),
    (re.compile(r"(?<=checked )[0-9]+"), "<number>"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{12}\b"), "<key>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<time>"),
    (re.compile(r"\b[0-9][0-9,]* bytes"), "<number> bytes"),
    (re.compile(r'(?<="download_bytes": )[0-9]+'), "<number>"),
    (re.compile(r"(?<=the archive has )[0-9]+"), "<number>"),
    (re.compile(r"\bprocess [0-9]+|\banother process\b"), "process <number>"),
    (re.compile(r"(?<=good for )[0-9]+"), "<number>"),
    (re.compile(r"\bv\d+[.]\d+[.]\d+\b"), "<version of node>"),
    (re.compile(r"(?<=[-: ])linux-(?!s390x)[a-z0-9]+(?:-musl)?\b"), "linux-x64"),
    (re.compile(r"(?<=_)(?:amd64|arm64|armhf|i386|ppc64el|riscv64|s390x)(?=[.]deb)"), "amd64"),
]

# What no command brings about everywhere and every time (a bug, rights that root has, names and certificates), or only npm packages do.
# Every other error is shown.
NOT_SHOWN = {"INTERNAL", "PERMISSION_DENIED", "HOST_UNKNOWN", "TLS_FAILED", "AUTHENTICATION_FAILED", "REGISTRY_UNKNOWN", "NPMRC_INVALID",
             "TARBALL_INVALID", "MANIFEST_INVALID", "DIGEST_INVALID", "PLATFORM_INVALID", "BUNDLER_FAILED", "BUNDLE_MODULE_MISSING",
             "BUNDLE_STRICT", "ENTRY_POINT_MISSING", "PAYLOAD_INVALID"}

FENCE = re.compile(r"^(```console(?: quiet)?|<!-- console)\n(.*?)^(```|-->)$\n?", re.M | re.S)


class Files(http.server.SimpleHTTPRequestHandler):
    """A static server that gives parts of files, too, as clients of a channel ask for them: one range, its end may be missing."""
    error_message_format = "not here\n"

    def log_message(self, *_):
        pass

    def do_GET(self):
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        path = self.translate_path(self.path)
        if not asked or not os.path.isfile(path):
            return super().do_GET()
        size = os.path.getsize(path)
        first, last = int(asked[1]), min(int(asked[2] or size - 1), size - 1)
        if first > last:
            return self.send_error(416)
        with open(path, "rb") as file:
            file.seek(first)
            content = file.read(last - first + 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return self.wfile.write(content)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client may go away."""


def serve(directory):
    server = Server(("127.0.0.1", 0), functools.partial(Files, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Scene:
    """The home, the servers and the environment of one document."""

    def __init__(self, root, programs, piship, place):
        self.home = os.path.join(place, "home")
        www, other = os.path.join(place, "www"), os.path.join(place, "other")
        for directory in (self.home, www, other, os.path.join(place, "bin")):
            os.mkdir(directory)
        for program in programs:
            os.symlink(program, os.path.join(place, "bin", os.path.basename(program)))
        self.servers = [serve(www), serve(other)]
        addresses = [f"http://127.0.0.1:{server.server_address[1]}/" for server in self.servers]
        # As the document has it, and as it is in this run.
        self.names = [("https://example.org/", addresses[0]), ("https://other.example.org/", addresses[1]), ("/srv/www", www), ("/srv/other", other),
                      ("/home/ada", self.home)]
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("PISHIP_", "XDG_", "CMAKE_", "CPACK_", "NINJA", "CTEST_", "npm_", "NPM_"))}
        self.environment.update(
            HOME=self.home, LC_ALL="C.UTF-8", PiShip_DIR=piship, PISHIP_EXAMPLES=os.path.join(root, "examples"),
            SOURCE_DATE_EPOCH="946684800", no_proxy="127.0.0.1", PISHIP_RECLAIM_BUDGET_MS="600000",
            PATH=os.pathsep.join([os.path.join(place, "bin"), os.path.join(self.home, ".local/bin"), os.environ["PATH"]]))

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def run(self, command):
        """The status, and what was printed as the document shows it."""
        for documented, real in self.names:
            command = command.replace(documented, real)
        process = subprocess.Popen(["bash", "-c", command], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            printed, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed = process.communicate()[0] + "it did not end\n"
        for documented, real in self.names:
            printed = printed.replace(real, documented)
        for pattern, placeholder in PLACEHOLDERS:
            printed = pattern.sub(placeholder, printed)
        return process.returncode, printed


def commands(block):
    """The commands of a block, each as its lines stand there."""
    found = []
    goes_on = False
    for line in block.splitlines():
        if goes_on:
            found[-1] += "\n" + line
        elif line.startswith("$ "):
            found.append(line[2:])
        goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
    return found


def page(path, text, scene, findings):
    """The document as this run makes it."""
    def shown(match):
        start, block, end = match.groups()
        number = text.count("\n", 0, match.start()) + 1
        out = start + "\n"
        if not commands(block):
            findings.append(f"{path}:{number}: a block without a command")
        for command in commands(block):
            status, printed = scene.run(command)
            if start == "```console":
                out += f"$ {command}\n" + printed + ("" if printed.endswith("\n") or not printed else "\n")
                out += f"[exit status {status}]\n" if status else ""
            else:
                out += f"$ {command}\n"
                if status:
                    findings.append(f"{path}:{number}: '{command}' ended with {status}: {printed}")
        return out + end + "\n"
    return FENCE.sub(shown, text)


def written(root, programs, piship, read):
    """Runs each document; its path, what it is after the run, and findings. `read` gives the text of a path."""
    for path in DOCUMENTS:
        place = tempfile.mkdtemp(prefix="piship-docs-")
        scene = Scene(root, programs, piship, place)
        findings = []
        try:
            yield path, page(path, read(path), scene, findings), findings
        finally:
            scene.close()
            shutil.rmtree(place, ignore_errors=True)


def not_shown(codes, pages):
    """Those of the codes that no page shows and that could be shown, and those that are said not to be shown and are."""
    shown = set(re.findall(r" \[([A-Z_]+)\]$", "\n".join(pages), re.M))
    return sorted(set(codes) - shown - NOT_SHOWN), sorted(NOT_SHOWN & shown)


def needs():
    """What this machine lacks to run the documents."""
    return [name for name in ("bash", "cmake", "ninja", "node", "openssl", "dpkg-deb") if not shutil.which(name)]


if __name__ == "__main__":
    sys.exit("lint.py runs this, as the rule transcripts")
