"""Test suites of a rule, and what it means to pass them.

For a regular rule there is a suite that is complete: every implementation that passes it, treats the
characters of a class alike, and needs at most so many states, *is* equal. Other passes ask for what
implementations get wrong beyond that. A rule that recurses has no complete suite; it has one that covers what
its grammar says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from abnforge.arguments import choice_argument, instance_argument
from abnforge.budget import Budget
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.complete import complete_words
from abnforge.conformance.passes import boundaries, fuzz, loops, words
from abnforge.conformance.recursive import sentences_of, spoilt, with_words
from abnforge.conformance.vectors import Vector
from abnforge.engine.rule import Rule

LEVELS = ("quick", "complete", "extra")
"""How much is asked: the complete suite alone; that and what libraries get wrong; more of the latter."""

BUDGET = Budget(steps=20_000_000, memory=4_000_000_000, seconds=600)
"""What making a suite may take, unless it is told: one more state of URI's automaton is allowed for, and two
more are not.
"""

_FUZZ = {"quick": 0, "complete": 10_000, "extra": 100_000}
_SENTENCES = {"quick": 200, "complete": 3_000, "extra": 30_000}
_SEED = 3986


class Suite(Sequence[Vector]):
    """The vectors of a rule, shortest first, each string once; the same in every run.

    ``guarantee`` says in words what passing means, and what it does not. ``states`` is the number of states
    up to which it is complete, None for a rule that recurses.
    """

    def __init__(self, rule: Rule, vectors: Iterable[Vector], states: int | None, guarantee: str) -> None:
        self.rule = rule
        self.states = states
        self.guarantee = guarantee
        found: dict[str, Vector] = {}
        for vector in vectors:
            found.setdefault(vector.text, vector)
        self._vectors = sorted(found.values(), key=lambda vector: (len(vector.text), vector.text))

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, index: int | slice) -> Vector | Sequence[Vector]:  # type: ignore[override]
        return self._vectors[index]

    def __iter__(self) -> Iterator[Vector]:
        return iter(self._vectors)

    def __repr__(self) -> str:
        return f"<Suite of {self.rule.name}: {len(self):,} strings>"


def suite(
    rule: Rule, level: str = "complete", extra_states: int = 0, *, budget: Budget | None = None
) -> Suite:
    """The suite of a rule.

    ``level`` is one of ``LEVELS``; with ``extra_states`` it is complete for implementations that need so many
    states more than the rule. Raises TypeError, ValueError; GrammarError for a rule that needs a prose-val;
    LimitExceeded where it takes more than ``budget``. Cost: for URI of RFC 3986 36,239 strings, 815,322 with
    one state more, and some 70,000 for the other passes.
    """
    instance_argument(rule, "rule", Rule, "a rule, as load(name)[rule] gives it")
    choice_argument(level, "level", LEVELS)
    instance_argument(extra_states, "extra_states", int, "a number of states")
    if extra_states < 0:
        raise ValueError("extra_states is a number of states, and not below 0")
    rule.grammar.compilation.refuse_prose(rule.key)
    budget = budget or BUDGET
    if not rule.regular:
        if extra_states:
            raise ValueError(
                f"{rule.name} is not known to be regular: no number of states makes a suite complete for it"
            )
        return _recursive(rule, level, budget)
    acceptor = Acceptor(rule.automaton)
    meter = budget.meter(f"the suite of {rule.name}", rule=rule.name)
    vectors: Iterator[Vector] = (
        Vector(acceptor.text(word), valid, "complete")
        for word, valid in complete_words(acceptor, extra_states, meter)
    )
    if level != "quick":
        vectors = chain(vectors, _further(acceptor, level))
    states = acceptor.size + extra_states
    return Suite(rule, vectors, states, _guarantee(rule, acceptor, states, level))


def _further(acceptor: Acceptor, level: str) -> Iterator[Vector]:
    passes = (
        ("boundaries", boundaries(acceptor)),
        ("loops", loops(acceptor)),
        ("words", words(acceptor)),
        ("fuzz", fuzz(acceptor, _FUZZ[level], _SEED)),
    )
    for why, texts in passes:
        for text in texts:
            yield Vector(text, acceptor.automaton.accepts(text), why)


def _guarantee(rule: Rule, acceptor: Acceptor, states: int, level: str) -> str:
    said = (
        f"Who passes accepts exactly what {rule.name} ({rule.grammar.name}) derives, if it "
        f"can be described by an automaton of at most {states} states (the rule's has {acceptor.size}) that "
        f"treats the characters of each of {acceptor.classes} classes alike."
    )
    if level == "quick":
        return f"{said} Nothing is asked of other characters than one of each class."
    return (
        f"{said} Beyond that it was asked, and nothing is guaranteed: at every state the ends of all ranges, "
        "ASCII, and characters that are taken for ASCII; every loop up to 300 times; words that are known by "
        "heart; random strings with up to two edits."
    )


def _recursive(rule: Rule, level: str, budget: Budget) -> Suite:
    meter = budget.meter(f"the suite of {rule.name}", rule=rule.name)
    known = dict.fromkeys(sentences_of(rule, _SENTENCES[level], _SEED))
    texts = known | dict.fromkeys(with_words(list(known)))
    texts |= dict.fromkeys(spoilt(rule, list(known), _SENTENCES[level], _SEED))
    vectors = []
    for text in texts:
        meter.charge(10 + 10 * len(text))
        vectors.append(Vector(text, rule.matches(text), "sentences" if text in known else "near misses"))
    return Suite(
        rule,
        vectors,
        None,
        f"No suite is complete for {rule.name} ({rule.grammar.name}), which recurses. It was asked for short "
        "sentences that together use every alternative, count and end of a range of the rules needed, for "
        "random sentences, and for what one or two edits make of them: passing says that much and no more.",
    )
