"""Trees as lines of text, and boxes of several nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.teaching.derivations import Node, nodes_of
from abnforge.teaching.pictures.drawing import (
    ASCII,
    BOXES,
    LAYERS,
    MAX_LEVEL,
    TEXT_COLUMNS,
    Box,
    boxes,
    tree_lines,
)
from tests.law import each_row, law

SUM = abnforge.loads('sum = part *( "+" part )\npart = 1*DIGIT / "(" sum ")"\n')["sum"]
NEST = abnforge.loads('nest = "(" nest ")" / ""\n')["nest"]


def drawn(nodes: Sequence[Node], text: str, **options: Any) -> list[str]:
    return list(map(str, tree_lines(nodes, text, **options)))


def test_a_tree() -> None:
    text = "(1+2)+34"
    assert drawn(nodes_of(SUM, text), text) == [
        'sum  "(1+2)+34"  0-8',
        '├─ part  "(1+2)"  0-5',
        '│  ├─ "("  0-1',
        '│  ├─ sum  "1+2"  1-4',
        '│  │  ├─ part › DIGIT  "1"  1-2',
        '│  │  ├─ "+"  2-3',
        '│  │  └─ part › DIGIT  "2"  3-4',
        '│  └─ ")"  4-5',
        '├─ "+"  5-6',
        '└─ part › DIGIT ×2  "34"  6-8',
    ]


def test_the_same_in_ascii() -> None:
    text = "(1)+2"
    plain = drawn(nodes_of(SUM, text), text, strokes=ASCII)
    assert "\n".join(plain).isascii()
    assert plain[1:4] == ['|- part  "(1)"  0-3', '|  |- "("  0-1', '|  |- sum > part > DIGIT  "1"  1-2']
    assert plain[-1] == '`- part > DIGIT  "2"  4-5'
    assert len(plain) == len(drawn(nodes_of(SUM, text), text))


ENCODINGS = {"utf-8": True, "utf-16": True, "gb18030": True, "ascii": False, "cp1252": False, "cp437": False}


@each_row("encoding", [*ENCODINGS, "no-such"])
def test_encodings(encoding: str) -> None:
    assert BOXES.encoded_by(encoding) is ENCODINGS.get(encoding, False)
    assert ASCII.encoded_by(encoding) is (encoding != "no-such")


@law(st.integers(0, 3 * MAX_LEVEL), few=10, many=100)
def test_margins_are_bounded_and_levels_told(depth: int) -> None:
    text = "(" * depth + ")" * depth
    lines = list(tree_lines(nodes_of(NEST, text), text))
    assert len(lines) == 3 * depth + 1
    assert max(line.level for line in lines) == min(depth, MAX_LEVEL)
    assert max(len(line.margin) for line in lines) <= 3 * MAX_LEVEL + len("(level 60) ")
    assert any(f"(level {depth}) " in line.margin for line in lines) is (depth > MAX_LEVEL)


def test_every_line_hangs_on_one_above_it() -> None:
    """A vertical stroke continues a stroke on the line above."""
    text = "(" * 40 + ")" * 40
    before = ""
    for line in tree_lines(nodes_of(NEST, text), text):
        margin = line.margin[: 3 * line.level]
        assert len(margin) == 3 * line.level
        for place in range(0, 3 * (line.level - 1), 3):
            assert margin[place] in "│ "
            assert (margin[place] == "│") is (before[place] in "│├")
        if line.level:
            above = before[3 * (line.level - 1) : 3 * line.level]
            assert above in ("", "├─ ", "│  ")
        before = margin
    assert before == "└─ "


def test_long_chains_of_rules_are_cut() -> None:
    rules = "".join(f"r{index} = r{index + 1}\n" for index in range(30)) + 'r30 = "x"\n'
    [line] = drawn(nodes_of(abnforge.loads(rules)["r0"], "x"), "x")
    assert line == 'r0 › r1 › r2 › r3 › r4 › r5 › r6 › ... 23 more ... › r30  "x"  0-1'


def test_full_has_a_line_for_each_node() -> None:
    nodes = nodes_of(SUM, "12+(3)")
    assert len(drawn(nodes, "12+(3)", full=True)) == len(nodes)


def test_no_text_reaches_the_terminal_as_it_is() -> None:
    rule = abnforge.loads("a = *b\nb = %x0-10FFFF\n")["a"]
    text = "\x1b[31m\u202e\n\x00"
    assert all(line.isprintable() for line in drawn(nodes_of(rule, text), text, full=True))


def test_of_each_level_no_more_is_read_than_is_shown() -> None:
    """Otherwise, nested brackets would be copied once for each level."""
    read = 0

    class Text(str):
        def __getitem__(self, key: Any) -> str:
            nonlocal read
            part = super().__getitem__(key)
            read += len(part)
            return part

    depth = 5_000
    text = Text("(" * depth + ")" * depth)
    nodes = [Node("nest", level, level, 2 * depth - level) for level in range(depth)]
    lines = drawn(nodes, text)
    assert len(lines) == depth
    assert lines[1] == f'└─ nest  "{"(" * TEXT_COLUMNS}..."  1-{2 * depth - 1}'
    assert read <= depth * TEXT_COLUMNS
    assert sum(map(len, lines)) <= depth * (3 * MAX_LEVEL + TEXT_COLUMNS + 60)


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
    result = boxes(nodes_of(abnforge.load(grammar)[rule], text), full=full)
    assert leaves(result, text) == text
    for index, box in enumerate(result):
        assert all(result[child].parent == index for child in box.children)
        assert all(result[child].depth == box.depth + 1 for child in box.children)
        assert box.leaf is not bool(box.children)
        assert 0 <= box.layer < LAYERS


@pytest.mark.parametrize(("grammar", "rule", "text"), TEXTS)
def test_in_full_every_rule_has_its_box(grammar: str, rule: str, text: str) -> None:
    nodes = nodes_of(abnforge.load(grammar)[rule], text)
    result = boxes(nodes, full=True)
    assert [(n.rule, n.start, n.end) for n in nodes if n.rule] == [
        (*box.names, box.start, box.end) for box in result if box.names
    ]


def told(rule: str, text: str) -> list[tuple[str, str, int]]:
    result = boxes(nodes_of(abnforge.load("rfc3986")[rule], text))
    return [(" ".join(box.names), text[box.start : box.end], box.times) for box in result]


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


def test_a_rule_has_one_color() -> None:
    result = boxes(nodes_of(abnforge.load("rfc8259")["JSON-text"], "[[1],[[2]]]"))
    colors: dict[str, set[int]] = {}
    for box in result:
        colors.setdefault(box.names[0] if box.names else "", set()).add(box.layer)
    assert all(len(each) == 1 for each in colors.values())
    assert len({min(each) for each in colors.values()}) > 2


def test_depth_does_not_matter() -> None:
    nodes = [Node("r", depth, 0, 50_000 - depth) for depth in range(50_000)]
    assert len(boxes(nodes)) == 50_000
