"""An implementation asked for every string of a suite, and what it answers differently, by cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from abnforge.budget import Budget
from abnforge.conformance.causes import Causes
from abnforge.conformance.deviations import Deviation
from abnforge.conformance.judges import Function, Judge, as_judge
from abnforge.conformance.suites import Suite, suite
from abnforge.engine.rule import Rule

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    """What an implementation did with a suite. ``tried`` strings were asked; ``differing`` of them were
    answered otherwise than the rule does, for the causes in ``deviations``, the shortest first. ``skipped``
    strings could not be asked, such as line ends of a program that reads lines.
    """

    suite: Suite
    tried: int
    differing: int
    deviations: tuple[Deviation, ...] = field(default=())
    skipped: int = 0

    @property
    def passed(self) -> bool:
        """Whether every answer was the rule's."""
        return self.differing == 0

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
            "guarantee": self.suite.guarantee,
            "deviations": [each.to_dict() for each in self.deviations],
        }

    def __str__(self) -> str:
        more = f" {self.skipped:,} strings could not be asked." if self.skipped else ""
        if self.passed:
            return f"passed: {self.tried:,} strings. {self.suite.guarantee}{more}"
        causes = "\n".join(f"  {deviation}" for deviation in self.deviations)
        kinds = "one cause" if len(self.deviations) == 1 else f"{len(self.deviations):,} causes"
        return f"differs on {self.differing:,} of {self.tried:,} strings, {kinds}:{more}\n{causes}"


def run(
    rule: Rule,
    judge: Judge | Function | re.Pattern[str],
    level: str = "complete",
    extra_states: int = 0,
    *,
    budget: Budget | None = None,
) -> Report:
    """Ask an implementation for every string of a rule's suite.

    ``judge`` is called with a string; what it gives is taken for true or false, and an exception for no. A
    compiled pattern is asked whether it matches the whole; a :class:`Judge` is a program or a server. Raises
    what :func:`suite` raises, and OSError for a judge that cannot be asked. Cost: a question a string; where
    there are deviations, some more to tell their causes apart and to make their strings shorter.
    """
    asked = suite(rule, level, extra_states, budget=budget)
    return run_suite(asked, as_judge(judge))


def run_suite(asked: Suite, judge: Judge, watch: Watch | None = None) -> Report:
    """The same for a suite that is at hand. ``watch`` is told, after each string, how many were asked and how
    many of them were answered otherwise than the rule does.
    """
    differing = []
    skipped = 0
    answers = judge.answers([vector.text for vector in asked])
    for number, (vector, answer) in enumerate(zip(asked, answers, strict=True), 1):
        if answer is None:
            skipped += 1
        elif answer.yes is not vector.valid:
            differing.append((vector, answer))
        if watch is not None:
            watch(number, len(differing))
    if not differing:
        return Report(asked, len(asked) - skipped, 0, (), skipped)
    deviations = tuple(Causes(asked.rule, judge).found(differing))
    return Report(asked, len(asked) - skipped, len(differing), deviations, skipped)
