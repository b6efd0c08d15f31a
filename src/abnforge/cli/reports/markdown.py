"""Markdown (GitHub's): a table, with text of any kind inside its cells."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rule_differences import title, witnesses
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.comparison.grammars import GrammarDiff

# What can mean something inside a line; what only does so at its start has no such place in a cell.
_MARKS = re.compile(r"([\\`*_\[\]~|])")


class DifferenceTable(Report["GrammarDiff"]):
    """Two grammars, a row a rule."""

    is_file = True

    def add(self, diff: GrammarDiff) -> None:
        names = (diff.left, diff.right)
        self.write(f"| rule | relation | only {plain(names[0])} | only {plain(names[1])} | note |\n")
        self.write("|---|---|---|---|---|\n")
        for rule in diff.rules:
            found = {name: f"{code(text)}: {plain(why)}" for name, text, why in witnesses(rule, diff)}
            cells = [code(title(rule)), rule.relation, *(found.get(name, "") for name in names)]
            self.write(f"| {' | '.join([*cells, plain(rule.note or '')])} |\n")


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
