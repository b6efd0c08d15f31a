"""Each row of docs/comparison.md is correct."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

import abnforge
from abnforge import Grammar
from abnforge.comparison.grammars import RuleDiff, diff, diff_rules, expression
from tests.places import DATA, ROOT

SECTIONS = re.split(r"^## ", (ROOT / "docs" / "comparison.md").read_text("utf-8"), flags=re.MULTILINE)
RELATIONS = {
    "exact": "equal",
    "too wide": "narrower",
    "too narrow": "wider",
    "both too wide and too narrow": "overlap",
}
Compared = Iterator[
    tuple[RuleDiff, str, list[str]]
]  # a difference: the relation and the shortest strings on the page


def rows(number: int, columns: int) -> list[list[str]]:
    """Return the rows of the tables in a section that have this number of columns, without backticks."""
    lines = [line[2:-2].split(" | ") for line in SECTIONS[number].splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in line] for line in lines if len(line) == columns]


def equal_rules(number: int) -> list[str]:
    """Return the rules that a section lists as equal."""
    return re.findall(r"`([^`]+)`", SECTIONS[number].partition("The same in both: ")[2])


def translations(old: Grammar, new: Grammar) -> Compared:
    listed = rows(1, 6)
    results = {each.name: each for each in diff(old, new, {row[0]: row[1] for row in listed})}
    for rule, _, relation, *strings in listed:
        yield results[rule.replace("_", "-")], RELATIONS[relation], strings[:2]
    for rule, text in rows(1, 2):
        name = rule.replace("_", "-")
        yield diff_rules(old[name], expression(new, text, name)), "equal", ["", ""]


def kept_names(old: Grammar, new: Grammar) -> Compared:
    listed = {row[0]: row[1:4] for row in rows(2, 5)}
    results = [each for each in diff(old, new) if not each.relation.startswith("only-")]
    assert {each.name for each in results} == {*listed, *equal_rules(2)}
    for each in results:
        relation, *strings = listed.get(each.name, ["equal", "", ""])
        yield each, relation, strings


def draft(old: Grammar, new: Grammar) -> Compared:
    for each in diff(old, new):
        yield each, "equal", ["", ""]


def notation(old: Grammar, new: Grammar) -> Compared:
    """Return the rules of RFC 2396 in its notation (appendix A, section 2.4.3)."""
    printed = (DATA / "rfc2396_notation.txt").read_text("utf-8")
    listed = {row[0]: row[1:] for row in rows(4, 4)}
    for each in diff(abnforge.loads(printed, name="printed", dialect="rfc822"), old):
        relation, *strings = listed.get(each.name, ["equal", "", ""])
        yield each, relation, strings


def iris(old: Grammar, new: Grammar) -> Compared:
    listed = {uri: (iri, text) for uri, iri, text in rows(5, 3)}
    same = equal_rules(5)
    assert {*listed, *same} == {rule.name for rule in old.own_rules}
    for name, (other, text) in listed.items():
        yield diff_rules(old[name], new[other]), "narrower", ["", text]
    for name in same:
        other = f"i{name}" if f"i{name}" in new else name
        yield diff_rules(old[name], new[other]), "equal", ["", ""]


@pytest.mark.parametrize(
    ("compare", "old", "new", "count"),
    [
        (translations, "rfc2396", "rfc3986", 34),
        (kept_names, "rfc2396", "rfc3986", 18),
        (draft, "rfc2396bis-07", "rfc3986", 36),
        (notation, "rfc2396", "rfc3986", 44),
        (iris, "rfc3986", "rfc3987", 36),
    ],
)
def test_rows_are_computed(
    compare: Callable[[Grammar, Grammar], Compared], old: str, new: str, count: int
) -> None:
    compared = 0
    for each, relation, strings in compare(abnforge.load(old), abnforge.load(new)):
        comparison = each.comparison
        assert comparison is not None
        shown = [
            "*(empty)*" if text == "" else text or ""
            for text in (comparison.only_left, comparison.only_right)
        ]
        assert (each.name, each.relation, shown) == (each.name, relation, strings)
        compared += 1
    assert compared == count
