"""Minimal automata: their languages, minimality, uniqueness and limits."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata.dfa import DEAD, Automaton, Bounded, at_most, distances, number_of_strings
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.small_languages import LENGTH, TEXTS, Expression, abnf, expressions, strings
from tests.work import calls, steps


def automaton(text: str) -> Automaton:
    grammar = abnforge.loads(text if "\n" in text else f"s = {text}\n")
    return grammar[next(iter(grammar))].automaton


@law(expressions, few=20, many=80)
def test_accepts_what_the_expression_derives(expression: Expression) -> None:
    built = automaton(abnf(expression))
    derived = strings(expression)
    assert [text for text in TEXTS if built.accepts(text)] == [text for text in TEXTS if text in derived]
    assert not built.accepts("c")


@law(expressions, few=20, many=80)
def test_minimal_and_live(expression: Expression) -> None:
    built = automaton(abnf(expression))
    rows = range(0, len(built.table), built.width)
    reachable, stack = {0}, [0]
    while stack:
        row = stack.pop()
        for target in built.table[row : row + built.width]:
            if target != DEAD and target not in reachable:
                reachable.add(target)
                stack.append(target)
    assert reachable == set(rows)
    # Table filling: two states differ if a string leads only one of them to acceptance.
    states = [DEAD, *rows]
    differ = {(p, q) for p in states for q in states if (p in built.accepting) != (q in built.accepting)}
    changed = True
    while changed:
        changed = False
        for p in states:
            for q in states:
                if (p, q) not in differ and any(
                    (move(built, p, c), move(built, q, c)) in differ for c in range(built.width)
                ):
                    differ.add((p, q))
                    changed = True
    assert all(
        (p, q) in differ for p in states for q in states if p != q
    )  # including DEAD: all states are live
    columns = [tuple(built.table[row + c] for row in rows) for c in range(built.width)]
    assert len(set(columns)) == len(columns)


def move(built: Automaton, row: int, number: int) -> int:
    return DEAD if row == DEAD else built.table[row + number]


@law(expressions, expressions, few=20, many=80)
def test_one_automaton_for_one_language(first: Expression, second: Expression) -> None:
    a, b = automaton(abnf(first)), automaton(abnf(second))
    if a == b:
        assert strings(first) == strings(second)
    # Equal languages in different notation.
    assert automaton(abnf(("any", second, first, second))) == automaton(abnf(("any", first, second)))
    assert automaton(abnf(("all", first, ("text", "")))) == a


# Pairs of definitions of the same language, which must have the same automaton.
SAME = [
    ('*( "a" / "b" )', '*( *"a" *"b" )'),
    ("%x61-64", '%s"a" / %s"b" / %s"c" / %s"d"'),
    ('%s"ax" / %s"bx"', '( %s"a" / %s"b" ) %s"x"'),
    ('"a"', "%x41 / %x61"),
    ("%x0-10FFFF", "%x0-D7FF / %xD800-DFFF / %xE000-10FFFF"),
    ('s = a\na = "x" a\n', 's = b\nb = "y" b / "z" b\n'),
]


@each_row(("first", "second"), SAME)
def test_same_language_same_automaton(first: str, second: str) -> None:
    assert automaton(first) == automaton(second)


@pytest.mark.slow
def test_long_chains_do_not_take_quadratic_work() -> None:
    assert automaton('9000"a"').states == 9001
    assert steps(automaton, '2000"a"') < 5 * steps(automaton, '500"a"')


def test_classes_that_minimisation_makes_equal_are_merged() -> None:
    # Before states are merged, "a" and "b" lead to different states.
    built = automaton('%s"a" *%s"x" / %s"b" [ 1*%s"x" ]')
    assert [
        str(charset) for charset in built.charsets if built.table[built.class_of(charset.min())] >= 0
    ] == ["[ab]"]


def test_empty_language() -> None:
    built = automaton('s = "x" s\n')
    assert (built.states, built.width, list(built.table)) == (0, 1, [])
    assert not built.accepts("")
    assert built.read("x") == (0, DEAD)


def test_the_alphabet_is_all_of_unicode() -> None:
    built = automaton("%xA0-D7FF / %xE000 / %x10FFFF")
    valid = "\xa0", "\ud7ff", "\ue000", "\U0010ffff"
    assert all(map(built.accepts, valid))
    assert not any(map(built.accepts, ("\x9f", "\ud800", "\udfff", "\ue001", "\U0010fffe", "\0", "")))
    assert built.expected(0).ranges == ((0xA0, 0xD7FF), (0xE000, 0xE000), (0x10FFFF, 0x10FFFF))


def test_invalid_rows_and_characters() -> None:
    built = automaton('"ab"')
    assert (built.width, len(built.table)) == (3, 9)
    for row in (-5, 1, 9, 10**6):
        with raises(ValueError, "argument-value", name="row"):
            built.expected(row)
    assert built.expected(DEAD) == automaton('s = "x" s\n').expected(DEAD) == CharSet()
    for char in ("", "ab"):
        with raises(ValueError, "argument-value", name="char"):
            built.class_of(char)
    with raises(TypeError, "argument-bytes", name="char", type="bytes"):
        built.class_of(b"a")  # type: ignore[arg-type]
    for question in (built.accepts, built.read):
        with raises(TypeError, "argument-type", name="text", type="list"):
            question(["a", "b"])  # type: ignore[arg-type]


def test_equal_automata_have_one_hash() -> None:
    assert len({automaton('"ab"'), automaton('"a" "b"'), automaton('"ac"')}) == 2


BOMBS = [
    's = *( "a" / "b" ) "a" 20( "a" / "b" )\n',
    pytest.param("s = 999999999*ALPHA\n", marks=pytest.mark.slow),
    pytest.param("s = 1*999999999ALPHA\n", marks=pytest.mark.slow),
    's = *200( *200( "a" / "b" ) "c" ) *( "a" "b" )\n',
]


@pytest.mark.parametrize("text", BOMBS)
def test_large_automata_exceed_a_limit_early(text: str) -> None:
    rule = abnforge.loads(text, budget=abnforge.Budget(steps=200_000))["s"]
    with raises(abnforge.LimitExceeded, "limit-steps", operation="automaton of s", limit=200000) as raised:
        calls(lambda: rule.automaton, most=400_000)  # one automaton has 2**20 states
    assert raised.value.rule == "s"
    assert raised.value.code == "automaton-too-large"
    assert raised.value.setting == "budget.steps"


def test_a_larger_budget_goes_further() -> None:
    text = 's = *( "a" / "b" ) "a" 9( "a" / "b" )\n'
    with pytest.raises(abnforge.LimitExceeded) as raised:
        _ = abnforge.loads(text, budget=abnforge.Budget(steps=10_000))["s"].automaton
    assert raised.value.used > raised.value.limit == 10_000
    assert abnforge.loads(text, budget=abnforge.Budget(steps=100_000))["s"].automaton.states == 2**10


def test_a_limit_is_reported_again_without_the_work() -> None:
    rule = abnforge.loads(BOMBS[0], budget=abnforge.Budget(steps=100_000))["s"]  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(abnforge.LimitExceeded):
            _ = rule.automaton
    with pytest.raises(abnforge.LimitExceeded):
        calls(lambda: rule.automaton, most=30)


def test_reading_goes_through_the_first_state_again() -> None:
    automaton = abnforge.loads('s = *%s"ab"\n')["s"].automaton
    assert [automaton.read(text) for text in ("", "ab", "abab", "abb")] == [(0, 0), (2, 0), (4, 0), (2, 0)]
    assert automaton.accepts("ababab")


@each_row(
    ("text", "most", "count"),
    [
        ('a = "x"\n', 9, 2),
        ('a = %s"x"\n', 9, 1),
        ('a = "x" a\n', 9, 0),
        ('a = ""\n', 9, 1),
        ("a = 1*3DIGIT\n", 10_000, 1_110),
        ("a = 1*3DIGIT\n", 100, 100),
        ("a = *DIGIT\n", 7, 7),
        ("a = *DIGIT\n", 0, 0),
    ],
)
def test_strings_are_counted(text: str, most: int, count: int) -> None:
    assert number_of_strings(abnforge.loads(text)["a"].automaton, most) == count


@law(expressions, few=10, many=60)
def test_bounds(expression: Expression) -> None:
    """The bounded reader agrees with the number of characters, for every string and bound."""
    a = automaton(abnf(expression))
    for longest in range(LENGTH + 1):
        counting = at_most(a, longest, Budget().meter("counting"))
        reading = Bounded(a, longest)
        assert reading.is_empty == (not counting.table)
        for text in TEXTS:
            offset, row = counting.read(text)
            assert counting.accepts(text) == (len(text) <= longest and text in strings(expression))
            assert reading.read(text) == (offset, counting.expected(row), row in counting.accepting)
            assert reading.accepts([text[:1], "", text[1:]]) == counting.accepts(text)


def test_without_a_bound() -> None:
    reading = Bounded(automaton('"ab" / "b"'))
    assert reading.read("ac") == (1, CharSet.of("bB"), False)
    assert (reading.furthest, reading.is_empty) == (1, False)
    assert Bounded(automaton('s "x"')).is_empty
    assert not Bounded(automaton('s "x"')).accepts([""])


def test_distances_are_of_shortest_strings() -> None:
    a = automaton('"abc" / "b" / *"x"')
    assert distances(a)[0] == 0
    _, row = a.read("a")
    assert distances(a)[row] == 2


def test_large_counts_are_rejected_early() -> None:
    a = automaton("*%x61-62")
    meter = Budget().meter("counting")
    with raises(LimitExceeded, "limit-steps", operation="counting", limit=1200000):
        at_most(a, 10**9, meter)
    assert at_most(a, 1000, Budget().meter("counting")).states == 1001
    finite = automaton('"a" / "bc"')
    assert steps(lambda: at_most(finite, 10**9, Budget().meter("counting"))) < 1_000
    assert at_most(finite, 10**9, Budget().meter("counting")) == finite
