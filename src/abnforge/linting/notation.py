"""Findings about the notation: a text that is read as the one of RFC 2396, because it looks like that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.abnf.bar_notation import Notation, bar_places, underscored_names
from abnforge.abnf.model import Rule
from abnforge.abnf.syntax_errors import MAX_RELATED
from abnforge.linting.finding import Finding, make
from abnforge.source import Source


def notation(source: Source, rules: Iterable[Rule]) -> Iterator[Finding]:
    """At most one finding for the bars of a text, and one for its underscores. Cost: linear."""
    rules = list(rules)
    bars, names = bar_places(source.text), underscored_names(source.text)
    if bars.places:
        message = (
            'the text is read in the notation of RFC 2396, because of "|": ABNF has "/" between alternatives'
        )
        yield _found("bar-notation", message, bars, source, rules)
    if names.places:
        first = names.places[0]
        message = (
            f'"{source.text[first.start : first.end]}" has an underscore, which the notation of RFC 2396 '
            'allows: a name in ABNF holds letters, digits and "-"'
        )
        yield _found("underscore-name", message, names, source, rules)


def _found(kind: str, message: str, found: Notation, source: Source, rules: list[Rule]) -> Finding:
    first, *others = found.places
    more = f" ({len(others)} more)" if others else ""
    inside = [rule.name for rule in rules if rule.span.start <= first.start]
    return make(
        kind,
        message + more,
        source,
        first,
        inside[-1] if inside else None,
        related=[(span, "here, too") for span in others[:MAX_RELATED]],
        edits=found.edits,
    )
