"""Progress of long runs, as one line on standard error."""

from __future__ import annotations

import sys
import time

import click

from abnforge.cli.common.output import is_dumb, is_terminal

FIRST_SECONDS = 1.0  # shorter runs need no progress
NEXT_SECONDS = 0.2
ERASE_LINE = "\x1b[K"


class ProgressLine:
    """A line that is redrawn in place, and never written where no terminal is, or one that cannot erase.
    ``unit`` is what it counts. A person who types the input at the same terminal would write into the line.
    """

    def __init__(self, unit: str = "line", typed: bool = False) -> None:
        self._unit = unit
        self.enabled = is_terminal(sys.stderr) and not is_dumb() and not typed
        self._results_too = is_terminal(sys.stdout)
        self._next = time.monotonic() + FIRST_SECONDS
        self._drawn = False

    def update(
        self, units: int, counted: int, done: int, total: int | None, what: str = "rejected", more: str = ""
    ) -> None:
        """After each line, or file; draws rarely enough not to matter. ``what`` says what was counted, and
        ``more`` what else there is to say.
        """
        if not self.enabled or (now := time.monotonic()) < self._next:
            return
        self._next = now + NEXT_SECONDS
        share = f"{min(100, done * 100 // total):3d} %  " if total else ""
        self._echo(f"{share}{units:,} {self._unit}{'s' * (units != 1)}, {counted:,} {what}{more}")
        self._drawn = True

    def make_room(self) -> None:
        """Before a result is written: it may go to the same terminal."""
        if self._results_too:
            self.clear()

    def clear(self) -> None:
        """Before anything else is written to standard error, and at the end."""
        if self._drawn:
            self._echo("")
            self._drawn = False

    def _echo(self, text: str) -> None:
        # Without color=True click would take the escape out.
        click.echo(f"\r{ERASE_LINE}{text}", nl=False, err=True, color=True)
