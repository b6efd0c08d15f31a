"""Where the parts of a rule stand in the grammar's own text.

A rule that the file extends with ``=/`` may begin with alternatives from a core rule or an import, whose
spans belong to another text. They take part in every check, but have no place of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    Element,
    Group,
    Option,
    Repetition,
)
from abnforge.text import Source, Span

LABEL_LENGTH = 60
"""Characters of a quoted part of a rule: enough to recognize it."""

_COMMENT = re.compile(r'("[^"\n]*"|<[^>\n]*>)|;[^\n]*')


def own_rules(grammar: BoundGrammar) -> Iterator[tuple[str, BoundRule]]:
    """Return the rules that the file itself defines or extends, by key."""
    return ((key, rule) for key, rule in grammar.rules.items() if rule.origin == "file")


def own_alternatives(rule: BoundRule) -> tuple[Concatenation, ...]:
    """Return the alternatives of a rule that stand in the file."""
    alternatives = rule.elements.alternatives
    if not rule.rule.incremental:
        return alternatives
    begin = rule.rule.elements.alternatives[0].span
    return alternatives[next(i for i, each in enumerate(alternatives) if each.span == begin) :]


def concatenations(alternatives: Iterable[Concatenation]) -> Iterator[Concatenation]:
    """Yield all alternatives, and those of the groups and options in them, in the order of the text."""
    for alternative in alternatives:
        yield alternative
        for item in alternative.items:
            inner = inside(item.element)
            if inner is not None:
                yield from concatenations(inner.alternatives)


def repetitions(rule: BoundRule) -> Iterator[Repetition]:
    """Every repetition that stands in the file, bare elements included."""
    for alternative in concatenations(own_alternatives(rule)):
        yield from alternative.items


def inside(element: Element) -> Alternation | None:
    """What stands in brackets, if the element is a group or an option."""
    return element.alternation if isinstance(element, Group | Option) else None


def label(source: Source, span: Span) -> str:
    """Return a part of the text on one line, without comments."""
    text = _COMMENT.sub(lambda match: match[1] or "", source.text[span.start : span.end])
    text = " ".join(text.split())
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 3] + "..."
