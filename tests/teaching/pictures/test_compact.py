"""Boxes: fewer than nodes, and they say the same."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.teaching.derivations import Node, nodes_of
from abnforge.teaching.pictures.lines import LAYERS, Box, boxes
from tests.law import each_row

TEXTS = [
    ("rfc3986", "URI", "http://u@example.com:80/a/%41?c=d#"),
    ("rfc8259", "JSON-text", '{"a": [1, -2e5], "b": null}'),
    ("rfc3986", "path-abempty", ""),
    ("rfc5234", "rulelist", 'a = 1*2("b" / %x41-5A)\r\n'),
]


def leaves(found: list[Box], text: str) -> str:
    return "".join(text[box.start : box.end] for box in found if not box.children)


@each_row("full", [False, True])
@each_row(("grammar", "rule", "text"), TEXTS)
def test_leaves_spell_the_text(grammar: str, rule: str, text: str, full: bool) -> None:
    found = boxes(nodes_of(abnforge.load(grammar)[rule], text), full=full)
    assert leaves(found, text) == text
    for index, box in enumerate(found):
        assert all(found[child].parent == index for child in box.children)
        assert all(found[child].depth == box.depth + 1 for child in box.children)
        assert box.leaf is not bool(box.children)
        assert 0 <= box.layer < LAYERS


@pytest.mark.parametrize(("grammar", "rule", "text"), TEXTS)
def test_in_full_every_rule_has_its_box(grammar: str, rule: str, text: str) -> None:
    nodes = nodes_of(abnforge.load(grammar)[rule], text)
    found = boxes(nodes, full=True)
    assert [(n.rule, n.start, n.end) for n in nodes if n.rule] == [
        (*box.names, box.start, box.end) for box in found if box.names
    ]


def told(rule: str, text: str) -> list[tuple[str, str, int]]:
    found = boxes(nodes_of(abnforge.load("rfc3986")[rule], text))
    return [(" ".join(box.names), text[box.start : box.end], box.times) for box in found]


def test_chains_and_runs_are_one_box() -> None:
    assert told("port", "80") == [("port DIGIT", "80", 2)]
    assert told("segment", "a") == [("segment pchar unreserved ALPHA", "a", 1)]
    assert told("segment", "ab%41c") == [
        ("segment", "ab%41c", 1),
        ("pchar", "ab", 2),
        ("pchar pct-encoded", "%41", 1),
        ("", "%", 1),
        ("HEXDIG", "41", 2),
        ("pchar unreserved ALPHA", "c", 1),
    ]


def test_a_rule_has_one_colour() -> None:
    found = boxes(nodes_of(abnforge.load("rfc8259")["JSON-text"], "[[1],[[2]]]"))
    colours: dict[str, set[int]] = {}
    for box in found:
        colours.setdefault(box.names[0] if box.names else "", set()).add(box.layer)
    assert all(len(each) == 1 for each in colours.values())
    assert len({min(each) for each in colours.values()}) > 2


def test_depth_does_not_matter() -> None:
    nodes = [Node("r", depth, 0, 50_000 - depth) for depth in range(50_000)]
    assert len(boxes(nodes)) == 50_000
