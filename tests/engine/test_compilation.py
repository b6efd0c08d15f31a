"""What rules compile to: each regular rule has a pattern, which is its automaton's language."""

from __future__ import annotations

import itertools
import re

import pytest

import abnforge

REWRITTEN = [
    ("hostname", "a1-.", 7),
    ("host", "a1-.", 7),
    ("hostport", "a1-.:", 6),
    ("domainlabel", "a1-", 8),
]


@pytest.mark.parametrize(("name", "alphabet", "length"), REWRITTEN)
def test_rewritten_expressions_on_all_short_texts(name: str, alphabet: str, length: int) -> None:
    """Rules whose definitions are not safe to match; with possessive quantifiers and without."""
    rule = abnforge.load("rfc2396")[name]
    accepts = rule.automaton.accepts
    patterns = [rule.export("python", anchored=False), rule.export("ecmascript", anchored=False)]
    matchers = [re.compile(pattern).fullmatch for pattern in patterns]
    for size in range(length + 1):
        for chars in itertools.product(alphabet, repeat=size):
            text = "".join(chars)
            assert {match(text) is not None for match in matchers} == {accepts(text)}, text


def test_every_regular_rule_of_the_uri_grammars_has_a_pattern() -> None:
    for name in ("rfc2396", "rfc2396bis-07", "rfc3986", "rfc3987", "rfc6874"):
        assert [rule.name for rule in abnforge.load(name).values() if rule.pattern is None] == []
