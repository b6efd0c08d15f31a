"""``--mask-passwords``: the one place that hides the passwords of what a verb shows.

A verb hands its values through here before any report sees them; reports know nothing of passwords, apart
from those that never show one, whose texts go through ``output.without_passwords`` as complaints do. A
:data:`Mask` keeps the length of a text, so that every offset into it stays right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abnforge.cli.common.inputs import Record, Unreadable
from abnforge.cli.common.output import without_passwords
from abnforge.errors import Rejected
from abnforge.rejection import Rejection

if TYPE_CHECKING:  # they take longer to import than most runs do
    from abnforge.uri.editions import Between
    from abnforge.uri.places import Block, Place
    from abnforge.uri.rfc3986.equivalence import Equivalence

Mask = Callable[[str], str]

F = TypeVar("F", bound=Callable[..., Any])

UNTOLD = "more would show the password"

mask_option: Callable[[F], F] = click.option(
    "--mask-passwords/--show-passwords",
    "mask",
    default=False,
    help="Show '*' for each character of a password before '@'.  [default: show]",
)


def masking(wanted: bool, rule: str = "") -> Mask | None:
    """The function that hides passwords, if it is wanted, in strings of a rule (``userinfo`` has no "@")."""
    return always_masking(rule) if wanted else None


def always_masking(rule: str = "") -> Mask:
    """The function that hides passwords in strings of a rule."""
    from abnforge.uri.common.password import masked_component

    return partial(masked_component, component=rule)


def masked_record(record: Record, mask: Mask) -> Record:
    """A record with nothing of what the mask hides; a file's name may be a URI by mistake."""
    source = mask(record.source)
    if isinstance(record, Unreadable):
        return replace(record, source=source, shown=mask(record.shown))
    return replace(record, source=source, text=mask(record.text))


def masked_rejection(
    rejection: Rejection, mask: Mask, explain: Callable[[str], Rejection | None]
) -> Rejection:
    """A rejection with nothing of what the mask hides: messages and suggestions quote the input.

    ``explain`` explains the masked text; that serves when it is about the same place.
    """
    shown = mask(rejection.input)
    if shown == rejection.input:
        return rejection
    masked = explain(shown)
    if masked is not None and masked.offset == rejection.offset:
        return masked
    return replace(
        rejection,
        input=shown,
        found=shown[rejection.offset : rejection.offset + 1] or None,
        message=f"the string is rejected here ({UNTOLD})",
        hypotheses=(),
        suggestion=None,
    )


def masked_error(error: ValueError, mask: Mask, function: Callable[[str], Any]) -> ValueError:
    """Why ``function`` refuses a text, with nothing of what the mask hides."""

    def explain(text: str) -> Rejection | None:
        try:
            function(text)
        except Rejected as again:
            return again.rejection
        except ValueError:
            pass
        return None

    if isinstance(error, Rejected):
        return Rejected(masked_rejection(error.rejection, mask, explain))
    return ValueError(without_passwords(str(error)))


def masked_equivalence(found: Equivalence, mask: Mask) -> Equivalence:
    """Two URIs compared, all their forms masked. A masked URI is as valid as it was."""
    from abnforge.uri import parse

    def form(value: Any) -> Any:
        return parse(mask(str(value)))

    def text(component: str, value: str | None) -> str | None:
        return value if value is None else always_masking(component)(value)

    return replace(
        found,
        left=form(found.left),
        right=form(found.right),
        normal_left=form(found.normal_left),
        normal_right=form(found.normal_right),
        differences=tuple(
            each._replace(left=text(each.component, each.left), right=text(each.component, each.right))
            for each in found.differences
        ),
    )


def masked_between(found: Between, mask: Mask, base: str | None) -> Between:
    """What changes for a text between two RFCs, masked."""
    from abnforge.uri.editions import EDITIONS

    def rejection(edition: str, told: Rejection | None) -> Rejection | None:
        if told is None:
            return None
        error = masked_error(Rejected(told), mask, EDITIONS[edition].parse)
        return error.rejection if isinstance(error, Rejected) else None

    def error(told: str | None) -> str | None:
        secret = mask(found.text) != found.text or (base is not None and mask(base) != base)
        return f"it cannot be resolved ({UNTOLD})" if told is not None and secret else told

    return replace(
        found,
        text=mask(found.text),
        changes=tuple(change.masked() for change in found.changes),
        rejections=(rejection(found.old, found.rejections[0]), rejection(found.new, found.rejections[1])),
        errors=(error(found.errors[0]), error(found.errors[1])),
    )


def masked_places(block: Block, found: Iterable[Place], mask: Mask) -> Iterator[Place]:
    """URIs found in a text, masked: what is hidden in the text is hidden in its parts, and vice versa.

    A part of a URI can look like another one (``me:password@host``).
    """
    text = mask(block.text)
    for place in found:
        uri = place.found.uri
        pieces = "".join(text[piece.start : piece.end] for piece in place.found.pieces)
        shown = "".join(a if a == b == c else "*" for a, b, c in zip(uri, pieces, mask(uri), strict=True))
        yield replace(place, source=mask(place.source), found=replace(place.found, uri=shown))
