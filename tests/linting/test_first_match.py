"""Alternatives that a first-match parser cuts off, and all strings that such a parser rejects."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

import abnforge
from abnforge import Finding, lint, loads
from tests.law import each_row, law

KIND = "cut-off-alternative"


def findings(text: str) -> list[Finding]:
    return [finding for finding in lint(text, first_match=True) if finding.name == KIND]


# A grammar; the column, the witness and the fix of each finding.
ROWS: list[tuple[str, list[tuple[int, str | None, str | None]]]] = [
    ('a = "get" / "getall" / "put"\n', [(13, "getall", 'move it before "get"')]),
    ('a = "getall" / "get"\n', []),
    ('a = ( "a" / "ab" ) *"b"\n', []),
    ('a = ( "a" / "ab" ) "c"\n', [(13, "abc", 'move it before "a"')]),
    ('a = [ "a" / "aa" ] "."\n', [(13, "aa.", 'move it before "a"')]),
    ('a = *( "x" / "xy" ) "z"\n', [(14, "xyz", 'move it before "x"')]),
    ('a = ( *"a" / "b" ) "a"\n', []),  # the repetition commits, in any order
    ('a = DIGIT / %x31-39 DIGIT / "1" 2DIGIT\n', [(13, "11", None)]),
    ('a = b / c\nb = 1*DIGIT "." 1*DIGIT\nc = *( ALPHA / DIGIT / "." )\n', [(9, "1.1a", "move it before b")]),
    ('a = "." / ".." a\n', []),  # recursive
    ('a = "." / <dots>\n', []),
    (';@ except b\na = "." / ".."\nb = "..."\n', []),
    ('a = "."\na =/ ".."\n', [(6, "..", 'move it before "."')]),
    (
        ";@ alphabet bytes\na = UTF2 / UTF3\nUTF2 = %xC3 %x80\nUTF3 = %xC3 %x80 %x81\n",
        [(12, "\xc3\x80\x81", "move it before UTF2")],
    ),
]


@each_row("text, expected", ROWS)
def test_findings(text: str, expected: list[tuple[int, str | None, str | None]]) -> None:
    assert [(each.column, each.witness, each.fix) for each in findings(text)] == expected
    assert KIND not in {each.name for each in lint(text)}


def test_limits() -> None:
    words = " / ".join(f'"k{number}" 1*2DIGIT' for number in range(101))
    [finding] = [each for each in lint(f"r = {words}\n", first_match=True) if "cut-off" in each.message]
    assert (finding.name, finding.rule) == ("check-incomplete", "r")


def test_accepted_findings() -> None:
    """A comment that accepts findings of this kind is only useless if the check ran."""
    text = '; abnforge: allow cut-off-alternative (not for PEG)\na = "b" / "bb"\n'
    assert lint(text) == []
    assert [each.accepted for each in lint(text, first_match=True)] == ["not for PEG"]
    useless = text.replace('"bb"', '"c"')
    assert [each.name for each in lint(useless, first_match=True)] == ["useless-allow"]


def test_loaded_grammars() -> None:
    assert KIND in {each.name for each in abnforge.load("rfc3986").lint(first_match=True)}
    assert KIND not in {each.name for each in abnforge.load("rfc3986").lint()}


WORD = st.text("ab", min_size=1, max_size=3)


@law(st.lists(WORD, min_size=2, max_size=4, unique=True), st.lists(WORD, max_size=2), few=40, many=1_000)
def test_every_rejected_string_is_found(words: list[str], tails: list[str]) -> None:
    """There is a finding exactly if a first-match parser rejects a string; the witness is a shortest one."""
    options = " ".join(f'[ %s"{tail}" ]' for tail in tails)
    alternatives = " / ".join(f'%s"{word}"' for word in words)
    text = f"r = ( {alternatives} ) {options}\n"
    ends = {"".join(parts) for parts in product(*(("", tail) for tail in tails))}
    strings = {word + end for word in words for end in ends}

    def is_rejected(string: str) -> bool:
        first = next(word for word in words if string.startswith(word))
        return string[len(first) :] not in ends

    rejected = sorted(filter(is_rejected, strings), key=len)
    found = findings(text)
    assert len(found) == bool(rejected)
    for each in found:
        assert each.witness in rejected
        assert each.witness is not None
        assert len(each.witness) == len(rejected[0])
        assert loads(text)["r"].matches(each.witness)
