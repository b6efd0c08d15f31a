"""Hints on the style of a right answer."""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.automata.algebra import EQUAL
from abnforge.budget import Budget
from abnforge.comparison.rules import compare
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import walk
from abnforge.linting.source import lint
from abnforge.teaching.exercises.exercise import Exercise
from abnforge.teaching.messages import message

# Findings that say nothing about how a small answer is written.
_NO_STYLE = {
    "case-insensitive-literal",
    "check-incomplete",
    "example-directive",
    "import-collision",
    "list-notation",
    "search-ended",
    "useless-allow",
}

MOST_HINTS = 5

# A long answer has LONGER times the elements of the reference, and MORE elements more.
LONGER, MORE = 2, 8

# What looking for better ways may take: it is an extra, and answers are small.
LINT_BUDGET = Budget(steps=200_000)

_CORE = ("ALPHA", "CHAR", "CR", "CRLF", "CTL", "DIGIT", "DQUOTE", "HEXDIG", "HTAB", "SP", "VCHAR", "WSP")


def style_hints(exercise: Exercise, text: str, rule: Rule) -> tuple[str, ...]:
    """Return hints on a right answer, at most ``MOST_HINTS``: findings of lint, copies of core rules, and its
    size compared with the reference. Cost: lint of the grammar.
    """
    found = dict.fromkeys((*_linted(exercise, text), *_own_core_rules(text, rule), *_long(exercise, text)))
    return tuple(found)[:MOST_HINTS]


def size(text: str) -> int:
    """Return the number of elements of a grammar: names, strings, numbers, groups and options."""
    return sum(1 for rule in read(text).rules for _ in walk(rule.elements))


def _linted(exercise: Exercise, text: str) -> Iterator[str]:
    told = set()
    for each in lint(text, [exercise.rule], imports=exercise.imports, budget=LINT_BUDGET):
        if each.accepted is None and each.name not in _NO_STYLE and each.name not in told:
            told.add(each.name)
            where = f"line {each.line}: " if each.line else ""
            yield f"{where}{each.message} [{each.code} {each.name}]"


def _own_core_rules(text: str, rule: Rule) -> Iterator[str]:
    """Rules of the answer that derive what a core rule does. Only those that are made of terminals alone are
    looked at.
    """
    core = _core_rules()
    for own in rule.grammar.own_rules:
        if own.regular and own.name.upper() not in core and not own.uses:
            for each in core.values():
                try:
                    same = compare(own, each).relation == EQUAL
                except LimitExceeded:
                    break
                if same:
                    yield message("style-core-rule", name=own.name, core=each.name)
                    break


def _core_rules() -> dict[str, Rule]:
    grammar = loads("all = " + " / ".join(_CORE) + "\n", cache=False)
    return {name: grammar[name] for name in _CORE}


def _long(exercise: Exercise, text: str) -> Iterator[str]:
    own, short = size(text), size(exercise.reference)
    if own >= LONGER * short and own >= short + MORE:
        yield message("style-long", own=own, enough=short)
