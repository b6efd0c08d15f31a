"""The table of Cocke, Younger and Kasami: the rules that derive each substring.

The algorithm is that of Hopcroft and Ullman (1979, 6.3), on the Chomsky normal form of a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, instance_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.rule import Rule
from abnforge.teaching.messages import message
from abnforge.teaching.normal_forms import Productions, normal_form

MAX_TABLE = 40  # the length of a string in a table; the cost is cubic


@dataclass(frozen=True, slots=True)
class SpanTable:
    """The rules of a Chomsky normal form that derive each substring of ``text``.

    ``cells[length - 1][start]`` has the rules that derive the substring. ``used`` has the cells of one
    derivation of the whole string, as (start, length, rule); it is empty if the string does not match.
    """

    rule: Rule
    text: str
    grammar: Productions
    cells: tuple[tuple[tuple[str, ...], ...], ...]
    used: frozenset[tuple[int, int, str]]

    @property
    def matches(self) -> bool:
        """True if the start rule derives the string."""
        if not self.text:
            return () in self.grammar.rules[self.grammar.start]
        return self.grammar.start in self.cells[-1][0]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "rule": self.rule.name,
            "text": self.text,
            "matches": self.matches,
            "grammar": self.grammar.to_dict(),
            "cells": [[list(cell) for cell in row] for row in self.cells],
            "used": [list(each) for each in sorted(self.used)],
        }


def cyk(rule: Rule, text: Text) -> SpanTable:
    """Return the table of a string: the rules of the Chomsky normal form that derive each substring.

    Raises the errors of :func:`normal_forms.normal_form`, and ValueError for more than ``MAX_TABLE``
    characters. Cost: cubic in the length of the string, times the right sides of two rules.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    if len(plain) > MAX_TABLE:
        raise ArgumentError(message("construction-text-long", length=len(plain), limit=MAX_TABLE))
    grammar = normal_form(rule)[-1].grammar
    pairs: dict[str, list[tuple[str, str]]] = {}  # first rule -> second rule, and the rule of both
    for name, sides in grammar.rules.items():
        for side in sides:
            if len(side) == 2:
                pairs.setdefault(str(side[0]), []).append((str(side[1]), name))
    order = {name: number for number, name in enumerate(grammar.rules)}
    # (start, length) -> rule -> the length of the first part, and both rules; None for one character
    found: dict[tuple[int, int], dict[str, tuple[int, str, str] | None]] = {}
    for start, char in enumerate(plain):
        found[start, 1] = {
            name: None
            for name, sides in grammar.rules.items()
            if any(len(side) == 1 and char in side[0] for side in sides)
        }
    for length in range(2, len(plain) + 1):
        for start in range(len(plain) - length + 1):
            cell = found[start, length] = {}
            for left in range(1, length):
                after = found[start + left, length - left]
                for first in found[start, left] if after else ():
                    for second, name in pairs.get(first, ()):
                        if second in after:
                            cell.setdefault(name, (left, first, second))
    used: set[tuple[int, int, str]] = set()
    top = (0, len(plain), grammar.start)
    waiting = [top] if plain and grammar.start in found[0, len(plain)] else []
    while waiting:
        start, length, name = each = waiting.pop()
        used.add(each)
        if split := found[start, length][name]:
            left, first, second = split
            waiting += [(start, left, first), (start + left, length - left, second)]
    return SpanTable(
        rule,
        plain,
        grammar,
        tuple(
            tuple(
                tuple(sorted(found[start, length], key=order.__getitem__))
                for start in range(len(plain) - length + 1)
            )
            for length in range(1, len(plain) + 1)
        ),
        frozenset(used),
    )
