"""Rejections: the mistake, and what is told where there is none."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.explain.reading import MAX_WHOLE, BeamSearch, Interpretation, Interpreter
from abnforge.rejection import Edit, Suggestion
from tests.explain.endpoints import ENDPOINT
from tests.law import each_row
from tests.work import calls

GRAMMAR = abnforge.loads(ENDPOINT, name="endpoint")

CASES = [
    # rule, text, code, span, section, suggestion
    ("endpoint", "a:80x", "port-junk", (4, 5), "2", "a:80"),
    ("port", "8O", "port-junk", (1, 2), "2", "8"),
    ("endpoint", "a b.c", "space-in-host", (1, 2), "RFC 1035, section 2.3.1", None),
    ("endpoint", "a:-", "character-in-port", (2, 3), "2", None),
    ("endpoint", "", "missing-label", (0, 0), "1", None),
    ("endpoint", "a:80 ", "space-after", (4, 5), None, "a:80"),
]


@pytest.mark.parametrize(("rule", "text", "code", "span", "section", "right"), CASES)
def test_what_is_told(
    rule: str,
    text: str,
    code: str,
    span: tuple[int, int],
    section: str | None,
    right: str | None,
    snapshot: SnapshotAssertion,
) -> None:
    rejection = GRAMMAR[rule].explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)
    assert rejection.message == snapshot
    assert rejection.section == section
    assert (rejection.suggestion and rejection.suggestion.text) == right
    [only] = rejection.hypotheses
    assert (only.code, only.message) == (code, rejection.message)


@each_row("text", [case[1] for case in CASES])
def test_the_answer_is_one_whatever_is_asked_for(text: str) -> None:
    full = GRAMMAR["endpoint"].explain(text, hypotheses=4)
    plain = GRAMMAR["endpoint"].explain(text, suggest=False)
    if full is None:
        assert plain is None
        return
    assert plain is not None
    assert plain.suggestion is None
    told = [(each.code, each.offset, each.section, each.message, each.span) for each in (full, plain)]
    assert told[0] == told[1]
    assert full.hypotheses[:1] == plain.hypotheses
    assert len({each.code for each in full.hypotheses}) == len(full.hypotheses)
    for engine in ("general", "lark"):
        assert GRAMMAR["endpoint"].explain(text, hypotheses=4, engine=engine) == full


def test_what_no_mistake_explains_has_the_facts(snapshot: SnapshotAssertion) -> None:
    rule = abnforge.loads('a = 2( "x" / "yz" )\n')["a"]
    for text, span in [("xq", (1, 2)), ("xy", (2, 2))]:
        rejection = rule.explain(text)
        assert rejection is not None
        assert (rejection.code, rejection.span) == ("unreadable-a", span)
        assert rejection.message == snapshot(name=text)
        assert rejection.suggestion is None


def test_edits_and_cost() -> None:
    rejection = GRAMMAR["endpoint"].explain("a:80x")
    assert rejection is not None
    assert rejection.suggestion == Suggestion("a:80", (Edit(4, 5, ""),), 1.0)


def test_what_could_stand_where_the_mistake_is() -> None:
    grammar = abnforge.loads(
        'a = b / c\nb = "x" *DIGIT ";"\nc = "x" *DIGIT "y" "!"\n'
        ';@ of b; blame all; fix none\nw = "x" *DIGIT "y"\n'
    )
    rejection = grammar["a"].explain("x1y")
    assert rejection is not None
    [only] = rejection.hypotheses
    assert (only.code, only.offset, rejection.offset) == ("w", 0, 3)
    assert [(each.rule, each.chars) for each in only.expected] == [("b", "Xx"), ("c", "Xx")]
    assert [(each.rule, each.chars) for each in rejection.expected] == [("c", "!")]


def test_a_fix_that_is_not_valid_is_not_suggested() -> None:
    """Its author is told so by lint; a suggestion is valid all the same."""
    grammar = abnforge.loads('a = 1*DIGIT\n;@ of a; blame all; fix "b"\nw = 1*ALPHA\n')
    rejection = grammar["a"].explain("x")
    assert rejection is not None
    assert (rejection.code, rejection.suggestion) == ("w", None)


def test_rules_that_begin_with_one_another_have_facts_alone() -> None:
    grammar = abnforge.loads('a = b "x" / "z"\nb = a "y" / "w"\n')
    rejection = grammar["a"].explain("wxyq")
    assert rejection is not None
    assert (rejection.code, rejection.offset, rejection.span) == ("unreadable-a", 3, (3, 4))
    assert (rejection.found, rejection.rule_path[0]) == ("q", "a")


# Rules that hold themselves in every place: each state leads to as many others as there are ways to begin.
TANGLED = [
    'r = r r / [ r ] r "x" / *2r "y"',
    'r = *2( [ *2r 1*2r "x" ] ) / "y" *2r / r',
    "r = a a\na = [ b ] r / %x78\nb = *r a [ a ] / %x79",
]


CALLS = 3_000_000  # twice as many as the most expensive one makes

# These take half a second and more.
SLOW = [(TANGLED[1], "xyxxy"), (TANGLED[1], "xyxyz")]


@each_row(
    ("text", "grammar"),
    [
        pytest.param(text, grammar, marks=[pytest.mark.slow] if (grammar, text) in SLOW else [])
        for text in ("", "x", "xyxxy", "zxy", "xyxyz")
        for grammar in TANGLED
    ],
)
def test_tangled_recursion_is_explained_for_bounded_work(text: str, grammar: str) -> None:
    rule = abnforge.loads(grammar + "\n")["r"]
    calls(rule.explain, text, most=CALLS)
    rejection = rule.explain(text)
    assert (rejection is None) is rule.matches(text)
    if rejection is not None and rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)


FIELDS = abnforge.loads('list = item *( "," item )\nitem = 1*DIGIT\n', name="lists")


@each_row(
    ("text", "code", "others"),
    [
        ("1,,2", "doubled-comma-in-list", []),
        (
            "1,,2,,3;4",
            "doubled-comma-in-list",
            [("doubled-comma-in-list", 4), ("look-alike-comma-in-list", 7)],
        ),
        ("1x,2", "character-in-item", []),
    ],
)
def test_further_mistakes_of_the_reading(text: str, code: str, others: list[tuple[str, int]]) -> None:
    rejection = FIELDS["list"].explain(text)
    assert rejection is not None
    assert rejection.code == code
    assert [(each.code, each.offset) for each in rejection.other_mistakes] == others


def test_further_mistakes_have_their_places_in_octets() -> None:
    rejection = FIELDS["list"].explain("1,,2\xe9")
    assert rejection is not None
    assert [(each.offset, each.end) for each in rejection.other_mistakes] == [(4, 5)]
    assert [(each.offset, each.end) for each in rejection.to_byte_offsets().other_mistakes] == [(4, 6)]


def test_a_lesson_reads_its_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    original = Interpreter._interpret

    def read(self: Interpreter, text: str, around: int | None, lane: BeamSearch) -> Interpretation:
        texts.append(text)
        return original(self, text, around, lane)

    monkeypatch.setattr(Interpreter, "_interpret", read)
    assert GRAMMAR["endpoint"].lesson("a:80x") is not None
    assert texts == ["a:80x"]


def test_a_rule_with_very_many_states_has_one_rejection_by_every_engine() -> None:
    """Each state of this rule takes thousands of steps; engines without states find them, too."""
    rule = abnforge.loads(
        'r0 = ["a" "a" "a"] 2*(2r1) "a"\n'
        'r1 = r2 *(r2 2r2 r2) r2 / 2*3(%x61-62 "b" %x61)\n'
        'r2 = 2*3(*1%x62 / 1*2"")\n'
    )["r0"]
    rejections = [rule.explain("b", engine=engine) for engine in ("automaton", "general", "lark")]
    assert rejections[0] is not None
    assert rejections[0].rule_path == ("r0", "r1", "r2")
    assert rejections.count(rejections[0]) == 3


@pytest.mark.xfail(
    strict=True,
    reason="DE B10: in a long text, a mistake that begins over WINDOW characters before the exact offset is "
    "not found, since the text before a window is read without mistakes",
)
@pytest.mark.parametrize("before", ["http://a/{}", "http://a/{}/x", "http://{}"])
def test_a_mistake_has_the_same_code_whatever_the_length_of_the_text(before: str) -> None:
    rule = abnforge.load("rfc3986")["URI"]
    texts = [before.format("x" * count) + " x" for count in (10, MAX_WHOLE + 1)]
    rejections = [rule.explain(text) for text in texts]
    assert len({None if each is None else each.code for each in rejections}) == 1
