"""How far a long run has come: one line on standard error, for a person who waits."""

from __future__ import annotations

import sys
import time

import click

from abnforge.cli.output import is_terminal

FIRST_SECONDS = 1.0  # shorter runs need no progress
NEXT_SECONDS = 0.2


class Progress:
    """A line that is redrawn in place, and never written where no terminal is."""

    def __init__(self) -> None:
        self.enabled = is_terminal(sys.stderr)
        self._next = time.monotonic() + FIRST_SECONDS
        self._drawn = False

    def update(self, lines: int, rejected: int, done: int, total: int | None) -> None:
        """After each line; draws rarely enough not to matter."""
        if not self.enabled or (now := time.monotonic()) < self._next:
            return
        self._next = now + NEXT_SECONDS
        share = f"{min(100, done * 100 // total):3d} %  " if total else ""
        click.echo(f"\r\x1b[K{share}{lines:,} lines, {rejected:,} rejected", nl=False, err=True)
        self._drawn = True

    def clear(self) -> None:
        """Before anything else is written to the terminal."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._drawn = False
