"""An implementation asked for every string of a suite, and what it answers differently, by cause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from abnforge.budget import Budget
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.suites import Suite, suite
from abnforge.conformance.vectors import Vector
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection

MAX_SHRUNK = 300
"""Strings accepted, and strings refused, that are made smaller to find their causes: the shortest ones."""

MAX_TRIES = 400
"""Questions that making one deviation smaller may take."""

Judge = Callable[[str], object]
_Ask = Callable[[str], tuple[bool, str | None]]


@dataclass(frozen=True)
class Deviation:
    """A way in which an implementation differs: ``text`` is the shortest string found, ``valid`` what the
    rule says of it. ``count`` strings of the suite have this cause; ``error`` is what the implementation
    raised, which counts as no.
    """

    rule: Rule
    text: str
    valid: bool
    count: int
    error: str | None = None

    @property
    def rejection(self) -> Rejection | None:
        """Why the rule does not derive the string, if it does not."""
        return None if self.valid else self.rule.explain(self.text)

    def __str__(self) -> str:
        said = "refused" if self.valid else "accepted"
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        rejection = self.rejection
        why = f": {rejection.message}" if rejection else f": {self.rule.name} derives it"
        return f"{said} {self.text!r}{more}{why}"


@dataclass(frozen=True)
class Report:
    """What an implementation did with a suite. ``tried`` strings were asked; ``differing`` of them were
    answered otherwise than the rule does, for the causes in ``deviations``, the shortest first.
    """

    suite: Suite
    tried: int
    differing: int
    deviations: tuple[Deviation, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether every answer was the rule's."""
        return self.differing == 0

    def __str__(self) -> str:
        if self.passed:
            return f"passed: {self.tried:,} strings. {self.suite.guarantee}"
        causes = "\n".join(f"  {deviation}" for deviation in self.deviations)
        kinds = "one cause" if len(self.deviations) == 1 else f"{len(self.deviations)} causes"
        return f"differs on {self.differing:,} of {self.tried:,} strings, {kinds}:\n{causes}"


def run(
    rule: Rule,
    judge: Judge | re.Pattern[str],
    level: str = "complete",
    extra_states: int = 0,
    *,
    budget: Budget | None = None,
) -> Report:
    """Ask an implementation for every string of a rule's suite.

    ``judge`` is called with a string; what it gives is taken for true or false, and an exception for no. A
    compiled pattern is asked whether it matches the whole. Raises what :func:`suite` raises. Cost: a question
    a string, and up to ``MAX_SHRUNK * MAX_TRIES`` where there are deviations.
    """
    asked = suite(rule, level, extra_states, budget=budget)
    ask = _asking(judge)
    differing = [vector for vector in asked if ask(vector.text)[0] is not vector.valid]
    return Report(asked, len(asked), len(differing), _causes(rule, differing, ask))


def _asking(judge: Judge | re.Pattern[str]) -> _Ask:
    question: Judge = judge.fullmatch if isinstance(judge, re.Pattern) else judge
    if not callable(question):
        raise TypeError(f"judge is a function of a string, or a compiled pattern, not {type(judge).__name__}")

    def ask(text: str) -> tuple[bool, str | None]:
        try:
            return bool(question(text)), None
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"

    return ask


def _causes(rule: Rule, differing: Sequence[Vector], ask: _Ask) -> tuple[Deviation, ...]:
    """Deviations by what is left of them when they are made as small as they get."""
    acceptor = Acceptor(rule.automaton) if rule.regular else None
    smallest: dict[object, tuple[str, bool, int]] = {}
    accepted = [vector for vector in differing if not vector.valid]
    refused = [vector for vector in differing if vector.valid]
    for vector in (*accepted[:MAX_SHRUNK], *refused[:MAX_SHRUNK]):
        text = _shrunk(rule, vector.text, vector.valid, ask)
        key = (vector.valid, text if acceptor is None else _cause(acceptor, text))
        known = smallest.get(key)
        if known is not None:
            text = min(known[0], text, key=lambda each: (len(each), each))
        smallest[key] = text, vector.valid, 1 if known is None else known[2] + 1
    found = sorted(smallest.values(), key=lambda each: (len(each[0]), each[0]))
    return tuple(Deviation(rule, text, valid, count, ask(text)[1]) for text, valid, count in found)


def _cause(acceptor: Acceptor, text: str) -> tuple[int, int | None]:
    """The transition that decides: where the rule's automaton leaves its language, or where it ends."""
    length, row = acceptor.automaton.read(text)
    state = row // acceptor.classes if row >= 0 else -1
    return state, acceptor.automaton.class_of(text[length]) if length < len(text) else None


def _shrunk(rule: Rule, text: str, valid: bool, ask: _Ask) -> str:
    """A text as short as leaving out slices makes it, that is still answered wrongly in the same way."""
    tries = MAX_TRIES

    def differs(shorter: str) -> bool:
        nonlocal tries
        tries -= 1
        return rule.matches(shorter) is valid and ask(shorter)[0] is not valid

    size = max(1, len(text) // 2)
    while size and tries > 0:
        place = 0
        while place < len(text) and tries > 0:
            shorter = text[:place] + text[place + size :]
            if differs(shorter):
                text = shorter
            else:
                place += size
        size //= 2
    return text
