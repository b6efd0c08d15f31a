"""Two rules as sets of strings: which is wider, and a shortest string that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from abnforge.automaton.algebra import witnesses
from abnforge.engine.grammar import Rule


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two languages relate.

    ``relation`` is that of the left one to the right one: ``equal``, ``narrower`` (every string of the
    left is one of the right), ``wider``, ``overlap`` or ``disjoint``. ``only_left``, ``only_right`` and
    ``both`` are shortest strings of those regions, None where there are none.
    """

    left: Rule
    right: Rule
    relation: str
    only_left: str | None
    only_right: str | None
    both: str | None


def compare(a: Rule, b: Rule) -> Comparison:
    """The relation of two rules, of one grammar or of two, with witnesses.

    Exact, since both are compared as automata. Raises what ``Rule.automaton`` raises for rules that have
    none. Cost: the product of the two automata, some milliseconds for URI rules.
    """
    for rule in (a, b):
        if not isinstance(rule, Rule):
            raise TypeError(
                f"compare takes two rules, as load(name)[rule] gives them, not {type(rule).__name__}"
            )
    found = witnesses(a.automaton, b.automaton)
    return Comparison(a, b, found.relation, found.only_left, found.only_right, found.both)
