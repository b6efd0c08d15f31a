"""``compare``: relations between rules of the URI grammars, and every kind of result."""

from __future__ import annotations

import json

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.comparison.grammars import diff
from abnforge.comparison.rules import (
    MAX_EXAMPLES,
    Comparison,
    _cause,
    _shortened,
    other_examples,
    quoted,
    reason,
)
from tests.law import each_row, law
from tests.places import SHARED
from tests.raising import raises

OLD, NEW = abnforge.load("rfc2396"), abnforge.load("rfc3986")

# Rule of RFC 2396, rule of RFC 3986, relation, string of only the former, string of only the latter.
URI_RULES = [
    ("scheme", "scheme", "equal", None, None),
    ("rel-path", "path-noscheme", "equal", None, None),
    ("IPv4address", "IPv4address", "wider", "1.1.1.01", None),
    ("host", "host", "narrower", None, ""),
    ("authority", "authority", "overlap", ":a", "[::]"),
    ("alpha", "DIGIT", "disjoint", "a", "1"),
]


@each_row(("left", "right", "relation", "only_left", "only_right"), URI_RULES)
def test_relation(
    left: str, right: str, relation: str, only_left: str | None, only_right: str | None
) -> None:
    comparison = abnforge.compare(OLD[left], NEW[right])
    assert (comparison.relation, comparison.only_left, comparison.only_right) == (
        relation,
        only_left,
        only_right,
    )
    for text, valid in (
        (comparison.only_left, (True, False)),
        (comparison.only_right, (False, True)),
        (comparison.common, (True, True)),
    ):
        if text is not None:
            assert (OLD[left].matches(text), NEW[right].matches(text)) == valid
    for rejection, rule, text in (
        (comparison.right_rejection(), right, only_left),
        (comparison.left_rejection(), left, only_right),
    ):
        assert (rejection is None) == (text is None)
        assert rejection is None or (rejection.rule, rejection.input) == (rule, text)


@each_row(
    ("text", "old", "new"),
    # The statements in docs/comparison.md.
    [
        ("a:b", True, False),
        ("a@b@c", True, False),
        ("a@b:1", True, True),
        ("[::1]", False, True),
        ("", True, True),
    ],
)
def test_authorities(text: str, old: bool, new: bool) -> None:
    assert (OLD["authority"].matches(text), NEW["authority"].matches(text)) == (old, new)


def test_as_text_and_as_data(snapshot: SnapshotAssertion) -> None:
    comparison = abnforge.compare(OLD["authority"], NEW["authority"])
    assert str(comparison) == snapshot
    lines = str(comparison).split("\n")
    data = json.loads(json.dumps(comparison.to_dict()))
    assert data["left"] == {"grammar": "rfc2396", "rule": "authority"}
    assert data["only_left"]["text"] == ":a"
    assert data["only_left"]["rejection"]["rule"] == "authority"
    assert data["only_left"]["rejection"]["grammar"] == "rfc3986"
    rejection = comparison.right_rejection()
    assert rejection
    assert reason(rejection) in lines[1]


# Two grammars, a rule of both, and the examples of each side in addition to the first.
OTHER_EXAMPLES = [
    (OLD, NEW, "IPv4address", ["256.1.1.1"], []),
    (OLD, NEW, "authority", ["@@", "@:.", "@::", "@a@"], []),
    (OLD, NEW, "port", [], []),
    # recursive rules: strings that cover the other rule
    (
        abnforge.loads('a = "(" [ a ] ")" / b / c\nb = "x"\nc = "[" a "]"\n'),
        abnforge.loads('a = "(" [ a ] ")" / b\nb = "y"\n'),
        "a",
        ["[()]"],
        [],
    ),
]


@each_row(("old", "new", "name", "left", "right"), OTHER_EXAMPLES)
def test_other_examples(
    old: abnforge.Grammar, new: abnforge.Grammar, name: str, left: list[str], right: list[str]
) -> None:
    comparison = abnforge.compare(old[name], new[name])
    examples = other_examples(comparison)
    assert tuple([each.input for each in side] for side in examples) == (left, right)


@each_row(
    ("name",), [("URI-reference",), ("authority",), ("host",), ("reg-name",), ("pchar",), ("unreserved",)]
)
def test_other_examples_show_different_causes(name: str) -> None:
    comparison = abnforge.compare(OLD[name], NEW[name])
    sides = zip(
        (comparison.right_rejection(), comparison.left_rejection()),
        other_examples(comparison),
        ((OLD[name], NEW[name]), (NEW[name], OLD[name])),
        strict=True,
    )
    for first, others, (own, other) in sides:
        assert first is not None or not others
        rejections = [first, *others] if first is not None else []
        assert len(set(map(_cause, rejections))) == len(rejections) <= MAX_EXAMPLES
        for rejection in rejections:
            assert own.matches(rejection.input)
            assert rejection == other.explain(rejection.input)


def test_equal_rules_have_nothing_to_explain(snapshot: SnapshotAssertion) -> None:
    comparison = abnforge.compare(OLD["port"], NEW["port"])
    assert str(comparison) == snapshot
    assert comparison.to_dict()["only_left"] is None
    assert comparison.to_dict()["only_right"] is None


def test_a_witness_is_escaped_where_it_is_shown() -> None:
    controls = abnforge.loads("a = %x00-1F\n", name="\x1b[31m")["a"]
    shown = str(abnforge.compare(controls, abnforge.loads("b = ALPHA\n")["b"]))
    assert "\x1b" not in shown
    assert '"\\0"' in shown


@pytest.mark.slow
def test_a_long_witness_is_shown_by_its_beginning() -> None:
    rules = abnforge.loads('long = 3000"a"\nlonger = 3001"a"\n')
    shown = str(abnforge.compare(rules["long"], rules["longer"]))
    assert '..." (3000 characters)' in shown
    assert len(shown) < 1000


def test_recursive_and_empty_rules() -> None:
    rules = abnforge.loads('list = "x" [ "," list ]\nloop = "x" *( "," "x" )\nnone = "x" none\n')
    assert abnforge.compare(rules["list"], rules["loop"]).relation == "equal"
    comparison = abnforge.compare(rules["list"], rules["none"])
    assert (comparison.relation, comparison.only_left) == ("wider", "x")
    rejection = comparison.right_rejection()
    assert rejection
    assert rejection.offset == 0


@pytest.mark.parametrize("pair", [("URI", NEW["URI"]), (NEW["URI"], None)])
def test_only_rules_are_compared(pair: tuple[object, object]) -> None:
    with raises(TypeError, "argument-type"):
        abnforge.compare(*pair)  # type: ignore[arg-type]


NESTED = """
v = "[" *v "]" / "x"
u = "[" *u "]" / "x" / "y"
unfolded = "[" *( "[" *unfolded "]" / "x" ) "]" / "x"
other = "(" *other ")" / "x"
again = v
left = left "a" / "b"
plain = "b" *"a"
apart = "{" [ apart ] "}"
x = "x"
"""

RECURSIVE = [
    ("v", "v", "equal", None, None, "X"),
    ("v", "again", "equal", None, None, "X"),
    ("v", "u", "narrower", None, "Y", "X"),
    ("u", "v", "wider", "Y", None, "X"),
    ("v", "unfolded", "undecided", None, None, "X"),
    ("v", "other", "overlap", "[]", "()", "X"),
    ("v", "apart", "disjoint", "X", "{}", None),
    ("left", "plain", "equal", None, None, "B"),
    ("v", "x", "wider", "[]", None, "X"),
    ("x", "v", "narrower", None, "[]", "X"),
]


@each_row(("left", "right", "relation", "only_left", "only_right", "common"), RECURSIVE)
def test_rules_that_recurse(
    left: str, right: str, relation: str, only_left: str | None, only_right: str | None, common: str | None
) -> None:
    grammar = abnforge.loads(NESTED)
    comparison = abnforge.compare(grammar[left], grammar[right])
    results = [
        text and text.upper() for text in (comparison.only_left, comparison.only_right, comparison.common)
    ]
    assert (comparison.relation, *results) == (relation, only_left, only_right, common)
    assert (comparison.bound is not None) is (relation == "undecided")


def test_what_was_tried_and_what_is_known(snapshot: SnapshotAssertion) -> None:
    rules = abnforge.loads(
        'deep = "[" ( "[" deep "]" / "x" ) "]" / "x"\nv = "[" v "]" / "x"\nmany = *"[" "x" *"]"\n'
    )
    tried = abnforge.compare(rules["deep"], rules["v"]).bound
    assert tried == snapshot
    comparison = abnforge.compare(rules["deep"], rules["many"])
    assert (comparison.relation, comparison.only_right, comparison.bound) == ("narrower", "x]", None)


def test_quotes_in_strings_are_distinguished() -> None:
    assert quoted('"') == "'\"'"
    assert quoted("it's") == '"it' + "'" + 's"'
    assert quoted("'\"") == r""" "'\"" """.strip()


def test_backslashes_and_newlines_are_distinguished() -> None:
    assert quoted("a\n") == '"a\\n"'
    assert quoted("a\\n") == '"a\\\\n"'


DATES = """
date = [ CFWS ] day SP month SP year [ CFWS ]
day = 2DIGIT
year = 4DIGIT
month = "jan" / "feb"
CFWS = "(" *( "a" / CFWS ) ")"
"""


def test_strings_of_the_one_rule_are_tried_on_the_other() -> None:
    """The shortest common string is so long that trying all strings up to its length is impossible."""
    old = abnforge.loads(DATES, name="old")["date"]
    new = abnforge.loads(DATES.replace('"feb"', '"may"').replace("*(", "1*("), name="new")["date"]
    comparison = abnforge.compare(old, new)
    assert (comparison.relation, comparison.bound) == ("overlap", None)
    assert None not in (comparison.only_left, comparison.only_right, comparison.common)
    _check_strings(comparison)


def _check_strings(result: Comparison) -> None:
    """Check that each string of a comparison belongs to its region."""
    for text, expected in (
        (result.only_left, (True, False)),
        (result.only_right, (False, True)),
        (result.common, (True, True)),
    ):
        assert text is None or (result.left.matches(text), result.right.matches(text)) == expected


@law(st.text("ab", max_size=40), st.text("ab", max_size=6), few=20, many=500)
def test_no_character_of_a_shortened_string_can_be_deleted(text: str, needed: str) -> None:
    def keeps(candidate: str) -> bool:
        characters = iter(candidate)
        return all(char in characters for char in needed)

    *_, last = text + needed, *_shortened(text + needed, keeps)
    assert last == needed


MAIL = SHARED / "grammars/dontcallmedom__rfcref"


@pytest.mark.slow
@pytest.mark.skipif(not MAIL.exists(), reason="requires the shared grammars")
def test_most_rules_of_two_mail_formats_are_decided() -> None:
    old, new = (abnforge.load(MAIL / f"abnf__source__rfc{n}.abnf", cache=False) for n in (2822, 5322))
    diffs = diff(old, new)
    assert len(diffs) == 146
    assert sum(each.limit is None for each in diffs) >= 142
    for each in diffs:
        if each.comparison is not None:
            _check_strings(each.comparison)


def test_the_two_of_a_bound_are_distinguished() -> None:
    texts = 'v = "[" *v "]" / "x"\n', 'v = "[" *( "[" *v "]" / "x" ) "]" / "x"\n'
    for names, shown in (
        (("old", "new"), ("only v (old) ", "only v (new) ")),
        (("g", "g"), ("only the left v ", "only the right v ")),
    ):
        one, other = (abnforge.loads(text, name=name)["v"] for text, name in zip(texts, names, strict=True))
        bound = abnforge.compare(one, other).bound or ""
        assert all(each in bound for each in shown)
