"""Trees as text and JSON."""

from __future__ import annotations

import json
from typing import Any

from lark import Token, Tree

from abnforge.cli.reports.trees import MAX_INDENT, TEXT_COLUMNS, Node, draw_tree, flatten, tree_json


def chars(rule: str, text: str) -> list[Tree[Token]]:
    return [Tree(rule, [Tree("alpha", [Token("X", c)])]) for c in text]


TREE = Tree(
    "top",
    [
        Tree("word", chars("pchar", "foo")),
        Token("COLON", "://"),
        Tree("empty", []),
        Tree("word", chars("pchar", "x")),
    ],
)
TEXT = "foo://x"


def test_text() -> None:
    nodes = flatten(TREE, str.upper)
    assert list(draw_tree(nodes, TEXT)) == [
        'TOP  "foo://x"',
        '  WORD  "foo"',
        '    PCHAR  "foo"  (3 times)',
        '  "://"',
        '  EMPTY  ""',
        '  WORD  "x"',
        '    PCHAR  "x"',
        '      ALPHA  "x"',
    ]


def test_full_text_shows_every_node() -> None:
    nodes = flatten(TREE, str)
    assert len(list(draw_tree(nodes, TEXT, full=True))) == len(nodes) == 17


def test_json_gives_the_input_back() -> None:
    tree = json.loads("".join(tree_json(flatten(TREE, str), TEXT)))
    assert (tree["rule"], tree["start"], tree["end"]) == ("top", 0, 7)
    assert [c.get("rule", c.get("text")) for c in tree["children"]] == ["word", "://", "empty", "word"]
    assert tree["children"][1] == {"text": "://", "start": 3, "end": 6}
    assert tree["children"][2] == {"rule": "empty", "start": 6, "end": 6, "children": []}

    def leaves(node: dict) -> str:  # type: ignore[type-arg]
        return node["text"] if "text" in node else "".join(map(leaves, node["children"]))

    assert leaves(tree) == TEXT


def test_depth_does_not_matter() -> None:
    depth = 50_000
    tree: Tree[Token] = Tree("r", [Token("X", "x")])
    for _ in range(depth):
        tree = Tree("r", [tree])
    nodes = flatten(tree, str)
    lines = list(draw_tree(nodes, "x", full=True))
    assert len(lines) == depth + 2
    assert lines[-1] == "  " * MAX_INDENT + f'(level {depth + 1}) "x"'
    assert "".join(tree_json(nodes, "x")).count("]}") == depth + 1
    while tree.children and isinstance(tree.children[0], Tree):  # or its deallocation would recurse
        tree = tree.children[0]


def test_of_each_level_no_more_is_read_than_is_shown() -> None:
    """Else a document of nested brackets would be copied as often as it is deep."""
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
    lines = list(draw_tree(nodes, text))
    assert len(lines) == depth
    assert lines[1] == f'  nest  "{"(" * TEXT_COLUMNS}..."'
    assert read <= depth * TEXT_COLUMNS
