"""Progress is for a person who waits, and for nobody else."""

from __future__ import annotations

import pytest

from abnforge.cli.common import progress
from abnforge.cli.common.progress import FIRST_SECONDS, NEXT_SECONDS, Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_nothing_where_no_terminal_is(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progress()
    clock[0] += 1000
    bar.update(1, 0, 1, 2)
    bar.clear()
    assert capsys.readouterr().err == ""


def test_drawn_rarely_and_erased(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    bar = Progress()
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
    bar = Progress("file")
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
    bar = Progress()
    clock[0] += FIRST_SECONDS
    bar.update(1, 0, 1, 2)
    capsys.readouterr()
    bar.make_room()
    assert capsys.readouterr().err == ("\r\x1b[K" if same_terminal else "")
