"""Trees as flat sequences: content, order, and nesting beyond Python's recursion limit."""

from __future__ import annotations

import sys

import pytest

import abnforge
from tests.law import each_row
from tests.raising import raises
from tests.reference.trees import check, flat

LIST = 's = a *( "," a )\na = *"x" / b\nb = "b"\n'

# Grammar, string, rules and their spans.
SPANS = [
    (LIST, "xx,b", [("s", 0, 4), ("a", 0, 2), ("a", 3, 4), ("b", 3, 4)]),
    (LIST, "", [("s", 0, 0), ("a", 0, 0)]),
    (LIST, ",,", [("s", 0, 2), ("a", 0, 0), ("a", 1, 1), ("a", 2, 2)]),
    ('e = e "+" t / t\nt = "x"\n', "x+x", [("e", 0, 3), ("e", 0, 1), ("t", 0, 1), ("t", 2, 3)]),
    ('s = s / a\na = "" / s\n', "", [("s", 0, 0), ("a", 0, 0)]),
    (
        "Up-Per = Low-er\nlow-er = %xE9.1F600\n",
        "é😀",
        [("Up-Per", 0, 2), ("low-er", 0, 2)],
    ),
]


@each_row(("grammar", "text", "spans"), SPANS)
def test_spans(grammar: str, text: str, spans: list[tuple[str, int, int]]) -> None:
    rules = abnforge.loads(grammar)
    rule = rules[next(iter(rules))]
    engines = ["auto", "lark"] if rule.recursive else ["auto", "lark", "automaton"]
    for engine in engines:
        assert rule.events(text, engine=engine) == spans
        assert flat(rule.parse(text, engine=engine), rule.lark_names) == spans


def test_events_of_a_uri() -> None:
    rule = abnforge.load("rfc3986")["URI-reference"]
    text = "http://user@[::1]:80/a/b?q#f"
    events = rule.events(text)
    assert events == flat(rule.parse(text), rule.lark_names) == rule.events(text, engine="lark")
    assert ("IP-literal", 12, 17) in events
    assert [start for _, start, _ in events] == sorted(start for _, start, _ in events)


def test_rejected_strings_have_no_events() -> None:
    for rule in (abnforge.load("rfc3986")["URI"], abnforge.loads('s = "(" s ")" / "x"\n')["s"]):
        with pytest.raises(abnforge.Rejected) as caught:
            rule.events("((")
        assert caught.value.rejection == rule.explain("((")
        with raises(TypeError, "argument-type", name="text", type="int"):
            rule.events(5)  # type: ignore[arg-type]


def test_of_bytes_offsets_count_bytes() -> None:
    rule = abnforge.loads("s = 1*c\nc = %xE4 / %x61\n")["s"]
    assert rule.events("\xe4a") == [("s", 0, 2), ("c", 0, 1), ("c", 1, 2)]
    assert rule.events("\xe4a".encode()) == [("s", 0, 3), ("c", 0, 2), ("c", 2, 3)]


@pytest.mark.parametrize("depth", [1_100, pytest.param(5_000, marks=pytest.mark.slow)])
def test_deeper_than_python_recurses(depth: int) -> None:
    assert depth > sys.getrecursionlimit()
    rule = abnforge.loads('s = "(" s ")" / "x"\n')["s"]
    text = "(" * depth + "x" + ")" * depth
    assert rule.events(text) == [("s", place, len(text) - place) for place in range(depth + 1)]
    check(rule.grammar.core, "s", text, rule.parse(text), rule.lark_names)
    rejection = rule.explain(text[:-1], suggest=False)
    assert rejection is not None
    assert rejection.offset == len(text) - 1
