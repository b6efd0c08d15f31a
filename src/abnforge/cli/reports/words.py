"""Rules in words: read aloud, with sentences, near misses and facts."""

from __future__ import annotations

from abnforge.cli.common.output import Style
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rules import definition
from abnforge.cli.reports.totals import counted
from abnforge.engine.rule import Rule
from abnforge.teaching.describe import UP_TO, About, about
from abnforge.text import escape

CLASS_COLUMNS = 60
TEXT_COLUMNS = 60


class RuleWords(Report[Rule]):
    """A paragraph a rule, a blank line between them."""

    separator = ""

    def add(self, rule: Rule) -> None:
        self.write(self.separator + "".join(f"{line}\n" for line in lines(about(rule), self.style)))
        self.separator = "\n"


def lines(told: About, style: Style) -> list[str]:
    """All that is told about a rule."""
    found = [style.strong(line) for line in definition(told.rule).splitlines()]
    found.append(escape(told.words))
    rows = [
        ("shortest" if told.exact else "short", _texts(told.sentences)),
        ("near misses", _texts(told.misses)),
        ("empty", "can be empty" if told.nullable else "is never empty"),
        ("begins with", _class(told)),
        ("sentences", _count(told)),
        ("kind", _kind(told)),
    ]
    found += [f"  {style.faint(label.ljust(11))}  {text}" for label, text in rows if text]
    return found


def _texts(texts: tuple[str, ...]) -> str:
    return "  ".join(
        f'"{escape(text)}"' if len(text) <= TEXT_COLUMNS else f'"{escape(text[:TEXT_COLUMNS])}..."'
        for text in texts
    )


def _class(told: About) -> str:
    if not told.first:
        return ""
    text = str(told.first)
    return text if len(text) <= CLASS_COLUMNS else text[:CLASS_COLUMNS] + "..."


def _count(told: About) -> str:
    if told.count is None:
        return ""
    many = f"{told.count:,}" if told.count else "none"
    here = f"{many} of at most {UP_TO} characters"
    return here + (", a finite set" if told.finite else ", and infinitely many longer ones")


def _kind(told: About) -> str:
    if not told.regular:
        return "recursive, not known to be regular"
    if told.states is None:
        return "regular"
    return f"regular, {counted(told.states, 'state')}"
