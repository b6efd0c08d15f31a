"""The core form: factored alternatives, and serialization with shared nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.charset import CharSet
from abnforge.grammar.core import (
    EPSILON,
    MIN_ALTERNATIVES,
    Chars,
    Choice,
    Core,
    Literal,
    Node,
    Ref,
    Repeat,
    Seq,
    StoredRules,
    Writer,
    factored,
    lower,
    with_references,
)
from tests.law import law

# A rule among literals: literals do not move across it.
BARRIER = Ref("r")


def literal(word: str) -> Node:
    letters = tuple(Chars(CharSet.of(letter)) for letter in word)
    return Literal(letters) if len(letters) > 1 else letters[0] if letters else EPSILON


def choice_of(words: Sequence[str]) -> Choice:
    return Choice(tuple(BARRIER if word == "r" else literal(word) for word in words))


def spelt(node: Node) -> Iterator[str]:
    """Yield the strings of a node, the preferred one first. Choices are factored in the process."""
    match node:
        case Chars(charset=charset):
            yield charset.min()
        case Ref(key=key):
            yield key
        case Choice():
            for item in factored(node):
                yield from spelt(item)
        case Seq(items=items):
            *letters, last = items or (EPSILON,)
            head = "".join(letter.charset.min() for letter in letters if isinstance(letter, Chars))
            yield from (head + tail for tail in (spelt(last) if items else ("",)))


WORDS = st.text("ab", max_size=6)


@law(
    st.lists(WORDS | st.just("r"), min_size=MIN_ALTERNATIVES, max_size=4 * MIN_ALTERNATIVES),
    st.text("ab", max_size=8),
    few=40,
    many=2_000,
)
def test_what_can_begin_a_text_stays_in_order(words: list[str], text: str) -> None:
    """The alternatives with a common prefix stay in order, and so do the rules between them."""
    results = list(spelt(choice_of(words)))
    assert sorted(results) == sorted(words)
    assert [w for w in results if w == "r" or text.startswith(w)] == [
        w for w in words if w == "r" or text.startswith(w)
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ab"] * (MIN_ALTERNATIVES - 1), ["a b"] * (MIN_ALTERNATIVES - 1)),  # too few
        (["ab", "ac"] * 10, ["a ( b / c" + " / b / c" * 9 + " )"]),
        (["xay", "bc", "xaz"] * 10, ["x a ( y / z" + " / y / z" * 9 + " )", "b c ( -" + " / -" * 9 + " )"]),
        (["ab", "a", "ac"] * 7, ["a b", *["a", "a ( c / b )"] * 6, "a", "a c"]),
        (["ab", "r"] * 10, ["a b", "r"] * 10),
    ],
)
def test_cases(words: list[str], expected: list[str]) -> None:
    assert [show(item) for item in factored(choice_of(words))] == expected


def show(node: Node) -> str:
    match node:
        case Chars(charset=charset):
            return charset.min()
        case Ref(key=key):
            return key
        case Choice(items=items):
            return "( " + " / ".join(map(show, items)) + " )"
        case Seq(items=items):
            return " ".join(map(show, items)) or "-"
    raise AssertionError(node)


def test_first_letters_that_overlap_stay_where_they_are() -> None:
    both = Literal((Chars(CharSet.of("aA")), Chars(CharSet.of("x"))))
    choice = Choice((*choice_of(["ab", "ac"] * 10).items, both))
    assert factored(choice) == choice.items


def test_a_list_of_words_is_read_along_its_branches() -> None:
    """Parsing and explaining a string takes only a share of the default budget."""
    words = " / ".join(f'"word{number}"' for number in range(5_000))
    grammar = abnforge.loads(f"s = w [ d ]\nw = {words}\nd = 1*DIGIT\n", budget=abnforge.Budget(steps=40_000))
    tree = grammar["s"].parse("word499900")
    assert [child.data for child in tree.children] == ["w", "d"]
    rejection = grammar["s"].explain("wurd1")
    assert rejection is not None
    assert (rejection.offset, rejection.code) == (1, "unreadable-w")  # the limit


GRAMMAR = """
a = "" / b "x"
b = "" ""
c = "ab" / "ab" / "aB" / %s"ab" / %x61.62
d = <words> / <words> a
e = 2*3( a / b ) *c 1*d 0b [ "x" b ]
f = "ab" a "ab" "a" %x61
g = %x0-10FFFF / f
h = 3"x"
"""


def shape(node: Node, numbers: dict[int, int] | None = None) -> Any:
    """Return a node by value, with a number for each object. Shared nodes have the same number."""
    numbers = {} if numbers is None else numbers
    number = numbers.setdefault(id(node), len(numbers))
    values = [getattr(node, name) for name in node.__match_args__]
    items = getattr(node, "items", None) or ([node.item] if isinstance(node, Repeat) else [])
    below = [shape(each, numbers) for each in items]
    return number, type(node), [each for each in values if isinstance(each, int | str)], below, _set(node)


def _set(node: Node) -> Any:
    return node.charset if isinstance(node, Chars) else None


def again(core: Core) -> StoredRules:
    writer = Writer(core.rules)
    written = {key: writer.write(node) for key, node in core.rules.items()}
    written, shared = json.loads(json.dumps([written, writer.shared]))
    return StoredRules(written, list(core.rules), shared)


@pytest.fixture(scope="module")
def core() -> Core:
    return lower(abnforge.loads(GRAMMAR).compilation.bound)


def test_rules_are_read_as_they_were_written(core: Core) -> None:
    stored = again(core)
    assert list(stored) == list(core.rules)
    assert len(stored) == len(core.rules)
    assert "a" in stored
    assert "nothing" not in stored
    for key, node in core.rules.items():
        assert shape(stored[key]) == shape(node)
        assert stored[key] is stored[key]
    assert stored["a"].items[0] is EPSILON
    assert stored["b"].items == ()  # a separate empty sequence
    assert stored["b"] is not EPSILON


@pytest.mark.parametrize("first", [True, False])
def test_changed_rules_share_what_has_no_reference(core: Core, first: bool) -> None:
    stored = again(core)
    for key, node in core.rules.items():
        plain = stored[key] if first else None
        changed = stored.changed(key, lambda name: f"+{name}")
        expected = with_references(node, lambda reference: Ref(f"+{reference.key}"))
        numbers: dict[int, int] = {}
        results: dict[int, int] = {}
        assert shape(plain or stored[key], numbers) == shape(node, results)
        assert shape(changed, numbers) == shape(expected, results)


def test_a_node_that_occurs_twice_is_not_written() -> None:
    twice = Ref("a")
    with pytest.raises(ValueError, match="shared node"):
        Writer(["a"]).write(Seq((twice, twice)))
