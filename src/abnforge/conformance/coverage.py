"""Measure which parts of a grammar a corpus uses: rules, alternatives, repetition counts, transitions.

Purdom (1972) generated strings that use every rule; this module measures the same for existing strings
(Laemmel 2001). Only the derivation that ``parse`` prefers is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any, Self

from abnforge._arguments import Text, instance_argument, is_pieces, wrong_type
from abnforge._lazy import NotebookView
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.usage import (
    Example,
    MarkedRules,
    MarkReader,
    Part,
    Usage,
    counts_dict,
    marked_rules,
)
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.facts import Facts
from abnforge.grammar.sentences import SHORTEST, Sentences
from abnforge.records import attributes

# Finds strings that use a part of the grammar, to add to a corpus. A cheapest string with the part may have
# another preferred derivation: with the second alternative of ``DIGIT / 1*DIGIT``, "1" is parsed by the
# first. So each string is parsed, and proposed only if it uses the part.

# Maximum numbers of other strings that are parsed: short ones that cover the grammar, those with a part and
# variations below it, and random ones.
MAX_SYSTEMATIC = 500
MAX_VARIED = 20
MAX_RANDOM = 200

# Costs in steps of the common budget: parts per step, steps per string and per character. Then the maximum
# share of one string of a recursive rule.
PARTS_A_STEP = 30
STEPS_A_TEXT = 1_000
STEPS_A_CHARACTER = 10
TEXT_SHARE = 0.05

_SIZES = (5, 10, 20, 40)
_SEED = 3986


def covering(marked: MarkedRules, key: str, parts: Sequence[int], budget: Budget) -> list[str | None]:
    """Return, for each wanted part, a short string of a rule that uses it.

    It is None if the search exceeds the budget. It is a shortest string with the part if the cheapest
    derivation with the part is the preferred derivation of its string.
    """
    samples: dict[int, str | None] = {}
    with suppress(LimitExceeded):
        _Search(marked, key, budget).find(parts, samples)
    return [samples.get(part) for part in parts]


class _Search:
    def __init__(self, marked: MarkedRules, key: str, budget: Budget) -> None:
        self._marked = marked
        self._key = key
        self._meter = budget.meter(f"covering {marked.plain.names[key]}")
        facts = Facts(marked.plain)
        recursive = not facts.recursive.isdisjoint(facts.reachable(key))
        self._share = int(TEXT_SHARE * budget.steps) if recursive else budget.steps
        self._reader = MarkReader(marked, key, replace(budget, steps=self._share))
        self._sentences = Sentences(marked.plain, facts, budget, SHORTEST)
        self._known: dict[str, frozenset[int]] = {}

    def find(self, parts: Sequence[int], samples: dict[int, str | None]) -> None:
        """Find strings that use the wanted parts."""
        for part in parts:
            samples[part] = next((text for text in self._in_place(part, 1) if part in self._uses(text)), None)
        systematic = islice(self._sentences.systematic(self._key), MAX_SYSTEMATIC)
        for texts in (systematic, self._varied(parts, samples), self._random()):
            missing = {part for part in parts if samples[part] is None}
            for text in texts if missing else ():
                self._meter.charge(STEPS_A_TEXT + STEPS_A_CHARACTER * len(text))
                for part in missing & self._uses(text):
                    sample = samples[part]
                    if sample is None or (len(text), text) < (len(sample), sample):
                        samples[part] = text

    def _in_place(self, part: int, count: int) -> Iterator[str]:
        place = self._marked.parts[part]
        return islice(self._sentences.readings(self._key, place.node, place.chosen), count)

    def _varied(self, parts: Sequence[int], samples: Mapping[int, str | None]) -> Iterator[str]:
        for part in parts:
            if samples[part] is None:
                yield from self._in_place(part, MAX_VARIED)

    def _random(self) -> Iterator[str]:
        source = Random(_SEED)
        for size in _SIZES:
            for _ in range(MAX_RANDOM // len(_SIZES)):
                yield self._sentences.random(self._key, source, size * SHORTEST)

    def _uses(self, text: str) -> frozenset[int]:
        """Return the parts that a string uses; empty for a string that exceeds its share of the budget."""
        uses = self._known.get(text)
        if uses is None:
            self._meter.charge(len(self._marked.parts) // PARTS_A_STEP)
            try:
                trace = self._reader.trace(text)
            except LimitExceeded:
                self._meter.charge(self._share)
                trace = None
            places = () if trace is None else self._reader.places(trace)
            uses = self._known[text] = frozenset(part for part, _, _ in places)
        return uses


# Transitions of the minimal automaton of a rule that a corpus takes.


@dataclass(frozen=True, slots=True)
class TransitionUse:
    """A transition of the minimal automaton, from state ``source`` to ``target`` with one of ``chars``.

    States are numbered breadth-first from the start state, 0. ``example`` is a shortest string that takes the
    transition, and the first character that takes it. ``sample`` is a shortest possible string, for an unused
    transition.
    """

    source: int
    chars: CharSet
    target: int
    count: int
    example: Example | None
    sample: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``; the keys are stable."""
        return {
            "source": self.source,
            "chars": [list(pair) for pair in self.chars.ranges],
            "target": self.target,
            **counts_dict(self.count, self.example, self.sample),
        }


class Transitions:
    """Counts the moves of an automaton. A move is represented as the index of its entry in the table."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._counts: Counter[int] = Counter()
        self._examples: dict[int, Example] = {}

    @classmethod
    def of(cls, rule: Rule) -> Self | None:
        """Return the transitions of a rule; None without an automaton, or if it is too large."""
        try:
            return cls(rule.automaton) if rule.regular else None
        except LimitExceeded:
            return None

    def add(self, text: str) -> None:
        """Count the transitions of a matching string. Cost: linear."""
        table, class_of = self._automaton.table, self._automaton.class_of
        numbers: dict[str, int] = {}
        row, moves = 0, []
        for char in text:
            number = numbers.get(char)
            if number is None:
                number = numbers[char] = class_of(char)
            moves.append(row + number)
            row = table[row + number]
        self._counts.update(moves)
        for move in set(moves):
            example = self._examples.get(move)
            if example is None or len(example.text) > len(text):
                at = moves.index(move)
                self._examples[move] = Example(text, at, at + 1)

    def uses(self) -> tuple[TransitionUse, ...]:
        """Return all transitions, by state and then by characters."""
        automaton = self._automaton
        acceptor = Acceptor(automaton)
        transitions: list[TransitionUse] = []
        for move, target in enumerate(automaton.table):
            if target < 0:
                continue
            source, number = divmod(move, automaton.width)
            sentence = None
            if not self._counts[move]:
                behind = acceptor.completions[target // automaton.width]
                assert behind is not None, "every state is live"
                sentence = acceptor.text((*acceptor.cover[source], number, *behind))
            transitions.append(
                TransitionUse(
                    source,
                    automaton.charsets[number],
                    target // automaton.width,
                    self._counts[move],
                    self._examples.get(move),
                    sentence,
                )
            )
        return tuple(transitions)


@dataclass(frozen=True, slots=True)
class PartUse:
    """A part of the grammar, and the number of its uses.

    ``example`` is the first of the shortest strings that use the part, and its first place there. For an
    unused part, ``sample`` is a short string that would use it; None if none was found, as for an alternative
    that an earlier one always preempts.
    """

    part: Part
    count: int
    example: Example | None
    sample: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``; the keys are stable."""
        span = self.part.span
        return {
            "rule": self.part.rule,
            "kind": self.part.kind,
            "source": self.part.source,
            "start": None if span is None else span.start,
            "end": None if span is None else span.end,
            **counts_dict(self.count, self.example, self.sample),
        }


@dataclass(frozen=True, slots=True)
class Coverage(NotebookView):
    """The uses of a rule and of the rules that it needs, in the order of the grammar.

    ``texts`` is the number of strings; ``rejected`` of them do not match, and ``undecided`` exceed the
    budget. Both kinds use nothing. ``transitions`` are those of the minimal automaton; None for a rule that
    is not known to be regular, or whose automaton is too large.
    """

    rule: Rule
    texts: int
    rejected: int
    undecided: int
    parts: tuple[PartUse, ...]
    transitions: tuple[TransitionUse, ...] | None

    @property
    def accepted(self) -> int:
        """The number of matching strings."""
        return self.texts - self.rejected - self.undecided

    @property
    def never(self) -> tuple[PartUse, ...]:
        """The unused parts."""
        return tuple(each for each in self.parts if not each.count)

    @property
    def never_taken(self) -> tuple[TransitionUse, ...]:
        """The unused transitions."""
        return tuple(each for each in self.transitions or () if not each.count)

    @property
    def percent(self) -> float:
        """The percentage of used parts, without transitions."""
        return 100 * (len(self.parts) - len(self.never)) / len(self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``; the keys are stable."""
        return {
            "grammar": self.rule.grammar.name,
            "rule": self.rule.name,
            **attributes(self, "texts rejected undecided"),
            "percent": round(self.percent, 2),
            "parts": [each.to_dict() for each in self.parts],
            "transitions": None if self.transitions is None else [t.to_dict() for t in self.transitions],
        }


def coverage(rule: Rule, texts: Iterable[Text], *, budget: Budget | None = None) -> Coverage:
    """Measure which parts of a rule, and of the rules that it needs, strings use.

    Strings are used unchanged. Bytes that are not UTF-8 are rejected. Offsets count code points. ``budget``
    applies to each string, and once to the samples (default: the grammar's budget). Beyond it, a string is
    undecided, or a sample is missing. Raises TypeError; GrammarError for a rule that needs a prose-val;
    ValueError for a combined rule, or for a rule that needs a rule that derives itself and nothing else.
    Cost: the time of parsing, about 0.1 ms for a URI; constant memory.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    if not is_pieces(texts):
        raise wrong_type("texts", "an iterable of strings", texts)
    if budget is not None:
        instance_argument(budget, "budget", Budget, "a Budget or None")
    budget = budget or rule.grammar.compilation.budget
    marked = marked_rules(rule)
    reader = MarkReader(marked, rule.key, budget)
    usage = Usage(marked, reader)
    transitions = Transitions.of(rule)
    read = rejected = undecided = 0
    for each in texts:
        string = rule._input(each)
        read += 1
        try:
            trace = reader.trace(string.text) if string.broken is None else None
        except LimitExceeded:
            undecided += 1
            continue
        if trace is None:
            rejected += 1
            continue
        usage.add(string.text, trace)
        if transitions is not None:
            transitions.add(string.text)
    counts = usage.counts()
    unused = [number for number, count in enumerate(counts) if not count]
    sentences = dict(zip(unused, covering(marked, rule.key, unused, budget), strict=True))
    parts = tuple(
        PartUse(each.part, counts[number], usage.examples[number], sentences.get(number))
        for number, each in enumerate(marked.parts)
    )
    return Coverage(
        rule, read, rejected, undecided, parts, None if transitions is None else transitions.uses()
    )
