"""Set algebra follows its laws and returns shortest witnesses at the reported positions."""

from __future__ import annotations

from random import Random
from string import ascii_lowercase

import pytest

import abnforge
from abnforge.automata import algebra
from abnforge.automata.algebra import (
    difference,
    included,
    intersect,
    intersection,
    shortest,
    union,
    witnesses,
)
from abnforge.automata.dfa import Automaton
from abnforge.automata.tables import PythonTable, packed
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from tests.automata.test_tagged import automaton as tagged_automaton
from tests.law import each_row, law
from tests.laws.table_walks import WALKS, walking
from tests.raising import raises
from tests.reference.small_languages import LENGTH, TEXTS, Expression, abnf, expressions, strings


def automaton(expression: Expression) -> Automaton:
    return abnforge.loads(f"s = {abnf(expression)}\n")["s"].automaton


def of(text: str) -> Automaton:
    return abnforge.loads(f"s = {text}\n")["s"].automaton


@law(expressions, few=15, many=100)
def test_complements(expression: Expression) -> None:
    a = automaton(expression)
    other = algebra.complement(a)
    assert {text for text in TEXTS if other.accepts(text)} == set(TEXTS) - strings(expression)
    assert other.accepts("\U0010ffff")
    assert algebra.complement(other) == a
    assert algebra.union(a, other) == algebra.everything()


@law(expressions, expressions, few=15, many=60)
def test_set_operations(first: Expression, second: Expression) -> None:
    a, b = automaton(first), automaton(second)
    left, right = strings(first), strings(second)
    for operation, expected in (
        (union, left | right),
        (intersection, left & right),
        (difference, left - right),
    ):
        result = operation(a, b)
        assert {text for text in TEXTS if result.accepts(text)} == expected
    assert union(a, b) == union(b, a) == automaton(("any", first, second))
    assert intersection(a, b) == intersection(b, a) == difference(a, difference(a, b))
    assert union(difference(a, b), intersection(a, b)) == a
    assert union(a, a) == intersection(a, a) == a
    assert not difference(a, a).table
    assert included(a, b) == (not difference(a, b).table) == (union(a, b) == b)
    assert included(intersection(a, b), a)


@law(expressions, expressions, expressions, few=15, many=60)
def test_laws_of_three(first: Expression, second: Expression, third: Expression) -> None:
    a, b, c = automaton(first), automaton(second), automaton(third)
    assert intersection(a, union(b, c)) == union(intersection(a, b), intersection(a, c))
    assert difference(a, union(b, c)) == difference(difference(a, b), c)


@law(expressions, expressions, few=20, many=80)
def test_witnesses_are_shortest_and_in_their_region(first: Expression, second: Expression) -> None:
    a, b = automaton(first), automaton(second)
    left, right = strings(first), strings(second)
    result = witnesses(a, b)
    for text, inside, region in (
        (result.only_left, (True, False), left - right),
        (result.only_right, (False, True), right - left),
        (result.common, (True, True), left & right),
    ):
        if text is None or len(text) > LENGTH:
            assert not region
        else:
            assert (a.accepts(text), b.accepts(text)) == inside
            assert len(text) == min(map(len, region))
    assert (result.relation == "equal") == (a == b)
    mirrored = {"narrower": "wider", "wider": "narrower"}
    assert witnesses(b, a).relation == mirrored.get(result.relation, result.relation)
    assert shortest(a) == (min(left, key=lambda text: (len(text), text)) if left else shortest(a))


@law(expressions, expressions, few=20, many=80)
def test_departures_are_in_their_region_and_include_a_shortest_string(
    first: Expression, second: Expression
) -> None:
    a, b = automaton(first), automaton(second)
    texts = [text for _, text in algebra.departures(a, b, Budget().meter("departures"))]
    assert all(a.accepts(text) and not b.accepts(text) for text in texts)
    expected = witnesses(a, b).only_left
    if b.table:  # no string leaves the empty language
        assert min(map(len, texts), default=None) == (None if expected is None else len(expected))


# left, right, relation, only left, only right, common
RELATIONS = [
    ("ALPHA", "%x41-5A / %x61-7A", "equal", None, None, "a"),
    ('"a"', "ALPHA", "narrower", None, "b", "a"),
    ("ALPHA", '"a"', "wider", "b", None, "a"),
    ("ALPHA / DIGIT", "HEXDIG / %x2D", "overlap", "g", "-", "a"),
    ("ALPHA", "DIGIT", "disjoint", "a", "1", None),
    ("*ALPHA", "1*ALPHA", "wider", "", None, "a"),
    ("%x0-10FFFF", "%x0-1F / %x30-10FFFF", "wider", "!", None, "a"),
    ("%x0-10FFFF", "%x0-7F", "wider", "\xe0", None, "a"),
    ("%x0-1", "%x1-2", "overlap", "\0", "\2", "\1"),
    ('1000"a"', '*"a"', "narrower", None, "", "a" * 1000),
]


@each_row(("left", "right", "relation", "only_left", "only_right", "common"), RELATIONS)
def test_relation(
    left: str, right: str, relation: str, only_left: str | None, only_right: str | None, common: str | None
) -> None:
    result = witnesses(of(left), of(right))
    assert (result.relation, result.only_left, result.only_right, result.common) == (
        relation,
        only_left,
        only_right,
        common,
    )


def test_empty_languages() -> None:
    empty = abnforge.loads('s = "x" s\n')["s"].automaton
    letter = of("ALPHA")
    assert witnesses(empty, empty).relation == "equal"
    assert witnesses(empty, letter).relation == "narrower"
    assert intersection(letter, of("DIGIT")) == empty
    assert shortest(empty) is None


def test_a_product_beyond_the_budget_is_rejected() -> None:
    left, right = of('1*( 101"a" )'), of('1*( 103"a" )')
    for search in witnesses, union, difference:
        meter = Budget(steps=3_000).meter("the comparison")
        with raises(abnforge.LimitExceeded, "limit-steps", operation="the comparison", limit=3000):
            search(left, right, meter)


def test_without_a_meter_the_usual_budget_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algebra, "DEFAULT", Budget(steps=3_000))
    with pytest.raises(abnforge.LimitExceeded) as raised:
        witnesses(of('1*( 101"a" )'), of('1*( 103"a" )'))
    assert raised.value.code == "automaton-too-large"


def test_lists_of_words_cost_a_few_steps_a_state() -> None:
    source = Random(5)
    words = ["".join(source.choices(ascii_lowercase, k=source.randint(3, 9))) for _ in range(3_000)]
    word = "zzzzzzzz"
    few, more = (of(" / ".join(f'%s"{each}"' for each in them)) for them in (words, [*words, word]))
    result = witnesses(few, more, Budget(steps=10 * more.states).meter("comparing"))
    assert (result.only_left, result.only_right) == (None, word)
    assert result.common == min(words, key=lambda each: (len(each), each))


@each_row(
    ("rank", "chars"),
    [(0, "az"), (1, "19"), (2, "0AZ"), (3, "!/:@[`{~"), (4, "\xe0\xf6"), (5, "\0 \x7f\xdf\xf7")],
)
def test_preference(rank: int, chars: str) -> None:
    """The table has the first and last character of each kind, and their neighbors."""
    for char in chars:
        assert algebra.preference(CharSet.of(char)) == (rank, char)
        assert algebra.preference(CharSet.of(char + "\U0001f600")) == (rank, char)
    with raises(ValueError, "argument-empty", name="charset"):
        algebra.preference(CharSet())


@law(expressions, expressions, expressions, few=15, many=100)
def test_parts_are_the_same(first: Expression, second: Expression, other: Expression) -> None:
    """Every walk finds the same parts, for every string up to a length."""
    text = f"s = p q\np = {abnf(first)}\nq = {abnf(second)}\n"
    wide = tagged_automaton(text, {"p": ("p",)}, {"which": ("p", "q")})
    by = abnforge.loads(f"r = {abnf(other)}\n")["r"]
    narrow = intersect(wide, by.automaton, Budget().meter("narrowing"))
    octets = packed(narrow)
    walks = [PythonTable(octets), *filter(None, (walking(octets, walk) for walk in WALKS))]
    whole = PythonTable(packed(wide))
    for each in TEXTS:
        expected = whole.find(each) if by.matches(each) else None
        assert [walk.find(each) for walk in walks] == [expected] * len(walks)


def test_every_state_leads_to_acceptance() -> None:
    """A walk stops as soon as it cannot lead to a common string."""
    wide = tagged_automaton('s = 1*p\np = "a" / "b" / %xE9\n', {"p": ("p",)})
    by = abnforge.loads('r = "a" %xE9 / "ba" ["c"]\n')["r"].automaton
    walk = PythonTable(packed(intersect(wide, by, Budget().meter("narrowing"))))
    assert walk.find("aé") == ((1, 2), ())
    assert walk.read("ac") == (1, False)
    assert walk.read("bac") == (2, False)


@pytest.mark.parametrize("texts", ['r = "x"\n', 'r = r "x"\n'])
def test_nothing_may_be_left(texts: str) -> None:
    wide = tagged_automaton('s = p\np = "a"\n', {"p": ("p",)})
    narrow = intersect(wide, abnforge.loads(texts)["r"].automaton, Budget().meter("narrowing"))
    assert narrow.rows == []
    assert PythonTable(packed(narrow)).find("a") is None


def test_it_is_charged() -> None:
    wide = tagged_automaton('s = 100p\np = "a"\n', {"p": ("p",)})
    by = abnforge.loads('r = *"a"\n')["r"].automaton
    with raises(LimitExceeded, "limit-steps", operation="narrowing", limit=50):
        intersect(wide, by, Budget(steps=50).meter("narrowing"))
