"""Named groups hold what the tree's rules do, and change no verdict."""

from __future__ import annotations

from functools import cache

import pytest
from lark import Tree

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.law import one_in
from tests.laws.texts import texts
from tests.reference.engines import ENGINES, holds

GROUPS = [
    *("scheme", "authority", "userinfo", "host", "port", "query", "fragment", "IP-literal", "IPv4address"),
    *("reg-name", "path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty"),
]
NAMED = [dialect for dialect in DIALECTS.values() if dialect.group]


def held(tree: Tree, rule: str) -> str | None:
    """The text of the first node of a rule."""
    node = next(iter(tree.find_data(rule)), None)
    return None if node is None else "".join(node.scan_values(lambda token: True))


@cache
def in_tree(text: str) -> dict[str, str | None]:
    """What the groups should hold."""
    rule = abnforge.load("rfc3986")["URI-reference"]
    names = {abnf: lark for lark, abnf in rule.lark_names.items()}
    tree = rule.parse(text)
    return {group: held(tree, names[group]) for group in GROUPS}


@pytest.mark.parametrize("dialect", one_in(2, NAMED), ids=lambda dialect: dialect.name)
def test_groups_hold_what_trees_do(dialect) -> None:
    rule = abnforge.load("rfc3986")["URI-reference"]
    pattern = rule.export(dialect.name, groups=GROUPS)
    # A rule that stands in two places of this rule has two groups, of which one takes part.
    columns = [
        (rule, dialect.identifier(rule.lower(), number))
        for rule in GROUPS
        for number in range(1, 20)
        if f"<{dialect.identifier(rule.lower(), number)}>" in pattern
    ]
    assert [rule for rule, _ in columns if rule in ("scheme", "host")] == ["scheme", "host", "host"]
    groups = [group for _, group in columns]
    pairs = [(t, v) for t, v in texts("rfc3986", "URI-reference", 60) if holds(dialect.name, t)]
    (found,) = ENGINES[dialect.name]([(pattern, groups, [text for text, _ in pairs])])
    for (text, valid), answer in zip(pairs, found, strict=True):
        assert (answer is not None) is valid, text
        if answer is None:
            continue
        by_rule: dict[str, str | None] = dict.fromkeys(GROUPS)
        for (group, _), value in zip(columns, answer, strict=True):
            by_rule[group] = value if by_rule[group] is None else by_rule[group]
        assert by_rule == in_tree(text), text


# ABNF, groups, a text, and what the groups hold: the first alternative that leads to a derivation.
CHOICES = [
    ('start = a / b\na = "1" / "2"\nb = 1*DIGIT', "ab", "1", ("1", None)),
    ('start = a / b\na = "1" / "2"\nb = 1*DIGIT', "ab", "11", (None, "11")),
    ('start = b / a\na = "1" / "2"\nb = 1*DIGIT', "ab", "1", (None, "1")),
    ('start = "1" / a / "2"\na = DIGIT', "a", "2", ("2",)),  # the last one may not move to the front
    ('start = "1" / a / "2"\na = DIGIT', "a", "1", (None,)),
    ('start = ("" / a) *"x"\na = "x"', "a", "xx", (None,)),
    ('start = (a / "") *"x"\na = "x"', "a", "xx", ("x",)),
    ('start = *(a / b)\na = %s"x"\nb = %s"y" %s"z"', "ab", "xyz", None),  # see below: the engines differ
]


@pytest.mark.parametrize("dialect", NAMED, ids=lambda dialect: dialect.name)
def test_groups_follow_the_order_of_alternatives(dialect) -> None:
    jobs = [
        (abnforge.loads(grammar)["start"].export(dialect.name, groups=list(groups)), tuple(groups), [text])
        for grammar, groups, text, _ in CHOICES
    ]
    found = [answers[0] for answers in ENGINES[dialect.name](jobs)]
    assert [f for f, (*_, e) in zip(found, CHOICES, strict=True) if e] == [e for *_, e in CHOICES if e]
    # In a loop the last iteration counts; ECMAScript forgets what groups held in the one before.
    assert found[-1] == (None if dialect.name == "ecmascript" else "x", "yz")
