"""Rules that are written and read again are the same nodes, with the same ones shared."""

from __future__ import annotations

import json
from typing import Any

import pytest

import abnforge
from abnforge.grammar.core import (
    EPSILON,
    Chars,
    Core,
    Node,
    Ref,
    Repeat,
    Seq,
    StoredRules,
    Writer,
    lower,
    with_references,
)

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
    """A node by value, with a number for each object: the same one where a node occurs again."""
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
    assert stored["b"].items == ()  # an empty sequence of its own
    assert stored["b"] is not EPSILON


@pytest.mark.parametrize("first", [True, False])
def test_changed_rules_share_what_has_no_reference(core: Core, first: bool) -> None:
    stored = again(core)
    for key, node in core.rules.items():
        plain = stored[key] if first else None
        changed = stored.changed(key, lambda name: f"+{name}")
        wanted = with_references(node, lambda reference: Ref(f"+{reference.key}"))
        numbers: dict[int, int] = {}
        known: dict[int, int] = {}
        assert shape(plain or stored[key], numbers) == shape(node, known)
        assert shape(changed, numbers) == shape(wanted, known)


def test_a_node_that_occurs_twice_is_not_written() -> None:
    twice = Ref("a")
    with pytest.raises(ValueError, match="shared node"):
        Writer(["a"]).write(Seq((twice, twice)))
