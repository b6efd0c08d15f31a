"""The verbs of RFC 2396 on strings.

``URI-reference`` is what :func:`parse` reads. What RFC 2396 calls a URI is its rule ``absoluteURI``: "'the
URI' that results from such a reference includes only the absolute URI after the fragment identifier (if any)
is removed" (section 4); so that is what the other verbs ask about unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, overload

from abnforge._arguments import Text, input_text, text_like_argument
from abnforge._lazy import importing
from abnforge.rejection import Rejection
from abnforge.uri.common import rule_of
from abnforge.uri.common.percent import PercentCoding
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Server

if TYPE_CHECKING:
    from abnforge.uri.rfc2396.transformer import URITransformer


# Finding the components of RFC 2396 in a text without a parse tree: one walk tells where they are.


# The rules that references are read as, and what is told of a text by them. Keys, in lower case. A rel-path
# may have an abs-path within it, so that the paths are parts of their own.
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
_SERVER, _REG_NAME, _PATHS = 2, 10, 12  # where their places begin


@cache
def reader(grammar: str, name: str) -> Callable[[str], Reference | None] | None:
    """A function from a text to its reference, None for a text that is not valid; or None if there is none.

    Cost of the function: one walk, and the making of the object.
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
        found = find(text)
        if found is None:
            return None
        places, (host_kind,) = found

        def part(tag: int) -> str | None:
            return None if places[tag + 1] < 0 else text[places[tag] : places[tag + 1]]

        authority: Server | RegName | None = None
        if places[_SERVER + 1] >= 0:
            authority = Server(part(4), part(6), _HOST_KINDS[host_kind], part(8))
        elif (registry := part(_REG_NAME)) is not None:
            authority = RegName(registry)
        path, path_kind = "", None
        for tag, kind in enumerate(_PATH_KINDS):
            if (there := part(_PATHS + 2 * tag)) is not None:
                path, path_kind = there, kind
                break
        return Reference(part(0), authority, path, path_kind, part(18), part(20), rule_name)

    return read


GRAMMAR = "rfc2396"

percent = PercentCoding(GRAMMAR)


@overload
def parse(value: Text, rule: Literal["URI-reference", "absoluteURI", "relativeURI"] = ...) -> Reference: ...
@overload
def parse(value: Text, rule: Literal["authority"]) -> Server | RegName: ...
@overload
def parse(value: Text, rule: str) -> Reference | Server | RegName | str: ...
def parse(value: Text, rule: str = "URI-reference") -> Reference | Server | RegName | str:
    """Read a text as ``rule`` of RFC 2396; ``str`` of the result is the text.

    Gives a :class:`Reference` for URI-reference, absoluteURI and relativeURI, a :class:`Server` or
    :class:`RegName` for authority and server, and the text itself for every other rule.

    Raises :class:`abnforge.Rejected` when the rule does not derive the text, KeyError for a rule that does
    not exist, TypeError for a value that is neither a str, UTF-8 as bytes, nor a component object. Cost:
    linear; for references one walk, for authority and server that of building the parse tree.
    """
    read = reader(GRAMMAR, rule) if isinstance(rule, str) else None
    if read is not None:
        it = input_text(value, "value")
        found = read(it.text) if it.broken is None else None
        if found is not None:
            return found
    result: Reference | Server | RegName | str = _transformer().transform(
        rule_of(GRAMMAR, rule).parse(text_like_argument(value, "value"))
    )
    return result


def is_valid(value: Text, rule: str = "absoluteURI") -> bool:
    """Whether ``rule`` derives the text. Errors as for :func:`parse`, but never Rejected. Cost: linear."""
    return rule_of(GRAMMAR, rule).matches(text_like_argument(value, "value"))


def explain(value: Text, rule: str = "absoluteURI") -> Rejection | None:
    """Why ``rule`` does not derive the text; None when it does. Errors as for :func:`is_valid`."""
    return rule_of(GRAMMAR, rule).explain(text_like_argument(value, "value"))


@cache
def _transformer() -> URITransformer:
    # Imported on first use: lark takes longer to import than everything here together.
    with importing:
        from abnforge.uri.rfc2396.transformer import URITransformer

    return URITransformer()
