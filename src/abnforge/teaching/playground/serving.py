"""The folder of the playground served on loopback, by the standard library, with the headers that it wants.

A policy in the page itself does not bind a worker, so the header goes with every answer. The two about
origins give the page memory that it shares with the worker, by which an answer is interrupted; without them
the worker is ended and started again.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:; "
    "connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""What a host of the folder should send with every file."""

HOST = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    server_version = "abnforge"
    sys_version = ""
    extensions_map = {  # noqa: RUF012 - the base class has it so
        "": "application/octet-stream",
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".zip": "application/zip",
    }

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_head(self) -> Any:
        """As for any file; what no path can be is none."""
        try:
            return super().send_head()
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return None

    def list_directory(self, path: Any) -> None:
        """A folder has no page of its own."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is told of requests: there is one page, and one person."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of a folder on loopback, not yet serving; port 0 is any. Raises OSError for a port that is
    taken.
    """
    made = ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))
    made.daemon_threads = True
    return made


def address(made: ThreadingHTTPServer) -> str:
    """Where a server's page is."""
    return f"http://{HOST}:{made.server_address[1]}/"
