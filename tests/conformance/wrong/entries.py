"""The record of each implementation: its rule, the source of its bug, and the strings that show the bug."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Judge = Callable[[str], object]


@dataclass(frozen=True)
class Wrong:
    """An implementation with one bug.

    ``source`` is the project and the thread that reports the bug; ``bug`` describes the bug. The rule and the
    implementation differ only on strings that satisfy ``shows``; ``witness`` is a shortest such string.
    """

    rule: str
    source: str
    bug: str
    witness: str
    shows: Judge
    judge: Judge

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return self.judge.__name__


WRONG: list[Wrong] = []


def wrong(rule: str, source: str, bug: str, witness: str, shows: Judge) -> Callable[[Judge], Judge]:
    """Return a decorator that registers a function as an implementation of the rule with a bug."""

    def put(judge: Judge) -> Judge:
        WRONG.append(Wrong(rule, source, bug, witness, shows, judge))
        return judge

    return put


@dataclass(frozen=True)
class Right:
    """An implementation without a bug, and its style."""

    rule: str
    style: str
    judge: Judge

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return self.judge.__name__


RIGHT: list[Right] = []


def right(rule: str, style: str) -> Callable[[Judge], Judge]:
    """Return a decorator that registers a function as an implementation of the rule without a bug.

    The style is regexes, loops, or another library.
    """

    def put(judge: Judge) -> Judge:
        RIGHT.append(Right(rule, style, judge))
        return judge

    return put
