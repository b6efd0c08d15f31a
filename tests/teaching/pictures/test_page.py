"""Trees as an HTML page: elements are closed, nothing is fetched, and nesting is limited."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import abnforge
from abnforge.teaching.derivations import Node, nodes_of
from abnforge.teaching.pictures.page import INPUT, NESTED, PAGE_END, page_head, tree_section
from tests.teaching.pictures.test_trees import ANY, HOSTILE

VOID = {"meta"}


class Reader(HTMLParser):
    """Parser that requires elements to be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.deepest = 0
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag != "script"
        if tag not in VOID:
            self.open.append(tag)
            self.deepest = max(self.deepest, len(self.open))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def said(self) -> str:
        return "".join(self.pieces)


def read(text: str, nodes: list[Node]) -> Reader:
    page = page_head(f"of {text[:50]}") + "".join(tree_section(nodes, text)) + PAGE_END
    assert not re.search(r"https?:|url\(|@import|src=|href=", page.replace(text, ""))
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_a_page() -> None:
    text = "http://host:80/a"
    nodes = nodes_of(abnforge.load("rfc3986")["URI"], text)
    page = "".join(tree_section(nodes, text))
    assert '<b>port › DIGIT</b> <span class="soft">×2</span> <q>&quot;80&quot;</q>' in page
    assert '<span class="soft">12-14</span>' in page
    assert page.count("<details") == page.count(" open>") == page.count("<summary>")
    read(text, nodes)


def test_any_text() -> None:
    for text in ("", HOSTILE):
        result = read(text, nodes_of(ANY, text)).said
        assert all(char == "\n" or char.isprintable() for char in result)


@pytest.mark.slow
def test_a_deep_tree_is_numbered() -> None:
    deep = [Node("r", depth, 0, 20_000 - depth) for depth in range(20_000)]
    reader = read("a" * 20_000, deep)
    assert reader.deepest <= NESTED + 8
    assert "level 19,999" in reader.said
    assert f"{20_000 - INPUT:,} more characters" in reader.said


def test_of_a_large_tree_the_first_levels_are_open() -> None:
    nodes = [Node("r", 0, 0, 4_000)]
    for n in range(1_000):
        nodes += [
            Node("s", 1, 4 * n, 4 * n + 4),
            Node("t", 2, 4 * n, 4 * n + 2),
            Node("t", 2, 4 * n + 2, 4 * n + 4),
        ]
        nodes += [Node("u", 3, 4 * n + 2, 4 * n + 3), Node(None, 3, 4 * n + 3, 4 * n + 4)]
    page = "".join(tree_section(nodes, "abcd" * 1_000))
    assert page.count("<details") == 2_001
    assert page.count(" open>") == 1_001
