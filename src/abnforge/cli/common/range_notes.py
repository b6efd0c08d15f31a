"""The line that names the ranges of numbers which a rule's grammar has in comments only."""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.engine.rule import Rule
from abnforge.ingest.batch import Column
from abnforge.linting.comments import unchecked_ranges


def range_note(rule: Rule) -> str | None:
    """Return a sentence on the ranges that a rule does not check, or None.

    The rule of the same name with ``-strict`` (``date-time-strict``) is named if the grammar has one without
    such ranges. Ranges come from the comments of the grammar's own text.
    """
    bound, facts = rule.grammar.compilation.bound, rule.grammar.facts
    ranges = unchecked_ranges(bound, facts.reachable(rule.key))
    if not ranges:
        return None
    named = ", ".join(f"{each.rule} {each.numbers.rpartition(', ')[2]}" for each in ranges)
    strict = bound.rules.get(f"{rule.key}-strict")
    if strict is not None and unchecked_ranges(bound, facts.reachable(f"{rule.key}-strict")):
        strict = None
    hint = f"; use {strict.name}" if strict is not None else ""
    return f"ranges in comments are not checked: {named}{hint}"


def range_notes(columns: Iterable[Column]) -> dict[str, str]:
    """Return the sentences on the rules of columns, by the names of the columns."""
    return {each.name: note for each in columns if (note := range_note(each.rule))}
