"""The pattern that finds components in a text finds those of the parse tree."""

from __future__ import annotations

import pytest

from abnforge import load
from abnforge.uri import URITransformer
from abnforge.uri.rfc3986.parse import COMPONENT_ROOTS, reader
from tests.reference.references import references

GRAMMAR = load("rfc3986")


@pytest.mark.parametrize("name", COMPONENT_ROOTS)
def test_the_tree_has_the_same_components(name: str) -> None:
    rule, read, transform = GRAMMAR[name], reader("rfc3986", name), URITransformer().transform
    assert read is not None
    verdicts = set()
    for text in references(7, 200):
        found = read(text)
        verdicts.add(found is not None)
        assert (found is not None) is rule.matches(text)
        if found is not None:
            assert found.to_dict() == transform(rule.parse(text)).to_dict()
    assert True in verdicts


def test_other_rules_have_no_components_to_find() -> None:
    assert reader("rfc3986", "authority") is None
