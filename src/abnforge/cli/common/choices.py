"""Options that offer what the library has, and ask it only when it matters.

The library takes longer to import than the list of all verbs should take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # no generic class before click 8.2


class LateChoice(_Choice):
    """A choice between the names that a function gives, which is called when they are first needed."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__(())
        del self.choices
        self._names = names

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names, as plain strings."""
        return tuple(map(str, self._names()))
