"""Standard output as a place that can fail, and the terminal's colours.

Results go to standard output and nothing else does; a reader that closes the pipe early is no error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import click

from abnforge.drawing import escape

Write = Callable[[str], None]


def write(text: str) -> None:
    """Write to standard output as is; characters its encoding lacks become backslash escapes."""
    stream = sys.stdout
    if stream is None:
        raise OSError("standard output is closed")
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def complain(message: str) -> None:
    """One line on standard error, under the program's name."""
    click.echo(f"abnforge: {escape(without_passwords(message))}", err=True)


def without_passwords(message: str) -> str:
    """A complaint without the password of a URI that it quotes: complaints end up in logs."""
    if "@" not in message and "%40" not in message:
        return message  # most have none, and what hides them takes longer to import than they take to say
    from abnforge.uri.common.password import without_password

    return without_password(message)


def dumps(value: Any) -> str:
    """JSON in printable ASCII alone, so that it is as safe on a terminal as in a file."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person is looking at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


@dataclass(frozen=True, slots=True)
class Style:
    """Colours, or none. Meaning never hangs on them."""

    colour: bool = False

    @classmethod
    def detect(cls) -> Style:
        """Colour on a terminal, unless NO_COLOR (https://no-color.org) is set or the terminal is dumb."""
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return cls(is_terminal(sys.stdout) and not plain)

    def error(self, text: str) -> str:
        return self._apply(text, fg="red", bold=True)

    def good(self, text: str) -> str:
        return self._apply(text, fg="green", bold=True)

    def strong(self, text: str) -> str:
        return self._apply(text, bold=True)

    def faint(self, text: str) -> str:
        return self._apply(text, dim=True)

    def _apply(self, text: str, **attributes: Any) -> str:
        return click.style(text, **attributes) if self.colour and text else text


PLAIN = Style()
