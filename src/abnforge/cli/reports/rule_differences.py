"""Drawing in what two rules differ."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import TYPE_CHECKING

from abnforge.cli.common.output import Style, columns
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.comparison.grammars import GrammarDiff, RuleDiff

LABEL_COLUMNS = 14  # as wide as "not-comparable"
NAMES_COLUMNS = 100


def title(rule: RuleDiff) -> str:
    """The rule's name, and what it was compared with if that is not called the same."""
    if rule.counterpart is None or rule.counterpart == rule.name:
        return rule.name
    return f"{rule.name} -> {rule.counterpart}"


def witnesses(rule: RuleDiff, diff: GrammarDiff) -> list[tuple[str, str, str]]:
    """For each side that has strings of its own: its grammar, one of them, and what the other says to it."""
    from abnforge.comparison.rules import reason

    compared = rule.comparison
    if compared is None:
        return []
    sides = (
        (diff.left, compared.only_left, compared.right_rejection()),
        (diff.right, compared.only_right, compared.left_rejection()),
    )
    return [(name, text, reason(why)) for name, text, why in sides if text is not None and why is not None]


def rule_lines(rule: RuleDiff, diff: GrammarDiff, style: Style) -> list[str]:
    """The relation and the rule; below, each witness and the reason why the other grammar rejects it."""
    from abnforge.comparison.rules import quoted

    paint = style.good if rule.equal else style.error
    lines = [f"{paint(rule.relation.ljust(LABEL_COLUMNS))} {style.strong(escape(title(rule)))}"]
    if rule.note:
        lines.append(f"    {escape(rule.note)}")
    for name, text, why in witnesses(rule, diff):
        lines.append(f"    {style.faint('only ' + escape(name))}  {quoted(text)}")
        lines.append(f"        {escape(why)}")
    return lines


def only_lines(label: str, names: Iterable[str], style: Style) -> list[str]:
    """Rules that only one of the grammars has."""
    wrapped = fill(
        escape(", ".join(names)),
        width=columns(NAMES_COLUMNS),
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [style.error(escape(f"only {label}")), wrapped]
