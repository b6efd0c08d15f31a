"""Implementations asked for the suites of rules: what they accept and refuse wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any

import abnforge
from abnforge.conformance.deviations import Deviation
from abnforge.conformance.judges import Answer, Judge
from abnforge.conformance.learning import UnfinishedError, learn
from abnforge.conformance.running import Report, run_suite
from abnforge.conformance.suites import Suite, suite
from abnforge.conformance.vectors import Vector
from reporting.excuses import EXCUSES, Lenient
from reporting.implementation import Asked, Implementation, versions


def cause(deviation: Deviation) -> str:
    """Return the code of the rule's rejection; if there is none, the innermost rule at the difference."""
    inside = deviation.rule_path[-1] if deviation.rule_path else deviation.rule.name
    return deviation.code or inside


@dataclass(frozen=True)
class Wrong:
    """Causes of wrong answers of one kind: how many, and the shortest string, with what the rule says."""

    causes: int
    text: str
    reason: str

    @classmethod
    def of(cls, deviations: Sequence[Deviation], letters: dict[int, int]) -> Wrong | None:
        """What is told of deviations; None where there are none. Strings are as they were asked."""
        if not deviations:
            return None
        first = min(deviations, key=lambda each: (len(each.text), each.text))
        return cls(len(deviations), first.text.translate(letters), cause(first))


@dataclass(frozen=True)
class Result:
    """What an implementation did with the suite of a rule. ``states`` is the size of its automaton, where
    that was learnt, or ``N+`` where questions ran out at N states; ``versions`` are of the packages that
    count, by name; ``date`` is when it was measured; ``suite`` tells the strings that were asked from others.
    """

    implementation: str
    rule: str
    tried: int
    skipped: int
    differing: int
    accepts: Wrong | None
    refuses: Wrong | None
    versions: dict[str, str]
    date: str
    suite: str = ""
    states: str | None = None

    @property
    def kind(self) -> str:
        """``equal``, ``accepts``, ``refuses`` or ``both``: in what it differs."""
        if self.accepts is None:
            return "equal" if self.refuses is None else "refuses"
        return "accepts" if self.refuses is None else "both"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Result:
        """From JSON."""
        wrong = {key: value[key] and Wrong(**value[key]) for key in ("accepts", "refuses")}
        return cls(**{**value, **wrong})

    def with_current_code(self) -> Result:
        """Return the result with the code that the rule rejects the wrongly accepted string with today."""
        if self.accepts is None:
            return self
        rule = abnforge.rule(self.rule.partition(" ")[0])
        deviation = Deviation(rule, self.accepts.text, valid=False, count=1, offset=0)
        return replace(self, accepts=replace(self.accepts, reason=cause(deviation)))


class _Dear(Judge):
    """A judge of whom few further questions are asked, since each takes long."""

    dear = True

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """The judge's answers."""
        return self._judge.answers(texts)


class _Spelt(Judge):
    """A judge who is asked for texts with letters put in the place of others that the rule reads alike."""

    def __init__(self, judge: Judge, letters: dict[int, int]) -> None:
        self._judge = judge
        self._letters = letters
        self.dear = judge.dear

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """The judge's answers."""
        return self._judge.answers([text.translate(self._letters) for text in texts])


SPELLINGS: dict[str, dict[int, int]] = {"T Z": str.maketrans("tz", "TZ")}
"""What may stand behind a rule's name: a spelling that all strings are asked in. A suite's letters stand for
both cases, and who takes one case alone would be asked for little else.
"""


@cache
def suite_of(rule: str, strings: int | None = None) -> Suite:
    """The suite of a rule, or so many of its strings, spread over all lengths."""
    whole = suite(abnforge.rule(rule))
    if strings is None or len(whole) <= strings:
        return whole
    vectors: list[Vector] = list(whole)
    some = [vectors[place * len(vectors) // strings] for place in range(strings)]
    return Suite(whole.rule, some, None, f"{len(some):,} strings of its suite were asked.")


@cache
def fingerprint(rule: str, strings: int | None = None) -> str:
    """What tells the strings of a suite from those of another version of it."""
    digest = sha256()
    for vector in suite_of(rule.partition(" ")[0], strings):
        digest.update(f"{vector.text!a}{vector.valid}\n".encode())
    return digest.hexdigest()[:12]


def asked_of(rule: str, asked: Asked) -> Report:
    """An implementation's answers to the suite of a rule."""
    name, _, spelling = rule.partition(" ")
    of = suite_of(name, asked.strings)
    with asked.load() as judge:
        if asked.slow:
            judge = _Dear(judge)
        if spelling:
            judge = _Spelt(judge, SPELLINGS[spelling])
        if name in EXCUSES:
            judge = Lenient(judge, of.rule, EXCUSES[name].excused)
        return run_suite(of, judge)


def measure(implementation: Implementation, rule: str, date: str) -> Result:
    """What an implementation does with a rule. Raises ValueError for one that is not installed."""
    found = versions(implementation)
    if found is None:
        raise ValueError(f"{implementation.name} is not installed")
    report = asked_of(rule, implementation.asked[rule])
    letters = SPELLINGS.get(rule.partition(" ")[2], {})
    return Result(
        implementation.name,
        rule,
        report.tried,
        report.skipped,
        report.differing,
        Wrong.of(report.wrongly_accepted, letters),
        Wrong.of(report.wrongly_refused, letters),
        found,
        date,
        fingerprint(rule, implementation.asked[rule].strings),
    )


QUERIES = 200_000
"""Questions that learning one implementation may take."""

# What no letter of a suite spells: who knows some schemes alone accepts nothing without.
_SEEDS = ("http://example.com/", "https://a.example:80/?a#b", "file:///a")


def learnt(asked: Asked, rule: str) -> str | None:
    """The size of an implementation's automaton; None where it is not learnt: of rules that recurse or whose
    prose excuses refusals, and of who takes long. Cost: up to ``QUERIES`` questions.
    """
    reference = abnforge.rule(rule.partition(" ")[0])
    if asked.slow or rule.partition(" ")[0] in EXCUSES or not reference.regular:
        return None
    seeds = _SEEDS if reference.matches(_SEEDS[0]) else ()
    with asked.load() as judge:
        try:
            return f"{learn(judge, reference, seeds=seeds, queries=QUERIES).states:,}"
        except UnfinishedError as unfinished:
            return f"{unfinished.learnt.states if unfinished.learnt else 0:,}+"
