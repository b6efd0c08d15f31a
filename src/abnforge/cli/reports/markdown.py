"""Text of any kind inside a cell of a Markdown table (GitHub's)."""

from __future__ import annotations

import html
import re

from abnforge.text import escape

# What can mean something inside a line; what only does so at its start has no such place in a cell.
_MARKS = re.compile(r"([\\`*_\[\]~|])")


def plain(text: str) -> str:
    """A text that means nothing but itself."""
    return _MARKS.sub(r"\\\1", html.escape(escape(text), quote=False))


def code(text: str) -> str:
    """A text as code. The empty string is told in words, since there is no empty code span."""
    if not text:
        return "*(empty)*"
    shown = escape(text)
    if shown != shown.strip() or any(char in shown for char in "`|\\"):
        shown = html.escape(shown, quote=False)
        for char in "`|\\ ":  # a code span would drop or misread these
            shown = shown.replace(char, f"&#{ord(char)};")
        return f"<code>{shown}</code>"
    return f"`{shown}`"
