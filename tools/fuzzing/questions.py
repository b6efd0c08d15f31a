"""Questions to the project, each remembered as the line of Python that asks it.

A law asks through a :class:`Questions`; when the answer is not the one expected, or there is none, the line
is what a test of the case consists of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn


class BrokenError(Exception):
    """A law that does not hold. ``claim`` is what a test asserts, ``why`` is for people."""

    def __init__(self, law: str, claim: str, why: str) -> None:
        self.law = law
        self.claim = claim
        self.why = why
        super().__init__(law, claim, why)  # so that it pickles


@dataclass(frozen=True, slots=True)
class Name:
    """An argument that a test writes as a name (``other``), not as a value."""

    path: str


class Questions:
    """The names that a test of a case has, what was asked of them last, and for the sake of which law.

    ``only`` is the one law that is looked at: a case that is made small need not be held against others.
    """

    def __init__(self, only: str | None = None) -> None:
        self._only = only
        self.names: dict[str, Any] = {}
        self.law = "load"
        self.asked = "..."
        self.answered: list[str] = []

    def about(self, law: str) -> bool:
        """Begin with a law; whether it is one of those looked at, which are all, or one while minimising."""
        self.law = law
        return self._only in (None, law)

    def call(self, path: str, *arguments: Any, **keywords: Any) -> Any:
        """The answer of a function, given by its path from a known name: ``rule.matches``."""
        shown = [*map(_shown, arguments), *(f"{key}={_shown(value)}" for key, value in keywords.items())]
        self.asked = f"{path}({', '.join(shown)})"
        values = [self._find(value.path) if isinstance(value, Name) else value for value in arguments]
        answer = self._find(path)(*values, **keywords)
        self.answered.append(self.asked)
        return answer

    def get(self, path: str) -> Any:
        """The value of an attribute."""
        self.asked = path
        return self._find(path)

    def equal(self, expected: Any, path: str, *arguments: Any, **keywords: Any) -> None:
        """Ask, and hold the answer against the expected one."""
        got = self.call(path, *arguments, **keywords)
        if got != expected:
            self.fail(f"{self.asked} == {expected!r}", f"{self.asked} is {got!r}, not {expected!r}")

    def hold(self, condition: bool, claim: str, why: str) -> None:
        """Hold a condition that is not about one answer; ``claim`` is how a test writes it."""
        if not condition:
            self.fail(claim, why)

    def fail(self, claim: str, why: str) -> NoReturn:
        """The law is broken."""
        raise BrokenError(self.law, claim, why)

    def _find(self, path: str) -> Any:
        first, *attributes = path.split(".")
        value = self.names[first]
        for attribute in attributes:
            value = getattr(value, attribute)
        return value


def _shown(value: Any) -> str:
    return value.path if isinstance(value, Name) else repr(value)
