"""Progress is shown only to a user who waits at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from abnforge.cli.common import output as progress
from abnforge.cli.common.output import FIRST_SECONDS, NEXT_SECONDS, ProgressLine

ENVIRONMENT = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_nothing_where_no_terminal_is(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressLine()
    clock[0] += 1000
    bar.update(1, 0, 1, 2)
    bar.clear()
    assert capsys.readouterr().err == ""


def test_drawn_rarely_and_erased(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    bar = ProgressLine()
    bar.update(1, 0, 1, 2)
    bar.clear()
    assert capsys.readouterr().err == ""  # too soon
    clock[0] += FIRST_SECONDS
    bar.update(1000, 7, 50, 100)
    bar.update(1001, 7, 51, 100)
    assert capsys.readouterr().err == "\r\x1b[K 50 %  1,000 lines, 7 rejected"
    clock[0] += NEXT_SECONDS
    bar.update(2000, 7, 90, None)
    bar.clear()
    bar.clear()
    assert capsys.readouterr().err == "\r\x1b[K2,000 lines, 7 rejected\r\x1b[K"


def test_what_is_counted_has_its_name(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    bar = ProgressLine("file")
    clock[0] += FIRST_SECONDS
    bar.update(2, 1, 3, 4)
    assert capsys.readouterr().err == "\r\x1b[K 75 %  2 files, 1 rejected"


@pytest.mark.parametrize("same_terminal", [True, False])
def test_results_on_the_same_terminal_have_room(
    same_terminal: bool,
    clock: list[float],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        progress, "is_terminal", lambda stream: same_terminal or stream is progress.sys.stderr
    )
    bar = ProgressLine()
    clock[0] += FIRST_SECONDS
    bar.update(1, 0, 1, 2)
    capsys.readouterr()
    bar.make_room()
    assert capsys.readouterr().err == ("\r\x1b[K" if same_terminal else "")


def test_one_is_singular(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    bar = ProgressLine()
    clock[0] += FIRST_SECONDS
    bar.update(1, 1, 3, None)
    assert capsys.readouterr().err == "\r\x1b[K1 line, 1 rejected"


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
@pytest.mark.parametrize(
    "verb", [("check",), ("uri", "scan"), ("uri", "compare", "--between", "rfc2396", "rfc3986")]
)
def test_nothing_is_drawn_into_what_a_person_types(verb: tuple[str, ...]) -> None:
    """If the user types the input, progress would appear between the lines of input and results."""
    import pty

    code = (
        "from abnforge.cli import main\nfrom abnforge.cli.common import output as progress\n"
        "progress.FIRST_SECONDS = progress.NEXT_SECONDS = -1.0\nmain()"
    )
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *verb], stdin=theirs, stdout=theirs, stderr=theirs, env=ENVIRONMENT
        )
        os.close(theirs)
        result = b""
        while b"Ctrl-D" not in result:
            result += os.read(ours, 1 << 16)
        os.write(ours, b"a b\nhttp://a/ x\x04\x04")
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            result += data
        assert process.wait(60) in (0, 1), result
    finally:
        os.close(ours)
    assert b"\x1b[K" not in result
    assert b"http://a/ x\r\n" in result  # a message starts on a new line
