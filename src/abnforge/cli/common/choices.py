"""Options that offer what the library has, and ask it only when it matters.

The library takes longer to import than the list of all verbs should take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import click


class LateChoice(click.Choice[str]):
    """A choice between the names that a function gives, which is called when they are first needed."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__(())
        del self.choices
        self._names = names

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names, as plain strings."""
        return tuple(map(str, self._names()))
