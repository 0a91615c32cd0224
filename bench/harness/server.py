# SPDX-License-Identifier: MIT
"""A static web server for one directory that gives ranges, as the servers do which owners copy a repository to: prints its
port, then a line for each answer, "<status> <bytes of the body> <path>"."""
import http.server
import os
import re
import sys

RANGE = re.compile(r"bytes=(\d+)-(\d*)$")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = "."

    def do_GET(self):
        path = os.path.normpath(self.root + self.path)
        if not path.startswith(self.root + os.sep) or not os.path.isfile(path):
            self.answer(404, b"")
            return
        with open(path, "rb") as file:
            size = os.path.getsize(path)
            part = RANGE.match(self.headers.get("Range", ""))
            if part is None or int(part[1]) >= size:
                self.answer(200, file.read())
                return
            begin, end = int(part[1]), min(int(part[2]) + 1 if part[2] else size, size)
            file.seek(begin)
            self.answer(206, file.read(end - begin), ("Content-Range", f"bytes {begin}-{end - 1}/{size}"))

    def answer(self, status, body, *headers):
        self.send_response_only(status)
        for name, value in (("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        print(status, len(body), self.path, flush=True)

    def log_message(self, *_):
        pass


def main():
    Handler.root = os.path.abspath(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
