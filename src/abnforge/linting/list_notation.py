"""Findings about lists, ``1#element``, which HTTP's specifications have and RFC 5234 has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.abnf.lists import OWS, SPACE, lists
from abnforge.abnf.messages import message as _abnf
from abnforge.abnf.model import Alternation, Group, Option, Repetition, Rule
from abnforge.abnf.names import BoundGrammar
from abnforge.abnf.syntax_errors import MAX_RELATED, and_more
from abnforge.linting.finding import Finding, make
from abnforge.linting.messages import message
from abnforge.linting.sites import own_rules
from abnforge.rejection import Edit
from abnforge.source import Source


def list_notation(grammar: BoundGrammar) -> Iterator[Finding]:
    """At most one finding for all lists of a text; its edits write them out as a sender does (RFC 9110,
    section 5.6.1.1). Cost: linear.
    """
    rules = [rule.rule for _, rule in own_rules(grammar)]
    space = grammar.rules.get(SPACE.lower())
    yield from lists_of(grammar.source, rules, spaced=space is not None and space.origin != "core")


def lists_of(source: Source, rules: Sequence[Rule], *, spaced: bool) -> Iterator[Finding]:
    """The same of rules that are not bound; ``spaced``: whether what stands around commas has a rule."""
    found = [(item, rule.name) for rule in rules for item in lists(rule.elements)]
    if not found:
        return
    text = source.text
    edits = [edit for rule in rules for edit in _edits(rule.elements, text)]
    if not spaced:
        edits.append(
            Edit(len(text), len(text), ("" if text.endswith("\n") else "\n") + OWS.partition("  ;")[0] + "\n")
        )
    (first, rule), *others = found
    written = text[first.span.start : first.element.span.start]
    yield make(
        "list-notation",
        and_more(message("list-notation", list=written), len(others)),
        source,
        first.span,
        rule,
        related=[(item.span, _abnf("further-place")) for item, _ in others[:MAX_RELATED]],
        edits=edits,
    )


def _edits(alternation: Alternation, text: str) -> Iterator[Edit]:
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if item.listed:
                yield Edit(item.span.start, item.span.end, _written(item, text))
            elif isinstance(item.element, Group | Option):
                yield from _edits(item.element.alternation, text)


def _written(item: Repetition, text: str) -> str:
    """A list as a sender writes it."""
    start, end = item.element.span.start, item.element.span.end
    element = text[start:end]
    if isinstance(item.element, Group | Option):
        for edit in sorted(_edits(item.element.alternation, text), key=lambda edit: -edit.start):
            element = element[: edit.start - start] + edit.text + element[edit.end - start :]
    low, high = max(0, item.min - 1), None if item.max is None else item.max - 1
    if item.max == 0:
        return f"0{element}"
    times = f"{low}" if low == high else f"{low or ''}*{'' if high is None else high}"
    row = element if high == 0 else f'{element} {times}( {SPACE} "," {SPACE} {element} )'
    return row if item.min else f"[ {row} ]"
