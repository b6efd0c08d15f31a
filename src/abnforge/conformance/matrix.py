"""Several implementations of a rule, compared with the rule and with each other.

All implementations receive the same suite. The strings on which a verdict differs from the rule form
clusters: an implementation has the same verdict on all strings of a cluster. A cluster is an implementation
of its own for :mod:`abnforge.conformance.causes`, which groups its strings by cause and shrinks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abnforge.budget import Budget
from abnforge.catalog import ArgumentError
from abnforge.conformance.causes import Causes, Deviation
from abnforge.conformance.judges import Answer, Function, Judge, judge_for
from abnforge.conformance.messages import message
from abnforge.conformance.proof import Pattern
from abnforge.conformance.running import Report, Watch, answers_of, judge_of, report_of
from abnforge.conformance.suites import Suite, suite
from abnforge.conformance.vectors import Vector
from abnforge.engine.rule import Rule
from abnforge.text import escape

MAX_VERDICTS = 30_000  # the number of verdicts of each implementation to find the causes of clusters
MIN_VERDICTS = 100  # the number of these for a cluster, if there are many clusters

Verdicts = tuple[bool | None, ...]
"""The verdict of each implementation on a string; None if it cannot be passed."""


@dataclass(frozen=True)
class Cluster:
    """The strings that the implementations ``accepted`` match, and the others do not.

    ``valid`` is the verdict of the rule, ``count`` the number of strings. ``deviations`` has their causes,
    the shortest string first. The strings cannot be passed to the implementations ``skipped``.
    """

    valid: bool
    accepted: tuple[str, ...]
    rejected: tuple[str, ...]
    skipped: tuple[str, ...]
    count: int
    deviations: tuple[Deviation, ...]

    @property
    def text(self) -> str:
        """The shortest string."""
        return self.deviations[0].text

    @property
    def deviating(self) -> tuple[str, ...]:
        """The implementations whose verdict differs from the rule."""
        return self.rejected if self.valid else self.accepted

    def separates(self, first: str, second: str | None = None) -> bool:
        """Return whether two implementations differ on the strings, or one and the rule."""
        if second is None:
            return first in self.deviating
        return {first, second} <= {*self.accepted, *self.rejected} and (
            (first in self.accepted) is not (second in self.accepted)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the cluster as JSON values; the keys are stable."""
        names = {name: list(getattr(self, name)) for name in ("accepted", "rejected", "skipped")}
        deviations = [each.to_dict() for each in self.deviations]
        return {"valid": self.valid, **names, "count": self.count, "deviations": deviations}

    def __str__(self) -> str:
        rule = self.deviations[0].rule.name
        sides = [f"{rule} {'matches' if self.valid else 'rejects'}"]
        sides += [f"accepted by {', '.join(self.accepted)}"] if self.accepted else []
        sides += [f"rejected by {', '.join(self.rejected)}"] if self.rejected else []
        sides += [f"skipped by {', '.join(self.skipped)}"] if self.skipped else []
        return escape("; ".join(sides))


@dataclass(frozen=True)
class Matrix:
    """The results of several implementations of a rule.

    ``reports`` compares each implementation with the rule, by name. ``clusters`` has the strings on which any
    of them differs from the rule, those with the most deviating implementations first.
    """

    suite: Suite
    reports: Mapping[str, Report]
    clusters: tuple[Cluster, ...]

    @property
    def passed(self) -> bool:
        """Return whether all verdicts agree with the rule."""
        return not self.clusters

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the implementations."""
        return tuple(self.reports)

    def between(self, first: str, second: str | None = None) -> tuple[Cluster, ...]:
        """Return the clusters that separate two implementations, or one and the rule.

        Raises ValueError for an unknown name.
        """
        for name in filter(None, (first, second)):
            if name not in self.reports:
                raise ArgumentError(message("matrix-name", name=name, names=self.names))
        return tuple(each for each in self.clusters if each.separates(first, second))

    def differing(self, first: str, second: str | None = None) -> int:
        """Return the number of strings on which two implementations differ, or one and the rule."""
        return sum(each.count for each in self.between(first, second))

    def witness(self, first: str, second: str | None = None) -> str | None:
        """Return a shortest string on which two implementations differ, or one and the rule, or None."""
        texts = [each.text for each in self.between(first, second)]
        return min(texts, key=lambda text: (len(text), text), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON values; the keys are stable."""
        return {
            "grammar": self.suite.rule.grammar.name,
            "rule": self.suite.rule.name,
            "passed": self.passed,
            "guarantee": self.suite.guarantee,
            "implementations": [
                {"implementation": name, **report.to_dict()} for name, report in self.reports.items()
            ],
            "clusters": [each.to_dict() for each in self.clusters],
            "pairs": [
                {"names": [a, b], "differing": self.differing(a, b), "text": self.witness(a, b)}
                for number, a in enumerate(self.names)
                for b in self.names[number + 1 :]
            ],
        }

    def __str__(self) -> str:
        lines = [f"{name}: {report}" for name, report in self.reports.items()]
        return "\n".join([*lines, *map(str, self.clusters)])


def run_all(
    rule: Rule,
    judges: Mapping[str, Judge | Function | re.Pattern[str] | Pattern | Rule],
    level: str = "complete",
    extra_states: int = 0,
    *,
    budget: Budget | None = None,
) -> Matrix:
    """Test several implementations, by name, with one suite of a rule.

    Each implementation is an argument of :func:`run`, but nothing is proved. Raises the errors of
    :func:`suite`, and OSError for an implementation that cannot run. Cost: a verdict of each implementation
    for each string, and some more to find and shorten the causes of deviations.
    """
    named = {name: judge_of(judge, rule) for name, judge in judges.items()}
    return matrix_of(suite(rule, level, extra_states, budget=budget), named)


def matrix_of(asked: Suite, judges: Mapping[str, Judge], watch: Watch | None = None) -> Matrix:
    """Test implementations; ``watch`` receives the numbers of ``run_suite``, for one after the other."""
    judges = {name: judge_for(asked.rule, judge) for name, judge in judges.items()}
    answers = {name: answers_of(asked, judge, watch) for name, judge in judges.items()}
    reports = {name: report_of(asked, judge, answers[name]) for name, judge in judges.items()}
    members: dict[tuple[bool, Verdicts], list[tuple[Vector, Answer]]] = {}
    for vector, *given in zip(asked, *answers.values(), strict=True):
        verdicts = tuple(None if answer is None else answer.yes for answer in given)
        if (not vector.valid) in verdicts:
            cluster = members.setdefault((vector.valid, verdicts), [])
            cluster.append((vector, Answer(not vector.valid)))
    most = max(MIN_VERDICTS, MAX_VERDICTS // max(1, len(members)))
    clusters = []
    for (valid, verdicts), differing in members.items():
        union = _ClusterJudge(tuple(judges.values()), valid, verdicts)
        deviations = tuple(Causes(asked.rule, union, most).found(differing))
        sides = [
            tuple(name for name, verdict in zip(judges, verdicts, strict=True) if verdict is side)
            for side in (True, False, None)
        ]
        clusters.append(Cluster(valid, sides[0], sides[1], sides[2], len(differing), deviations))
    clusters.sort(key=lambda each: (-len(each.deviating), len(each.text), each.text))
    return Matrix(asked, reports, tuple(clusters))


class _ClusterJudge(Judge):
    """The implementations of a cluster as one, which is wrong exactly for strings with their verdicts."""

    def __init__(self, judges: tuple[Judge, ...], valid: bool, verdicts: Verdicts) -> None:
        self._judges = judges
        self._valid = valid
        self._verdicts = verdicts
        self.is_slow = any(each.is_slow for each in judges)

    def answers(self, texts: Sequence[str]) -> Iterator[Answer]:
        for text in texts:
            yield Answer(self._is_member(text) is not self._valid)

    def _is_member(self, text: str) -> bool:
        for judge, verdict in zip(self._judges, self._verdicts, strict=True):
            answer = judge.ask(text)
            if (None if answer is None else answer.yes) is not verdict:
                return False
        return True
