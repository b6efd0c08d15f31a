"""Images of languages by maps: what the map makes of each string, and no more but where that is said."""

from __future__ import annotations

from itertools import product

import pytest

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.explain.fixes import pieces
from abnforge.explain.proofs import LanguageBuilder
from tests.law import each_row, law
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings

# Texts over these letters show all that maps tell apart: a percent sign, digits of triplets, others.
LETTERS = "%246z "
TEXTS_OF_LETTERS = ["".join(chars) for n in range(6) for chars in product(LETTERS, repeat=n)]
SET = CharSet.of("z246%")


def image(rule: str, how: str | None, charset: CharSet | None) -> Automaton:
    languages = LanguageBuilder(Budget().meter("an image"))
    start, end = languages.state(), languages.state()
    source = abnforge.loads(rule)["s"].automaton
    languages.image(start, source, end, how, charset)
    return languages.determinized(start, end)


def mapped(how: str, text: str, charset: CharSet | None) -> str:
    return "".join(piece for piece, _, _ in pieces(how, text, 0, len(text), charset))


def count(automaton: Automaton) -> int:
    """The number of strings of a finite language."""

    def behind(row: int) -> int:
        moves = zip(automaton.charsets, automaton.table[row : row + automaton.width], strict=True)
        return (row in automaton.accepting) + sum(len(read) * behind(to) for read, to in moves if to >= 0)

    return behind(0)


def test_what_idna_writes_is_of_its_set_and_triplets() -> None:
    made = image('s = 1*( "a" / %xE9 / "." )\n', "idna", CharSet.of("abcdefghijklmnopqrstuvwxyz0123456789-."))
    for text in ("a", "é.a", "..", "aé" * 40):
        assert made.accepts(mapped("idna", text, CharSet.of("abcdefghijklmnopqrstuvwxyz0123456789-.")))
    assert not made.accepts("é")


SOURCES = [
    '*5( "%" / "2" / "4" / "6" / %s"z" / " " )',
    '"%" *2( "4" / %s"z" ) *2"%"',
    '2"%" [ "24" ] *1%s"z"',
    '*2"%" *2"6" %s"z"',
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("how", "charset"),
    [
        ("encode", SET),
        ("drop", SET),
        ("like", SET),
        ("decode", None),
        ("decode", SET),
        ("decode", CharSet.of("d")),
    ],
)
def test_images_of_finite_languages(source: str, how: str, charset: CharSet | None) -> None:
    """Exactly what the map makes of each text."""
    rule = abnforge.loads(f"s = {source}\n")["s"]
    made = image(f"s = {source}\n", how, charset)
    wanted = {mapped(how, text, charset) for text in TEXTS_OF_LETTERS if rule.matches(text)}
    assert all(map(made.accepts, wanted))
    assert count(made) == len(wanted)


@law(expressions, few=5, many=100)
def test_without_a_map_a_language_is_itself(expression: Expression) -> None:
    made = image(f"s = {abnf(expression)}\n", None, None)
    assert made == abnforge.loads(f"s = {abnf(expression)}\n")["s"].automaton
    assert {text for text in TEXTS if made.accepts(text)} == strings(expression)


@law(expressions, expressions, few=5, many=100)
def test_languages_one_behind_the_other(first: Expression, second: Expression) -> None:
    languages = LanguageBuilder(Budget().meter("two languages"))
    start, middle, end = languages.state(), languages.state(), languages.state()
    sources = [abnforge.loads(f"s = {abnf(each)}\n")["s"].automaton for each in (first, second)]
    languages.image(start, sources[0], middle)
    languages.image(middle, sources[1], end)
    together = abnforge.loads(f"s = {abnf(('all', first, second))}\n")["s"].automaton
    assert languages.determinized(start, end) == together


# source, map, set, the image as ABNF
IMAGES = [
    ('%xE9 / %s"a"', "encode", CharSet.of("a"), '%s"a" / 2( "%" HEX HEX )\nHEX = HEXDIG / %x61-66'),
    ("%x7F", "encode", CharSet.of("a"), '%s"%7F"'),
    ("%x80 / %x7FF", "encode", CharSet.of("a"), '2( "%" HEX HEX )\nHEX = HEXDIG / %x61-66'),
    ("%x800 / %xFFFF", "encode", CharSet.of("a"), '3( "%" HEX HEX )\nHEX = HEXDIG / %x61-66'),
    ("%x10000 / %x10FFFF", "encode", CharSet.of("a"), '4( "%" HEX HEX )\nHEX = HEXDIG / %x61-66'),
    ('%s"a" SP %x21', "drop", CharSet.of("a"), '%s"a"'),
    ("*SP", "drop", CharSet.of("a"), '""'),
    ('*( %s"a" / SP )', "drop", CharSet.of("a"), '*%s"a"'),
    ("%xFF10-FF19", "like", CharSet.of("012"), "%x30-32 / %xFF13-FF19"),
    ('%s"%61" / %s"%E9"', "decode", None, '%s"a" / %s"%E9"'),
    ('"%" / "%2" / "%zz"', "encode", CharSet.of("2zZ"), '"%25" / "%252" / "%25zz"'),
]


@each_row(("source", "how", "charset", "wanted"), IMAGES)
def test_images(source: str, how: str, charset: CharSet | None, wanted: str) -> None:
    assert image(f"s = {source}\n", how, charset) == abnforge.loads(f"s = {wanted}\n")["s"].automaton


def test_the_empty_language_has_an_empty_image() -> None:
    nothing = abnforge.loads('s = "x" s\n')["s"].automaton
    for how, charset in ((None, None), ("drop", SET)):
        assert image('s = "x" s\n', how, charset) == nothing


def test_an_image_beyond_the_budget_is_refused() -> None:
    languages = LanguageBuilder(Budget(steps=100).meter("the image"))
    start, end = languages.state(), languages.state()
    everything = abnforge.loads("s = *%x0-10FFFF\n")["s"].automaton
    with pytest.raises(abnforge.LimitExceeded) as caught:
        languages.image(start, everything, end, "like", CharSet.of("a"))
    assert (caught.value.operation, caught.value.limit) == ("the image", 100)
