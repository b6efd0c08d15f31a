"""Differences of two grammars, and whether a change is backward compatible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import fill
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.cli.common.output import Style, columns
from abnforge.cli.output.codes import code, plain
from abnforge.cli.output.formats import LineReport
from abnforge.text import escape

with lazy:
    from abnforge.comparison import grammars, rules

if TYPE_CHECKING:
    from abnforge.comparison.grammars import Compatibility, GrammarDiff, RuleDiff

LABEL_COLUMNS = 14  # as wide as "not-comparable"
NAMES_COLUMNS = 100
VERDICT_COLUMNS = 10  # as wide as "compatible"


class DifferenceText(LineReport["GrammarDiff"]):
    """Each rule that both grammars have; then the names of the rules that only one grammar has.

    A rule that only inherits differences is named below the rules that it inherits them from.
    """

    def lines(self, diff: GrammarDiff) -> Iterator[str]:
        for rule in diff.rules:
            if rule.left and rule.right and not rule.inherits:
                yield from rule_lines(rule, diff, self.style)
                heirs = [title(each) for each in diff.rules if rule.name in each.inherits]
                if heirs:
                    yield wrapped(f"inherited by {', '.join(heirs)}")
        for label, alone in (
            (diff.left, [rule.name for rule in diff.rules if rule.right is None]),
            (diff.right, [rule.name for rule in diff.rules if rule.left is None]),
        ):
            if alone:
                yield from only_lines(label, alone, self.style)


class CompatibilityText(LineReport["Compatibility"]):
    """Each rule with its verdict, and its witnesses below; at the end, the overall verdict."""

    def lines(self, comparison: Compatibility) -> Iterator[str]:
        for rule in comparison.diff.rules:
            verdict = grammars.verdict(rule)
            paint = self.style.good if verdict == "compatible" else self.style.error
            first, *rest = rule_lines(rule, comparison.diff, self.style)
            yield f"{paint(verdict.ljust(VERDICT_COLUMNS))} {first}"
            yield from rest
        yield self.style.strong(conclusion(comparison))


class DifferenceTable(LineReport["GrammarDiff"]):
    """The comparison of two grammars as a Markdown table with a row per rule."""

    wraps = False
    is_file = True

    def lines(self, diff: GrammarDiff) -> Iterator[str]:
        return _table(diff)


class CompatibilityTable(LineReport["Compatibility"]):
    """The verdict, and a Markdown table with the verdict on each rule."""

    wraps = False
    is_file = True

    def lines(self, comparison: Compatibility) -> Iterator[str]:
        yield f"**{conclusion(comparison)}**"
        yield ""
        yield from _table(comparison.diff, verdicts=True)


def _table(diff: GrammarDiff, *, verdicts: bool = False) -> Iterator[str]:
    names = (diff.left, diff.right)
    head = ["verdict"] if verdicts else []
    head += ["rule", "relation", *(f"only {plain(name)}" for name in names), "note"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for rule in diff.rules:
        sides: dict[str, list[str]] = {}
        for name, text, why in witnesses(rule, diff):
            sides.setdefault(name, []).append(f"{code(text)}: {plain(why)}")
        cells = [grammars.verdict(rule)] if verdicts else []
        cells += [code(title(rule)), rule.relation, *("<br>".join(sides.get(name, ())) for name in names)]
        yield f"| {' | '.join([*cells, plain(rule.note or '')])} |"


def conclusion(comparison: Compatibility) -> str:
    if comparison.compatible:
        return "backward compatible"
    counts = (
        (len(comparison.rules(grammars.BROKEN)), "broken"),
        (len(comparison.rules(grammars.NOT_SHOWN)), "not proved compatible"),
    )
    parts = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"not backward compatible: {parts} of {len(comparison.diff.rules)}"


def title(rule: RuleDiff) -> str:
    """Return the rule's name, and its counterpart's name if that differs."""
    if rule.counterpart is None or rule.counterpart == rule.name:
        return rule.name
    return f"{rule.name} -> {rule.counterpart}"


def witnesses(rule: RuleDiff, diff: GrammarDiff) -> list[tuple[str, str, str]]:
    """Return each string that only one rule matches, its grammar, and the other rule's reason."""
    compared = rule.comparison
    if compared is None:
        return []
    more_left, more_right = rule.other_examples()
    sides = (
        (diff.left, compared.right_rejection(), more_left),
        (diff.right, compared.left_rejection(), more_right),
    )
    return [
        (name, each.input, rules.reason(each))
        for name, first, more in sides
        if first is not None
        for each in (first, *more)
    ]


def rule_lines(rule: RuleDiff, diff: GrammarDiff, style: Style) -> list[str]:
    """Return lines with the relation and the rule, and with each witness and the other grammar's reason."""
    paint = style.good if rule.equal else style.error
    lines = [f"{paint(rule.relation.ljust(LABEL_COLUMNS))} {style.strong(escape(title(rule)))}"]
    if rule.note:
        lines.append(f"    {escape(rule.note)}")
    for name, text, why in witnesses(rule, diff):
        lines.append(f"    {style.faint('only ' + escape(name))}  {rules.quoted(text)}")
        lines.append(f"        {escape(why)}")
    return lines


def only_lines(label: str, names: Iterable[str], style: Style) -> list[str]:
    """Return the rules that only one of the grammars has."""
    return [style.error(escape(f"only {label}")), wrapped(", ".join(names))]


def wrapped(text: str) -> str:
    """Return indented lines that are not wider than the terminal."""
    return fill(
        escape(text),
        width=columns(NAMES_COLUMNS),
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
