"""Generate matching strings of a rule: random ones, or shortest ones that cover it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from abnforge._arguments import choice_argument, instance_argument, wrong_value
from abnforge.budget import Budget, Meter
from abnforge.catalog import ArgumentError
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.messages import message
from abnforge.conformance.vectors import Vector
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule

COVERING = ("rules", "alternatives", "transitions", "pairs")
"""The kinds of coverage: rules; alternatives, counts and ends of ranges; transitions of the minimal
automaton; pairs of them.
"""

OF_AUTOMATA = ("transitions", "pairs")  # the kinds that only regular rules have
COUNT = 10  # the default number of random strings

BUDGET = Budget(steps=20_000_000, memory=2_000_000_000, seconds=600)


def sentences(
    rule: Rule,
    how: str = "alternatives",
    *,
    count: int | None = None,
    seed: int | None = None,
    size: int = 60,
    budget: Budget | None = None,
) -> Iterator[Vector]:
    """Return matching strings of a rule, as vectors.

    If ``how`` is one of ``COVERING``, they are at most ``count`` different shortest strings that together use
    everything of a kind. If it is ``"random"``, they are ``count`` strings (default: 10) of up to ``size``
    characters and rules, determined by ``seed``. Kinds of ``OF_AUTOMATA`` require a regular rule.

    Raises TypeError and ValueError; GrammarError for a rule that needs a prose-val; LimitExceeded. Cost:
    linear in the grammar or the automaton.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    choice_argument(how, "how", (*COVERING, "random"))
    if count is not None and count < 0:
        raise wrong_value("count", "at least 0", count)
    rule.grammar.compilation.refuse_prose(rule.key)
    if how in OF_AUTOMATA and not rule.regular:
        raise ArgumentError(message("regular-required", how=how, rule=rule.name))
    meter = (budget or BUDGET).meter(f"strings of {rule.name}", rule=rule.name)
    if how in COVERING:
        texts = _covering(rule, how, meter)
        return (Vector(text, True, how) for text in islice(rule._inputs(texts), count))
    source, drawn = Random(seed), source_of(rule)
    number = COUNT if count is None else count
    texts = (drawn.random(rule.key, source, size) for _ in range(number))
    return (Vector(text, True, how) for text in rule._inputs(texts))


def _covering(rule: Rule, how: str, meter: Meter) -> Iterator[str]:
    if how == "alternatives":
        return source_of(rule).systematic(rule.key)
    if how == "rules":
        source = source_of(rule)
        around = {rule.key: ("", ""), **source.contexts(rule.key)}
        strings = [before + source.shortest(key) + behind for key, (before, behind) in around.items()]
    else:
        strings = list(of_transitions(Acceptor(rule.automaton), how == "pairs", meter))
    return iter(sorted(set(strings), key=lambda text: (len(text), text)))


def of_transitions(acceptor: Acceptor, pairs: bool, meter: Meter) -> Iterator[str]:
    """Yield a shortest string for each transition, or for each pair of transitions. Raises LimitExceeded."""
    for state in acceptor.live:
        for number in acceptor.order:
            target = acceptor.rows[state][number]
            meter.charge()
            if (behind := acceptor.completions[target]) is None:
                continue
            begun = (*acceptor.cover[state], number)
            if not pairs:
                yield acceptor.text(begun + behind)
                continue
            for second in acceptor.order:
                meter.charge()
                if (end := acceptor.completions[acceptor.rows[target][second]]) is not None:
                    meter.hold(100 + len(begun) + len(end))
                    yield acceptor.text((*begun, second, *end))
