"""Test an implementation with a suite, and group its deviations by cause."""

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
    """The result of a suite.

    ``tried`` is the number of tested strings; ``differing`` of them have other verdicts than the rule, with
    the causes in ``deviations``, the shortest first. ``skipped`` strings could not be passed to the
    implementation. ``proof`` is for patterns and rules; if it proves equality, no string was tested.
    """

    suite: Suite
    tried: int
    differing: int
    deviations: tuple[Deviation, ...] = field(default=())
    skipped: int = 0
    proof: Proof | None = None

    @property
    def passed(self) -> bool:
        """Whether all verdicts were those of the rule."""
        return self.differing == 0

    @property
    def guarantee(self) -> str:
        """The guarantee of a passed suite."""
        if self.proof is not None and self.proof.equal and self.passed:
            return f"Proved: {self.proof}."
        return self.suite.guarantee

    @property
    def wrongly_accepted(self) -> tuple[Deviation, ...]:
        """The deviations that only the implementation accepts."""
        return tuple(each for each in self.deviations if not each.valid)

    @property
    def wrongly_refused(self) -> tuple[Deviation, ...]:
        """The deviations that only the rule accepts."""
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
    """Test an implementation with a suite of a rule.

    ``judge`` is called with a string: its result counts as a boolean, and an exception as a rejection; a
    :class:`Judge` is a program. A pattern (a compiled one must match the whole string) or another rule is
    first proved equal; the suite then shows the differences, or is all there is if nothing is proved. Raises
    what :func:`suite` raises, OSError for a judge that cannot run, and PatternError for a pattern that is not
    regular and not of Python. Cost: a verdict for each string, and some more to find the causes of deviations
    and to reduce their strings.
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
    # A compiled pattern can also run, so its engine checks the proof.
    asked = suite(rule, level, extra_states, budget=budget)
    shown = [
        Vector(text, valid, "proof")
        for text, valid in ((proof.wrongly_accepted, False), (proof.wrongly_refused, True))
        if text is not None
    ]
    whole = Suite(rule, [*asked, *shown], asked.states, asked.guarantee, asked.lost)
    return replace(run_suite(whole, judge_of(judge)), proof=proof)


def judge_of(judge: Judge | Function | re.Pattern[str] | Pattern | Rule) -> Judge:
    """Convert an implementation to a judge. Raises TypeError."""
    match judge:
        case Rule():
            return as_judge(judge.matches)
        case Pattern():
            return as_judge(judge.automaton.accepts)
        case _:
            return as_judge(judge)


def run_suite(asked: Suite, judge: Judge, watch: Watch | None = None) -> Report:
    """Test an implementation with a given suite. ``watch`` is called after each string with the numbers of
    tested strings and of deviations.
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
    # An implementation that rejects everything does not diverge from the rule at an offset.
    deviations = tuple(causes.found(differing)) if accepted else (causes.everything(differing),)
    return Report(asked, len(asked) - skipped, len(differing), deviations, skipped)
