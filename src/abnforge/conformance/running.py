"""An implementation asked for every string of a suite, and what it answers differently, by cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from abnforge._lazy import NotebookView
from abnforge.budget import Budget
from abnforge.conformance.causes import Causes, Deviation
from abnforge.conformance.judges import Function, Judge, as_judge
from abnforge.conformance.proof import Pattern, Proof, prove
from abnforge.conformance.suites import Suite, suite
from abnforge.conformance.vectors import Vector
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.regex.errors import PatternError

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Report(NotebookView):
    """What an implementation did with a suite. ``tried`` strings were asked; ``differing`` of them were
    answered otherwise than the rule does, for the causes in ``deviations``, the shortest first. ``skipped``
    strings could not be asked, such as line ends of a program that reads lines. ``proof`` is there for
    patterns and rules; where it shows that both are equal, no string was asked.
    """

    suite: Suite
    tried: int
    differing: int
    deviations: tuple[Deviation, ...] = field(default=())
    skipped: int = 0
    proof: Proof | None = None

    @property
    def passed(self) -> bool:
        """Whether every answer was the rule's."""
        return self.differing == 0

    @property
    def guarantee(self) -> str:
        """What passing means."""
        if self.proof is not None and self.proof.equal and self.passed:
            return f"Proved: {self.proof}."
        return self.suite.guarantee

    @property
    def wrongly_accepted(self) -> tuple[Deviation, ...]:
        """Where the implementation says yes, and the rule no."""
        return tuple(each for each in self.deviations if not each.valid)

    @property
    def wrongly_refused(self) -> tuple[Deviation, ...]:
        """Where the implementation says no, and the rule yes."""
        return tuple(each for each in self.deviations if each.valid)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: stable keys."""
        return {
            "grammar": self.suite.rule.grammar.name,
            "rule": self.suite.rule.name,
            "passed": self.passed,
            "tried": self.tried,
            "skipped": self.skipped,
            "differing": self.differing,
            "guarantee": self.guarantee,
            "proof": None if self.proof is None else self.proof.verdict,
            "deviations": [each.to_dict() for each in self.deviations],
        }

    def __str__(self) -> str:
        more = f" {self.skipped:,} strings were skipped." if self.skipped else ""
        if self.passed and not self.tried:
            return f"passed: {self.guarantee}"
        if self.passed:
            return f"passed: {self.tried:,} strings. {self.guarantee}{more}"
        causes = "\n".join(f"  {deviation}" for deviation in self.deviations)
        kinds = "one cause" if len(self.deviations) == 1 else f"{len(self.deviations):,} causes"
        return f"differs on {self.differing:,} of {self.tried:,} strings, {kinds}:{more}\n{causes}"


def run(
    rule: Rule,
    judge: Judge | Function | re.Pattern[str] | Pattern | Rule,
    level: str = "complete",
    extra_states: int = 0,
    *,
    budget: Budget | None = None,
) -> Report:
    """Ask an implementation for every string of a rule's suite.

    ``judge`` is called with a string; what it gives is taken for true or false, and an exception for no; a
    :class:`Judge` is a program or a server. Of a pattern (a compiled one has to match the whole), and of
    another rule, it is first proved whether it is equal; the suite then tells how it differs, and is all
    there is where nothing is proved. Raises what :func:`suite` raises, OSError for a judge that cannot be
    asked, and PatternError for a pattern of another language than Python that is not regular. Cost: a
    question a string; where there are deviations, some more to tell their causes apart and to make their
    strings shorter.
    """
    if not isinstance(judge, Pattern | re.Pattern | Rule):
        return run_suite(suite(rule, level, extra_states, budget=budget), as_judge(judge))
    return _proved(rule, judge, level, extra_states, budget)


def _proved(
    rule: Rule, judge: re.Pattern[str] | Pattern | Rule, level: str, extra_states: int, budget: Budget | None
) -> Report:
    try:
        proof = prove(rule, judge)
    except (PatternError, LimitExceeded):
        if not isinstance(judge, re.Pattern):
            raise
        return run_suite(suite(rule, level, extra_states, budget=budget), as_judge(judge))
    if proof.equal and not isinstance(judge, re.Pattern):
        return Report(Suite(rule, (), None, f"Proved: {proof}."), 0, 0, proof=proof)
    # What is compiled can be asked, too: so the proof is checked by its engine.
    asked = suite(rule, level, extra_states, budget=budget)
    shown = [
        Vector(text, valid, "proof")
        for text, valid in ((proof.wrongly_accepted, False), (proof.wrongly_refused, True))
        if text is not None
    ]
    whole = Suite(rule, [*asked, *shown], asked.states, asked.guarantee, asked.lost)
    return replace(run_suite(whole, judge_of(judge)), proof=proof)


def judge_of(judge: Judge | Function | re.Pattern[str] | Pattern | Rule) -> Judge:
    """Whatever can be an implementation, as who is asked. Raises TypeError."""
    match judge:
        case Rule():
            return as_judge(judge.matches)
        case Pattern():
            return as_judge(judge.automaton.accepts)
        case _:
            return as_judge(judge)


def run_suite(asked: Suite, judge: Judge, watch: Watch | None = None) -> Report:
    """The same for a suite that is at hand. ``watch`` is told, after each string, how many were asked and how
    many of them were answered otherwise than the rule does.
    """
    differing = []
    skipped = accepted = 0
    answers = judge.answers([vector.text for vector in asked])
    for number, (vector, answer) in enumerate(zip(asked, answers, strict=True), 1):
        if answer is None:
            skipped += 1
        else:
            accepted += answer.yes
            if answer.yes is not vector.valid:
                differing.append((vector, answer))
        if watch is not None:
            watch(number, len(differing))
    if not differing:
        return Report(asked, len(asked) - skipped, 0, (), skipped)
    causes = Causes(asked.rule, judge)
    # An implementation that says no to everything does not part from the rule at a certain place.
    deviations = tuple(causes.found(differing)) if accepted else (causes.everything(differing),)
    return Report(asked, len(asked) - skipped, len(differing), deviations, skipped)
