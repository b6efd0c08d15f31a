"""``--newline``: the line ends of a whole file as its grammar wants them.

To ABNF a line's end is characters like others, and most specifications mean CRLF by it (RFC 5234, appendix
B.1), which is two of them: files of most editors hold LF alone. Nothing is converted unless it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from abnforge.catalog import Message
from abnforge.cli.common.messages import message

Newline = Literal["crlf", "lf", "keep"]

WORDS = {"crlf": "CRLF", "lf": "LF"}


def convert(text: str, newline: Newline) -> tuple[str, int]:
    """The text with the line ends that are wanted, and how many were others.

    A line's end is LF or CRLF; a CR alone is a character of the line. The lines, and the columns of
    what is in them, stay as they were. Cost: linear.
    """
    both = text.count("\r\n")
    if newline == "crlf" and (others := text.count("\n") - both):
        return text.replace("\r\n", "\n").replace("\n", "\r\n"), others
    if newline == "lf" and both:
        return text.replace("\r\n", "\n"), both
    return text, 0


def converted(source: str, newline: Newline, changed: int) -> Message:
    """Return the message about converted line endings."""
    other = WORDS["lf" if newline == "crlf" else "crlf"]
    return message("line-ends-converted", source=source, count=changed, before=other, after=WORDS[newline])


def advice(text: str, offset: int, admitted: Iterable[str]) -> Newline | None:
    """The conversion that gives a text what it lacks at the offset where reading stopped; None without one.

    ``admitted`` are the characters that could have stood there, as character classes without brackets.
    """
    if text.startswith("\r\n", offset):
        wanted: Newline = "lf"
    elif text.startswith("\n", offset) and not text.endswith("\r", 0, offset):
        wanted = "crlf"
    else:
        return None
    first = "\n" if wanted == "lf" else "\r"
    return wanted if any(re.match(f"[{chars}]", first) for chars in admitted) else None
