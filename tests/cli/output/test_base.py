"""What every format is."""

from __future__ import annotations

import json

import pytest

from abnforge.cli.common.outcome import Outcome
from abnforge.cli.output.base import JsonArray, JsonLines, Report
from tests.cli.output.outcomes import (
    ALL,
    REJECTED,
    REJECTION,
    VALID,
    run,
)


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


@pytest.mark.parametrize("outcomes", [(), (VALID,), ALL])
def test_json_is_one_array(outcomes: tuple[Outcome, ...]) -> None:
    assert json.loads(run(JsonArray, *outcomes)) == [outcome.to_dict() for outcome in outcomes]


def test_json_lines_tell_the_kinds_apart() -> None:
    text = run(JsonLines, *ALL)
    assert text.isascii()
    valid, rejected, undecodable, too_long = map(json.loads, text.splitlines())
    assert valid == {
        "source": VALID.record.source,
        "line": 1,
        "valid": True,
        "grammar": "rfc3986",
        "rule": "URI",
        "input": "a:é",
    }
    place = {"source": REJECTED.record.source, "line": 2, "valid": False}
    assert rejected == place | REJECTION.to_dict()
    assert rejected["position"] == {"line": 1, "column": 2}  # of a string of several lines
    always = set(rejected) - {"position"}
    assert set(undecodable) == always | {"error", "offset_unit"} == set(too_long)
    assert (undecodable["valid"], undecodable["error"], undecodable["input"]) == (False, "not-utf-8", None)
    assert (undecodable["offset"], undecodable["offset_unit"]) == (2, "bytes")
    assert (too_long["valid"], too_long["error"], too_long["offset"]) == (False, "line-too-long", 9)
