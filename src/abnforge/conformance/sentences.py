"""Sentences: strings that a rule derives, chosen for what they cover or for how likely they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from random import Random

from abnforge._arguments import choice_argument, instance_argument, wrong_value
from abnforge.budget import Budget, Meter
from abnforge.catalog import ArgumentError
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.messages import message
from abnforge.conformance.sampling import Likened, Uniform
from abnforge.conformance.vectors import Vector
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule

COVERING = ("rules", "alternatives", "transitions", "pairs")
"""What a sentence is wanted for, each: a rule; an alternative, count or end of a range; a transition of the
minimal automaton; two transitions one after the other.
"""

RANDOM = ("random", "uniform", "corpus")
"""How random sentences are drawn: by the grammar's choices; each of a length alike; as a corpus is made."""

OF_AUTOMATA = ("transitions", "pairs", "uniform", "corpus")
"""What regular rules alone have."""

COUNT = 10
"""Random sentences, unless it is told how many."""

LENGTHS = 30
"""Of lengths that are not told, those of the shortest string up to so many characters more are drawn from."""

BUDGET = Budget(steps=20_000_000, memory=2_000_000_000, seconds=600)


def sentences(
    rule: Rule,
    how: str = "alternatives",
    *,
    count: int | None = None,
    seed: int | None = None,
    size: int = 60,
    length: int | None = None,
    weights: Mapping[str, float] | None = None,
    corpus: Iterable[str] | None = None,
    budget: Budget | None = None,
) -> Iterator[Vector]:
    """Strings that a rule derives, as vectors.

    ``how`` is one of ``COVERING``: shortest strings that together use everything of a kind, each once, at
    most ``count``; or of ``RANDOM``: ``count`` strings, 10 unless it is given, the same for the same
    ``seed``. ``"random"`` decides as the grammar does, up to ``size`` characters and rules; ``weights`` (rule
    name -> number) makes alternatives likelier that name a rule. ``"uniform"`` gives each string of
    ``length`` characters the same chance; without it, lengths are drawn. ``"corpus"`` goes on, at each state,
    as the texts of ``corpus`` do. Those of ``OF_AUTOMATA`` are for regular rules.

    Raises TypeError and ValueError (also where no string has the length, or no text of the corpus is one of
    the rule); UnknownNameError for a weight of no rule; GrammarError for a rule that needs a prose-val;
    LimitExceeded. Cost: linear in the grammar or the automaton; for ``"uniform"`` once that times the length.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    choice_argument(how, "how", (*COVERING, *RANDOM))
    if count is not None and count < 0:
        raise wrong_value("count", "at least 0", count)
    rule.grammar.compilation.refuse_prose(rule.key)
    if how in OF_AUTOMATA and not rule.regular:
        raise ArgumentError(message("regular-required", how=how, rule=rule.name))
    meter = (budget or BUDGET).meter(f"strings of {rule.name}", rule=rule.name)
    if how in COVERING:
        texts = _covering(rule, how, meter)
        return (Vector(text, True, how) for text in islice(texts, count))
    source = Random(seed)
    wanted = COUNT if count is None else count
    if how == "random":
        by_key = None if weights is None else {rule.grammar[name].key: each for name, each in weights.items()}
        for each in (by_key or {}).values():
            if not each >= 0:
                raise wrong_value("each of weights", "at least 0", each)
        drawn = source_of(rule)
        return (Vector(drawn.random(rule.key, source, size, by_key), True, how) for _ in range(wanted))
    acceptor = Acceptor(rule.automaton)
    if how == "uniform":
        return _uniform(rule, acceptor, length, wanted, source, meter)
    if corpus is None:
        raise ArgumentError(message("corpus-missing", rule=rule.name))
    likened = Likened(acceptor, corpus)
    if not likened.read:
        raise ArgumentError(message("corpus-unmatched", rule=rule.name))
    return (Vector(likened.string(source, size), True, how) for _ in range(wanted))


def _covering(rule: Rule, how: str, meter: Meter) -> Iterator[str]:
    if how == "alternatives":
        return source_of(rule).systematic(rule.key)
    if how == "rules":
        source = source_of(rule)
        around = {rule.key: ("", ""), **source.contexts(rule.key)}
        found = [before + source.shortest(key) + behind for key, (before, behind) in around.items()]
    else:
        found = list(of_transitions(Acceptor(rule.automaton), how == "pairs", meter))
    return iter(sorted(set(found), key=lambda text: (len(text), text)))


def of_transitions(acceptor: Acceptor, pairs: bool, meter: Meter) -> Iterator[str]:
    """A shortest string by way of each transition, or of each pair of them. Raises LimitExceeded."""
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


def _uniform(
    rule: Rule, acceptor: Acceptor, length: int | None, count: int, source: Random, meter: Meter
) -> Iterator[Vector]:
    uniform = Uniform(acceptor, meter)
    if length is not None:
        if length < 0:
            raise wrong_value("length", "at least 0", length)
        lengths = [length] if uniform.count(length) else []
    else:
        shortest = acceptor.completions[0]
        first = 0 if shortest is None else len(shortest)
        lengths = [each for each in range(first, first + LENGTHS + 1) if uniform.count(each)]
    if not lengths:
        if length is None:
            raise ArgumentError(message("rule-unmatched", rule=rule.name))
        raise ArgumentError(message("length-unmatched", rule=rule.name, length=length))
    return (Vector(uniform.string(source.choice(lengths), source), True, "uniform") for _ in range(count))
