"""``abnforge playground`` serves the playground until it is interrupted, or builds it in a directory."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from abnforge.teaching.messages import message
from abnforge.teaching.playground import building
from abnforge.teaching.playground.building import MARK, BuildError, Built
from tests.cli.command import Seen, fails, heed_interrupts, run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / MARK).write_text("{}")
    (tmp_path / "index.html").write_text("the page")
    return tmp_path


def test_it_says_where_and_ends_by_an_interrupt(site: Path, seen: Seen) -> None:
    command = [sys.executable, "-m", "abnforge", "playground", str(site), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with urlopen(address, timeout=20) as reply:
                assert reply.read() == b"the page"
            process.send_signal(signal.SIGINT)
            _, result = process.communicate(timeout=20)
        finally:
            process.kill()  # otherwise, the test would wait for it forever
    assert process.returncode == 0
    seen(result)
    assert "Traceback" not in result


def test_a_directory_without_a_playground(tmp_path: Path) -> None:
    result = run("playground", str(tmp_path))
    assert result.exit_code == 2
    fails(result, "playground-missing")


def test_a_port_in_use(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("playground", str(site), "--port", str(port))
    fails(result, "port-unavailable", port=port)


def test_without_a_directory_it_is_built_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    calls: list[Path] = []

    def build(folder: Path, **options: Path | None) -> Built:
        calls.append(folder)
        folder.mkdir(parents=True)
        (folder / MARK).write_text("{}")
        return Built(folder, {})

    monkeypatch.setattr(building, "build", build)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for _ in range(2):
            run("playground", "--port", str(taken.getsockname()[1]))
    assert len(calls) == 1
    assert calls[0].is_relative_to(tmp_path)


def test_sizes_of_the_build_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def build(folder: Path, **options: Path | None) -> Built:
        return Built(folder, {"a": (1_000_000, 400_000), "b": (500_000, 50_000)})

    monkeypatch.setattr(building, "build", build)
    result = run("playground", "--build", str(tmp_path / "site"))
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{tmp_path / 'site'}: ")
    assert re.findall(r"[\d.]+", result.stdout.partition(": ")[2]) == ["2", "1.5", "0.5"]
    assert "abnforge playground" in result.stderr


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def build(folder: Path, **options: Path | None) -> Built:
        raise BuildError(message("program-missing", program="npm"))

    monkeypatch.setattr(building, "build", build)
    result = run("playground", "--build", str(tmp_path / "site"))
    fails(result, "program-missing", program="npm")


def test_a_directory_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = run("playground", "--build", str(tmp_path))
    fails(result, "directory-not-empty", directory=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_errors_of_building_are_usage_errors(tmp_path: Path) -> None:
    pytest.importorskip("railroad")
    (tmp_path / "site").write_text("")
    fails(run("playground", "--build", str(tmp_path / "site")), "directory-is-file")
    fails(run("playground", "--build", str(tmp_path / "new"), "--modules", str(tmp_path)), "module-missing")
    fails(run("playground", "--build", str(tmp_path / "new"), str(tmp_path)), "option-excluded")
    for option, path in (("--modules", tmp_path), ("--wheel", tmp_path / "site")):
        fails(run("playground", option, str(path)), "option-requires")
    fails(run("playground", "--build", str(tmp_path / "new"), "--wheel", __file__), "wheel-unusable")
    nowhere = str(tmp_path / "nope")
    fails(
        run("playground", "--build", str(tmp_path / "new"), "--modules", nowhere),
        "file-missing",
        path=nowhere,
    )


def test_exercises_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def build(folder: Path, **sources: object) -> Built:
        calls.append(sources)
        return Built(folder, {})

    monkeypatch.setattr(building, "build", build)
    own = tmp_path / "own.toml"
    own.write_bytes(b"\xef\xbb\xbf" + EXERCISE)
    assert run("playground", "--build", str(tmp_path / "new"), "--exercises", str(own)).exit_code == 0
    assert run("playground", "--build", str(tmp_path / "new"), "--lessons", "../index.html").exit_code == 0
    assert [each["exercises"] for each in calls] == [EXERCISE, None]
    assert [each["lessons"] for each in calls] == ["", "../index.html"]
    own.write_text("[[exercise]]")
    assert run("playground", "--build", str(tmp_path / "new"), "--exercises", str(own)).exit_code == 2
    assert run("playground", str(tmp_path), "--exercises", str(own)).exit_code == 2
    assert len(calls) == 2


EXERCISE = b"""\
[[exercise]]
id = "bit"
title = "A bit"
level = 1
lesson = "mine"
task = "Match 0 or 1."
rule = "bit"
reference = 'bit = "0" / "1"'
valid = ["0", "1"]
invalid = ["2"]
"""
