"""Renaming and proposals of names, in texts that are being written."""

from __future__ import annotations

from abnforge.grammar.annotations import Occurrence, occurrences
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read_partial
from abnforge.grammar.shipped import bundled_names
from abnforge.linting.editing import CORE, GRAMMAR, RULE, at, own, proposals, renaming
from abnforge.rejection import applied
from tests.law import each_row
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


def test_a_name_is_found_from_its_first_character_to_behind_its_last() -> None:
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
