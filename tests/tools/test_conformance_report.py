"""docs/conformance.md is what was recorded, the same text twice; what may be refused is excused, no more."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.conformance.judges import as_judge
from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import conformance_report as tool
from reporting import excuses, matrix, page
from reporting.implementation import (
    OWN,
    PROMISES,
    SPECIFICATION,
    Asked,
    Implementation,
    between,
    encodable,
    function,
    versions,
)
from reporting.measure import Result, Wrong, asked_of, learnt, measure
from reporting.tables import FIELDS, IMPLEMENTATIONS

PORT, DATE = "rfc3986:port", "rfc3339:date-time"


def stub(
    name: str, judge: Callable[[str], object], package: str = "python", rule: str = PORT
) -> Implementation:
    promise = SPECIFICATION if name == "exact" else OWN
    asked = {rule: Asked("f(s | t)", function(lambda: judge))}
    return Implementation(name, package, promise, "a stub", "https://example.com/", asked)


def small(text: str) -> bool:
    return not text or int(text) < 65536


STUBS = (stub("exact", re.compile("[0-9]*").fullmatch), stub("small", small))


def test_the_page_is_what_was_recorded() -> None:
    answers = tool.ordered(IMPLEMENTATIONS, tool.recorded(tool.RECORDED))
    assert len(answers) > 100
    for path, text in tool.written(answers, IMPLEMENTATIONS).items():
        assert path.read_text("utf-8") == text, path.name


@pytest.mark.slow
def test_the_same_is_written_twice() -> None:
    first = tool.measured(STUBS, {}, "", "2026-11-23")
    texts = tool.written(first, STUBS)
    assert tool.written(tool.measured(STUBS, {}, "", "2026-11-23"), STUBS) == texts
    # What did not change keeps its date, also from one run to the next.
    assert tool.written(tool.measured(STUBS, first, "", "2027-01-01"), STUBS) == texts
    assert "Measured on 2026-11-23." in texts[tool.PAGE]


def test_what_differs_is_told() -> None:
    result = measure(STUBS[1], PORT, "2026-11-23")
    assert result.kind == "both"
    assert result.refuses == Wrong(1, "65536", "DIGIT")
    assert result.accepts is not None
    assert result.accepts.text == "\u0661"  # int takes digits of other scripts, white space, signs
    exact = measure(STUBS[0], PORT, "2026-11-23")
    assert (exact.kind, exact.differing, exact.skipped) == ("equal", 0, 0)
    assert versions(STUBS[0]) == exact.versions


def test_a_part_of_a_suite_is_spread_over_it() -> None:
    asked = Asked("f(s)", function(lambda: re.compile("[0-9]*").fullmatch), strings=100)
    report = asked_of(PORT, asked)
    assert (report.tried, report.passed) == (100, True)
    assert len({len(vector.text) for vector in report.suite}) > 10


def test_results_are_kept_as_json() -> None:
    wrong = Wrong(2, "\ud800|`\n", "unreadable-port")
    result = Result("a", PORT, 3, 0, 1, wrong, None, {"python": "3.11.7"}, "2026-11-23", "150+")
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_codes_are_current_where_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(code: str) -> Result:
        wrong = Wrong(2, "1x", code)
        return Result("missing", PORT, 3, 0, 2, wrong, None, {"abnforge-is-not-there": "1"}, "2026-11-23")

    rejection = abnforge.rule(PORT).explain("1x")
    assert rejection is not None
    assert rejection.code is not None
    monkeypatch.setattr(tool, "RECORDED", tmp_path / "recorded")
    tool.RECORDED.write_text(json.dumps([row("old-code").to_dict()]), "utf-8")
    assert tool.recorded(tool.RECORDED) == {("missing", PORT): row(rejection.code)}
    assert tool.changes(row("old-code"), row("old-code")) == ""
    assert "old-code" in tool.changes(row("old-code"), row(rejection.code))


def test_what_is_not_installed_keeps_its_record(capsys: pytest.CaptureFixture[str]) -> None:
    missing = stub("missing", small, package="abnforge-is-not-there")
    assert versions(missing) is None
    with pytest.raises(ValueError, match="not installed"):
        measure(missing, PORT, "2026-11-23")
    kept = Result("missing", PORT, 3, 0, 0, None, None, {"abnforge-is-not-there": "1"}, "2026-11-23")
    old = {("missing", PORT): kept}
    assert tool.measured((missing,), old, "", "2027-01-01") == old
    assert "missing" in capsys.readouterr().err
    assert tool.differing((missing,), old, "") == []
    assert "not asked: missing" in capsys.readouterr().out
    assert ": missing." in page.page(FIELDS, (missing,), {})


@pytest.mark.slow
def test_an_answer_that_changed_is_found() -> None:
    old = tool.measured(STUBS, {}, "", "2026-11-23")
    assert tool.differing(STUBS, old, "") == []
    other = (stub("exact", small), STUBS[1])
    (changed,) = tool.differing(other, old, "")
    assert changed.startswith(f"exact, {PORT}: ")
    assert tool.differing(other, old, "small") == []
    asked_less = {key: replace(result, suite="") for key, result in old.items()}
    (less,) = tool.differing(STUBS, asked_less, "")
    assert less.startswith(f"{PORT}: ")
    (new,) = tool.differing(STUBS, {}, "exact")
    assert new.startswith(f"exact, {PORT}: ")
    assert new != changed


@pytest.mark.slow
def test_the_command_checks_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "IMPLEMENTATIONS", STUBS)
    for name in ("RECORDED", "PAGE", "PICTURE"):
        monkeypatch.setattr(tool, name, tmp_path / name.lower())
    assert tool.main(["--check"]) == 1
    assert tool.main(["--date", "2026-11-23"]) == 0
    assert tool.main(["--check"]) == 0
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert tool.main([]) == 0
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == made
    tool.PAGE.write_text(made["page"] + "more\n", "utf-8")
    capsys.readouterr()
    assert tool.main(["--check"]) == 1
    assert "python tools/conformance_report.py" in capsys.readouterr().err


def test_sizes_are_learnt() -> None:
    pytest.importorskip("aalpy")
    answers = tool.measured(STUBS[:1], {}, "", "2026-11-23", learning=True)
    assert answers["exact", PORT].states == "1"
    assert "| States |" in page.page(FIELDS, STUBS[:1], answers)
    assert learnt(stub("dates", small, rule=DATE).asked[DATE], DATE) is None


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
    assert page.shown(string) == shown


def test_rows_have_the_columns_of_their_table() -> None:
    answers = tool.measured(STUBS, {}, "", "2026-11-23")
    answers["small", PORT] = Result(
        "small", PORT, 1, 0, 1, Wrong(1, "`||`", "x"), Wrong(1, "|\n|", "y"), {"python": "3"}, "2026-11-23"
    )
    lines = page.page(FIELDS, STUBS, answers).splitlines()
    tables = [re.sub(r"\\\|", "", line).count("|") for line in lines if line.startswith("|")]
    assert set(tables) == {4, 10}  # who was asked, and a rule


def test_the_picture_is_well_formed_and_says_in_words_what_colours_say() -> None:
    answers = tool.measured(STUBS, {}, "", "2026-11-23")
    drawn = matrix.matrix(FIELDS, STUBS, answers, "a < b & c")
    root = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == "a < b & c"
    texts = [element.text for element in root.iter(f"{space}text")]
    assert "exact" in texts
    marks = [matrix.mark(result, False) for result in answers.values()]
    assert marks[0] == "="
    assert re.fullmatch(r"\+\d+ −1", marks[1])
    assert set(marks) <= set(texts)
    assert matrix.mark(answers["exact", PORT], True) == "=*"
    # Each kind of cell has a colour of its own, for light pages and for dark ones.
    for kind in ("equal", "accepts", "refuses", "both", "none"):
        assert len(set(re.findall(rf"\.{kind} {{ fill: (#\w+) }}", drawn))) == 2
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    for element in (*root.iter(f"{space}rect"), *root.iter(f"{space}text")):
        assert 0 <= float(element.get("x", "0")) <= width
        assert 0 <= float(element.get("y", "0")) <= height
        if element.get("text-anchor") is None:  # letters are some 6 wide
            assert float(element.get("x", "0")) + 6 * len(element.text or "") <= width


def test_parts_are_not_asked_with_delimiters() -> None:
    asked: list[str] = []
    judge = between("[", "]", "[]", asked.append)
    assert not judge("a]b")
    judge("a")
    assert asked == ["[a]"]


def test_documents_are_utf_8() -> None:
    with encodable(lambda: lambda text: True)() as judge:
        assert [answer and answer.yes for answer in judge.answers(["a", "\ud800"])] == [True, None]


JSON, TOML, MAILBOX = "rfc8259:JSON-text", "toml-1.0.0:toml", "rfc5321:Mailbox"


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
    ],
)
def test_what_may_be_refused_is_excused(name: str, text: str, excused: bool) -> None:
    rule = abnforge.rule(name)
    assert rule.matches(text)
    assert excuses.EXCUSES[name].excused(rule, text) is excused
    judge = excuses.Lenient(as_judge(lambda _: False), rule, excuses.EXCUSES[name].excused)
    assert (judge.ask(text) is None) is excused
    accepting = excuses.Lenient(as_judge(lambda _: True), rule, excuses.EXCUSES[name].excused)
    assert accepting.ask(text) is not None


@pytest.mark.parametrize("name", excuses.EXCUSES)
def test_refusing_what_no_rule_derives_needs_no_excuse(name: str) -> None:
    judge = excuses.Lenient(as_judge(lambda _: False), abnforge.rule(name), lambda *_: True)
    assert judge.ask("\0 of no rule") is not None


def test_the_tables_hold_together() -> None:
    columns = [column.rule for field in FIELDS for column in field.columns]
    names = Counter(each.name for each in IMPLEMENTATIONS)
    assert names.most_common(1)[0][1] == 1
    for rule in columns:
        assert abnforge.rule(rule.partition(" ")[0]).name
        assert any(rule in each.asked for each in IMPLEMENTATIONS), rule
    for each in IMPLEMENTATIONS:
        assert each.asked, each.name
        assert set(each.asked) <= set(columns), each.name
        assert set(each.known) <= set(each.asked), each.name
        assert each.promise in PROMISES
        assert each.source.startswith("https://")
        assert all(
            re.fullmatch(r"(\[[^]|]+\]\(https://[^)|]+\)(, )?)+", link) for link in each.known.values()
        )


def test_what_is_recorded_is_asked() -> None:
    answers = tool.recorded(tool.RECORDED)
    assert list(answers) == list(tool.ordered(IMPLEMENTATIONS, answers))
    by_name = {each.name: each for each in IMPLEMENTATIONS}
    for (name, _), result in answers.items():
        assert by_name[name].package in result.versions
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result.date)
        assert (result.differing == 0) is (result.kind == "equal")
