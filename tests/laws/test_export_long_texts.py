"""A megabyte of text neither overflows an engine nor keeps it busy: it ends well within the time limit."""

from __future__ import annotations

from functools import cache

import pytest

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.reference.engines import ENGINES

MEGABYTE = 1 << 20


def long(head: str, part: str, tail: str = "") -> str:
    return head + part * (MEGABYTE // len(part)) + tail


# A rule, and long texts for it: each as it is, and once more with an end that no rule has.
LONG = [
    ("rfc3986", "URI-reference", [
        long("", "a"), long("", "/"), long("", "%41"), long("a%41", "b%41"), long("", ":"), long("a:", ":"),
        long("http://", "a"), long("http://", "1."), long("http://", "a:", "@"), long("//", "a@"),
        long("//a:", "1"), long("//[", "::"), long("//[v1.", "a:", "]"), long("", "a/"), long("./", "a:/"),
        long("a?", "/?"), long("a#", "%41?"), long("", "a:"), long("", "%"), long("", "é"),
    ]),
    ("rfc2396", "URI-reference", [
        long("http://", "a."), long("http://", "a-", "a"), long("http://", "1."), long("//", "a", ":1"),
        long("a:", "%41"), long("", ";a"), long("", "/;"), long("//", "a@", "b.c"),
    ]),
    ("rfc2396", "host", [long("", "a."), long("", "a-"), long("", "1."), long("a", "-.a"), long("", "a.1.")]),
    ("rfc2396", "hostname", [long("", "1.a."), long("a", "-", "a"), long("", "a", "."), long("1", "a")]),
    ("rfc3987", "IRI-reference", [
        long("", "é"), long("//", "😀"), long("a?", "\ue000"), long("//é@", "%41é"),
    ]),
]  # fmt: skip


@cache
def verdict(grammar: str, name: str, text: str) -> bool:
    return abnforge.load(grammar)[name].automaton.accepts(text)


def check(dialect: str, rows: list[tuple[str, str, list[str]]]) -> None:
    jobs = []
    verdicts = []
    for grammar, name, texts in rows:
        both = [text + end for text in texts for end in ("", " ")]
        jobs.append((abnforge.load(grammar)[name].export(dialect), (), both))
        verdicts += [verdict(grammar, name, text) for text in both]
    found = [answer is not None for answers in ENGINES[dialect](jobs) for answer in answers]
    assert found == verdicts


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_megabyte(dialect: str) -> None:
    grammar, name, texts = LONG[0]
    check(dialect, [(grammar, name, texts[:3])])


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_megabytes(dialect: str) -> None:
    check(dialect, LONG)
