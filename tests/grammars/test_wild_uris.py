"""URIs that people wrote in public and some tool refused: what is said of each, beside what a person says."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import abnforge
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import Interpreter
from tests.grammars.test_mistakes import bound
from tests.grammars.test_mistakes import reader as mistakes_reader
from tests.law import each_row, one_in
from tests.places import DATA


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


LABELS = {case["id"]: case for case in lines("wild_uris")}
ANSWERS = lines("wild_uris_answers")


@cache
def reader(rule: str) -> Interpreter:
    return mistakes_reader("rfc3986", rule)


@cache
def fixer() -> Fixer:
    return Fixer(bound("rfc3986"))


def answer(label: dict[str, Any]) -> dict[str, Any]:
    """What is said of a URI, and where a person says otherwise: of the place, of the suggestion."""
    reading = reader(label["rule"]).interpret(label["input"])
    first = reading.all_mistakes[0]
    start, end = first.span
    mended = fixer().fix(reading)
    there = start < max(label["end"], label["start"] + 1) and label["start"] < max(end, start + 1)
    others = [] if there or start == label["start"] else ["place"]
    if mended is not None and mended.text not in label["fixes"]:
        others.append("suggestion")
    if mended is None and label["fixes"] and not label.get("optional"):
        others.append("no suggestion")
    return {
        "id": label["id"],
        "code": first.code,
        "start": start,
        "end": end,
        "suggestion": mended and mended.text,
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
    """And nothing else has one."""
    missed = [case["id"] for case in ANSWERS if case["a person says otherwise"]]
    assert [case["id"] for case in ANSWERS if "reason" in case] == missed
    assert all(case.get("reason", "it") for case in ANSWERS)


@each_row("case", one_in(3, lines("suspected_uris")))
def test_what_is_valid_though_suspected_has_no_mistake(case: dict[str, Any]) -> None:
    assert reader(case["rule"]).interpret(case["input"]).mistakes == ()


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
    """Neither one letter and a colon on the next line, nor a name and a colon behind a bar (DE B10)."""
    rejection = abnforge.load("rfc3986")["URI"].explain(text)
    assert rejection is not None
    mended = None if rejection.suggestion is None else rejection.suggestion.text
    assert (rejection.code, rejection.span, mended) == (code, span, suggestion)
