"""Parts of a rule that strings use: marks, counts, examples, positions. An enumeration checks them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import abnforge
from abnforge.budget import DEFAULT
from abnforge.conformance.usage import KINDS, MANY, ONE, ZERO, MarkReader, Part, Usage, marked_rules
from abnforge.grammar.core import Core
from tests.law import each_row, one_in
from tests.raising import raises
from tests.reference.derive import Language
from tests.reference.random_grammars import KINDS as GRAMMAR_KINDS
from tests.reference.random_grammars import grammar, short_texts
from tests.reference.uses import uses


def agrees(text: str, texts: list[str]) -> int:
    """Compare the usage with an enumeration, and return the number of strings that match."""
    rule = abnforge.loads(text)["r0"]
    if not rule.grammar.facts.cyclic.isdisjoint(rule.grammar.facts.reachable("r0")):
        with raises(ValueError, "coverage-cyclic", rule="r0"):
            marked_rules(rule)
        return 0
    marked = marked_rules(rule)
    reader = MarkReader(marked, "r0", DEFAULT)
    usage = Usage(marked, reader)
    derived = 0
    expected: Counter[int] = Counter()
    shortest: dict[int, int] = {}
    for each in texts:
        result = uses(marked, "r0", each)
        trace = reader.trace(each)
        assert (trace is None) is (result is None) is not rule.matches(each)
        if trace is None or result is None:
            continue
        assert sorted(reader.places(trace)) == result, each
        usage.add(each, trace)
        derived += 1
        for part, _, _ in result:
            expected[part] += 1
            shortest[part] = min(len(each), shortest.get(part, len(each)))
    assert usage.counts() == [expected[part] for part in range(len(marked.parts))]
    for part, example in enumerate(usage.examples):
        assert (example is None) is not expected[part]
        if example is not None:
            assert len(example.text) == shortest[part]
            assert (part, example.start, example.end) in (uses(marked, "r0", example.text) or ())
    return derived


@each_row(("kind", "seed"), one_in(20, [(kind, seed) for seed in range(8) for kind in GRAMMAR_KINDS]))
def test_random_grammars(kind: str, seed: int) -> None:
    source = Random(f"{kind} {seed}")
    # Most random grammars are cyclic or do not match a short string.
    assert any(agrees(grammar(source, kind), list(short_texts(4))) for _ in range(50))


BY_HAND = [
    'r0 = "a" / "b" / "ab"\n',
    'r0 = "a" / "a"\n',
    'r0 = *"a" [ "b" ] 1*2"a"\n',
    'r0 = *( *"a" ) *1( *"a" / "b" )\n',
    'r0 = 1*( ["a"] ) 2*( ["b"] )\n',
    'r0 = *( r1 ) ( r1 / "b" )\nr1 = "" / "a"\n',
    'r0 = "a" r0 "b" / *r1\nr1 = 1*( [ r0 ] "b" )\n',
    'r0 = r0 "a" / r0 "b" / "a"\n',
    'r0 = *( "a" r0 "b" [ r0 ] )\n',
    'r0 = 1*( [ "a" r0 ] *"b" )\n',
    'r0 = 3*5"a" / 0"b" *0"a"\n',
]


@each_row("text", BY_HAND)
def test_by_hand(text: str) -> None:
    assert agrees(text, list(short_texts(5)))


def test_counts_that_pass_through_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abnforge.conformance.usage.MAX_HAPPENINGS", 2)
    agrees(BY_HAND[6], list(short_texts(5)))


def test_sums() -> None:
    """The uses of alternatives add up to the uses of their rule or of the enclosing part."""
    rule = abnforge.load("rfc3986")["URI"]
    marked = marked_rules(rule)
    reader = MarkReader(marked, rule.key, DEFAULT)
    usage = Usage(marked, reader)
    for text in ("http://a@b:80/c/d?e#f", "urn:a", "a://[::1]//x", "a:/.", "a:"):
        trace = reader.trace(text)
        assert trace is not None
        usage.add(text, trace)
    parts = [each.part for each in marked.parts]
    keys = [(part.rule, part.kind, part.source) for part in parts]
    counts = dict(zip(keys, usage.counts(), strict=True))
    rules = {name: count for (name, kind, _), count in counts.items() if kind == "rule"}
    for name in ("hier-part", "host", "pchar", "unreserved", "ALPHA", "path-abempty", "dec-octet"):
        body = abnforge.load("rfc3986").compilation.bound.rules[name.lower()].elements
        if len(body.alternatives) > 1:
            written = [key for key in counts if key[0] == name and key[1] == "alternative"]
            assert sum(counts[key] for key in written) == rules[name]
    whole = '*( "/" segment )'
    assert sum(counts["path-abempty", kind, whole] for kind in (ZERO, ONE, MANY)) == rules["path-abempty"]
    assert counts["path-abempty", MANY, whole] == 2


# A rule, and its parts except for the rule itself.
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


def test_lists_are_reported_where_they_stand() -> None:
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
