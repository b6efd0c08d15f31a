"""Tables of verdicts and offsets: recursion, limits, character sets, and hostile grammars."""

from __future__ import annotations

import pytest

import abnforge
from tests.law import each_row

# Grammar (its first rule is tested), valid strings, rejected strings with their offsets.
TABLE: list[tuple[str, list[str], list[tuple[str, int]]]] = [
    (
        'e = e "+" t / t\nt = t "*" f / f\nf = "(" e ")" / "x"',
        ["x", "x+x*x", "(x+x)*x"],
        [("x+", 2), ("x+*", 2)],
    ),
    ('a = b "x" / "z"\nb = a "y" / "w"', ["z", "wx", "zyx"], [("w", 1), ("zy", 2), ("zx", 1), ("", 0)]),
    ('a = a / "x"', ["x"], [("", 0), ("xx", 1)]),
    ('a = a b / "x"\nb = *"y"', ["x", "xyy"], [("y", 0), ("xx", 1)]),
    ('a = *( *"x" )', ["", "x", "xx"], [("y", 0), ("xy", 1)]),
    ('a = 1*( [ "x" ] *"y" )', ["", "yxy"], [("z", 0)]),
    ("a = *b\nb = *c\nc = *%x78", ["", "xxx"], [("y", 0)]),
    # A rule that only recurses does not match any string, so only the other alternative can match.
    ("a = a", [], [("", 0), ("x", 0)]),
    ('a = "x" a', [], [("", 0), ("x", 0)]),
    ('a = b\nb = "x" a', [], [("", 0), ("xx", 0)]),
    ('a = "x" b / "y"\nb = "z" b', ["y"], [("x", 0), ("xz", 0)]),
    ('a = "x" *b\nb = "y" b', ["x"], [("xy", 1)]),
    ('a = "x" [ b ] 0*0b\nb = "y" b', ["x"], [("xy", 1)]),
    # repetition
    ('a = 0*0"x"', [""], [("x", 0)]),
    ('a = 0"x" "y"', ["y"], [("x", 0), ("xy", 0)]),
    ('a = 2*3"x"', ["xx", "xxx"], [("x", 1), ("xxxx", 3)]),
    ('a = *2( "x" "y" )', ["", "xy", "xyxy"], [("xyx", 3), ("xyxyx", 4)]),
    ('a = 1*2( "x" / "xx" )', ["x", "xxxx"], [("", 0), ("xxxxx", 4)]),
    # An alternative that is a prefix of another one.
    ('a = ( "x" / "xy" ) "z"', ["xz", "xyz"], [("xy", 2), ("xyy", 2)]),
    # Sets of characters.
    ("a = %x00", ["\0"], [("", 0), ("0", 0)]),
    ("a = %x0A", ["\n"], [("\r", 0), ("\n\n", 1)]),
    ("a = %xD800-DFFF", ["\ud800", "\udfff"], [("\ud7ff", 0), ("\ue000", 0)]),
    ("a = %x10000-10FFFF", ["\U00010000", "\U0010ffff"], [("\uffff", 0)]),
    ("a = %x0-10FFFF", ["\0", "\n", "\ud800", "\U0010ffff"], [("", 0), ("xx", 1)]),
    ("a = %x5B-5E", ["[", "\\", "]", "^"], [("_", 0)]),
    ("a = %x2F", ["/"], [("\\", 0)]),
    ("a = %d13.10", ["\r\n"], [("\n", 0), ("\r", 1)]),
    ('a = "abc"', ["abc", "ABC", "aBc"], [("ab", 2), ("abcd", 3)]),
    ('a = %s"aB"', ["aB"], [("ab", 1), ("AB", 0)]),
    ('a = %i"aB"', ["AB"], [("b", 0)]),
    ("a = %x61.42", ["aB"], [("ab", 1)]),
    (
        'a = "k"',
        ["k", "K"],
        [("\u212a", 0)],
    ),  # the lowercase form of KELVIN SIGN is k, but strings are US-ASCII
    ('a = "s"', ["S"], [("\u017f", 0)]),
    ('a = "\\n"', ["\\n"], [("\n", 0)]),
    ('a = ""', [""], [(" ", 0)]),
    ("a = ALPHA", ["z", "Z"], [("z\n", 1), (" z", 0), ("\u00e9", 0)]),
    ("a = LWSP", ["", " ", "\r\n \t"], [("\r\n", 2), ("\n", 0)]),
]


@each_row(("grammar", "valid", "rejected"), TABLE)
def test_verdict_and_offset(grammar: str, valid: list[str], rejected: list[tuple[str, int]]) -> None:
    rules = abnforge.loads(grammar + "\n")
    rule = rules[next(iter(rules))]
    for engine in ("lark",) if rule.recursive else ("lark", "automaton"):
        for text in valid:
            assert rule.matches(text, engine=engine)
            assert rule.explain(text, engine=engine) is None
            rule.parse(text, engine=engine)
        for text, offset in rejected:
            assert not rule.matches(text, engine=engine)
            with pytest.raises(abnforge.Rejected) as caught:
                rule.parse(text, engine=engine)
            rejection = caught.value.rejection
            assert (rejection.offset, rejection.found) == (offset, text[offset : offset + 1] or None)


@pytest.mark.slow
def test_a_large_count_costs_what_the_input_makes_of_it() -> None:
    rule = abnforge.loads("a = 999999999*ALPHA\n")["a"]
    rejection = rule.explain("x" * 1000, suggest=False)
    assert rejection is not None
    assert rejection.offset == 1000
    rule = abnforge.loads("a = *999999999ALPHA\n")["a"]
    assert rule.matches("x" * 1000)


@each_row(
    "text", ["http://a/\n", "\nhttp://a/", "http://a/ ", "http://a/\r\n", "\ufeffhttp://a/", "http://a/\0"]
)
@each_row("engine", ["lark", "automaton"])
def test_nothing_is_stripped_or_forgiven(text: str, engine: str) -> None:
    rule = abnforge.load("rfc3986")["URI"]
    assert not rule.matches(text, engine=engine)
    rejection = rule.explain(text, engine=engine)
    assert rejection is not None
    assert rejection.offset == (9 if text.startswith("h") else 0)
