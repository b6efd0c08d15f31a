"""``serve``: the playground of a folder, until it is interrupted."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from abnforge.teaching.playground.building import MARK
from tests.cli.command import Seen, fails, heed_interrupts, run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / MARK).write_text("{}")
    (tmp_path / "index.html").write_text("the page")
    return tmp_path


def test_it_says_where_and_ends_by_an_interrupt(site: Path, seen: Seen) -> None:
    command = [sys.executable, "-m", "abnforge", "serve", str(site), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with urlopen(address, timeout=20) as reply:
                assert reply.read() == b"the page"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        finally:
            process.kill()  # it would be waited for without end
    assert process.returncode == 0
    seen(said)
    assert "Traceback" not in said


def test_a_folder_without_a_playground(tmp_path: Path) -> None:
    result = run("serve", str(tmp_path))
    assert result.exit_code == 2
    fails(result, "playground-missing")


def test_a_port_that_is_taken(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", str(site), "--port", str(port))
    fails(result, "port-unavailable", port=port)


def test_without_a_folder_it_is_built_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from abnforge.teaching.playground import building

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[Path] = []

    def build(folder: Path, *, modules: Path | None = None) -> building.Built:
        asked.append(folder)
        folder.mkdir(parents=True)
        (folder / MARK).write_text("{}")
        return building.Built(folder, {})

    monkeypatch.setattr(building, "build", build)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for _ in range(2):
            run("serve", "--port", str(taken.getsockname()[1]))
    assert len(asked) == 1
    assert asked[0].is_relative_to(tmp_path)
