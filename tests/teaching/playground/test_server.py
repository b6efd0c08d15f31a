"""The playground's server listens only on localhost and sends a strict policy in every response."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from abnforge.teaching.playground.building import HEADERS, HOST, POLICY, address, server


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("served")
    for name in ("index.html", "a.css", "a.js", "a.mjs", "a.wasm", "a.json", "a.zip", "a.txt"):
        (folder / name).write_bytes(b"x")
    for name in ("index.html.br", "index.html.gz", "a.js.gz"):
        (folder / name).write_bytes(name.encode())
    (folder / "within").mkdir()
    (folder.parent / "secret.txt").write_text("secret")
    result = server(folder, 0)
    Thread(target=result.serve_forever, daemon=True).start()
    yield int(result.server_address[1])
    result.shutdown()
    result.server_close()


def get(port: int, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    connection.request(method, path, headers=headers)
    return connection.getresponse()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/a.css", "text/css; charset=utf-8"),
        ("/a.js", "text/javascript; charset=utf-8"),
        ("/a.mjs", "text/javascript; charset=utf-8"),
        ("/a.wasm", "application/wasm"),
        ("/a.json", "application/json"),
        ("/a.zip", "application/zip"),
        ("/a.txt", "text/plain; charset=utf-8"),
    ],
)
def test_files_have_their_types_and_headers(port: int, path: str, kind: str) -> None:
    reply = get(port, path)
    assert (reply.status, reply.getheader("Content-Type")) == (200, kind)
    for name, value in HEADERS.items():
        assert reply.getheader(name) == value
    assert reply.getheader("Cache-Control") == "no-cache"
    assert "Python" not in (reply.getheader("Server") or "")


@pytest.mark.parametrize(
    ("path", "accepted", "coding", "body"),
    [
        ("/", "gzip, deflate, br;q=1.0", "br", b"index.html.br"),
        ("/", "gzip", "gzip", b"index.html.gz"),
        ("/", "identity", None, b"x"),
        ("/?s=1", "br", "br", b"index.html.br"),
        ("/a.js?0123", "br, gzip", "gzip", b"a.js.gz"),
        ("/a.js", "x-br", None, b"x"),
        ("/a.css", "br, gzip", None, b"x"),
    ],
)
def test_compressed_copies(port: int, path: str, accepted: str, coding: str | None, body: bytes) -> None:
    reply = get(port, path, **{"Accept-Encoding": accepted})
    assert (reply.status, reply.getheader("Content-Encoding"), reply.read()) == (200, coding, body)
    assert reply.getheader("Content-Type") == get(port, path).getheader("Content-Type")


@pytest.mark.parametrize(
    "path", ["/nothing", "/within/", "/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd"]
)
def test_nothing_else_is_served(port: int, path: str) -> None:
    reply = get(port, path)
    assert reply.status == 404
    assert reply.getheader("Content-Security-Policy") == POLICY


def test_invalid_paths(port: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert get(port, "/%00").status == 400
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_taken(port: int, method: str) -> None:
    assert get(port, "/", method).status == 501


def test_it_listens_on_loopback_alone(tmp_path: Path) -> None:
    with server(tmp_path, 0) as made:
        assert made.server_address[0] == "127.0.0.1"
        assert address(made) == f"http://127.0.0.1:{made.server_address[1]}/"
        with pytest.raises(OSError, match="in use"):
            server(tmp_path, int(made.server_address[1]))


def test_the_policy_lets_nothing_else_in() -> None:
    results = dict(each.strip().split(" ", 1) for each in POLICY.split(";"))
    assert results["default-src"] == "'none'"
    assert "unsafe-inline" not in POLICY
    assert "'unsafe-eval'" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY
