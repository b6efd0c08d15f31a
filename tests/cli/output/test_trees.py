"""Trees as text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import click
import lark
import pytest
from lark import Token

import abnforge
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.inputs import StringRecord
from abnforge.cli.common.outcome import Structure, Target
from abnforge.cli.common.output import Style
from abnforge.cli.common.validation import validate_records
from abnforge.cli.output.trees import (
    Components,
    ComponentsOrTree,
    TreeDot,
    TreeLines,
    TreePage,
    TreeSvg,
    draw_tree,
    flatten,
    tree_json,
)
from tests.cli.command import Seen
from tests.cli.output.outcomes import run
from tests.raising import raises


def chars(rule: str, text: str) -> list[lark.Tree[Token]]:
    return [lark.Tree(rule, [lark.Tree("alpha", [Token("X", c)])]) for c in text]


TREE = lark.Tree(
    "top",
    [
        lark.Tree("word", chars("pchar", "foo")),
        Token("COLON", "://"),
        lark.Tree("empty", []),
        lark.Tree("word", chars("pchar", "x")),
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


def test_colors_change_nothing_else() -> None:
    nodes = flatten(TREE, str)
    colored = list(draw_tree(nodes, TEXT, style=Style(color=True)))
    assert list(map(click.unstyle, colored)) == list(draw_tree(nodes, TEXT))
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
    tree: lark.Tree[Token] = lark.Tree("r", [Token("X", "x")])
    for _ in range(depth):
        tree = lark.Tree("r", [tree])
    nodes = flatten(tree, str)
    assert len(list(draw_tree(nodes, "x", full=True))) == depth + 2
    assert "".join(tree_json(nodes, "x")).count("]}") == depth + 1
    while tree.children and isinstance(
        tree.children[0], lark.Tree
    ):  # otherwise, deallocating the tree would recurse
        tree = tree.children[0]


def structures(rule: str, *texts: str) -> list[Structure]:
    chosen = abnforge.load("rfc3986")[rule]
    records = [StringRecord("f", number, text) for number, text in enumerate(texts, 1)]
    outcomes = validate_records(records, chosen, Target("rfc3986", rule))
    return [Structure(outcome, chosen, "auto", "rfc3986") for outcome in outcomes]


def test_components_where_there_are_any() -> None:
    assert run(ComponentsOrTree, *structures("URI", "a:b")) == run(Components, *structures("URI", "a:b"))
    assert run(ComponentsOrTree, *structures("port", "80")) == run(TreeLines, *structures("port", "80"))
    with raises(UsageError, "structure-unavailable", rule="port"):
        run(Components, *structures("port", "80"))


def test_a_line_for_every_character_if_everything_is_reported() -> None:
    assert run(TreeLines, *structures("port", "80")) == 'port › DIGIT ×2  "80"  0-2\n'
    assert run(TreeLines, *structures("port", "80"), full=True).count("DIGIT") == 2


def test_a_blank_line_stands_between_strings_and_what_is_rejected_is_explained(seen: Seen) -> None:
    one, two, three = run(TreeLines, *structures("port", "8", "x", "")).split("\n\n")
    assert one == 'port › DIGIT  "8"  0-1'
    seen(two)
    assert three == 'port  ""  0-0\n'


def test_whole_files_that_are_rejected_tell_which(seen: Seen) -> None:
    [structure] = structures("port", "x")
    whole = replace(structure.outcome, record=StringRecord("f", 1, "x", whole=True))
    seen(run(TreeLines, replace(structure, outcome=whole)))


def test_svg_is_for_one_string(capsys: pytest.CaptureFixture[str], seen: Seen) -> None:
    assert run(TreeSvg, *structures("port", "x", "80")).startswith("<svg ")
    seen(capsys.readouterr().err)
    with pytest.raises(click.UsageError, match="--format html"):
        run(TreeSvg, *structures("port", "80", "81"))


def test_dot_and_html_are_for_several(capsys: pytest.CaptureFixture[str]) -> None:
    several = structures("port", "80", "<x>", "81")
    assert run(TreeDot, *several).count("digraph") == 2
    assert "not valid" in capsys.readouterr().err
    page = run(TreePage, *several)
    assert (page.count("<section>"), page.count("</html>")) == (3, 1)
    assert "not valid: " in page
    assert "<x>" not in page
    assert run(TreePage) == ""
