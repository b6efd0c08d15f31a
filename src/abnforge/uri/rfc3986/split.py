"""Split strings by the regular expression of RFC 3986, appendix B, without validation.

It splits every string into the five components of a reference. In a valid reference they are those of the
grammar; in another string they may not match their rules: ``1:2`` has the scheme ``1``. Algorithms on valid
references split, change and recompose the components, and need neither a tree nor an object for each step.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

from abnforge._arguments import optional_argument, plain_argument, text_argument, wrong_type
from abnforge._native import compiled
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.messages import message
from abnforge.rejection import Rejection
from abnforge.uri.common.components import Component, Five, recompose, recompose_authority
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import URI, PathKind, Reference, RelativeRef
from abnforge.uri.rfc3986.parse import GRAMMAR, explain, is_valid, parse, percent, reader, table_of

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


# Build a reference from its components (RFC 3986, section 5.3), each validated by its rule.


# Python limits the conversion of an int to a str.
_MOST_DIGITS = 1000
_MOST_PORT = 10**_MOST_DIGITS


def build(
    *,
    scheme: str | None = None,
    userinfo: str | None = None,
    host: str | None = None,
    port: str | int | None = None,
    path: str = "",
    query: str | None = None,
    fragment: str | None = None,
    encode: bool = False,
) -> URI | RelativeRef:
    """Return the reference with exactly these components: None is undefined, ``""`` is empty.

    A host that is an IP-literal includes its brackets. With ``encode``, characters that are not allowed in a
    component are percent-encoded as UTF-8, also a ":" in the first segment of a relative path. Existing
    triplets stay: encode data that contains "%" by ``abnforge.uri.percent.encode`` first. Delimiters are
    not encoded: a path that starts with "//" without an authority is rejected.

    Raises: Rejected for a component that is not allowed in its place; ValueError for userinfo or port without
    a host; TypeError.
    Complexity: linear.
    """
    scheme, userinfo = optional_argument(scheme, "scheme"), optional_argument(userinfo, "userinfo")
    host, path = optional_argument(host, "host"), plain_argument(path, "path")
    query, fragment = optional_argument(query, "query"), optional_argument(fragment, "fragment")
    if host is None and (userinfo is not None or port is not None):
        name = "userinfo" if userinfo is not None else "port"
        raise ArgumentError(message("build-without-host", name=name))
    authority = None
    if scheme is not None:
        _check("scheme", scheme, "scheme")
    if host is not None:
        host = _host(host, encode)
        if userinfo is not None:
            userinfo = _component("userinfo", userinfo, encode)
        authority = recompose_authority(userinfo, host, None if port is None else _port(port))
    path = _path(scheme, authority, path, encode)
    if query is not None:
        query = _component("query", query, encode)
    if fragment is not None:
        fragment = _component("fragment", fragment, encode)
    return parse(recompose(scheme, authority, path, query, fragment))


def _component(name: str, value: str, encode: bool) -> str:
    if encode:
        value = percent.encode(value, name, keep_triplets=True)
    _check(name, value, name)
    return value


def _host(host: str, encode: bool) -> str:
    if is_valid(f"[{host}]", "IP-literal"):
        _check("host", host, "host", message("build-brackets", host=host))
    return _component("host", host, encode and not host.startswith("["))


def _port(port: str | int) -> str:
    if isinstance(port, bool) or not isinstance(port, str | int):
        raise wrong_type("port", "a str or an int", port)
    if isinstance(port, int) and abs(port) >= _MOST_PORT:
        raise ArgumentError(message("port-too-long", most=_MOST_DIGITS))
    text = plain_argument(port, "port") if isinstance(port, str) else str(port)
    _check("port", text, "port")
    return text


def _path(scheme: str | None, authority: str | None, path: str, encode: bool) -> str:
    if encode:
        first, slash, others = path.partition("/")
        rule = "segment" if scheme is not None or authority is not None else "segment-nz-nc"
        first = percent.encode(first, rule, keep_triplets=True)
        path = first + slash + percent.encode(others, "path", keep_triplets=True)
    # Reasons that depend on the components before the path, which the rule of a path does not know.
    reason = ""
    if authority is not None:
        kind = PathKind.ABEMPTY
        if not path.startswith("/"):
            reason = message("build-path-after-authority")
    elif not path:
        kind = PathKind.EMPTY
    elif path.startswith("/"):
        kind = PathKind.ABSOLUTE
        if path.startswith("//"):
            reason = message("build-path-absolute")
    elif scheme is not None:
        kind = PathKind.ROOTLESS
    else:
        kind = PathKind.NOSCHEME
        if ":" in path.partition("/")[0]:
            reason = message("build-path-colon")
    _check("path", path, kind.value, reason)
    return path


def _check(name: str, value: str, rule: str, reason: str = "") -> None:
    """Raise Rejected unless the rule derives the value."""
    rejection = explain(value, rule)
    if rejection is None:
        return
    if not reason:
        best = rejection.hypotheses[:1]
        reason = best[0].message if best else rejection.message
    raise Rejected(replace(rejection, message=f"{name}: {reason}"))
