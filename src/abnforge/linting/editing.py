"""Edits for authors: conversion of other notations to ABNF, renamed rules, completions.

A conversion makes an edit only if the meaning is certain. A grammar may be incomplete; then the part that
parses is used. Offsets are in code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from abnforge.catalog import ArgumentError
from abnforge.grammar.annotations import Occurrence
from abnforge.grammar.binding import SPACE
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read_partial
from abnforge.grammar.shipped import bundled_names
from abnforge.linting.finding import Finding, Fixed, fix, from_error, in_order
from abnforge.linting.messages import message
from abnforge.linting.slips import lists_of, notation
from abnforge.rejection import Edit

_BARS = frozenset({"bar-notation", "underscore-name"})

NOTATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"bar": _BARS, "augmented-bnf": _BARS | {"list-notation"}, "ebnf": _BARS | {"syntax-error"}}
)
"""The kinds of findings whose edits belong to a notation.

``bar`` is the notation of RFC 2396. ``augmented-bnf`` adds the lists of RFC 2616 and RFC 9110. ``ebnf``
includes everything else that ``grammar.repair`` recognizes.
"""


def convert(text: str, name: str, written: str) -> Fixed:
    """Return a grammar text converted to ABNF from the notation ``written``, and the remaining findings.

    ``written`` is a key of :data:`NOTATIONS`. A finding remains if the meaning is not certain; ``name`` is
    the name of the grammar in findings. Complexity: linear for each round of edits, usually two.
    """
    kinds = NOTATIONS[written]

    def corrected(text: str) -> list[Finding]:
        return [each for each in _findings(text, name) if each.name in kinds]

    fixed = fix(text, corrected)
    left = _findings(fixed.text, name)
    if left:  # report positions in the original grammar if they exist there
        left = [each for each in _findings(text, name) if each.name not in kinds or not each.edits] or left
    return fixed._replace(findings=left)


def _findings(text: str, name: str) -> list[Finding]:
    """Return the findings about notation that is not ABNF."""
    rulelist, errors = read_partial(text, name)
    findings = [from_error(error, rulelist.source) for error in errors]
    if rulelist.recognized:
        findings += notation(rulelist.source, rulelist.rules)
    spaced = any(rule.name.lower() == SPACE.lower() for rule in rulelist.rules)
    findings += lists_of(rulelist.source, rulelist.rules, spaced=spaced)
    return in_order(findings)


RULE, CORE, GRAMMAR = "rule", "core rule", "grammar"
"""The kind of a proposed name: a rule of the grammar, a core rule (RFC 5234, B.1), a grammar to import."""

_RULE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*", re.ASCII)
_IMPORT = re.compile(r";@[ \t]*import[ \t]+[\w.-]*$")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A name that can be inserted at the cursor, and its kind."""

    name: str
    kind: str


def at(occurrences: Sequence[Occurrence], offset: int) -> Occurrence | None:
    """Return the occurrence of a name that contains an offset, or ends there."""
    here = [each for each in occurrences if each.span.start <= offset <= each.span.end]
    return here[-1] if here else None


def own(occurrences: Sequence[Occurrence], occurrence: Occurrence | None) -> bool:
    """Return whether the grammar text defines a rule of this name."""
    return occurrence is not None and any(each.defines and each.key == occurrence.key for each in occurrences)


def renaming(occurrences: Sequence[Occurrence], offset: int, name: str) -> list[Edit]:
    """Return the edits that rename the rule at an offset, in text order.

    Raises ValueError for an offset outside of the names of rules of the grammar, an invalid new name, or the
    name of another rule. Complexity: linear.
    """
    here = at(occurrences, offset)
    if here is None or not own(occurrences, here):
        raise ArgumentError(message("rename-nothing"))
    if _RULE_NAME.fullmatch(name) is None:
        raise ArgumentError(message("rename-invalid", name=name))
    taken = {each.key for each in occurrences} | set(core_rules())
    if name.lower() in taken - {here.key}:
        raise ArgumentError(message("rename-taken", name=name))
    return [Edit(each.span.start, each.span.end, name) for each in occurrences if each.key == here.key]


def proposals(text: str, occurrences: Sequence[Occurrence], offset: int) -> Iterator[Proposal]:
    """Return the names that can be inserted at an offset: rules of the grammar, then core rules.

    After ``;@ import`` the names are grammars. Other comments have no completions.
    """
    line = text[:offset].rsplit("\n", 1)[-1]
    if _IMPORT.match(line):
        yield from (Proposal(name, GRAMMAR) for name in bundled_names())
    elif ";" not in line:
        for name in sorted({each.name for each in occurrences if each.defines}, key=str.lower):
            yield Proposal(name, RULE)
        yield from (Proposal(rule.name, CORE) for rule in core_rules().values())
