"""Parse and validate strings by the rules of RFC 2396.

:func:`parse` reads a ``URI-reference`` by default. The URI of RFC 2396 is its rule ``absoluteURI``, because a
fragment is not part of a URI (section 4); so that is the default of the other functions. A reference is
parsed without a tree by :func:`reader`: one walk of a tagged table finds its components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, overload

from abnforge._arguments import Text, input_text, text_like_argument
from abnforge._lazy import lazy
from abnforge.rejection import Rejection
from abnforge.uri.common import rule_of
from abnforge.uri.common.percent import PercentCoding
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Server

with lazy:  # lark takes longer to import than this package
    from abnforge.uri.rfc2396 import transformer

GRAMMAR = "rfc2396"

percent = PercentCoding(GRAMMAR)
"""Percent-encoding by RFC 2396 (section 2.4), whose ``unreserved`` has ``!*'()`` more than RFC 3986's."""

# The rules of references, and the rules of their components, by key. A rel-path can contain an abs-path, so
# each kind of path is a component of its own.
COMPONENT_ROOTS = ("uri-reference", "absoluteuri", "relativeuri")
PARTS: Mapping[str, tuple[str, ...]] = {
    name: (name,)
    for name in (
        *("scheme", "server", "userinfo", "host", "port", "reg-name"),
        *("rel-path", "opaque-part", "abs-path", "query", "fragment"),
    )
}
KINDS: Mapping[str, tuple[str, ...]] = {"host": tuple(kind.value.lower() for kind in HostKind)}

_HOST_KINDS = (None, *HostKind)
_PATH_KINDS = (PathKind.REL_PATH, PathKind.OPAQUE_PART, PathKind.ABS_PATH)
_SERVER, _REG_NAME, _PATHS = 2, 10, 12  # the indexes of their places


@cache
def reader(grammar: str, name: str) -> Callable[[str], Reference | None] | None:
    """Return a function from a string to its reference, or to None if the string does not match.

    Return None for a rule that is not a rule of references, and without a table.
    """
    rule = rule_of(grammar, name)
    if rule.key not in COMPONENT_ROOTS:
        return None
    table = rule.grammar.compilation.tagged_table(rule.key, PARTS, KINDS)
    if table is None:
        return None
    find: Callable[[str], Any] = table.find
    rule_name = rule.name

    def read(text: str) -> Reference | None:
        match = find(text)
        if match is None:
            return None
        places, (host_kind,) = match

        def part(tag: int) -> str | None:
            return None if places[tag + 1] < 0 else text[places[tag] : places[tag + 1]]

        authority: Server | RegName | None = None
        if places[_SERVER + 1] >= 0:
            authority = Server(part(4), part(6), _HOST_KINDS[host_kind], part(8))
        elif (registry := part(_REG_NAME)) is not None:
            authority = RegName(registry)
        path, path_kind = "", None
        for tag, kind in enumerate(_PATH_KINDS):
            if (candidate := part(_PATHS + 2 * tag)) is not None:
                path, path_kind = candidate, kind
                break
        return Reference(part(0), authority, path, path_kind, part(18), part(20), rule_name)

    return read


@overload
def parse(value: Text, rule: Literal["URI-reference", "absoluteURI", "relativeURI"] = ...) -> Reference: ...
@overload
def parse(value: Text, rule: Literal["authority"]) -> Server | RegName: ...
@overload
def parse(value: Text, rule: str) -> Reference | Server | RegName | str: ...
def parse(value: Text, rule: str = "URI-reference") -> Reference | Server | RegName | str:
    """Parse a string by a rule of RFC 2396; ``str`` of the result is the string.

    Returns: a :class:`Reference` for URI-reference, absoluteURI and relativeURI, a :class:`Server` or
    :class:`RegName` for authority and server, and the string itself for every other rule.
    Raises: :class:`abnforge.Rejected` if the string does not match; UnknownNameError for an unknown rule;
    TypeError for a value that is not a str, UTF-8 as bytes, or a component object.
    Complexity: linear; one walk for references, a parse tree for authority and server.
    """
    read = reader(GRAMMAR, rule) if isinstance(rule, str) else None
    if read is not None:
        text = input_text(value, "value")
        reference = read(text.text) if text.broken is None else None
        if reference is not None:
            return reference
    tree = rule_of(GRAMMAR, rule).parse(text_like_argument(value, "value"))
    result: Reference | Server | RegName | str = _transformer().transform(tree)
    return result


def is_valid(value: Text, rule: str = "absoluteURI") -> bool:
    """Return whether a string matches a rule. Raises as :func:`parse`, except Rejected."""
    return rule_of(GRAMMAR, rule).matches(text_like_argument(value, "value"))


def explain(value: Text, rule: str = "absoluteURI") -> Rejection | None:
    """Return why a string does not match a rule, or None if it matches. Raises as :func:`is_valid`."""
    return rule_of(GRAMMAR, rule).explain(text_like_argument(value, "value"))


@cache
def _transformer() -> transformer.URITransformer:
    return transformer.URITransformer()
