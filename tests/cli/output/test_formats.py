"""The table of formats is complete, and every format in it works."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from abnforge.cli import output
from abnforge.cli.common.inputs import StringRecord
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import Style
from abnforge.cli.output.formats import (
    FORMATS,
    JsonArray,
    JsonLines,
    LineReport,
    ResultReport,
    make_report,
    report_class,
    showing_warnings,
)
from abnforge.cli.output.trees import ComponentsOrTree
from abnforge.text import escape
from tests.cli.command import offered
from tests.cli.output.outcomes import (
    ALL,
    REJECTED,
    REJECTION,
    VALID,
    rejected,
    run,
    written,
)
from tests.law import each_row, law
from tests.reference import workflow_commands

LINES = [(kind, name) for kind, names in FORMATS.items() for name in names]


@each_row(("kind", "name"), LINES)
def test_every_line_is_a_report(kind: str, name: str) -> None:
    assert issubclass(report_class(kind, name), ResultReport)
    assert report_class(kind, name).add is not ResultReport.add
    report = make_report(kind, name, full=True, null=True)
    assert (report.full, report.null) == (True, True)


@each_row(("kind", "name"), LINES)
def test_a_report_on_nothing_is_complete(kind: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    make_report(kind, name).feed([])
    output = capsys.readouterr().out
    if issubclass(report_class(kind, name), JsonArray):
        assert output == "[]\n"
    else:
        has_head = name in ("sarif", "junit") or (kind, name) in (("grade", "csv"), ("grade", "matrix"))
        assert bool(output) is has_head


VERBS = {
    ("check",): ("outcome",),
    ("explain",): ("explanation",),
    ("parse",): ("structure",),
    ("uri", "resolve"): ("result",),
    ("uri", "normalize"): ("result",),
    ("uri", "compare"): ("equivalence", "change"),
    ("uri", "scan"): ("place",),
    ("list",): ("grammar",),
    ("show",): ("rule",),
    ("code",): ("code",),
    ("lint",): ("finding",),
    ("test",): ("example",),
    ("diff",): ("difference", "compatibility"),
    ("generate",): ("sentence",),
    ("conform",): ("conformed", "matrix"),
    ("coverage",): ("coverage",),
    ("exercise", "list"): ("exercise",),
    ("exercise", "show"): ("task",),
    ("exercise", "check"): ("grade",),
}


@each_row("verb", VERBS)
def test_commands_offer_the_formats_of_the_table(verb: tuple[str, ...]) -> None:
    for kind in VERBS[verb]:
        assert offered("format", *verb) == list(FORMATS[kind])


def test_every_kind_of_value_is_some_command_s() -> None:
    assert {kind for kinds in VERBS.values() for kind in kinds} == set(FORMATS)


def test_findings_about_valid_lines_have_a_place_in_some_formats() -> None:
    assert showing_warnings("outcome") == ["text", "jsonl", "json"]


def subclasses(report: type) -> set[type]:
    result = report.__subclasses__()
    return set(result).union(*map(subclasses, result))


def test_every_format_is_in_the_table() -> None:
    """A report class that is not in the table would be unused.

    The default format of ``parse`` has no name.
    """
    table = {report_class(kind, name) for kind, name in LINES}
    leaves = {each for each in subclasses(ResultReport) if not each.__subclasses__()}
    package = {each for each in leaves if each.__module__.startswith(output.__name__)}
    assert package - table == {ComponentsOrTree}


@law(
    st.text(st.sampled_from("a\n\n\r漢"), max_size=12),
    st.integers(0, 12),
    st.integers(0, 3),
    few=20,
    many=2_000,
)
def test_every_format_has_the_same_place_in_a_whole_file(text: str, start: int, length: int) -> None:
    outcome = rejected("f", text, start, length)
    outcome = replace(outcome, record=StringRecord("f", 1, text, whole=True))
    start = min(start, len(text))
    before = text[:start].split("\n") if "\n" in text[:-1] else [text[:start]]
    line, column = len(before), len(before[-1]) + 1
    assert written("outcome", "text", outcome).startswith(f"f:{line}:{column}: ")
    plain = json.loads(written("outcome", "jsonl", outcome))
    assert (plain["line"], plain["column"]) == (line, column)
    [command] = workflow_commands.read(written("outcome", "github", outcome))
    assert (command.properties["line"], command.properties["col"]) == (str(line), str(column))
    [result] = json.loads(written("outcome", "sarif", outcome))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (line, column)
    assert f">f:{line}:{column}: " in written("outcome", "junit", outcome)


class Words(ResultReport[str]):
    """A report on words, in upper case if ``full`` is true."""

    def begin(self) -> None:
        self.write("<")

    def add(self, word: str) -> None:
        self.write(word.upper() if self.full else word)

    def finish(self) -> None:
        self.write(">")


def test_the_frame_of_the_values_is_written_once() -> None:
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
        run(ResultReport, "a")


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
    assert rejected["position"] == {"line": 1, "column": 2}  # a multi-line string has an excerpt
    always = set(rejected) - {"position"}
    assert set(undecodable) == always | {"error", "offset_unit"} == set(too_long)
    assert (undecodable["valid"], undecodable["error"], undecodable["input"]) == (False, "not-utf-8", None)
    assert (undecodable["offset"], undecodable["offset_unit"]) == (2, "bytes")
    assert (too_long["valid"], too_long["error"], too_long["offset"]) == (False, "line-too-long", 9)


TEXTS = [
    (kind, name)
    for kind, name in LINES
    if issubclass(report_class(kind, name), LineReport) and name in ("text", "words", "abnf", "trace")
]


@each_row(("kind", "name"), TEXTS)
def test_only_results_to_copy_are_not_wrapped(kind: str, name: str) -> None:
    report = report_class(kind, name)
    assert report.wraps is not (kind == "result")


@each_row(("outcome", "columns"), [(each, columns) for each in ALL for columns in (20, 40, 80)])
def test_a_narrow_terminal_shows_the_same_words(outcome: Outcome, columns: int) -> None:
    pieces: list[str] = []
    report_class("outcome", "text")(pieces.append, Style(columns=columns)).feed([outcome])
    text = "".join(pieces)
    wide = [line for line in text.split("\n") if len(line) > columns]
    assert [line for line in wide if len(line.split()) > 1] == []
    if outcome.rejection is not None:
        assert " ".join(escape(outcome.message).split()) in " ".join(text.split())
