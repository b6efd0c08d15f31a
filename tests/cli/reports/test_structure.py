"""Structures for people: components, trees, and what stands between them."""

from __future__ import annotations

from dataclasses import replace

import abnforge
from abnforge.cli.common.inputs import Item
from abnforge.cli.common.judge import judge
from abnforge.cli.common.outcome import Target
from abnforge.cli.common.structure import Structure
from abnforge.cli.common.usage import UsageError
from abnforge.cli.reports.structure import Components, ComponentsOrTree, Tree
from tests.cli.command import Seen
from tests.cli.reports.outcomes import run
from tests.raising import raises


def structures(rule: str, *texts: str) -> list[Structure]:
    chosen = abnforge.load("rfc3986")[rule]
    records = [Item("f", number, text) for number, text in enumerate(texts, 1)]
    outcomes = judge(records, chosen, Target("rfc3986", rule))
    return [Structure(outcome, chosen, "auto", "rfc3986") for outcome in outcomes]


def test_components_where_there_are_any() -> None:
    assert run(ComponentsOrTree, *structures("URI", "a:b")) == run(Components, *structures("URI", "a:b"))
    assert run(ComponentsOrTree, *structures("port", "80")) == run(Tree, *structures("port", "80"))
    with raises(UsageError, "structure-unavailable", rule="port"):
        run(Components, *structures("port", "80"))


def test_a_line_for_every_character_if_everything_is_told() -> None:
    assert run(Tree, *structures("port", "80")) == 'port › DIGIT ×2  "80"  0-2\n'
    assert run(Tree, *structures("port", "80"), full=True).count("DIGIT") == 2


def test_a_blank_line_stands_between_strings_and_what_is_rejected_is_explained(seen: Seen) -> None:
    one, two, three = run(Tree, *structures("port", "8", "x", "")).split("\n\n")
    assert one == 'port › DIGIT  "8"  0-1'
    seen(two)
    assert three == 'port  ""  0-0\n'


def test_whole_files_that_are_rejected_tell_which(seen: Seen) -> None:
    [structure] = structures("port", "x")
    whole = replace(structure.outcome, record=Item("f", 1, "x", whole=True))
    seen(run(Tree, replace(structure, outcome=whole)))
