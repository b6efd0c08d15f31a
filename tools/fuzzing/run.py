"""Cases of a kind, one after the other, until time, number or patience with failures is used up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from time import monotonic

from fuzzing.cases import Case
from fuzzing.judge import judge
from fuzzing.kind import Kind
from fuzzing.minimise import Failure, minimised


@dataclass(frozen=True, slots=True)
class Settings:
    """How long and how patiently. ``cases`` is None where ``seconds`` decide; ``first`` numbers a case."""

    seed: int
    seconds: float = 30.0
    cases: int | None = None
    first: int = 0
    failures: int = 1
    patience: float = 20.0
    octets: int = 700_000_000
    minimising: float = 60.0


@dataclass(slots=True)
class Outcome:
    """What came of a run: cases judged, and failures with the numbers of their cases."""

    kind: str
    cases: int = 0
    seconds: float = 0.0
    found: list[tuple[int, Case, Failure]] = field(default_factory=list)

    def line(self, seed: int) -> str:
        """One line about it."""
        failures = (
            f"{len(self.found)} failure{'' if len(self.found) == 1 else 's'}" if self.found else "no failure"
        )
        return f"{self.kind}: seed {seed}, {self.cases} cases in {self.seconds:.0f} s, {failures}"


def case_of(kind: Kind, seed: int, number: int) -> Case:
    """The case of a number: it depends on nothing else."""
    case: Case = kind.draw(Random(f"{kind.name} {seed} {number}"))
    return case


def run(kind: Kind, settings: Settings, progress: Callable[[str], None] = lambda line: None) -> Outcome:
    """Judge cases; failures are made small, and those that come to the same are kept once.

    ``progress`` is told about every second. A case whose drawing fails raises: that is the fuzzer's fault, or
    one that keeps it from looking further.
    """
    outcome = Outcome(kind.name)
    started = told = monotonic()
    number = settings.first
    seen: set[object] = set()
    while True:
        outcome.seconds = monotonic() - started
        if settings.cases is not None:
            if number >= settings.first + settings.cases:
                return outcome
        elif outcome.seconds >= settings.seconds:
            return outcome
        if monotonic() - told > 1:
            told = monotonic()
            progress(f"{kind.name}: {outcome.cases} cases, {len(outcome.found)} failures")
        case = case_of(kind, settings.seed, number)
        failure = judge(kind, case, settings.patience, settings.octets)
        outcome.cases += 1
        if failure is not None:
            progress(f"{kind.name}: case {number} fails ({failure.law}), making it small")
            # An answer that depends on others needs them asked.
            only = None if failure.law == "history" else failure.law
            small, why = minimised(
                case,
                failure,
                partial(judge, kind, patience=settings.patience, octets=settings.octets, only=only),
                settings.minimising,
            )
            if (key := (why.law, why.kind, *small.setup())) not in seen:
                seen.add(key)
                outcome.found.append((number, small, why))
            if len(outcome.found) >= settings.failures:
                outcome.seconds = monotonic() - started
                return outcome
        number += 1


def teller() -> Callable[[str], None]:
    """Progress on standard error when that is a terminal, each line in the place of the one before."""
    if not sys.stderr.isatty():
        return lambda line: None
    return lambda line: print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
