"""Trees as SVG and DOT: well-formed, nothing overlaps, whatever the text is."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.teaching.derivations import nodes_of
from abnforge.teaching.nodes import Node
from abnforge.teaching.pictures.trees import tree_dot, tree_svg

SVG = "{http://www.w3.org/2000/svg}"
ANY = abnforge.loads("a = *b\nb = c / d\nc = %x61-7A 0*1d\nd = %x0-60 / %x7B-10FFFF\n")["a"]
HOSTILE = "<&\"'\\]]>--\x00\x1b\u202e\ufffe漢\U0001f600</svg><script>"


def drawn(text: str, rule: abnforge.Rule = ANY) -> ElementTree.Element:
    return ElementTree.fromstring("".join(tree_svg(nodes_of(rule, text), text)))


@pytest.mark.parametrize("text", ["", "a", "a1bb2", HOSTILE, "x" * 300])
def test_boxes_lie_apart_and_within_the_picture(text: str) -> None:
    svg = drawn(text)
    wide, high = float(svg.get("width", "")), float(svg.get("height", ""))
    rects = [
        tuple(float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        for group in svg.iter(f"{SVG}g")
        for rect in group.iter(f"{SVG}rect")
    ]
    assert rects
    for index, (x, y, w, h) in enumerate(rects):
        assert x >= 0
        assert y >= 0
        assert x + w <= wide
        assert y + h <= high
        for ox, oy, ow, oh in rects[:index]:
            assert x >= ox + ow or ox >= x + w or y >= oy + oh or oy >= y + h


def test_a_picture_says_what_it_is() -> None:
    svg = drawn("a1")
    title, desc = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None
    assert title.text == 'Parse tree of "a1" by a'
    assert desc is not None
    assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    said = [text.text for text in svg.iter(f"{SVG}text")]
    assert said == ["a", "b", "c", "0-2", '"a"', "0-1", "d", '"1"', "1-2"]


def test_no_text_becomes_markup() -> None:
    written = "".join(tree_svg(nodes_of(ANY, HOSTILE), HOSTILE))
    assert "<script" not in written
    assert written.isprintable() or all(char == "\n" or char.isprintable() for char in written)


def test_nothing_comes_from_elsewhere() -> None:
    written = "".join(tree_svg(nodes_of(ANY, "ab"), "ab")).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|<image|href", written)


def test_dot() -> None:
    text = 'a"\\'
    assert "".join(tree_dot(nodes_of(ANY, text), text)) == (
        "digraph tree {\n"
        '  node [shape=box, style=rounded, fontname="monospace", fontsize=11, margin="0.08,0.04"];\n'
        "  edge [arrowhead=none];\n  ordering=out;\n"
        '  n0 [label="a\\n0-3"];\n'
        '  n1 [label="b\\nc\\n0-2"];\n  n0 -> n1;\n'
        '  n2 [label="\\"a\\"\\n0-1", shape=plaintext];\n  n1 -> n2;\n'
        '  n3 [label="d\\n\\"\\"\\"\\n1-2"];\n  n1 -> n3;\n'
        '  n4 [label="b\\nd\\n\\"\\\\\\"\\n2-3"];\n  n0 -> n4;\n'
        "}\n"
    )


def test_ten_thousand_nodes_and_a_deep_tree() -> None:
    wide = [Node("r", 0, 0, 20_000), *(Node("s", 1, 2 * n, 2 * n + 2) for n in range(10_000))]
    assert "".join(tree_svg(wide, "ab" * 10_000)).count("<g ") == 10_001
    deep = [Node("r", depth, 0, 20_000 - depth) for depth in range(20_000)]
    assert "".join(tree_svg(deep, "a" * 20_000)).count("<g ") == 20_000
