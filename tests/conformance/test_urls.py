"""A server on this machine as a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from abnforge.conformance import Url
from abnforge.conformance.judges import Answer
from tests.raising import raises


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        good = text.isdigit()
        status, said = {
            "/valid": (200, json.dumps({"valid": good})),
            "/plain": (200, json.dumps(good)),
            "/status": (204 if good else 422, ""),
            "/broken": (500, "oh"),
            "/moved": (302, ""),
        }.get(self.path, (404, ""))
        octets = said.encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["/valid", "/plain", "/status"])
def test_answers(server: str, path: str) -> None:
    with Url(server + path) as judge:
        assert list(judge.answers(["1", "x", "\ud800", "22"])) == [
            Answer(True), Answer(False), None, Answer(True),
        ]  # fmt: skip
        assert judge.dear


def test_who_is_no_judge(server: str) -> None:
    with Url(server + "/broken") as judge:
        assert judge.ask("1") == Answer(False, "HTTP status 500")
    for path, status in (("/nothing", 404), ("/moved", 302)):
        with Url(server + path) as judge, raises(OSError, "url-status", status=status):
            judge.ask("1")


def test_nobody_there() -> None:
    with Url("http://127.0.0.1:9/") as judge, raises(OSError, "url-unreachable", url="http://127.0.0.1:9/"):
        judge.ask("1")


@pytest.mark.parametrize(
    "url",
    ["http://example.com/", "https://127.0.0.1/", "http://10.0.0.1/", "ftp://localhost/", "localhost:80"],
)
def test_only_this_machine_is_asked(url: str) -> None:
    with raises(ValueError, "url-not-local"):
        Url(url)


def test_names_of_loopback() -> None:
    for url in ("http://localhost:8000/check", "http://[::1]:8000/"):
        with Url(url):
            pass
