"""Learn an implementation as an automaton, and compare it with the rule.

Active learning (Angluin 1987; Kearns and Vazirani 1994) tests whole strings. Counterexamples to hypotheses
come from the complete suites of the rule and of the hypothesis (``conformance.complete``), and then from
characters that the implementation distinguishes, well-known words and random strings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from abnforge._arguments import choice_argument, collection_argument, instance_argument, wrong_value
from abnforge._lazy import cached_property
from abnforge.automata.algebra import difference
from abnforge.automata.dfa import Automaton, number_of_strings
from abnforge.budget import Budget, Meter
from abnforge.charset import BYTES, CharSet, union
from abnforge.comparison.rules import Comparison, compare, quoted
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.edits import distinguishing_characters, fuzz, insert_words, repeat_cycles
from abnforge.conformance.judges import BlackBox, Function, Judge, Raised, as_judge, judge_for
from abnforge.conformance.learner import (
    CounterexampleSearch,
    Letters,
    available,
    initial_letters,
    learn_automaton,
    minimize,
    refine,
)
from abnforge.conformance.suites import FUZZ, LEVELS
from abnforge.engine.rule import Rule
from abnforge.engine.writing import abnf_of, is_rule_name, rule_of
from abnforge.errors import LimitExceeded

# The maximum length of the definition of a difference that is shown next to its shortest string.
_TOLD = 90


@dataclass(frozen=True)
class Learnt:
    """A learned automaton.

    ``automaton`` accepts the strings that the implementation accepts, with the certainty that ``bound``
    describes. ``reference`` is the rule. ``queries`` is the number of tested strings. ``letters`` are the
    sets of characters that make no difference, ``errors`` the kinds of exceptions.

    ``exact_for`` is the number of states, including a dead one, up to which no other automaton over the
    letters has the same results; None if learning did not end.
    """

    reference: Rule
    automaton: Automaton
    queries: int
    letters: tuple[CharSet, ...]
    exact_for: int | None
    level: str
    errors: tuple[Raised, ...] = ()

    def __iter__(self) -> Iterator[Automaton | Comparison]:
        """Yield the automaton and the comparison, for ``automaton, comparison = learn(...)``."""
        yield self.automaton
        yield self.comparison

    @property
    def states(self) -> int:
        """The states of the automaton, without a dead one."""
        return self.automaton.states

    @property
    def bound(self) -> str:
        """A description of the certainty of the result."""
        if self.exact_for is None:
            return f"Learning did not finish within {self.queries:,} queries, so the result is not verified."
        method = "one character of each class of the rule"
        if self.level != "quick":
            method = "characters tried at every state"
        return (
            f"The result is exact if an automaton of at most {self.exact_for} states describes the "
            f"implementation and treats all characters of each of {len(self.letters)} sets the same way; the "
            f"sets were found by {method}. It agrees with all {self.queries:,} queries."
        )

    @cached_property
    def rule(self) -> Rule:
        """The automaton as a rule of a grammar ``learnt``: usable like any other rule."""
        grammar = self.reference.grammar
        return rule_of(self.automaton, self._name, "learnt", grammar.compilation.budget, grammar.alphabet)

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison with the rule: ``only_left`` is wrongly accepted, ``only_right`` rejected."""
        return compare(self.rule, self.reference)

    def abnf(self) -> str:
        """Return the automaton as ABNF: an expression if it is small, else a rule for each state."""
        return abnf_of(self.automaton, self._name)

    @property
    def _name(self) -> str:
        return self.reference.name if is_rule_name(self.reference.name) else "learnt"

    def pattern(self, dialect: str = "python") -> str:
        """Return the automaton as a regular expression. Raises the errors of ``Rule.export``."""
        return self.rule.export(dialect)

    def __str__(self) -> str:
        name = self.reference.name
        states = "one state" if self.states == 1 else f"{self.states} states"
        lines = [f"{states}, learned by {self.queries:,} queries"]
        comparison = self.comparison
        if comparison.only_left is None and comparison.only_right is None:
            lines.append(f"  accepts exactly the strings of {name}")
        if comparison.only_left is not None:
            more = difference(self.automaton, self.reference.automaton)
            lines.append(f"  wrongly accepts {quoted(comparison.only_left)}{_all(more)}")
        if comparison.only_right is not None:
            less = difference(self.reference.automaton, self.automaton)
            lines.append(f"  wrongly rejects {quoted(comparison.only_right)}{_all(less)}")
        for each in self.errors:
            strings = "1 string," if each.count == 1 else f"{each.count:,} strings, such as"
            lines.append(f"  raised {each.kind} for {strings} {quoted(each.text)}")
        return "\n".join([*lines, f"  {self.bound}"])


def _all(automaton: Automaton) -> str:
    """Return all strings of a difference, if they have a short description."""
    if number_of_strings(automaton, 2) == 1:
        return " only"
    text = abnf_of(automaton, "all")
    definition = text.removeprefix("all = ").strip()
    if "\n" in definition or len(definition) > _TOLD:
        return ""
    return f", in total {definition}"


QUERIES = 1_000_000  # the default maximum number of strings

BUDGET = Budget(steps=400_000_000, memory=4_000_000_000, seconds=600)
"""The default budget of learning. Its seconds include the time of the implementation."""

# Limits of implementations: bytes, ports, integers of 32 and 64 bits.
NUMBERS = (
    *("255", "256", "999", "0000", "65535", "65536", "99999", "000080", "2147483647", "2147483648"),
    *("4294967295", "4294967296", "9223372036854775808", "18446744073709551616"),
)

_SEED = 3986

# The number of counterexamples after which a new hypothesis is built.
_AT_ONCE = 10


class UnfinishedError(LimitExceeded):
    """A limit ended learning. ``learnt`` is the last hypothesis, without a guarantee, or None."""

    learnt: Learnt | None = None


def learn(
    judge: Judge | Function | re.Pattern[str],
    alphabet_from: Rule,
    level: str = "complete",
    *,
    seeds: Collection[str] = (),
    queries: int = QUERIES,
    errors: str = "no",
    budget: Budget | None = None,
) -> Learnt:
    """Learn the automaton of an implementation, and compare it with a regular rule.

    ``judge`` is called with a string; its result counts as a boolean, and an exception counts as ``errors``:
    ``no``, ``yes``, or ``raise``, which ends learning. A compiled pattern must match the whole string. No
    string is tested twice, except for up to a thousand at the end.

    ``level`` is one of ``LEVELS``. ``quick`` tests one character for each class of the rule; the other levels
    also test characters that the implementation may distinguish, well-known words and random strings.
    ``seeds`` are tested first. Pass accepted strings for an implementation that requires a word: otherwise
    the learned automaton of one that requires ``http`` accepts nothing.

    Raises TypeError; ValueError, including for a rule that is not known to be regular; UnsteadyError for two
    results of one string; UnfinishedError beyond ``queries`` strings or ``budget``; ModuleNotFoundError
    without AALpy. Cost: for URI of RFC 3986 126,000 strings and 2 seconds, in addition to the
    implementation's time; more for implementations with more states.
    """
    instance_argument(alphabet_from, "alphabet_from", Rule, "a Rule")
    choice_argument(level, "level", LEVELS)
    collection_argument(seeds, "seeds", "strings")
    instance_argument(queries, "queries", int, "an int")
    if queries < 1:
        raise wrong_value("queries", "at least 1", queries)
    instance_argument(budget, "budget", Budget | None, "a Budget or None")
    available()
    reference = alphabet_from.automaton
    operation = f"learning an implementation of {alphabet_from.name}"
    budget = budget or BUDGET
    meter = budget.meter(operation, rule=alphabet_from.name)
    if alphabet_from.grammar.alphabet == BYTES:
        judge = judge_for(alphabet_from, as_judge(judge, alphabet_from))
    box = BlackBox(judge, errors, queries, meter)
    learning = _Learning(box, reference, level, tuple(seeds), meter, budget)
    try:
        learning.run()
    except LimitExceeded as error:
        box.repeat()
        raise _unfinished(error, learning.learnt(alphabet_from, known=False)) from None
    box.repeat()
    result = learning.learnt(alphabet_from, known=True)
    assert result is not None
    return result


def _unfinished(error: LimitExceeded, learnt: Learnt | None) -> UnfinishedError:
    unfinished = UnfinishedError(
        error.message,
        operation=error.operation,
        used=error.used,
        limit=error.limit,
        setting=error.setting,
        code=error.code,
        rule=error.rule,
    )
    unfinished.learnt = learnt
    return unfinished


class _Learning:
    """The letters, the hypothesis, and the counterexamples to earlier hypotheses."""

    def __init__(
        self,
        box: BlackBox,
        reference: Automaton,
        level: str,
        seeds: tuple[str, ...],
        meter: Meter,
        budget: Budget,
    ) -> None:
        self._box = box
        self._reference = reference
        self._level = level
        self._seeds = seeds
        self._meter = meter
        self._budget = budget
        self._letters = Letters(reference.charsets)
        self._characters = [] if level == "quick" else distinguishing_characters(reference.charsets)
        self._moved = CharSet()
        self._texts: dict[str, None] = {}
        self._hypothesis: Automaton | None = None
        self._more = 0

    def run(self) -> None:
        """Learn until no tested string is a counterexample. Raises LimitExceeded."""
        if self._level != "quick":
            self._letters = initial_letters(self._reference, self._box.accepts)
        while True:
            hypothesis = self._learn()
            if not (self._part(hypothesis, self._characters) or self._wrong_about(hypothesis)):
                return

    def learnt(self, rule: Rule, *, known: bool) -> Learnt | None:
        """Return the result; ``known`` says whether learning finished."""
        if self._hypothesis is None:
            return None
        states = Acceptor(self._hypothesis).size + self._more
        return Learnt(
            reference=rule,
            automaton=self._hypothesis,
            queries=self._box.asked,
            letters=self._letters.sets,
            exact_for=states if known else None,
            level=self._level,
            errors=self._box.raised,
        )

    def _learn(self) -> Automaton:
        further = [self._letters.word(text) for text in self._texts]
        extra = int(self._level == "extra")
        search = CounterexampleSearch(
            self._box, self._letters, self._reference, extra, further, self._meter, self._budget
        )

        def member(word: Word) -> bool:
            return self._box.accepts(self._letters.text(word))

        def counterexample(hypothesis: Automaton) -> Word | None:
            self._hypothesis = hypothesis
            return search.counterexample(hypothesis)

        self._hypothesis = learn_automaton(self._letters, member, counterexample)
        self._more = search.extra_states(self._hypothesis)
        return self._hypothesis

    def _wrong_about(self, hypothesis: Automaton) -> bool:
        """Return whether some string is a counterexample; keep its letters and words."""
        accepts = self._box.accepts
        counterexamples: list[str] = []
        for text in chain(self._box.texts, self._further(hypothesis)):
            if accepts(text) is not hypothesis.accepts(text):
                counterexamples.append(text)
                if len(counterexamples) == _AT_ONCE:
                    break
        own: set[str] = set()
        for text in sorted(counterexamples, key=lambda each: (len(each), each)):
            smaller, matter = minimize(text, self._letters, accepts)
            self._texts[smaller] = None
            own |= matter
        own -= set(map(chr, self._part(hypothesis, sorted(own))))
        # No shortest continuation distinguishes these characters at any state, so each becomes a letter.
        self._letters = self._letters.moved((CharSet.of(char), None) for char in sorted(own))
        return bool(counterexamples)

    def _further(self, hypothesis: Automaton) -> Iterator[str]:
        if self._level == "quick":
            return iter(self._seeds)
        acceptor, own = Acceptor(self._reference), Acceptor(self._letters.over(hypothesis))
        characters = sorted({*self._characters, *self._letters.characters})
        count = FUZZ[self._level]
        return chain(
            self._seeds,
            insert_words(acceptor),
            insert_words(acceptor, NUMBERS),
            fuzz(acceptor, count, _SEED),
            repeat_cycles(own),
            fuzz(own, count, _SEED, characters),
        )

    def _part(self, hypothesis: Automaton, characters: Sequence[str]) -> CharSet:
        """Move characters, and neighbors, that their representative does not represent to other letters.

        Return the moved characters. At first they join a letter with the same results, if there is one; later
        each becomes a new letter.
        """
        groups: list[tuple[CharSet, int | None]] = []
        if characters:
            parts = refine(self._letters, self._reference, hypothesis, characters, self._box.accepts)
            for group, number in parts:
                groups += [(group - self._moved, number), (group & self._moved, None)]
        groups = [(group, number) for group, number in groups if group]
        moved = union(group for group, _ in groups)
        self._moved |= moved
        self._letters = self._letters.moved(groups)
        return moved
