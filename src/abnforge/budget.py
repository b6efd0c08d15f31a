"""Resource limits: one budget for every compiler, search, proof and parser.

A :class:`Budget` is a value. An operation (a rule's automaton, a proof, an explanation) opens a
:class:`Meter` of it and charges its work in steps of about a microsecond. A part of an operation has a
separate meter, which also charges the meter of the whole operation. Work is counted and not timed, so that
the same input has the same result on every machine; seconds are a backstop for work that is not counted.
"""

from __future__ import annotations

import re
from time import monotonic
from typing import Any

from abnforge._arguments import plain_argument, wrong_type, wrong_value
from abnforge._lazy import lazy_pattern
from abnforge.catalog import ArgumentError
from abnforge.errors import LimitExceeded
from abnforge.messages import message
from abnforge.records import dataclass, fields

# Steps between two readings of the clock.
_LOOK = 50_000

MOST = 10**18  # the largest value of a field, which is 30,000 years of steps; ``seconds`` may be ``inf``

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_SETTING = lazy_pattern(
    r"(?:(steps|memory|seconds|per_character)=)?(\d+(?:\.\d+)?)([kmgx]?)", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Budget:
    """The resource limits of one operation: to compile a rule, parse or explain a string, compare two rules.

    ``steps`` counts work, about a microsecond each; ``per_character`` steps are added for each character of a
    string that recursive rules parse. ``memory`` is an estimate in bytes of the data that the operation
    keeps. ``seconds`` is a backstop: a result that depends on it may differ on another machine.
    """

    steps: int = 1_200_000
    per_character: int = 100
    memory: int = 400_000_000
    seconds: float = 120.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            kinds = (int, float) if field.name == "seconds" else (int,)
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise wrong_type(f"budget {field.name}", "a number", value)
            if not value >= 0:
                shown = value if value != value or value > -MOST else "negative"  # Python shows no large int
                raise wrong_value(f"budget {field.name}", "at least 0", shown)
            if value > MOST and value != float("inf"):
                raise ArgumentError(message("budget-too-large", name=field.name))

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Return the budget that a string describes.

        ``10x`` is ten times the default; ``steps=20M,memory=2G,seconds=600`` sets fields by name. Raises
        ValueError for any other string.
        """
        text = plain_argument(text, "text")
        values = {field.name: getattr(cls(), field.name) for field in fields(cls)}
        for part in text.split(","):
            match = _SETTING.fullmatch(part.strip())
            if match is None or (match[3].lower() == "x") is (match[1] is not None):
                raise ArgumentError(message("budget-unknown", budget=text))
            name, number, unit = match[1], float(match[2]), match[3].lower()
            if unit == "x" and number == 0:
                raise ArgumentError(message("budget-empty", budget=text))
            if unit == "x":
                values = {name: type(value)(_bounded(value * number)) for name, value in values.items()}
            else:
                name = (name or "steps").lower()
                values[name] = type(values[name])(_bounded(number * _UNITS[unit]))
        return cls(**values)

    def meter(
        self, operation: str, size: int = 0, *, code: str = "limit-exceeded", rule: str | None = None
    ) -> Meter:
        """Return a meter for an operation.

        ``operation`` is its name in messages, ``size`` the length of the input in characters; errors have the
        ``code`` and the ``rule``.
        """
        return Meter(self, operation, self.steps + self.per_character * size, code=code, rule=rule)


class Meter:
    """The account of one operation; ``steps`` and ``memory`` are its charges so far.

    Meters are compared by identity. A copy, such as one in another process, charges nothing to the original.
    """

    __slots__ = (
        "_budget",
        "_code",
        "_deadline",
        "_fraction",
        "_limit",
        "_look",
        "_parent",
        "_rule",
        "memory",
        "operation",
        "setting",
        "steps",
    )

    def __init__(
        self,
        budget: Budget,
        operation: str,
        limit: int,
        parent: Meter | None = None,
        setting: str = "budget.steps",
        code: str = "limit-exceeded",
        rule: str | None = None,
        fraction: float = 1.0,
    ) -> None:
        self._budget = budget
        self._parent = parent
        self._limit = limit
        self._deadline: float = monotonic() + budget.seconds if parent is None else parent._deadline
        self._look = _LOOK
        self._code = code
        self._rule = rule
        self._fraction = fraction  # the share of the budget's steps, if they determine the limit
        self.operation = operation
        self.setting = setting
        self.steps = 0
        self.memory = 0

    @property
    def left(self) -> int:
        """The number of steps that can still be charged."""
        own = self._limit - self.steps
        return own if self._parent is None else min(own, self._parent.left)

    def charge(self, steps: int = 1) -> None:
        """Count steps of work. Raises LimitExceeded."""
        self.steps += steps
        if self._parent is not None:
            self._parent.charge(steps)
        elif self.steps > self._look:
            self._look = self.steps + _LOOK
            if monotonic() > self._deadline:
                raise self._exceeded(int(self._budget.seconds), int(self._budget.seconds), "budget.seconds")
        if self.steps > self._limit:
            raise self._exceeded(self.steps, self._limit, self.setting)

    def hold(self, octets: int) -> None:
        """Count bytes that the operation keeps until its end, an estimate. Raises LimitExceeded."""
        self.memory += octets
        if self._parent is not None:
            self._parent.hold(octets)
        elif self.memory > self._budget.memory:
            raise self._exceeded(self.memory, self._budget.memory, "budget.memory")

    def extend(self, size: int) -> None:
        """Raise the limit by the steps for ``size`` more characters."""
        self._limit += self._budget.per_character * size

    def part(self, operation: str, steps: int, setting: str) -> Meter:
        """Return a meter for a part of the operation, limited to ``steps``; ``setting`` names that limit."""
        return Meter(self._budget, operation, steps, self, setting, self._code, self._rule)

    def share(self, operation: str, fraction: float) -> Meter:
        """Return a meter for a part of the operation, limited to a fraction of all its steps."""
        steps, of_all = int(self._limit * fraction), self._fraction * fraction
        return Meter(self._budget, operation, steps, self, self.setting, self._code, self._rule, of_all)

    def _exceeded(self, used: int, limit: int, setting: str) -> LimitExceeded:
        facts: dict[str, Any] = {"operation": self.operation, "limit": limit}
        if setting == "budget.memory":
            text = message("limit-memory", **facts)
        elif setting == "budget.seconds":
            text = message("limit-seconds", **facts)
        elif setting != "budget.steps":
            text = message("limit-constant", setting=setting, **facts)
        elif self._fraction < 1:
            text = message("limit-steps-share", share=f"{self._fraction:.0%}", **facts)
        else:
            text = message("limit-steps", **facts)
        return LimitExceeded(
            text,
            operation=self.operation,
            used=used,
            limit=limit,
            setting=setting,
            code=self._code,
            rule=self._rule,
        )


def _bounded(number: float) -> float:
    """Return the number, or for a huge one a number that exceeds every budget and fits into an int."""
    return min(number, 10.0 * MOST)


DEFAULT = Budget()
