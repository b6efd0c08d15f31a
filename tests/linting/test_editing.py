"""Editing: names, renaming, and conversion of other notations to ABNF."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.grammar.annotations import Occurrence, occurrences
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read, read_partial
from abnforge.grammar.repair.values import has_abnf_rule
from abnforge.grammar.shipped import bundled_names
from abnforge.grammar.source_map import apply
from abnforge.linting.editing import CORE, GRAMMAR, NOTATIONS, RULE, at, convert, own, proposals, renaming
from abnforge.rejection import applied
from tests.law import each_row, law, one_in
from tests.linting.notations import ABNF, NAMES, RULES, Node
from tests.linting.notations import NOTATIONS as WRITTEN
from tests.raising import raises

PAIR = """\
pair = Key "=" value
; key is a name
key = 1*ALPHA
value = *( key / DIGIT )
"""


def found(text: str = PAIR) -> list[Occurrence]:
    return occurrences(read_partial(text, "pair.abnf")[0])


def test_a_rule_is_renamed_wherever_it_stands_and_nothing_else_is() -> None:
    renamed = applied(PAIR, renaming(found(), PAIR.index("Key"), "name"))
    assert renamed == PAIR.replace("Key", "name").replace("key", "name").replace("; name is", "; key is")


def test_a_rule_keeps_its_name_in_another_case() -> None:
    assert applied(PAIR, renaming(found(), 0, "PAIR")) == PAIR.replace("pair", "PAIR", 1)


@each_row(
    ("place", "name", "message"),
    [
        ("Key", "value", "rename-taken"),
        ("Key", "digit", "rename-taken"),
        ("Key", "a_b", "rename-invalid"),
        ("Key", "", "rename-invalid"),
        ("Key", "é", "rename-invalid"),
        ("ALPHA", "letters", "rename-nothing"),
        ('"="', "x", "rename-nothing"),
    ],
)
def test_names_that_cannot_be_given(place: str, name: str, message: str) -> None:
    with raises(ValueError, message):
        renaming(found(), PAIR.index(place), name)


def test_a_name_is_found_from_its_first_character_to_after_its_last() -> None:
    start = PAIR.index("Key")
    names = [here and here.name for here in (at(found(), place) for place in range(start - 1, start + 5))]
    assert names == [None, "Key", "Key", "Key", "Key", None]


def test_own_rules_are_those_with_a_definition() -> None:
    places = found()
    assert own(places, at(places, PAIR.index("Key")))
    assert not own(places, at(places, PAIR.index("ALPHA")))
    assert not own(places, None)


def test_rules_of_the_text_come_before_core_rules() -> None:
    proposed = list(proposals(PAIR, found(), len(PAIR)))
    assert [(each.name, each.kind) for each in proposed[:3]] == [(n, RULE) for n in ("key", "pair", "value")]
    assert {each.name for each in proposed if each.kind == CORE} == {r.name for r in core_rules().values()}


def test_names_are_proposed_while_the_text_is_unfinished() -> None:
    text = PAIR + "more = "
    assert "pair" in {each.name for each in proposals(text, found(text), len(text))}


def test_grammars_are_proposed_to_import_from() -> None:
    text = ";@ import rfc"
    proposed = list(proposals(text, found(text), len(text)))
    assert [(each.name, each.kind) for each in proposed] == [(name, GRAMMAR) for name in bundled_names()]


def test_nothing_is_proposed_in_comments() -> None:
    text = "a = b ; as k"
    assert not list(proposals(text, found(text), len(text)))


CONVERTED = [
    ("bar", 'a = b | "x"\nb_c = <">\n', 'a = b / "x"\nb-c = %x22\n'),
    ("bar", "a = b / c\n", "a = b / c\n"),
    ("ebnf", "a ::= 'x' | b+ (* c *)\nb ::= [0-9]\n", 'a = %s"x" / 1*b ; c\nb = DIGIT\n'),
    (
        "augmented-bnf",
        'a = 1#b | "x"\nb = "y"\nOWS = *SP\n',
        'a = b *( OWS "," OWS b ) / "x"\nb = "y"\nOWS = *SP\n',
    ),
    ("augmented-bnf", "a = #( b )\n", 'a = [ ( b ) *( OWS "," OWS ( b ) ) ]\nOWS = *( SP / HTAB )\n'),
]


@each_row(("written", "text", "expected"), CONVERTED)
def test_converted_notations(written: str, text: str, expected: str) -> None:
    converted = convert(text, "x", written)
    assert (converted.text, converted.findings) == (expected, [])
    read(converted.text, dialect="abnf")


@each_row(
    ("written", "text", "places"),
    [
        ("bar", "a = b | c\nb = 'x'\n", [(2, "syntax-error")]),
        ("bar", "a = b | #c\n", [(1, "list-notation")]),
        ("ebnf", 'a = x | [^"]\nb = y*\n', [(1, "syntax-error")]),
        ("ebnf", "a = 5*3b\n", [(1, "repetition-out-of-order")]),
        ("augmented-bnf", "a_b = x\na-b = y | a_b\n", [(1, "underscore-name")]),
    ],
)
def test_unconverted_notations(written: str, text: str, places: list[tuple[int, str]]) -> None:
    """The finding has its position in the source."""
    left = convert(text, "x", written).findings
    assert [(finding.line, finding.name) for finding in left] == places


def test_every_notation_is_tried() -> None:
    assert {written for written, _, _ in CONVERTED} == set(NOTATIONS)


def derives_the_same(text: str, rules: list[Node]) -> bool | None:
    """Return whether a converted grammar matches the same strings, or None if an error remains."""
    converted = convert(text, "x", "ebnf").text
    try:
        grammar = abnforge.loads(converted)
    except abnforge.GrammarError:
        return None
    reference = abnforge.loads(ABNF.grammar(rules))
    return all(abnforge.compare(reference[name], grammar[name]).relation == "equal" for name in NAMES)


UNCLEAR: list[list[Node]] = [
    [("text", "0"), ("text", "0"), ("text", "\\")],
    [("text", "0"), ("+", ("text", "0")), ("text", "a\\")],
    [("row", ("text", "0"), ("name", "third")), ("?", ("text", "0")), ("text", "a\\")],
    [("text", "0"), ("text", "a\\b"), ("choice", ("text", "\\\\"), ("text", "c"))],
]


@each_row("rules", one_in(3, UNCLEAR))
@each_row("notation", sorted(WRITTEN))
def test_a_string_that_is_not_clear_keeps_its_notation(notation: str, rules: list[Node]) -> None:
    """Fixes for other rules do not convert this rule to ABNF."""
    assert derives_the_same(WRITTEN[notation].grammar(rules), rules) is not False


@each_row("notation", sorted(WRITTEN))
def test_an_underscore_in_a_string_stays(notation: str) -> None:
    rules: list[Node] = [("choice", ("name", "second"), ("text", "0")), ("text", "0"), ("text", "a_")]
    assert derives_the_same(WRITTEN[notation].grammar(rules), rules) is not False


@each_row("notation", sorted(WRITTEN))
@each_row("string", ["0B", '"a', '"a\\', "a\\\\", "B\\"])
def test_a_string_that_begins_with_a_digit_or_has_escapes(string: str, notation: str) -> None:
    rules: list[Node] = [("text", "0"), ("name", "third"), ("text", string)]
    assert derives_the_same(WRITTEN[notation].grammar(rules), rules) is not False


def test_rules_beyond_the_limit_keep_their_notation(monkeypatch: pytest.MonkeyPatch) -> None:
    rules: list[Node] = [("text", "a"), ("text", "b"), ("text", "c")]
    text = WRITTEN["W3C EBNF"].grammar(rules)
    monkeypatch.setattr("abnforge.grammar.repair.MAX_REPAIRED", 2)
    assert derives_the_same(text, rules) is None
    monkeypatch.setattr("abnforge.grammar.repair.MAX_REPAIRED", 3)
    assert derives_the_same(text, rules)


@law(st.sampled_from(sorted(WRITTEN)), RULES, few=5, many=1_000)
def test_no_edit_changes_what_a_grammar_derives(notation: str, rules: list[Node]) -> None:
    """Neither all edits together nor those of one finding change the strings of a grammar in its notation.

    If the edits of a finding convert only a part to ABNF, the rules have the strings of the ABNF.
    """
    text = WRITTEN[notation].grammar(rules)
    alone = [apply(text, error.edits) for error in read_partial(text)[1] if error.edits]
    alone = [each for each in alone if has_abnf_rule(each) is has_abnf_rule(text)]
    for each in (text, *alone):
        assert derives_the_same(each, rules) is not False


EXPRESSIONS: list[Node] = [
    ("text", "Version"),
    ("text", 'a"b'),
    ("choice", ("text", "a"), ("row", ("text", "b"), ("?", ("text", "cd")))),
    ("*", ("row", ("name", "second"), ("+", ("text", "B")))),
    ("row", ("*", ("name", "second")), ("name", "third")),
    ("choice", ("set", "af", "_"), ("set", "09")),
]


@each_row("expression", EXPRESSIONS)
@each_row("notation", sorted(WRITTEN.keys() - {"ocamllex", "JavaCC", "node-semver"}))
def test_notations_are_converted(notation: str, expression: Node) -> None:
    rules = [expression, ("text", "x"), ("text", "-")]
    assert derives_the_same(WRITTEN[notation].grammar(rules), rules)


@each_row(
    ("text", "column"),
    [
        ("nr = '0' | ['1'-'9'] ( ['0'-'9'] ) *\n", 12),
        ("nr ::= ['1'-'9']\n", 8),
        ('nr ::= ["a","b"]\n', 8),
        ("nr = 'x' [-]\n", 11),
        ("nr = [0-9 a-f]\n", 7),
        ('nr = "a"*"b"\n', 9),
        ("nr ::= '\\\\n'\n", 8),
        ('nr ::= "\\\\n"\n', 8),
    ],
)
def test_two_readings_are_named_and_none_is_applied(text: str, column: int) -> None:
    findings = abnforge.lint(text)
    assert column in [each.column for each in findings if each.severity == "error"]
    assert not any(each.edits for each in findings if each.severity == "error")
