"""Lists, ``<n>#<m>element``: elements with commas between them, as HTTP's specifications write them.

RFC 9110, section 5.6.1, has two forms. A **sender** writes ``element *( OWS "," OWS element )``. A
**recipient** reads empty elements, too, which do not count: RFC 9110 says that in words, since ABNF for it is
long; here the count is kept, so that ``1#element`` wants one that is not empty:
``[ OWS 1*( "," OWS ) ] element *( OWS 1*( "," OWS ) element ) [ OWS 1*( "," OWS ) ]``. For ``#element`` that
derives what ``[ element ] *( OWS "," OWS [ element ] )`` does.

A grammar of RFC 2616's time, which defines LWS and no OWS, has ``*LWS`` in its place (RFC 2616, section 2.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from abnforge.abnf.messages import message
from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    Option,
    Repetition,
    RuleName,
)
from abnforge.errors import LimitExceeded
from abnforge.records import replace
from abnforge.source import Source, Span

SENDER, RECIPIENT = "sender", "recipient"
LISTS = (SENDER, RECIPIENT)
"""The forms, as ``lists=`` and ``--lists`` name them."""

COLLECTED = "collected"
"""The form of lists in collected grammars of RFC 7230 (section 7) and of its time. ``lists=`` does not
have it.
"""

MAX_LISTS = 4
"""Lists within lists: each has its elements twice. HTTP has two levels."""

SPACE = "OWS"
OWS = "OWS = *( SP / HTAB )  ; optional whitespace: RFC 9110, section 5.6.3\n"
"""The definition that a grammar with lists gets if it has none, and nothing that it imports has."""


def lists(alternation: Alternation) -> Iterator[Repetition]:
    """Every list in an alternation, outer ones before those that they hold."""
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if item.listed:
                yield item
            if isinstance(item.element, Group | Option):
                yield from lists(item.element.alternation)


def written_out(
    alternation: Alternation, form: str, space: Callable[[Span], Repetition], source: Source
) -> Alternation:
    """The alternation without lists; ``space`` makes the white space about commas. Cost: linear in what comes
    out, which has each element of a list twice. Raises LimitExceeded.
    """

    def repetition(item: Repetition, depth: int) -> Repetition:
        depth += item.listed
        if depth > MAX_LISTS:
            raise LimitExceeded(
                message("list-limit", limit=MAX_LISTS),
                operation="writing lists out",
                used=depth,
                limit=MAX_LISTS,
                setting="MAX_LISTS",
                code="nesting-too-deep",
                source=source,
                span=item.span,
            )
        if isinstance(item.element, Group | Option):
            inner = inside(item.element.alternation, depth)
            item = replace(item, element=replace(item.element, alternation=inner))
        return _List(item, space(item.span)).made(form) if item.listed else item

    def inside(alternation: Alternation, depth: int) -> Alternation:
        alternatives = tuple(
            replace(old, items=tuple(repetition(item, depth) for item in old.items))
            for old in alternation.alternatives
        )
        return replace(alternation, alternatives=alternatives)

    return inside(alternation, 0)


def optional_space(name: str) -> Callable[[Span], Repetition]:
    """White space about commas: ``OWS``, or ``*LWS``."""
    times: tuple[int, int | None] = (1, 1) if name == SPACE else (0, None)
    return lambda span: Repetition(RuleName(name, span=span), times[0], times[1], span)


class _List:
    """One list written out; everything has the span that it stands at."""

    def __init__(self, item: Repetition, space: Repetition) -> None:
        self._item = item
        self._space = space
        self._comma = self._one(CharVal(",", span=item.span))
        self._element = replace(item, min=1, max=1, listed=False)

    def _one(self, element: Element) -> Repetition:
        return Repetition(element, span=self._item.span)

    def _row(self, *items: Repetition) -> Alternation:
        span = self._item.span
        return Alternation((Concatenation(items, span=span),), span)

    def _group(self, *items: Repetition, least: int = 0, most: int | None = None) -> Repetition:
        span = self._item.span
        return Repetition(Group(self._row(*items), span), least, most, span)

    def _option(self, *items: Repetition) -> Repetition:
        return self._one(Option(self._row(*items), self._item.span))

    def made(self, form: str) -> Repetition:
        least, most = self._item.min, self._item.max
        if form != RECIPIENT:
            between = [self._space, self._comma, self._space]
        else:
            between = [self._space, self._group(self._comma, self._space, least=1)]
        row = [self._element]
        if most != 1:
            more = max(0, least - 1), None if most is None else max(0, most - 1)
            row.append(self._group(*between, self._element, least=more[0], most=more[1]))
        if most == 0:
            row = []
        if form == COLLECTED and (least, most) in ((0, None), (1, None)):
            rest = self._group(self._space, self._comma, self._option(self._space, self._element))
            if least:
                return self._group(
                    self._group(self._comma, self._space), self._element, rest, least=1, most=1
                )
            first = Group(
                Alternation((*self._row(self._comma).alternatives, *self._row(self._element).alternatives))
            )
            return self._option(self._one(first), rest)
        if form != RECIPIENT:
            if not row:
                return self._group(self._element, most=0)
            return self._option(*row) if least == 0 else self._group(*row, least=1, most=1)
        gap = self._option(*between)
        if not row:
            return gap
        if least == 0:
            return self._group(gap, self._option(*row, gap), least=1, most=1)
        return self._group(gap, *row, gap, least=1, most=1)
