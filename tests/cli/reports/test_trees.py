"""Trees as text and JSON."""

from __future__ import annotations

import json

import click
from lark import Token, Tree

from abnforge.cli.common.output import Style
from abnforge.cli.reports.trees import draw_tree, flatten, tree_json


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
    assert list(draw_tree(nodes, TEXT, style=Style(ascii=True))) == [
        'TOP  "foo://x"  0-7',
        '|- WORD > PCHAR x3  "foo"  0-3',
        '|- "://"  3-6',
        '|- EMPTY  ""  6-6',
        '`- WORD > PCHAR > ALPHA  "x"  6-7',
    ]


def test_full_text_shows_every_node() -> None:
    nodes = flatten(TREE, str)
    assert len(list(draw_tree(nodes, TEXT, full=True))) == len(nodes) == 17


def test_colours_change_nothing_else() -> None:
    nodes = flatten(TREE, str)
    coloured = list(draw_tree(nodes, TEXT, style=Style(colour=True)))
    assert list(map(click.unstyle, coloured)) == list(draw_tree(nodes, TEXT))
    assert (
        click.style("EMPTY", bold=True)
        in list(draw_tree(flatten(TREE, str.upper), TEXT, style=Style(True)))[3]
    )


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
    assert len(list(draw_tree(nodes, "x", full=True))) == depth + 2
    assert "".join(tree_json(nodes, "x")).count("]}") == depth + 1
    while tree.children and isinstance(tree.children[0], Tree):  # or its deallocation would recurse
        tree = tree.children[0]
