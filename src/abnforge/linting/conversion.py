"""Grammars of other notations made ABNF, where what they say is certain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from abnforge.abnf.lists import SPACE
from abnforge.abnf.reader import read_partial
from abnforge.linting.finding import Finding, from_error, in_order
from abnforge.linting.fixing import Fixed, fix
from abnforge.linting.list_notation import lists_of
from abnforge.linting.notation import notation

_BARS = frozenset({"bar-notation", "underscore-name"})

NOTATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "bar": _BARS,
        "augmented-bnf": _BARS | {"list-notation"},
        "ebnf": _BARS | {"syntax-error"},
    }
)
"""The kinds of findings whose edits belong to a notation: ``bar`` is that of RFC 2396, ``augmented-bnf`` has
the lists of RFC 2616 and RFC 9110 beside it, ``ebnf`` what else ``abnf.mending`` knows of."""


def convert(text: str, name: str, written: str) -> Fixed:
    """A text with the edits made that make ABNF of one that is ``written`` in a notation (a key of
    :data:`NOTATIONS`), and the findings that are left: then it is not certain what the text says.

    ``name`` stands for the text in findings. Cost: linear for each round of edits, in general two.
    """
    kinds = NOTATIONS[written]

    def corrected(text: str) -> list[Finding]:
        return [each for each in _findings(text, name) if each.name in kinds]

    fixed = fix(text, corrected)
    left = _findings(fixed.text, name)
    if left:  # told in places of the author's text, as far as they were there from the beginning
        left = [each for each in _findings(text, name) if each.name not in kinds or not each.edits] or left
    return fixed._replace(findings=left)


def _findings(text: str, name: str) -> list[Finding]:
    """What a text has that is no ABNF."""
    rulelist, errors = read_partial(text, name)
    found = [from_error(error, rulelist.source) for error in errors]
    if rulelist.recognized:
        found += notation(rulelist.source, rulelist.rules)
    spaced = any(rule.name.lower() == SPACE.lower() for rule in rulelist.rules)
    found += lists_of(rulelist.source, rulelist.rules, spaced=spaced)
    return in_order(found)
