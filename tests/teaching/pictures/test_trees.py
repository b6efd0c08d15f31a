"""Trees as SVG and DOT are well-formed and do not overlap, whatever the string."""

from __future__ import annotations

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.teaching.derivations import Node, nodes_of
from abnforge.teaching.pictures.drawing import boxes
from abnforge.teaching.pictures.trees import EDGE, MAX_CENTERED, _lines, tree_dot, tree_svg
from tests.law import each_row

SVG = "{http://www.w3.org/2000/svg}"
ANY = abnforge.loads("a = *b\nb = c / d\nc = %x61-7A 0*1d\nd = %x0-60 / %x7B-10FFFF\n")["a"]
WHOLE = abnforge.loads("a = *%x0-10FFFF\n")["a"]
HOSTILE = "<&\"'\\]]>--\x00\x1b\u202e\ufffe漢\U0001f600</svg><script>"


def drawn(text: str, rule: abnforge.Rule = ANY) -> ElementTree.Element:
    return ElementTree.fromstring("".join(tree_svg(nodes_of(rule, text), text)))


@each_row("text", ["", "a", "a1bb2", HOSTILE, "x" * 300, "a1b" * 60])
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


@pytest.mark.parametrize("text", ["a1bb2", "a1b" * 60])
def test_lines_lead_from_box_to_box(text: str) -> None:
    svg = drawn(text)
    boxes_at = [
        [float(rect.get(name, "")) for name in ("x", "y", "width", "height")]
        for group in svg.iter(f"{SVG}g")
        for rect in group.iter(f"{SVG}rect")
    ]
    lines = [
        [float(number) for number in re.findall(r"[\d.]+", path.get("d", ""))]
        for path in svg.iter(f"{SVG}path")
    ]
    assert len(lines) == len(boxes_at) - 1
    for line in lines:
        for x, y, down in ((line[0], line[1], True), (line[-2], line[-1], False)):
            assert any(
                abs(left + wide / 2 - x) <= 0.2 and abs(top + (high if down else 0) - y) <= 0.2
                for left, top, wide, high in boxes_at
            )


def root(svg: ElementTree.Element) -> tuple[float, float]:
    """Return the start and end of the first box, from left to right."""
    rect = next(rect for group in svg.iter(f"{SVG}g") for rect in group.iter(f"{SVG}rect"))
    left = float(rect.get("x", ""))
    return left, left + float(rect.get("width", ""))


def test_the_root_of_a_wide_tree_is_at_the_left() -> None:
    small, wide = drawn("a1b" * 3), drawn("a1b" * 60)
    left, right = root(small)
    assert left < float(small.get("width", "")) / 2 < right
    assert float(wide.get("width", "")) > MAX_CENTERED
    assert root(wide)[0] == EDGE


def test_a_picture_says_what_it_is(snapshot: SnapshotAssertion) -> None:
    svg = drawn("a1")
    title, desc = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert [title.text, desc.text] == snapshot
    assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    strings = [text.text for text in svg.iter(f"{SVG}text")]
    assert strings == ["a", "b", "c", "0-2", '"a"', "0-1", "d", '"1"', "1-2"]


def test_no_text_becomes_markup() -> None:
    written = "".join(tree_svg(nodes_of(ANY, HOSTILE), HOSTILE))
    assert "<script" not in written
    assert written.isprintable() or all(char == "\n" or char.isprintable() for char in written)


def test_nothing_comes_from_elsewhere() -> None:
    written = "".join(tree_svg(nodes_of(ANY, "ab"), "ab")).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|<image|href", written)


def test_dot() -> None:
    text = 'a"\\'
    expected = (
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
    assert "".join(tree_dot(nodes_of(ANY, text), text)) == expected


def test_entities_are_text() -> None:
    """Graphviz interprets HTML entities in any label."""
    assert 'label="a\\n\\"&amp;lt;\\"\\n0-4"' in "".join(tree_dot(nodes_of(WHOLE, "&lt;"), "&lt;"))


@pytest.mark.slow
@pytest.mark.parametrize("rule", [ANY, WHOLE], ids=str)
@pytest.mark.parametrize(
    "text", ["", "ab1", 'a"\\', HOSTILE, r"\N\G\l\n<b>", "|{}<>", "&amp; &#65; \\N", "x1" * 200]
)
def test_graphviz_draws_it(text: str, rule: abnforge.Rule) -> None:
    """DOT shows the labels unchanged, since no character of a string has a meaning in DOT."""
    dot = shutil.which("dot")
    if dot is None:
        pytest.skip("Graphviz is not here")
    graph = "".join(tree_dot(nodes_of(rule, text), text))
    done = subprocess.run([dot, "-Tsvg"], input=graph, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    svg = ElementTree.fromstring(done.stdout)
    results = [each.get("class") for each in svg.iter(f"{SVG}g")]
    drawing = [
        " ".join(each.text or "" for each in group.iter(f"{SVG}text")).replace("\xa0", " ")
        for group in svg.iter(f"{SVG}g")
        if group.get("class") == "node"
    ]
    result = boxes(nodes_of(rule, text))
    assert (results.count("node"), results.count("edge")) == (len(result), len(result) - 1)
    expected = [" ".join(line for _, line in _lines(box, text)) for box in result]
    assert sorted(drawing) == sorted(expected)


def test_ten_thousand_nodes_and_a_deep_tree() -> None:
    wide = [Node("r", 0, 0, 20_000), *(Node("s", 1, 2 * n, 2 * n + 2) for n in range(10_000))]
    assert "".join(tree_svg(wide, "ab" * 10_000)).count("<g ") == 10_001
    deep = [Node("r", depth, 0, 20_000 - depth) for depth in range(20_000)]
    assert "".join(tree_svg(deep, "a" * 20_000)).count("<g ") == 20_000
