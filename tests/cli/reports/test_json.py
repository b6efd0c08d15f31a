"""The formats of check, fed with every kind of outcome."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from abnforge.cli.common.inputs import Item, Record, Unreadable, decode
from abnforge.cli.common.judge import Outcome, Target, judge
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.sarif import GithubReport, JunitReport, SarifReport
from abnforge.cli.reports.text import JsonLinesReport, JsonReport, Report, TextReport
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion

TARGET = Target("rfc3986", "URI")

EVIL = 'a<&"]]>\x01\u202e::{0}%\r\né'

REJECTION = Rejection(
    "rfc3986",
    "URI",
    EVIL,
    1,
    "<",
    (),
    ("URI",),
    "3",
    f"not a URI: {EVIL}",
    (Hypothesis(("URI",), 1, 3, (), "because"),),
    Suggestion("a:", (Edit(1, len(EVIL), ":"),), 1.0),
)

VALID = Outcome(Item("dir/a b:c,d.txt", 1, "a:é"), TARGET)
REJECTED = Outcome(Item("dir/a b:c,d.txt", 2, EVIL), TARGET, REJECTION)
UNDECODABLE = Outcome(decode(b"\xc3\xa9\xff", "<stdin>", 3), TARGET)
TOO_LONG = Outcome(Unreadable("f", 4, "line-too-long", "too long", 9), TARGET)
ALL = (VALID, REJECTED, UNDECODABLE, TOO_LONG)


def run(kind: Any, *outcomes: Outcome) -> str:
    pieces: list[str] = []
    report: Report = kind(pieces.append)
    report.begin()
    for outcome in outcomes:
        report.add(outcome)
    report.finish()
    return "".join(pieces)


def test_json_lines_tell_the_kinds_apart() -> None:
    text = run(JsonLinesReport, *ALL)
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
    assert set(undecodable) == set(rejected) | {"error", "offset_unit"} == set(too_long)
    assert (undecodable["valid"], undecodable["error"], undecodable["input"]) == (False, "not-utf-8", None)
    assert (undecodable["offset"], undecodable["offset_unit"]) == (2, "bytes")
    assert (too_long["valid"], too_long["error"], too_long["offset"]) == (False, "line-too-long", 9)


@pytest.mark.parametrize("outcomes", [(), (VALID,), ALL])
def test_json_is_one_array(outcomes: tuple[Outcome, ...]) -> None:
    assert json.loads(run(JsonReport, *outcomes)) == [outcome.to_dict() for outcome in outcomes]


def test_text() -> None:
    text = run(lambda write: TextReport(write, PLAIN), VALID, UNDECODABLE)
    assert text == (
        "dir/a b:c,d.txt:1: valid: URI (RFC 3986)\n    a:é\n"
        "<stdin>:3:2: byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte)\n    é\\xff\n     ^^^^\n"
    )


def test_text_escapes_names_of_files() -> None:
    outcome = Outcome(Item("a\x1bb", 1, "a:"), TARGET)
    assert run(lambda write: TextReport(write, PLAIN), outcome).startswith("a\\x1bb:1: ")


def test_github_commands_cannot_be_forged() -> None:
    lines = run(GithubReport, *ALL).splitlines()
    assert lines == [
        "::error file=dir/a b%3Ac%2Cd.txt,line=2,col=2,endColumn=3,title=Not valid%3A URI (RFC 3986)::"
        'not a URI: a<&"]]>\\x01\\u202e::{0}%25\\r\\né; did you mean a:',
        "::error line=3,col=2,endColumn=5,title=Not valid%3A URI (RFC 3986)::"
        "byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte)",
        "::error file=f,line=4,col=1,title=Not valid%3A URI (RFC 3986)::too long",
    ]


def test_sarif() -> None:
    log = json.loads(run(SarifReport, *ALL))
    assert log["version"] == "2.1.0"
    [run_] = log["runs"]
    assert run_["columnKind"] == "unicodeCodePoints"
    rules = [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    results = run_["results"]
    assert [r["ruleId"] for r in results] == ["rejected", "not-utf-8", "line-too-long"]
    assert [rules[r["ruleIndex"]] for r in results] == [r["ruleId"] for r in results]
    physical = results[0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "dir/a%20b%3Ac%2Cd.txt"}
    assert physical["region"] == {"startLine": 2, "startColumn": 2, "endColumn": 4, "snippet": {"text": EVIL}}
    assert "{{0}}" in results[0]["message"]["text"]  # single braces would be placeholders
    [change] = results[0]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": ":"}
    assert "uri" not in results[1]["locations"][0]["physicalLocation"]["artifactLocation"]


def test_an_empty_sarif_log_is_one() -> None:
    assert json.loads(run(SarifReport))["runs"][0]["results"] == []


def test_junit() -> None:
    root = ElementTree.fromstring(run(JunitReport, *ALL))
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "2"}
    [suite] = root
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"], ["error"]]
    failure = suite[1][0]
    assert failure.attrib["message"] == 'not a URI: a<&"]]>\\x01\\u202e::{0}%\\r\\né; did you mean a:'
    assert failure.text is not None
    assert failure.text.startswith("dir/a b:c,d.txt:2:2: not a URI")


class FakeRule:
    """Rejects every "!"; its messages and suggestions quote the input."""

    def explain(self, text: str, *, suggest: bool = True, engine: str = "auto") -> Rejection | None:
        offset = text.find("!")
        if offset < 0:
            return None
        suggestion = Suggestion(text.replace("!", ""), (), 1.0) if suggest else None
        hypotheses = (Hypothesis(("URI",), offset, offset, (), f"bad: {text}"),)
        return replace(
            REJECTION,
            input=text,
            offset=offset,
            message=f"bad: {text}",
            suggestion=suggestion,
            hypotheses=hypotheses,
        )


def test_judge_masks_everything_shown() -> None:
    def hide(text: str) -> str:
        return text.replace("secret", "******").replace("sec!ret", "*******")

    items: list[Record] = [Item("f", n, text) for n, text in enumerate(["secret", "secret!", "sec!ret x"], 1)]
    items.append(decode(b"secret\xff", "f", 4))
    outcomes = list(judge(items, FakeRule(), TARGET, mask=hide))
    assert [o.code for o in outcomes] == ["valid", "rejected", "rejected", "not-utf-8"]
    shown = json.dumps([o.to_dict() for o in outcomes])
    assert "secret" not in shown
    assert "sec!ret" not in shown
    assert [o.shown for o in outcomes] == ["******", "******!", "******* x", "******\\xff"]
    assert [o.rejection.offset for o in outcomes if o.rejection] == [6, 3]
    assert [o.rejection.suggestion is None for o in outcomes if o.rejection] == [False, True]


def test_judge_passes_suggest_on() -> None:
    [outcome] = judge([Item("f", 1, "!")], FakeRule(), TARGET, suggest=False)
    assert outcome.rejection is not None
    assert outcome.rejection.suggestion is None
