"""Rules with the same definition are equal: which definitions count as the same, and the linear cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.comparison import rules
from abnforge.comparison.correspondence import Correspondence
from abnforge.comparison.grammars import diff
from abnforge.engine.loading import grammar_names
from abnforge.grammar.abnf_package import package_names
from tests.law import each_row, one_in
from tests.places import SHARED
from tests.work import steps


def same(left: str, right: str, rule: str = "a", other: str | None = None) -> bool:
    one, two = abnforge.loads(left), abnforge.loads(right)
    return Correspondence(one.compilation, two.compilation).holds(rule, other or rule)


SAME = [
    ('a = "x" %x6e.6F\n', "a = %x58 / y\ny = %x78\n", False),
    ("a = %x6e.6F\n", "a = %d110.111 ; a comment\n", True),
    ('a = "let"\n', 'A = "LET"\n', True),
    ('a = %s"let"\n', 'a = %s"LET"\n', False),
    ('a = %s"x"\n', "a = %x78\n", True),
    ('a = "(" [ a ] ")"\n', 'A = ("(" *1(A) ")")\n', True),
    ('a = "x" / ( "y" / b )\nb = "zz"\n', 'a = ("x" / "y") / c\nc = "zz"\n', True),
    ('a = "x" / b / "y"\nb = "z" a\n', 'a = %x78 / "X" / "Y" / b\nb = "z" a\n', True),
    ("a = 1*b\nb = ALPHA\n", "a = 1*b\nb = DIGIT\n", False),
    ('a = b c\nb = "(" c ")" / "x"\nc = b\n', 'a = b c\nb = "(" c ")" / "y"\nc = b\n', False),
    ('a = b c\nb = "(" c ")" / "x"\nc = "[" b "]"\n', 'a = d e\nd = "(" e ")" / "x"\ne = "[" d "]"\n', True),
    ('a = "x" a\n', 'a = "x" b\nb = "x" a\n', True),  # the second is the first, unrolled once
    ('a = 2"x"\n', 'a = 3"x"\n', False),
    ('a = "x" "yz"\n', 'a = "x" ("yz")\n', True),
    ("a = <words>\n", "a = <words>\n", True),
    ("a = <words>\n", "a = <other words>\n", False),
    ("a = <words>\n", "a = b\nb = <words>\n", False),
    (";@ except b\na = *ALPHA\nb = %s'x'\n".replace("'", '"'),) * 2 + (True,),
    (';@ except b\na = *ALPHA\nb = "x"\n', 'a = *ALPHA\nb = "x"\n', False),
    (';@ except b\na = *ALPHA\nb = "x"\n', ';@ except b\na = *ALPHA\nb = "y"\n', False),
    (";@ import rfc3986: host\na = host\n", ";@ import rfc3986: host\na = ( host )\n", True),
    (";@ import rfc3986: host\na = host\n", ";@ import rfc3986: port\na = port\n", False),
    ("a = b\nb = <words>\n", "a = c\nc = <words>\n", False),  # a prose-val can refer to its own rule
]


@each_row(("left", "right", "expected"), SAME)
def test_written_the_same(left: str, right: str, expected: bool) -> None:
    assert same(left, right) is expected
    assert same(right, left) is expected
    assert same(left, left)


@each_row(("left", "right", "expected"), [case for case in SAME if "<" not in case[0]])
def test_it_is_equality(left: str, right: str, expected: bool) -> None:
    """The search, which ``compare`` skips for such rules, also finds them equal."""
    one, two = abnforge.loads(left)["a"], abnforge.loads(right)["a"]
    meter = one.grammar.compilation.budget.meter("a test")
    if one.regular and two.regular:
        result = rules.witnesses(one.automaton, two.automaton, meter).relation
    else:
        result = rules._explored(one, two, meter)[0].relation
    assert result == "equal" or not expected


def test_a_result_does_not_depend_on_earlier_ones() -> None:
    """Assumptions that led to a difference are dropped."""
    left = 'a = b c\nb = "(" [ b ] ")"\nc = "x" b\nd = b\n'
    right = 'a = b c\nb = "(" [ b ] ")"\nc = "y" b\nd = c\n'
    one, two = abnforge.loads(left), abnforge.loads(right)
    expected = {"a": False, "b": True, "c": False, "d": False}
    for order in (list("abcd"), list("dcba"), list("cadb")):
        correspondence = Correspondence(one.compilation, two.compilation)
        assert {key: correspondence.holds(key, key) for key in order} == expected


def test_a_rule_contains_another_one_with_the_same_definition() -> None:
    """The relation of ``a`` follows from the relations of the rules that it uses."""
    left = 'a = "(" [ a ] b c ")" / d\nb = 1*b "x" / "x"\nc = "y"\nd = "z"\n'
    for changes, expected in (
        ({"c": '"y" / "Z"'}, (True, False)),
        ({"c": '"y" / "Z"', "d": '"z" / "v"'}, (True, False)),
        ({"c": '"y" / "Z"', "d": '"v"'}, (False, False)),
        ({"d": '"z" / "z"'}, (True, True)),
        ({"c": '"w"'}, (False, False)),
    ):
        right = "".join(
            f"{name} = {changes.get(name, body)}\n"
            for name, _, body in (line.partition(" = ") for line in left.splitlines())
        )
        one, two = abnforge.loads(left), abnforge.loads(right)
        correspondence = Correspondence(one.compilation, two.compilation)
        for key in "dcb":
            rules.compared(one[key], two[key], correspondence)
        assert correspondence.contains("a", "a") == expected


def test_exceptions_do_not_contain() -> None:
    """With a wider exception, a rule is narrower."""
    left = 'b = "x"\n;@ except b\na = %s"x" / "y"\n'
    right = 'b = "x" / "y"\n;@ except b\na = %s"x" / "y"\n'
    one, two = abnforge.loads(left), abnforge.loads(right)
    correspondence = Correspondence(one.compilation, two.compilation)
    assert rules.compared(one["b"], two["b"], correspondence)[0].relation == "narrower"
    assert correspondence.contains("a", "a") == (False, False)


def test_a_shortest_string_of_both() -> None:
    grammar = abnforge.loads('a = 2*3b / "zzzz"\nb = "(" [ b ] VCHAR\nnone = "x" none\n')
    again = abnforge.loads('a = 2*3b / "ZZZZ"\nb = "(" [ b ] VCHAR\nnone = "x" none\n')
    assert abnforge.compare(grammar["b"], again["b"]).common == "(a"
    assert abnforge.compare(grammar["none"], again["none"]).common is None
    assert len(abnforge.compare(grammar["a"], again["a"]).common or "") == 4


def test_combined_rules_are_compared() -> None:
    grammar = abnforge.load("rfc3986")
    assert abnforge.compare(grammar["host"] & grammar["port"], grammar["port"]).relation == "equal"
    assert abnforge.compare(~grammar["host"], ~grammar["port"]).relation == "narrower"


def real() -> Iterator[str]:
    yield from grammar_names()
    yield from (f"abnf:{name}" for name in package_names())
    yield from map(str, sorted((SHARED / "grammars").rglob("*.abnf")))


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*arguments: object) -> None:
        raise AssertionError("strings are searched for")

    for name in ("witnesses", "_explored"):
        monkeypatch.setattr(rules, name, search)


@pytest.mark.parametrize("name", one_in(12, real()))
@pytest.mark.usefixtures("searches")
def test_every_grammar_equals_itself(name: str) -> None:
    """Every rule of every available grammar is proved equal to itself without a search."""
    try:
        one, other = (abnforge.load(name, budget=Budget(per_character=place)) for place in (100, 101))
    except abnforge.GrammarError:
        pytest.skip("no grammar")
    comparison = diff(one, other)
    assert len(comparison) == len(one.own_rules)
    assert {rule.relation for rule in comparison} <= {"equal"}


def work(text: str) -> int:
    """Return the number of steps that prove a grammar's rules equal to those of a copy."""
    one, other = abnforge.loads(text).compilation, abnforge.loads(text).compilation
    _ = one.core, other.core

    def find() -> None:
        correspondence = Correspondence(one, other)
        assert all(correspondence.holds(key, key) for key in one.core.rules)

    return steps(find)


def chain(size: int) -> str:
    return "".join(f'r{n} = "(" [ r{(n + 1) % size} ] r{n * 7 % size} ")" / "x"\n' for n in range(size))


def fan(size: int) -> str:
    return f"top = {' / '.join(f'r{n}' for n in range(size))}\n" + "".join(
        f'r{n} = "{n}" [ top ]\n' for n in range(size)
    )


def words(size: int) -> str:
    return "words = " + " / ".join(f'%s"{n}"' for n in range(size)) + "\n"


@pytest.mark.parametrize("shape", [chain, fan, words])
def test_it_is_linear(shape: Callable[[int], str]) -> None:
    small, large = (work(shape(size)) for size in (50, 400))
    assert large < 10 * small


def test_it_is_fast_where_the_budget_is_small() -> None:
    """The proof does not need automata or a search, which would exceed the budget."""
    text = 'a = *( "a" / "b" ) "a" 40( "a" / "b" )\nv = "[" *v "]" / a\n'
    one, other = (abnforge.loads(text, budget=Budget(steps=2_000)) for _ in range(2))
    assert [rule.relation for rule in diff(one, other)] == ["equal", "equal"]


def test_the_order_of_alternatives_is_kept() -> None:
    """Rules with another order of alternatives are not the same, but ``compare`` proves them equal."""
    assert not same('a = "xx" / "yy"\n', 'a = "yy" / "xx"\n')
    one, other = abnforge.loads('a = "xx" / "yy"\n')["a"], abnforge.loads('a = "yy" / "xx"\n')["a"]
    assert abnforge.compare(one, other).relation == "equal"


def test_names_do_not_matter() -> None:
    text = 'a = "(" *b ")"\nb = a / c\nc = %x30 [ a ]\n'
    for names in ("bca", "cab", "pqr"):
        assert same(text, text.translate(str.maketrans("abc", names)), "a", names[0])
