"""Findings about the notation: a text that is read as the one of RFC 2396, because it looks like that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.abnf.bar_notation import Notation, bar_places, underscored_names
from abnforge.abnf.messages import message as _abnf
from abnforge.abnf.model import Rule
from abnforge.abnf.syntax_errors import MAX_RELATED, and_more
from abnforge.catalog import Message
from abnforge.linting.finding import Finding, make
from abnforge.linting.messages import message
from abnforge.source import Source


def notation(source: Source, rules: Iterable[Rule]) -> Iterator[Finding]:
    """At most one finding for the bars of a text, and one for its underscores. Cost: linear."""
    rules = list(rules)
    bars, names = bar_places(source.text), underscored_names(source.text)
    if bars.places:
        yield _found("bar-notation", message("bar-notation"), bars, source, rules)
    if names.places:
        first = names.places[0]
        problem = message("underscore-name", name=source.text[first.start : first.end])
        yield _found("underscore-name", problem, names, source, rules)


def _found(kind: str, problem: Message, found: Notation, source: Source, rules: list[Rule]) -> Finding:
    first, *others = found.places
    inside = [rule.name for rule in rules if rule.span.start <= first.start]
    return make(
        kind,
        and_more(problem, len(others)),
        source,
        first,
        inside[-1] if inside else None,
        related=[(span, _abnf("further-place")) for span in others[:MAX_RELATED]],
        edits=found.edits,
    )
