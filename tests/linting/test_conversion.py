"""Other notations made ABNF: only where it is certain what they say."""

from __future__ import annotations

import pytest

from abnforge.abnf.reader import read
from abnforge.linting.conversion import NOTATIONS, convert

CONVERTED = [
    ("bar", 'a = b | "x"\nb_c = <">\n', 'a = b / "x"\nb-c = %x22\n'),
    ("bar", "a = b / c\n", "a = b / c\n"),
    ("ebnf", "a ::= 'x' | b+ (* c *)\nb ::= [0-9]\n", 'a = "x" / 1*b ; c\nb = DIGIT\n'),
    (
        "augmented-bnf",
        'a = 1#b | "x"\nb = "y"\nOWS = *SP\n',
        'a = b *( OWS "," OWS b ) / "x"\nb = "y"\nOWS = *SP\n',
    ),
    ("augmented-bnf", "a = #( b )\n", 'a = [ ( b ) *( OWS "," OWS ( b ) ) ]\nOWS = *( SP / HTAB )\n'),
]


@pytest.mark.parametrize(("written", "text", "expected"), CONVERTED)
def test_what_is_certain(written: str, text: str, expected: str) -> None:
    converted = convert(text, "x", written)
    assert (converted.text, converted.findings) == (expected, [])
    read(converted.text, dialect="abnf")


@pytest.mark.parametrize(
    ("written", "text", "places"),
    [
        ("bar", "a = b | c\nb = 'x'\n", [(2, "syntax-error")]),
        ("bar", "a = b | #c\n", [(1, "list-notation")]),
        ("ebnf", 'a = x | [^"]\nb = y*\n', [(1, "syntax-error")]),
        ("ebnf", "a = 5*3b\n", [(1, "repetition-out-of-order")]),
        ("augmented-bnf", "a_b = x\na-b = y | a_b\n", [(1, "underscore-name")]),
    ],
)
def test_what_is_not(written: str, text: str, places: list[tuple[int, str]]) -> None:
    """It is told where the author wrote it."""
    left = convert(text, "x", written).findings
    assert [(finding.line, finding.name) for finding in left] == places


def test_every_notation_is_tried() -> None:
    assert {written for written, _, _ in CONVERTED} == set(NOTATIONS)
