"""Invalid strings from public threads and test suites, with the exact interpretation of each.

Each line of the files has a string, the position of the mistake (``start`` to ``end``), the intended strings
(``fixes``; empty if the intention is unclear) and the source. These were recorded before the first run.
``codes``, ``blamed`` and ``suggestion`` are the result. ``miss`` explains why the result differs from the
intention.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import abnforge
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import Interpreter
from tests.grammars.test_mistakes import bound, reader
from tests.law import each_row, one_in
from tests.places import DATA

FILES = {"wild_dates": "rfc3339", "wild_addresses": "rfc5321"}
Row = dict[str, Any]
ROWS = [
    (name, json.loads(line))
    for file, name in FILES.items()
    for line in (DATA / f"{file}.jsonl").read_text("utf-8").splitlines()
]


@each_row(("name", "row"), one_in(4, ROWS))
def test_a_string_is_read_so(name: str, row: Row) -> None:
    reading = reader(name, row["rule"]).interpret(row["input"])
    fixed = Fixer(bound(name)).fix(reading)
    assert list(reading.codes) == row["codes"]
    assert [list(result.span) for result in reading.all_mistakes] == row["blamed"]
    assert (fixed and fixed.text) == row["suggestion"]


@each_row(("name", "row"), ROWS[::5])
def test_explanations_report_the_same(name: str, row: Row) -> None:
    rejection = abnforge.load(name)[row["rule"]].explain(row["input"], suggest=True)
    assert rejection is not None
    assert rejection.code == row["codes"][0]
    assert (rejection.suggestion and rejection.suggestion.text) == row["suggestion"]


def touches(row: Row, span: list[int]) -> bool:
    return bool(span[0] <= row["end"] and row["start"] <= span[1])


def missed(row: Row) -> list[str]:
    """Return which of ``place`` and ``fix`` differ from the human label."""
    wrong = [] if touches(row, min(row["blamed"])) else ["place"]
    expected = row["suggestion"] in row["fixes"] if row["fixes"] else row["suggestion"] is None
    return wrong if expected else [*wrong, "fix"]


def test_an_answer_is_right_or_a_known_miss() -> None:
    """``miss`` has a reason for exactly the parts of the result that differ."""
    for _, row in ROWS:
        assert list(row.get("miss", {})) == missed(row), row
        assert all(row.get("miss", {}).values()), row


@pytest.mark.parametrize("file", FILES)
def test_evidence_is_wide(file: str) -> None:
    rows = [json.loads(line) for line in (DATA / f"{file}.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) >= 120
    assert len({row["input"] for row in rows}) == len({row["id"] for row in rows}) == len(rows)
    assert all(row["source"] and row["kind"] for row in rows)
    assert all(0 <= row["start"] <= row["end"] <= len(row["input"]) for row in rows)


# Valid strings that a calendar, a server or a user might reject. abnforge never reports them.
SUSPECTED = {
    "rfc3339": """
        2024-13-01T00:00:00Z 2024-00-00T00:00:00Z 1990-02-31T15:59:59.123-08:00 2100-02-29T15:15:15Z
        1990-12-31T24:00:00Z 1985-04-12T25:61:99Z 1998-12-31T23:59:61Z 1998-12-31T22:59:60Z
        1990-12-31T15:59:59-24:00 1990-12-31T10:00:00+10:60 2006-01-01T00:00:00-00:00 0000-00-00T00:00:00z
        1985-04-12t23:20:50z 1985-04-12T00:59:59.999999999999999999999Z 2024-12-11T10:09:08.7+99:99""",
    "rfc5321": """
        test@255.255.255.255 test@io test@1 joe.bloggs@[127.0.0.300] ""@iana.org a@[2a00:1450:4001:c02::1b]
        a@[IPv6:x] a@[mailto:b] user%example.com@example.org mailhost!user@example.org {name}@example.com
        $A12345@example.com john+tag@gmial.com name@gmailcom j.doe@example.c0m test@c--n.com 'a'@b.org -@a
        noreply@localhost ~test~@example.com !#$%&'*+-/=?^_`{|}~@example.com a@xn--9ca.org *@example.com
        "a@b"@c.org "a..b"@c.org""",
}


@each_row(("name", "text"), [(name, text) for name, all_ in SUSPECTED.items() for text in all_.split()])
def test_valid_though_suspected(name: str, text: str) -> None:
    rule = abnforge.load(name).start
    assert rule.matches(text)
    assert reader(name, rule.name).interpret(text).mistakes == ()


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


LABELS = {case["id"]: case for case in lines("wild_uris")}
ANSWERS = lines("wild_uris_answers")


@cache
def interpreter(rule: str) -> Interpreter:
    return reader("rfc3986", rule)


@cache
def fixer() -> Fixer:
    return Fixer(bound("rfc3986"))


def answer(label: dict[str, Any]) -> dict[str, Any]:
    """Return the result for a URI, and whether its position and suggestion differ from the human label."""
    reading = interpreter(label["rule"]).interpret(label["input"])
    first = reading.all_mistakes[0]
    start, end = first.span
    fixed = fixer().fix(reading)
    there = start < max(label["end"], label["start"] + 1) and label["start"] < max(end, start + 1)
    others = [] if there or start == label["start"] else ["place"]
    if fixed is not None and fixed.text not in label["fixes"]:
        others.append("suggestion")
    if fixed is None and label["fixes"] and not label.get("optional"):
        others.append("no suggestion")
    return {
        "id": label["id"],
        "code": first.code,
        "start": start,
        "end": end,
        "suggestion": fixed and fixed.text,
        "a person says otherwise": others,
    }


def test_every_label_has_its_answer() -> None:
    assert [case["id"] for case in ANSWERS] == list(LABELS)


@each_row("case", one_in(4, ANSWERS))
def test_what_is_said_of_uris_from_public_threads(case: dict[str, Any]) -> None:
    label = LABELS[case["id"]]
    assert answer(label) == {key: value for key, value in case.items() if key != "reason"}
    if case["suggestion"] is not None:
        assert abnforge.load("rfc3986")[label["rule"]].matches(case["suggestion"])


def test_what_a_person_says_otherwise_has_its_reason() -> None:
    """Exactly the results that differ from the human label have a reason."""
    missed = [case["id"] for case in ANSWERS if case["a person says otherwise"]]
    assert [case["id"] for case in ANSWERS if "reason" in case] == missed
    assert all(case.get("reason", "it") for case in ANSWERS)


@each_row("case", one_in(3, lines("suspected_uris")))
def test_what_is_valid_though_suspected_has_no_mistake(case: dict[str, Any]) -> None:
    assert interpreter(case["rule"]).interpret(case["input"]).mistakes == ()


@pytest.mark.parametrize(
    ("text", "code", "span", "suggestion"),
    [
        ("urn:isb\r\nn:12345", "line-break-in-path", (7, 9), "urn:isbn:12345"),
        (
            "https://wiki.org/wiki/|File:é.png",
            "pipe-in-path",
            (22, 23),
            "https://wiki.org/wiki/%7CFile:%C3%A9.png",
        ),
        ("http://a/b\r\nTE: trailers", "header-after", (10, 24), "http://a/b"),
        ("http://a/|http://b/", "second-uri-after", (9, 19), None),
    ],
)
def test_what_follows_is_a_header_or_a_uri(
    text: str, code: str, span: tuple[int, int], suggestion: str | None
) -> None:
    """Neither a letter and a colon on the next line, nor a name and a colon after a bar, is a header."""
    rejection = abnforge.load("rfc3986")["URI"].explain(text)
    assert rejection is not None
    fixed = None if rejection.suggestion is None else rejection.suggestion.text
    assert (rejection.code, rejection.span, fixed) == (code, span, suggestion)
