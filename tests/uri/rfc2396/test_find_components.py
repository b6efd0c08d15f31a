"""The walk that finds components in a text finds those of the parse tree."""

from __future__ import annotations

import pytest

from abnforge import load
from abnforge.uri.rfc2396 import URITransformer
from abnforge.uri.rfc2396.parse import COMPONENT_ROOTS, reader
from tests.reference.references import references

GRAMMAR = load("rfc2396")
MORE = [
    *("", "#", "a:", "a:b", "a:b/c?d", "//", "///x", "//h", "//h:", "//u@h:1/a;b;c/d?e#f", "//a_b", "//$,;"),
    *(
        "http://1.2.3.4",
        "http://1.2.3.4.",
        "http://a.",
        "mailto:x@y",
        "x/y;z",
        "a;b/c",
        "/a",
        "?q",
        "//@h",
        "//h?",
    ),
]


@pytest.mark.parametrize("name", COMPONENT_ROOTS)
def test_the_tree_has_the_same_components(name: str) -> None:
    rule, read, transform = GRAMMAR[name], reader("rfc2396", name), URITransformer().transform
    assert read is not None
    verdicts = set()
    for text in [*MORE, *references(8, 150)]:
        found = read(text)
        verdicts.add(found is not None)
        assert (found is not None) is rule.matches(text), text
        if found is not None:
            tree = transform(rule.parse(text))
            assert (found, found.rule) == (tree, tree.rule), text
    assert verdicts == {True, False}


def test_other_rules_have_no_components_to_find() -> None:
    assert reader("rfc2396", "authority") is None
    assert reader("rfc2396", "path") is None
