"""Strings that a rule derives: at random, or short ones that together use everything."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from abnforge.engine.rule import Rule
from abnforge.grammar.sentences import Sentences


def source_of(rule: Rule) -> Sentences:
    """The strings that derive from a rule."""
    core, facts, _ = rule.grammar.compilation.derivation_rules(rule.key)
    return Sentences(core, facts, rule.grammar.compilation.budget)


def sentences(
    rule: Rule, *, count: int = 10, seed: int | None = None, size: int = 60, systematic: bool = False
) -> Iterator[str]:
    """``count`` strings that a rule derives, at random; every alternative, count and character has a chance.

    The same ``seed`` gives the same strings; without one they are others each time. From ``size`` characters
    and rules on, a string is ended as soon as possible. With ``systematic`` they are, instead, short strings
    that together use everything once.

    When the first string is asked for, raises ValueError for a negative size, and LimitExceeded for a rule
    without a string that is short enough, or where what is done before it, or a string, takes more than the
    grammar's budget. Cost: once, a few passes over the grammar; then linear in what is derived.
    """
    source = source_of(rule)
    key = rule.key
    if systematic:
        yield from source.systematic(key)
        return
    random = Random(seed)
    for _ in range(count):
        yield source.random(key, random, size)
