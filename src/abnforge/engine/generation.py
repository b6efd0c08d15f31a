"""Strings that a rule matches: at random, or short ones that together use everything."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from abnforge.engine.rule import Rule
from abnforge.grammar.sentences import Sentences


def source_of(rule: Rule) -> Sentences:
    """Return the source of strings of a rule."""
    core, facts, _ = rule.grammar.compilation.derivation_rules(rule.key)
    return Sentences(core, facts, rule.grammar.compilation.budget)


def sentences(
    rule: Rule, *, count: int = 10, seed: int | None = None, size: int = 60, systematic: bool = False
) -> Iterator[str]:
    """Yield ``count`` random strings of a rule; each alternative, count and character has a chance.

    The same ``seed`` yields the same strings; without a seed, each call yields others. From ``size``
    characters and rules on, a string ends as soon as possible. ``systematic`` yields short strings instead,
    which together use everything once.

    The first string raises ValueError for a negative size, and LimitExceeded for a rule without a string that
    is short enough, or if the grammar's budget is exceeded. Cost: linear in the grammar once; then
    linear in the strings.
    """
    source = source_of(rule)
    key = rule.key
    if systematic:
        yield from source.systematic(key)
        return
    random = Random(seed)
    for _ in range(count):
        yield source.random(key, random, size)
