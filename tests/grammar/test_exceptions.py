"""Exceptions as they are written: which rule they are at, and whom they name."""

from __future__ import annotations

from abnforge.grammar.annotations import read_exceptions
from abnforge.grammar.reader import read
from tests.law import each_row

# text, the rules that are without others, and the number of errors
PLACES = [
    ('a = "x"\n', {}, 0),
    (';@ except b\na = "x"\nb = "y"\n', {"a": ["b"]}, 0),
    (';@except b , c\na = "x"\nb = "y"\n', {"a": ["b", "c"]}, 0),
    ('a = "x" ;@ except B\nb = "y"\n', {"a": ["B"]}, 0),
    ('a = "x"\n  ;@ except b\n  / "z"\nb = "y"\n', {"a": ["b"]}, 0),
    (';@ except b\n;@ match "x"\n; a comment\n;@ except c\nA = "x"\n', {"a": ["b", "c"]}, 0),
    (';@ excepted b\na = "x"\n', {}, 0),
    ('; @ except b\na = "x"\n', {}, 0),
    ('\n;@ except b\n\na = "x"\n', {}, 1),
    (';@ except b,\na = "x"\n', {}, 1),
    (';@ except "b"\na = "x"\n', {}, 1),
]


@each_row(("text", "expected", "errors"), PLACES)
def test_places(text: str, expected: dict[str, list[str]], errors: int) -> None:
    rulelist = read(text)
    known = {rule.name.lower() for rule in rulelist.rules}
    found, wrong = read_exceptions(rulelist.source, rulelist.annotations, known)
    assert {key: [name.name for name in names] for key, names in found.items()} == expected
    assert len(wrong) == errors
    for names in found.values():
        for name in names:
            assert text[name.span.start : name.span.end] == name.name
