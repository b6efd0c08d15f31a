"""Split strings by the regular expression of RFC 3986, appendix B, without validation.

It splits every string into the five components of a reference. In a valid reference they are those of the
grammar; in another string they may not match their rules: ``1:2`` has the scheme ``1``. Algorithms on valid
references split, change and recompose the components, and need neither a tree nor an object for each step.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from abnforge._arguments import text_argument
from abnforge._native import compiled
from abnforge.rejection import Rejection
from abnforge.uri.common.components import Component, Five, recompose
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import URI, Reference, RelativeRef
from abnforge.uri.rfc3986.parse import GRAMMAR, explain, parse, reader, table_of

# The groups are named. DOTALL is added: without it, a fragment would end at a line feed.
PATTERN = re.compile(
    r"(?:(?P<scheme>[^:/?#]+):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)


class Split(NamedTuple):
    """The five components of a string, which may not match their rules; None is undefined, "" is empty."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        """Return the string, by component recomposition (section 5.3)."""
        return recompose(*self)

    def __repr__(self) -> str:
        """Return the components, with ``***`` for a password, since reprs end up in logs."""
        masked = self
        if self.authority is not None:
            masked = self._replace(authority=without_password(self.authority, "authority"))
        parts = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, masked, strict=True))
        return f"Split({parts})"


class SplitDifference(NamedTuple):
    """A component of a split that the grammar rejects.

    ``rejection`` is the reason why ``text`` does not match the rule ``component``. If each component matches
    its rule, but the whole string does not (``:a`` has a colon in the first segment of its path),
    ``component`` is ``URI-reference``.
    """

    component: str
    text: str
    rejection: Rejection


def split(value: str | Component) -> Split:
    """Split any string into five components; ``str`` of the result is the string.

    Raises: TypeError for a value that is neither a str nor a component object.
    Complexity: linear.
    """
    return Split(*split_text(text_argument(value, "value")))


def split_text(text: str) -> Five:
    """Return the components of a str as a plain tuple."""
    match = PATTERN.fullmatch(text)
    assert match is not None, "the pattern of appendix B matches every string"
    return match.groups()  # type: ignore[return-value]  # five groups; the path always matches


def split_differences(value: str | Component) -> tuple[SplitDifference, ...]:
    """Return the components of the split that the grammar rejects; none if and only if the string is valid.

    Raises: as :func:`split`.
    Complexity: linear for a valid string, else one explanation for each rejected component.
    """
    text = text_argument(value, "value")
    whole = explain(text, "URI-reference")
    if whole is None:
        return ()
    parts = split(text)._asdict()
    differences = [
        SplitDifference(name, parts[name], rejection)
        for name in Split._fields
        if parts[name] is not None and (rejection := explain(parts[name], name)) is not None
    ]
    return tuple(differences) or (SplitDifference("URI-reference", text, whole),)


def five_components(value: str | Component, name: str) -> Five:
    """Return the five components of a URI-reference, which is the argument ``name``.

    Raises: Rejected, TypeError.
    """
    return split_text(str(reference(value, name)))


def reference(value: str | Component, name: str) -> Reference:
    """Return a URI-reference, which is the argument ``name``, as an object."""
    return value if isinstance(value, Reference) else parse(text_argument(value, name))


def known_uri(text: str) -> URI:
    """Return the URI of a string that an algorithm built from valid components."""
    return _read("URI")(text)  # type: ignore[no-any-return]


def known_relative_ref(text: str) -> RelativeRef:
    """Return the relative reference of a string that an algorithm built from valid components."""
    return _read("relative-ref")(text)  # type: ignore[no-any-return]


@cache
def _read(rule: str) -> Callable[[str], Any]:
    read = reader(GRAMMAR, rule)
    assert read is not None
    return read


# Normalization and resolution in C with the usual options; None without the C extension. They return None for
# arguments that need the functions in Python.
normalized: Callable[[object], URI | RelativeRef | None] | None = None
resolved: Callable[[object, object], URI | None] | None = None
if compiled is not None:
    _rules = ("URI-reference", "URI", "relative-ref")  # rules: input, URI, relative reference
    _resolver = compiled.Resolver(partial(table_of, GRAMMAR, _rules[0]), (URI, RelativeRef), _rules)
    normalized, resolved = _resolver.normalized, _resolver.resolved
