"""First and follow sets of rules, and the steps from a rule to its minimal automaton."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from abnforge.cli.common.output import aligned
from abnforge.cli.output.formats import LineReport
from abnforge.cli.output.totals import counted
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.charset import CharSet
    from abnforge.engine.rule import Rule
    from abnforge.teaching.constructions import Construction, RuleSets

END = "end"  # the end of the input, as a member of a set


def members(chars: CharSet, end: bool = False) -> str:
    """Return a set of characters, and of the end of the input."""
    shown = [escape(str(chars))] if chars else []
    return ", ".join([*shown, *([END] if end else [])])


class RuleTables(LineReport["Rule"]):
    """The first and follow sets of a rule and of the rules that it uses."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        from abnforge.teaching.constructions import rule_sets

        rows = rule_sets(rule)
        head = ("rule", "nullable", "FIRST", "FOLLOW", "LL(1) conflicts")
        yield from aligned([head, *map(_row, rows)])


def _row(row: RuleSets) -> tuple[str, ...]:
    nullable = "yes" if row.nullable else "no"
    conflicts = members(row.conflicts, row.end_conflict)
    return row.rule.name, nullable, members(row.first), members(row.follow, row.end), conflicts


class RuleSteps(LineReport["Rule"]):
    """The nondeterministic automaton, the subset construction and the minimization of a rule."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        from abnforge.teaching.constructions import construction

        steps = construction(rule)
        classes = [escape(str(each)) for each in steps.classes]
        yield self.style.strong(
            f"1. nondeterministic automaton of {rule.name}: {counted(len(steps.nfa), 'state')}"
        )
        states = [
            [_state(str(number), number in steps.accepting), *map(_targets, row)]
            for number, row in enumerate(steps.nfa)
        ]
        yield from aligned([["", *classes], *states])
        yield ""
        yield self.style.strong(f"2. subset construction: {counted(len(steps.subsets), 'state')}")
        subsets = [
            [_state(_name(number), steps.accepts(number)), _set(each), *map(_target, row)]
            for number, (each, row) in enumerate(zip(steps.subsets, steps.rows, strict=True))
        ]
        yield from aligned([["", "states of 1", *classes], *subsets])
        yield ""
        yield self.style.strong(f"3. minimization: {counted(len(steps.rounds[-1]), 'state')}")
        yield from _minimization(steps)


def _minimization(steps: Construction) -> Iterator[str]:
    for number, blocks in enumerate(steps.rounds):
        shown = "  ".join("{" + " ".join(map(_name, block)) + "}" for block in blocks)
        yield f"round {number}: {shown}"


def _name(subset: int) -> str:
    """Return ``A``, ..., ``Z``, ``A1``, ... for a subset."""
    rest, letter = divmod(subset, 26)
    return chr(ord("A") + letter) + (str(rest) if rest else "")


def _targets(states: Sequence[int]) -> str:
    return " ".join(map(str, states)) or "-"


def _target(subset: int) -> str:
    return "-" if subset < 0 else _name(subset)


def _set(states: Sequence[int]) -> str:
    return "{" + " ".join(map(str, states)) + "}"


def _state(name: str, accepting: bool) -> str:
    """Return the name of a state; ``*`` marks accepting states, and ``>`` the start."""
    return f"{'>' if name in ('0', 'A') else ' '}{'*' if accepting else ' '} {name}"
