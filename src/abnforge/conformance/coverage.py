"""What a corpus uses of a grammar: rules, alternatives, counts of repetitions, transitions; and what never.

Purdom (1972) made sentences that use every rule; this asks the same of texts that are there (Laemmel 2001).
Which derivation counts is the one that ``parse`` gives: the first alternative that leads to one, repetitions
that take as much as they can.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, input_text, instance_argument, is_pieces, wrong_type
from abnforge._lazy import NotebookView
from abnforge.budget import Budget
from abnforge.conformance.covering import covering
from abnforge.conformance.parts import Part, marked_rules
from abnforge.conformance.transitions import Transitions, TransitionUse
from abnforge.conformance.usage import Example, MarkReader, Usage, told
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded


@dataclass(frozen=True, slots=True)
class PartUse:
    """A part of the grammar, and how often texts used it.

    ``example`` is a shortest text that did, the first of them, and the first place in it. ``sample`` is a
    short string that would, for a part that no text used: None where none was found, such as for an
    alternative that an earlier one always takes the place of.
    """

    part: Part
    count: int
    example: Example | None
    sample: str | None

    def to_dict(self) -> dict[str, Any]:
        """As plain data, ready for ``json.dumps``. Its keys are stable."""
        span = self.part.span
        return {
            "rule": self.part.rule,
            "kind": self.part.kind,
            "source": self.part.source,
            "start": None if span is None else span.start,
            "end": None if span is None else span.end,
            **told(self.count, self.example, self.sample),
        }


@dataclass(frozen=True, slots=True)
class Coverage(NotebookView):
    """What texts use of a rule and those that it needs, in the order of the grammar.

    ``texts`` were read; ``rejected`` of them are not derived, and ``undecided`` could not be read within the
    budget: neither use anything. ``transitions`` are those of the minimal automaton; None for a rule that is
    not known to be regular, and for one whose automaton is too large.
    """

    rule: Rule
    texts: int
    rejected: int
    undecided: int
    parts: tuple[PartUse, ...]
    transitions: tuple[TransitionUse, ...] | None

    @property
    def accepted(self) -> int:
        """How many texts the rule derives."""
        return self.texts - self.rejected - self.undecided

    @property
    def never(self) -> tuple[PartUse, ...]:
        """The parts that no text used."""
        return tuple(each for each in self.parts if not each.count)

    @property
    def never_taken(self) -> tuple[TransitionUse, ...]:
        """The transitions that no text took."""
        return tuple(each for each in self.transitions or () if not each.count)

    @property
    def percent(self) -> float:
        """How many parts of a hundred were used; transitions are no parts."""
        return 100 * (len(self.parts) - len(self.never)) / len(self.parts)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, ready for ``json.dumps``. Its keys are stable."""
        return {
            "grammar": self.rule.grammar.name,
            "rule": self.rule.name,
            "texts": self.texts,
            "rejected": self.rejected,
            "undecided": self.undecided,
            "percent": round(self.percent, 2),
            "parts": [each.to_dict() for each in self.parts],
            "transitions": None if self.transitions is None else [t.to_dict() for t in self.transitions],
        }


def coverage(rule: Rule, texts: Iterable[Text], *, budget: Budget | None = None) -> Coverage:
    """What texts use of a rule and of the rules that it needs.

    Each text is taken as it is; bytes that are no UTF-8 are rejected; offsets count code points. ``budget``
    is for each text, and once for the sentences (the grammar's if None); where it runs out, a text is
    undecided, or a sentence is not found. Raises TypeError; GrammarError for a rule that needs a prose-val;
    ValueError for one that is made of others, or needs one that derives itself and nothing else. Cost: as for
    the trees of the texts, a tenth of a millisecond for a URI; memory does not grow with the texts.
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
        it = input_text(each, "each of texts")
        read += 1
        try:
            trace = reader.trace(it.text) if it.broken is None else None
        except LimitExceeded:
            undecided += 1
            continue
        if trace is None:
            rejected += 1
            continue
        usage.add(it.text, trace)
        if transitions is not None:
            transitions.add(it.text)
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
