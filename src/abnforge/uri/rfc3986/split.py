"""The non-validating split of appendix B, and where it disagrees with the grammar.

The regular expression takes any text apart into the five components of a URI reference. It finds the same
components as the grammar in every text that the grammar derives, and says nothing about the others: ``1:2``
has a scheme for it that no scheme rule derives, ``http://[::1`` an authority.
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

# Appendix B of RFC 3986 with its groups 2, 4, 5, 7 and 9 named. One thing is added: DOTALL, without which
# "." ends at a line feed and the rest of the text would belong to no component.
PATTERN = re.compile(
    r"(?:(?P<scheme>[^:/?#]+):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)


class Split(NamedTuple):
    """The five components of a text, not checked against any rule: None is undefined, "" is empty.

    They are named as the rules of the grammar that derive them.
    """

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        """The text again, by section 5.3 (component recomposition)."""
        return recompose(*self)

    def __repr__(self) -> str:
        """The components; a password is replaced by ``***``, since a repr ends up in logs."""
        shown = self
        if self.authority is not None:
            shown = self._replace(authority=without_password(self.authority, "authority"))
        parts = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, shown, strict=True))
        return f"Split({parts})"


class SplitDifference(NamedTuple):
    """A component that the split finds and the grammar does not admit.

    ``component`` is the name of it and ``text`` what it was taken to be; ``rejection`` says why the
    rule of that name does not derive that. Components that are fine one by one can still not stand
    together (``:a`` is a path for the split, but no path without a scheme begins with a segment that has a
    colon): then ``component`` is ``URI-reference`` and ``text`` the whole.
    """

    component: str
    text: str
    rejection: Rejection


def split(value: str | Component) -> Split:
    """The components of any text at all, by the regular expression of appendix B.

    Never fails on a str. ``str`` of the result is the text. Raises TypeError for a value that is neither a
    str nor a component object. Cost: linear.
    """
    return Split(*split_text(text_argument(value, "value")))


def split_text(text: str) -> Five:
    """The components of a str, as a plain tuple."""
    match = PATTERN.fullmatch(text)
    assert match is not None, "the pattern of appendix B matches every string"
    return match.groups()  # type: ignore[return-value]  # five groups, of which only the path always takes part


def split_differences(value: str | Component) -> tuple[SplitDifference, ...]:
    """What the split accepts and the validating parser does not; empty exactly when the text is valid.

    For valid texts both give the same components. Raises TypeError as :func:`split` does. Cost: linear for
    a valid text, else that of explaining each component that is refused.
    """
    text = text_argument(value, "value")
    whole = explain(text, "URI-reference")
    if whole is None:
        return ()
    parts = split(text)._asdict()
    found = [
        SplitDifference(name, parts[name], rejection)
        for name in Split._fields
        if parts[name] is not None and (rejection := explain(parts[name], name)) is not None
    ]
    return tuple(found) or (SplitDifference("URI-reference", text, whole),)


# References that are known to be valid: their five components, and objects of texts made of such.
#
# Algorithms on components need neither a tree nor an object for each step: in a text that the grammar
# derives, the regular expression of appendix B finds the grammar's components.


def five_components(value: str | Component, name: str) -> Five:
    """Scheme, authority, path, query and fragment of a URI-reference; ``name`` is the parameter's.

    Raises Rejected for a text that is none, TypeError as :func:`text_argument` does.
    """
    return split_text(str(reference(value, name)))


def reference(value: str | Component, name: str) -> Reference:
    """The same as an object."""
    return value if isinstance(value, Reference) else parse(text_argument(value, name))


def known_uri(text: str) -> URI:
    """The URI with a text that an algorithm made of valid components."""
    return _read("URI")(text)  # type: ignore[no-any-return]


def known_relative_ref(text: str) -> RelativeRef:
    """The same for a relative reference."""
    return _read("relative-ref")(text)  # type: ignore[no-any-return]


@cache
def _read(rule: str) -> Callable[[str], Any]:
    read = reader(GRAMMAR, rule)
    assert read is not None
    return read


# What the kernel makes of references by the usual options, None for what it leaves to others; without the
# kernel there are no such functions.
normalized: Callable[[object], URI | RelativeRef | None] | None = None
resolved: Callable[[object, object], URI | None] | None = None
if compiled is not None:
    _rules = ("URI-reference", "URI", "relative-ref")  # of what is read, and of what is made
    _resolver = compiled.Resolver(partial(table_of, GRAMMAR, _rules[0]), (URI, RelativeRef), _rules)
    normalized, resolved = _resolver.normalized, _resolver.resolved
