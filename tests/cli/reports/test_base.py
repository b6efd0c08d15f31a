"""What every format is."""

from __future__ import annotations

import pytest

from abnforge.cli.reports.base import Report
from tests.cli.reports.outcomes import run


class Words(Report[str]):
    def begin(self) -> None:
        self.write("<")

    def add(self, word: str) -> None:
        self.write(word.upper() if self.full else word)

    def finish(self) -> None:
        self.write(">")


def test_what_stands_around_the_values_is_written_once() -> None:
    assert run(Words) == "<>"
    assert run(Words, "a", "b") == "<ab>"
    assert run(Words, "a", "b", full=True) == "<AB>"


def test_a_format_writes_as_it_is_fed() -> None:
    pieces: list[str] = []
    report = Words(pieces.append)
    report.begin()
    report.add("a")
    assert pieces == ["<", "a"]


def test_a_format_says_how_values_are_written() -> None:
    with pytest.raises(NotImplementedError):
        run(Report, "a")
