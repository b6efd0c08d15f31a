"""Parts: what there is to use, where it stands, and that marks change no language."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance.usage import KINDS, Part, marked_rules
from abnforge.grammar.core import Core
from tests.law import each_row
from tests.raising import raises
from tests.reference.derive import Language

# A rule, and its parts but the rule itself.
PARTS = [
    ('r = "a" "b"', []),
    ('r = "a" / "b"', [("alternative", '"a"'), ("alternative", '"b"')]),
    ('r = ( "a" / "b" ) "c"', [("alternative", '"a"'), ("alternative", '"b"')]),
    ('r = [ "a" ]', [("zero", '[ "a" ]'), ("one", '[ "a" ]')]),
    ('r = *"a"', [("zero", '*"a"'), ("one", '*"a"'), ("many", '*"a"')]),
    ('r = 1*"a"', [("one", '1*"a"'), ("many", '1*"a"')]),
    ('r = *1"a"', [("zero", '*1"a"'), ("one", '*1"a"')]),
    (
        'r = 1*3( ["a"] )',
        [
            *((kind, '1*3( [ "a" ] )') for kind in ("one", "many")),
            *((kind, '[ "a" ]') for kind in ("zero", "one")),
        ],
    ),
    ('r = 2"a" 2*"a" 3*4"a"', []),
    ('r = 0"a" *( "" )', []),
    ('r = ""', []),
    (
        'r = *[ "a" ]',
        [
            *((kind, '*[ "a" ]') for kind in ("zero", "one", "many")),
            *((kind, '[ "a" ]') for kind in ("zero", "one")),
        ],
    ),
]


@each_row(("text", "expected"), PARTS)
def test_parts(text: str, expected: list[tuple[str, str]]) -> None:
    grammar = abnforge.loads(text + "\n")
    first, *others = [each.part for each in marked_rules(grammar["r"]).parts]
    assert first.kind == "rule"
    assert [(part.kind, part.source) for part in others] == expected
    source = grammar.source.text
    for part in (first, *others):
        assert part.span is not None
        assert part.kind in KINDS
        shown = source[part.span.start : part.span.end]
        assert shown.replace(" ", "") == part.source.replace(" ", "")


def test_rules_from_elsewhere_have_no_place() -> None:
    rule = abnforge.loads("r = ALPHA\n")["r"]
    assert [each.part for each in marked_rules(rule).parts][1:] == [
        Part("ALPHA", "rule", "ALPHA", None),
        Part("ALPHA", "alternative", "%x41-5A", None),
        Part("ALPHA", "alternative", "%x61-7A", None),
    ]


def test_only_what_is_needed() -> None:
    grammar = abnforge.loads('a = "x" / b\nb = "y"\nc = "z" / a\nb =/ "w"\n')
    parts = [each.part for each in marked_rules(grammar["b"]).parts]
    assert [part.source for part in parts] == ["b", '"y"', '"w"']


def test_a_difference_has_no_parts_of_its_own() -> None:
    grammar = abnforge.loads(';@ except word\nname = 1*ALPHA\nword = "if" / "or"\n')
    assert [e.part.kind for e in marked_rules(grammar["name"]).parts if e.part.rule == "name"] == ["rule"]


def test_lists_are_told_where_they_stand() -> None:
    grammar = abnforge.loads('r = 1#"a"\n')
    spans = {each.part.span for each in marked_rules(grammar["r"]).parts if each.part.rule == "r"}
    assert {grammar.source.text[span.start : span.end] for span in spans if span} == {"r", '1#"a"'}


@pytest.mark.parametrize(
    "text", ['r = *( [ "a" ] "b" / r "c" ) / 1*( *"a" )', 'r = *2( *"a" ) 1*2( "b" / "" )']
)
def test_the_language_is_the_same(text: str) -> None:
    grammar = abnforge.loads(text + "\n")
    marked = marked_rules(grammar["r"])

    def strings(core: Core) -> frozenset[str]:
        return Language(core, "abc", 4).strings["r"]

    assert strings(marked.core) == strings(marked.plain) == strings(grammar.core)


def test_refusals() -> None:
    grammar = abnforge.loads('a = a / "x"\nb = <words>\nc = "d"\nd = c a\n')
    with raises(ValueError, "coverage-cyclic", rule="d", cyclic="a"):
        marked_rules(grammar["d"])
    with raises(abnforge.GrammarError, "prose-val"):
        marked_rules(grammar["b"])
    with raises(ValueError, "coverage-combined", rule="(c | c)"):
        marked_rules(grammar["c"] | grammar["c"])
