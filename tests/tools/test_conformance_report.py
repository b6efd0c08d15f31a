"""docs/conformance.md shows the recorded results. Rejections with an excuse do not count as wrong."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import abnforge
from abnforge.conformance.judges import as_judge
from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import conformance_report as tool
from reporting import survey
from reporting.excuses import EXCUSES
from reporting.survey import IMPLEMENTATIONS, PROMISES, SECTIONS, Ask, Implementation, learned, measure

PORT, DATE = "rfc3986:port", "rfc3339:date-time"


def stub(name: str, test: str, package: str = "python", **options: object) -> Implementation:
    promise = "specification" if name == "exact" else "own"
    ask = Ask("f(s | t)", test=test, setup="import re", **options)
    return Implementation(name, package, promise, "a stub", "https://example.com/", {PORT: ask})


SMALL = "not s or int(s) < 65536"
STUBS = (stub("exact", 're.fullmatch("[0-9]*", s)'), stub("small", SMALL))


def test_the_page_shows_the_recorded_results() -> None:
    results = tool.ordered(IMPLEMENTATIONS, tool.recorded(tool.RECORDED))
    assert len(results) > 100
    for path, text in tool.written(results, IMPLEMENTATIONS).items():
        assert path.read_text("utf-8") == text, path.name


def test_results_count_causes() -> None:
    small, exact = (measure(each, PORT, "2026-11-23") for each in (STUBS[1], STUBS[0]))
    assert small["refuses"] == {"causes": 1, "text": "65536", "reason": "DIGIT"}
    assert small["accepts"]["text"] == "\u0661"  # int accepts digits of other scripts, whitespace and signs
    assert (exact["accepts"], exact["refuses"], exact["differing"], exact["skipped"]) == (None, None, 0, 0)
    assert re.fullmatch(r"\+\d+ −1", tool.mark(small, STUBS[1].ask[PORT]))
    part = stub("part", 're.fullmatch("[0-9]*", s)', strings=100)
    result = measure(part, PORT, "2026-11-23")
    assert (result["tried"], tool.mark(result, part.ask[PORT])) == (100, "=*")
    assert len({len(vector.text) for vector in survey.suite_of(PORT, 100)}) > 10


@each_row(
    ("ask", "accepted"),
    [
        (Ask("s"), ["a", "b"]),
        (Ask("s", without="b"), ["a"]),
        (Ask("int(s or 0)", parses=True), [""]),
        (Ask("shown", test="s == 'b'"), ["b"]),
    ],
)
def test_calls_are_expressions(ask: Ask, accepted: list[str]) -> None:
    with ask.judge() as judge:
        answers = judge.answers(["", "a", "b"])
        assert [text for text, answer in zip(["", "a", "b"], answers, strict=True) if answer.yes] == accepted


def test_codes_are_current_if_nothing_is_installed(tmp_path: Path) -> None:
    def row(code: str) -> survey.Row:
        wrong = {"causes": 2, "text": "1x", "reason": code}
        return {"implementation": "missing", "rule": PORT, "accepts": wrong, "date": "2026-11-23"}

    rejection = abnforge.rule(PORT).explain("1x")
    assert rejection is not None
    path = tmp_path / "recorded.json"
    path.write_text(json.dumps([row("old-code")]), "utf-8")
    assert tool.recorded(path) == {("missing", PORT): row(rejection.code)}
    assert tool.changes(row("old-code"), row("old-code")) == ""
    assert "old-code" in tool.changes(row("old-code"), row(rejection.code))


def test_results_stay_if_nothing_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    missing = stub("missing", SMALL, package="abnforge-is-not-there")
    old = {
        ("missing", PORT): measure(STUBS[0], PORT, "2026-11-23")
        | {"versions": {"abnforge-is-not-there": "1"}}
    }
    assert tool.measured((missing,), old, "", "2027-01-01") == old
    assert "missing" in capsys.readouterr().err
    assert tool.differing((missing,), old, "") == []
    assert ": missing\n" in capsys.readouterr().out
    assert ": missing.\n" in tool.page((missing,), {})


@pytest.mark.slow
def test_a_changed_result_is_found() -> None:
    old = tool.measured(STUBS, {}, "", "2026-11-23")
    assert tool.differing(STUBS, old, "") == []
    other = (stub("exact", SMALL), STUBS[1])
    (changed,) = tool.differing(other, old, "")
    assert changed.startswith(f"exact, {PORT}: ")
    assert tool.differing(other, old, "small") == []
    (less,) = tool.differing(STUBS, {key: {**row, "suite": ""} for key, row in old.items()}, "")
    assert less.startswith(f"{PORT}: ")
    (new,) = tool.differing(STUBS, {}, "exact")
    assert new.startswith(f"exact, {PORT}: ")
    assert new != changed


@pytest.mark.slow
def test_the_command_checks_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "IMPLEMENTATIONS", STUBS)
    for name in ("RECORDED", "PAGE"):
        monkeypatch.setattr(tool, name, tmp_path / name.lower())
    assert tool.main(["--check"]) == 1
    assert tool.main(["--date", "2026-11-23"]) == 0
    assert tool.main(["--check"]) == 0
    texts = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert "Measured 2026-11-23." in texts["page"]
    assert tool.main(["--date", "2027-01-01"]) == 0  # an unchanged result keeps its date
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == texts
    tool.PAGE.write_text(texts["page"] + "more\n", "utf-8")
    assert tool.main(["--check"]) == 1


def test_sizes_are_learned() -> None:
    pytest.importorskip("aalpy")
    results = tool.measured(STUBS[:1], {}, "", "2026-11-23", learning=True)
    assert results["exact", PORT]["states"] == "1"
    assert "| States |" in tool.page(STUBS[:1], results)
    assert learned(STUBS[0].ask[PORT], DATE) is None


@each_row(
    ("string", "shown"),
    [
        ("", '`""`'),
        ("a b", '`"a b"`'),
        ("a|b", '`"a\\|b"`'),
        ("a`b", '``"a`b"``'),
        ('a"\\n', '`"a\\"\\\\n"`'),
        ("\n\0\x1b", '`"\\n\\0\\x1b"`'),
        ("\u0301\u202e\ud800", '`"\\u0301\\u202e\\ud800"`'),
        ("a" * 300, f'`"{"a" * 40}"`… (300 characters)'),
    ],
)
def test_strings_are_shown_in_one_cell(string: str, shown: str) -> None:
    assert tool.shown(string) == shown


def test_rows_have_the_columns_of_their_table() -> None:
    results = dict(tool.measured(STUBS, {}, "", "2026-11-23"))
    wrong = {key: {"causes": 1, "text": "`||`\n|", "reason": "x"} for key in ("accepts", "refuses")}
    results["small", PORT] = {**results["small", PORT], **wrong}
    lines = tool.page(STUBS, results).splitlines()
    counts = Counter(re.sub(r"\\\|", "", line).count("|") for line in lines if line.startswith("|"))
    assert counts.keys() >= {4, 10}  # the table of promises, and tables of rules


def test_implementations_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        tool, "SECTIONS", [{"rules": {PORT: {"title": "port"}}, "compared": {PORT: ["small"]}}]
    )
    matrix = survey.compare(STUBS, PORT)
    assert matrix.witness("exact") is None
    assert "65536" in [cluster.text for cluster in matrix.between("exact", "small")]
    page = tool.comparison(STUBS, "2026-11-23")
    assert "## port\n" in page
    assert '| `"65536"` | matches | 1 | ' in page
    assert STUBS[1].ask[PORT].reproduced(["", "1", "65536", "x"]) == [True, True, False, False]
    counter = stub("counter", "next(numbers) > 20")
    counter = replace(
        counter, ask={PORT: replace(counter.ask[PORT], setup="import itertools; numbers = itertools.count()")}
    )
    with pytest.raises(ValueError, match="counter"):
        survey.compare((counter,), PORT)


JSON, TOML, MAILBOX = "rfc8259:JSON-text", "toml-1.0.0:toml", "rfc5321:Mailbox"
QUERY = "rfc9535:jsonpath-query"


@each_row(
    ("name", "text", "excused"),
    [
        (DATE, "2024-02-29T23:59:59Z", False),
        (DATE, "0000-02-29T00:00:00+23:59", False),
        (DATE, "2023-02-29T00:00:00Z", True),
        (DATE, "2024-00-01T00:00:00Z", True),
        (DATE, "2024-13-01T00:00:00Z", True),
        (DATE, "2024-01-01T24:00:00Z", True),
        (DATE, "2024-01-01T00:60:00Z", True),
        (DATE, "2016-12-31T23:59:60Z", True),
        (DATE, "2024-01-01T00:00:00+24:00", True),
        (JSON, "[1.5e300]", False),
        (JSON, "1e309", True),
        (JSON, "-1e309", True),
        (JSON, '"\\ud83d\\ude00"', False),
        (JSON, '"\\ud83d"', True),
        (JSON, '{"a": 1, "b": 1}', False),
        (JSON, '{"a": 1, "a": 1}', True),
        (TOML, "a = 1", False),
        (TOML, "a = 1\nb = 1", True),
        (TOML, "a = 2024-02-30", True),
        (TOML, 'a = "\\ud800"', True),
        (TOML, 'a = "\\u00e9"', False),
        (TOML, "a = 9223372036854775807", False),
        (TOML, "a = 9223372036854775808", True),
        (TOML, "a = 0xffffffffffffffff", True),
        (TOML, "a = 1e400", True),
        (TOML, "a = -inf", False),
        (TOML, "# \x7f", True),
        (MAILBOX, "a@b", False),
        (MAILBOX, "a" * 64 + "@b", False),
        (MAILBOX, "a" * 65 + "@b", True),
        (MAILBOX, "a@" + "b" * 64, True),
        (QUERY, "$[9007199254740991]", False),
        (QUERY, "$[-9007199254740992]", True),
        (QUERY, "$[?f(@)]", True),
        (QUERY, "$[?@.f]", False),
    ],
)
def test_rejections_with_an_excuse_do_not_count(name: str, text: str, excused: bool) -> None:
    rule = abnforge.rule(name)
    assert rule.matches(text)
    assert EXCUSES[name](rule, text) is excused
    rejecting, accepting = (
        survey._Adapter(as_judge(lambda _, verdict=verdict: verdict), name, Ask("s"))
        for verdict in (False, True)
    )
    assert (rejecting.ask(text) is None) is excused
    assert accepting.ask(text) is not None
    assert rejecting.ask("\0 of no rule") is not None


def test_documents_are_utf_8() -> None:
    judge = survey._Adapter(as_judge(lambda _: True), JSON, Ask("s", utf8=True))
    assert [answer and answer.yes for answer in judge.answers(["a", "\ud800"])] == [True, None]


def test_the_tables_hold_together() -> None:
    rules = [rule for section in SECTIONS for rule in section["rules"]]
    assert len({each.name for each in IMPLEMENTATIONS}) == len(IMPLEMENTATIONS) > 50
    assert {rule for each in IMPLEMENTATIONS for rule in each.ask} == {*rules}
    for each in IMPLEMENTATIONS:
        assert each.promise in PROMISES
        assert each.source.startswith("https://")
        for rule, ask in each.ask.items():
            assert abnforge.rule(rule.partition(" ")[0]).name
            if not ask.program:
                compile(ask.setup, each.name, "exec")
                compile(ask.test or ask.call, each.name, "eval")
            assert re.fullmatch(r"((\[[^]|]+\]\(https://[^)|]+\)(, )?)+)?", ask.known)


def test_recorded_results_are_of_listed_calls() -> None:
    results = tool.recorded(tool.RECORDED)
    assert list(results) == list(tool.ordered(IMPLEMENTATIONS, results))
    packages = {each.name: each.package for each in IMPLEMENTATIONS}
    for (name, _), result in results.items():
        assert packages[name] in result["versions"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
        assert (result["differing"] == 0) is (result["accepts"] is result["refuses"] is None)
