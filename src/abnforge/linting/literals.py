"""Findings about terminals: prose, and letters that match more than they seem to."""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.abnf.model import CharVal, ProseVal
from abnforge.abnf.names import BoundGrammar, BoundRule
from abnforge.linting.finding import Finding, make
from abnforge.linting.messages import message
from abnforge.linting.sites import own_rules, repetitions

MAX_LITERALS_SHOWN = 6
"""Further places named with one finding."""


def literals(grammar: BoundGrammar) -> Iterator[Finding]:
    """All findings of this module. Cost: linear."""
    for _, rule in own_rules(grammar):
        for item in repetitions(rule):
            # What is repeated zero times is the empty string, whatever it says.
            if isinstance(item.element, ProseVal) and item.max != 0:
                yield make(
                    "prose-val",
                    message("prose-val", rule=rule.name, prose=item.element.text),
                    grammar.source,
                    item.element.span,
                    rule.name,
                    fix=message("prose-val-fix"),
                )
        yield from _case(grammar, rule)


def _case(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """At most one finding a rule: the first string that looks as if its case counted."""
    strings = [item.element for item in repetitions(rule) if isinstance(item.element, CharVal)]
    spellings: dict[str, set[str]] = {}
    for string in strings:
        if not string.prefix:
            spellings.setdefault(string.value.lower(), set()).add(string.value)
    exact = any(string.case_sensitive for string in strings)
    doubtful = [
        string
        for string in strings
        if not string.prefix
        and string.value.lower() != string.value.upper()
        and (exact or len(string.value) == 1 or len(spellings[string.value.lower()]) > 1)
    ]
    if not doubtful:
        return
    first, *others = doubtful
    both = spellings[first.value.lower()]
    if len(both) > 1:
        problem = message("case-insensitive-literal-repeated", literal=first.value)
    elif exact:
        problem = message("case-insensitive-literal-mixed", literal=first.value)
    else:
        problem = message("case-insensitive-literal", literal=first.value, other=first.value.swapcase())
    yield make(
        "case-insensitive-literal",
        problem,
        grammar.source,
        first.span,
        rule.name,
        witness=first.value.swapcase(),
        related=[
            (other.span, message("case-insensitive-too", literal=other.value))
            for other in others[:MAX_LITERALS_SHOWN]
        ],
        fix=message("case-insensitive-literal-fix", literal=first.value),
    )
