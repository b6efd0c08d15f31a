"""Hypothesis: strategies for matching strings and near misses.

Every choice of a derivation is a choice of Hypothesis, with the cheapest alternative and fewer iterations
first. Examples therefore shrink to simpler strings with the same verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from abnforge._arguments import instance_argument
from abnforge.automata.algebra import everything, preference
from abnforge.catalog import ArgumentError
from abnforge.charset import ANY, ANY_BYTE, BYTES, CharSet
from abnforge.conformance.edits import TRAPS, edges
from abnforge.conformance.near_misses import classes_of
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.grammar.core import Node
from abnforge.integrations.messages import message
from abnforge.text import LATIN_1

SIZE = 60  # number of characters and rules after which a string ends as soon as possible

_TRIES = 20  # maximum number of edits of one string to find a near miss


def from_rule(rule: Rule, *, size: int = SIZE) -> SearchStrategy[Any]:
    """Return a strategy for matching strings of a rule, which is compiled immediately.

    They are bytes if the alphabet of the rule is ``"bytes"``. Raises TypeError, ValueError, GrammarError for
    a rule that needs a prose-val, LimitExceeded for a rule whose strings are all too long.
    """
    return _as_inputs(rule, _matching(rule, size))


def _as_inputs(rule: Rule, texts: SearchStrategy[str]) -> SearchStrategy[Any]:
    return texts.map(lambda text: text.encode(LATIN_1)) if rule.grammar.alphabet == BYTES else texts


def _matching(rule: Rule, size: int) -> SearchStrategy[str]:
    instance_argument(rule, "rule", Rule, "a rule, as load(name)[rule] gives it")
    if size < 0:
        raise ArgumentError(message("strategy-size-negative", size=size))
    rule.grammar.compilation.refuse_prose(rule.key)
    source = source_of(rule)
    # Raise errors now, and compile now for the first verdict: within a test, Hypothesis would report the test
    # as flaky or too slow.
    rule.matches(rule._as_input(source.shortest(rule.key)))

    @st.composite
    def strings(draw: DrawFn) -> str:
        return source.drawn(rule.key, _Drawn(draw), draw(st.integers(0, size)))

    return strings()


def near_misses(rule: Rule, *, size: int = SIZE) -> SearchStrategy[Any]:
    """Return a strategy for strings that a rule rejects, one edit away from a match.

    Raises the errors of :func:`from_rule`, and ValueError for a rule that matches every string.
    """
    sentences = _matching(rule, size)
    alphabet = ANY_BYTE if rule.grammar.alphabet == BYTES else ANY
    if rule.regular and rule.automaton == everything(alphabet):
        raise ArgumentError(message("near-misses-missing", rule=rule.name))
    classes = rule.automaton.charsets if rule.regular else classes_of(rule)
    # The simplest characters come first, since they are the most readable.
    characters = sorted(
        rule._inputs({*edges(classes), *TRAPS}), key=lambda char: preference(CharSet.of(char))
    )

    @st.composite
    def strings(draw: DrawFn) -> str:
        text = draw(sentences)
        place = draw(st.integers(0, len(text)))
        char = draw(st.sampled_from(characters))
        kind = draw(st.integers(0, 2))
        edits = [text[:place] + char * (kind > 0) + text[place + (kind < 2) :]]
        # If an edited string matches again, the next position and the next character are tried.
        for step in range(1, _TRIES):
            other = characters[(characters.index(char) + step) % len(characters)]
            near = (place + step) % (len(text) + 1)
            edits += [text[:near] + other + text[near:], text[:near] + text[near + 1 :]]
        return next((edit for edit in edits if edit != text and not rule._is_match(edit)), "")

    return _as_inputs(rule, strings().filter(lambda text: not rule._is_match(text)))


class _Drawn:
    """Lets Hypothesis choose (``analysis.chance.Chance``)."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Choose an alternative, the cheapest one first: Hypothesis shrinks towards it."""
        order = sorted(range(len(items)), key=costs.__getitem__)
        return items[order[self._draw(st.integers(0, len(items) - 1))]]

    def character(self, charset: CharSet) -> str:
        """Choose a character, a readable one first."""
        return self._draw(_characters(charset))

    def turns(self) -> Callable[[], bool]:
        """Choose whether to continue; stopping is the simpler choice."""
        return lambda: self._draw(st.booleans())


def _characters(charset: CharSet) -> SearchStrategy[str]:
    simplest = preference(charset)[1]
    return st.one_of(st.just(simplest), st.integers(0, len(charset) - 1).map(charset.nth))
