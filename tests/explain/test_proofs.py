"""Proofs about mistakes: wrong fixes, unreachable mistakes, and images of languages."""

from __future__ import annotations

from itertools import product

import pytest

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.explain.fixes import Fixer, pieces
from abnforge.explain.proofs import FIX, UNPROVED, LanguageBuilder, Prover, remarks
from abnforge.explain.reading import Interpreter
from tests.explain.random_mistakes import bind_to, fixed_cases
from tests.explain.test_fixes import applied
from tests.law import each_row, law
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings

RULES = """
time = hour ":" minute [ "Z" ]
hour = 2DIGIT
minute = 2DIGIT
name = *( letter / pct )
letter = %x61-7A
pct = "%" 2HEXDIG
nest = "(" [ nest ] ")"
"""
MENDED = ["".join(chars) for n in range(4) for chars in product(["a", "b", "!", "%", "%61"], repeat=n)]
# Findings about mistakes: kind, code, other mistake, example.
REMARKS = [
    # fixes
    (';@ of hour; blame all; fix one\nm = one "h"\none = 2DIGIT\n', []),
    (';@ of hour; blame all; fix one\nm = one "h"\none = 1*2DIGIT\n', [("mistake-fix", "m", "hour", "1")]),
    (';@ of hour; blame all; fix "0" one\nm = one\none = DIGIT\n', []),
    (
        ';@ of hour minute; blame all; fix "0" one\nm = [ one ] "x"\none = DIGIT\n',
        [("mistake-fix", "m", "hour", "0"), ("mistake-fix", "m", "minute", "0")],
    ),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n', []),
    (";@ of hour; blame all; fix none\nm = DIGIT\n", []),
    (';@ of time ":"; blame all; fix ":"\nm = "."\n', []),
    (';@ of time ":"; blame all; fix "-"\nm = "."\n', [("mistake-fix", "m", "time", "-")]),
    (
        ";@ of name; blame all; fix encode(all, letter)\n"
        'm = *( letter / SP / "%" ) SP *( letter / SP / "%" )\n',
        [],
    ),
    (
        ";@ of name; blame all; fix encode(all, more)\nm = *( letter / SP ) SP\nmore = letter / SP\n",
        [("mistake-fix", "m", "name", " ")],
    ),
    (";@ of name; blame all; fix drop(all, letter)\nm = *( letter / SP ) SP\n", []),
    (";@ of name; blame all; fix like(all, letter)\nm = *( letter / %xFF41-FF5A ) %xFF41-FF5A\n", []),
    (";@ of name; blame all; fix like(all, letter)\nm = %xE9\n", [("mistake-fix", "m", "name", "\xe9")]),
    (';@ of name; blame all; fix decode(all, letter)\nm = "!" pct\n', [("mistake-fix", "m", "name", "!a")]),
    (';@ of name; blame all; fix decode(p)\nm = "!" p\np = "%6" %x31-39\n', []),
    (';@ of name; blame all; fix subst(dot, "")\nm = *( letter / dot ) dot\ndot = "."\n', []),
    (
        ';@ of name; blame all; fix subst(dot, "-")\nm = *( letter / dot ) dot\ndot = "."\n',
        [("mistake-fix", "m", "name", "-")],
    ),
    (';@ before hour; blame all; fix ""\nm = "x"\n', []),
    (';@ before name; blame all; fix "x"\nm = SP\n', []),
    (';@ after hour; blame all; fix "0"\nm = SP\n', [("mistake-fix", "m", "hour", "110")]),
    (';@ before *; blame all; fix ""\nm = SP\n', []),
    (';@ before *; blame all; fix "x"\nm = SP\n', [("mistake-unproved", "m", "*", None)]),
    (
        ';@ of nest; blame all; fix "()"\nm = "[]"\n',
        [("mistake-unproved", "m", "nest", None), ("mistake-unproved", "m", "", None)],
    ),
    # Nested mistakes are fixed first.
    (
        ';@ of time; inner hour; blame all; fix hour ":" minute\n'
        'm = hour "." minute\n'
        ';@ of hour; blame all; fix "00"\n'
        'n = "x"\n',
        [],
    ),
    # Literals are compared without regard to case.
    (
        ';@ of time "z"; blame all; fix "Z"\nm = "y"\n;@ of time "Z"; blame all; fix "z"\nn = "y" / "x"\n',
        [("mistake-overlap", "n", "m", "y")],
    ),
    (
        ';@ of time "z"; blame all; fix "Z"\nm = "y"\n;@ of time ":"; blame all; fix ":"\nn = "y" / "x"\n',
        [],
    ),
    # never read
    (';@ of hour; blame all; fix "00"\nm = 2%x30-31\n', [("mistake-never-read", "m", "hour", "11")]),
    (';@ of hour; blame all; fix "00"\nm = 1*DIGIT\n', [("mistake-overlap", "m", "hour", "11")]),
    (
        ';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of hour; blame all; fix "00"\nn = "1"\n',
        [("mistake-never-read", "n", "m", None)],
    ),
    (
        ';@ of hour; blame all; fix "00"\nm = "1"\n;@ of hour; blame all; fix "00"\nn = DIGIT\n',
        [("mistake-overlap", "n", "m", "1")],
    ),
    (
        ';@ of hour; blame all; fix "00"; cost 2\nm = DIGIT\n;@ of hour; blame all; fix "00"\nn = "1"\n',
        [("mistake-overlap", "m", "n", "1")],
    ),
    (
        ';@ of hour; blame all; fix "00"; cost 2\nm = "1"\n;@ of hour; blame all; fix "00"\nn = DIGIT\n',
        [("mistake-never-read", "m", "n", None)],
    ),
    (
        ';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of hour minute; blame all; fix "00"\nn = "1"\n',
        [("mistake-overlap", "n", "m", "1")],
    ),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ of minute; blame all; fix "00"\nn = "1"\n', []),
    (';@ of hour; blame all; fix "00"\nm = DIGIT\n;@ after hour; blame all; fix ""\nn = "1"\n', []),
    (
        ";@ of hour; inner minute; blame all; fix none\n"
        "m = minute\n"
        ';@ of minute; blame all; fix "00"\n'
        'n = "x"\n',
        [("mistake-overlap", "m", "hour", "11")],
    ),
]


@each_row(("mistakes", "expected"), REMARKS)
def test_remarks(mistakes: str, expected: list[tuple[str, str, str, str | None]]) -> None:
    result = remarks(bind_to(RULES, mistakes))
    assert [(each.kind, each.rule, each.other, each.witness) for each in result] == expected
    for each in result:
        assert each.rule in each.message
        assert each.is_error is (each.kind in ("mistake-fix", "mistake-never-read"))


@law(fixed_cases(), few=10, many=250)
def test_what_is_proved_is_so(case: tuple[str, str, str]) -> None:
    """If no fix is proved wrong, all fixed strings are valid."""
    rules, mistakes, start = case
    result = bind_to(rules, mistakes)
    prover = Prover(result)
    proved = {mistake.code for mistake in result.mistakes.mistakes if not prover.fix_remarks(mistake)}
    judge, reader, fixer = abnforge.loads(rules)[start], Interpreter(result, start), Fixer(result)
    for text in MENDED:
        reading = reader.interpret(text)
        repaired = fixer.fix(reading)
        if repaired is not None:
            assert applied(text, repaired.edits) == repaired.text
            if set(reading.codes) <= proved:
                assert judge.matches(repaired.text), (text, repaired.text)


def test_a_witness_is_what_a_fix_gives() -> None:
    """The example for a wrong fix is still invalid after the fix."""
    results = bind_to(RULES, ';@ of name; blame all; fix decode(all, letter)\nm = "!" pct\n')
    (result,) = remarks(results)
    fixed = Fixer(results).fix(Interpreter(results, "name").interpret("!%61"))
    assert fixed is not None
    assert (result.kind, result.witness) == (FIX, fixed.text)


def test_what_the_budget_does_not_allow_is_said() -> None:
    results = bind_to(RULES, ';@ of hour; blame all; fix "00"\nm = 200DIGIT\n')
    result = remarks(results, Budget(steps=50))
    assert {each.kind for each in result} == {UNPROVED}
    codes = {getattr(each.message, "code", None) for each in result}
    assert codes == {"proof-undecided", "proof-meeting-undecided"}


# Letters for everything that maps distinguish: a percent sign, hexadecimal digits, other characters.
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
    """Return the number of strings in a finite language."""

    def behind(row: int) -> int:
        moves = zip(automaton.charsets, automaton.table[row : row + automaton.width], strict=True)
        return (row in automaton.accepting) + sum(len(read) * behind(to) for read, to in moves if to >= 0)

    return behind(0)


def test_what_idna_writes_is_of_its_set_and_triplets() -> None:
    result = image(
        's = 1*( "a" / %xE9 / "." )\n', "idna", CharSet.of("abcdefghijklmnopqrstuvwxyz0123456789-.")
    )
    for text in ("a", "é.a", "..", "aé" * 40):
        assert result.accepts(mapped("idna", text, CharSet.of("abcdefghijklmnopqrstuvwxyz0123456789-.")))
    assert not result.accepts("é")


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
    """The image contains exactly the results of the map for all strings."""
    rule = abnforge.loads(f"s = {source}\n")["s"]
    result = image(f"s = {source}\n", how, charset)
    expected = {mapped(how, text, charset) for text in TEXTS_OF_LETTERS if rule.matches(text)}
    assert all(map(result.accepts, expected))
    assert count(result) == len(expected)


@law(expressions, few=5, many=100)
def test_without_a_map_a_language_is_itself(expression: Expression) -> None:
    result = image(f"s = {abnf(expression)}\n", None, None)
    assert result == abnforge.loads(f"s = {abnf(expression)}\n")["s"].automaton
    assert {text for text in TEXTS if result.accepts(text)} == strings(expression)


@law(expressions, expressions, few=5, many=100)
def test_languages_one_behind_the_other(first: Expression, second: Expression) -> None:
    languages = LanguageBuilder(Budget().meter("two languages"))
    start, middle, end = languages.state(), languages.state(), languages.state()
    sources = [abnforge.loads(f"s = {abnf(each)}\n")["s"].automaton for each in (first, second)]
    languages.image(start, sources[0], middle)
    languages.image(middle, sources[1], end)
    together = abnforge.loads(f"s = {abnf(('all', first, second))}\n")["s"].automaton
    assert languages.determinized(start, end) == together


# Source, map, set, the image as ABNF.
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


@each_row(("source", "how", "charset", "expected"), IMAGES)
def test_images(source: str, how: str, charset: CharSet | None, expected: str) -> None:
    assert image(f"s = {source}\n", how, charset) == abnforge.loads(f"s = {expected}\n")["s"].automaton


def test_the_empty_language_has_an_empty_image() -> None:
    nothing = abnforge.loads('s = "x" s\n')["s"].automaton
    for how, charset in ((None, None), ("drop", SET)):
        assert image('s = "x" s\n', how, charset) == nothing


def test_an_image_beyond_the_budget_is_rejected() -> None:
    languages = LanguageBuilder(Budget(steps=100).meter("the image"))
    start, end = languages.state(), languages.state()
    everything = abnforge.loads("s = *%x0-10FFFF\n")["s"].automaton
    with pytest.raises(abnforge.LimitExceeded) as caught:
        languages.image(start, everything, end, "like", CharSet.of("a"))
    assert (caught.value.operation, caught.value.limit) == ("the image", 100)
