"""Finding the components of RFC 2396 in a text without a parse tree: one walk tells where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from abnforge.uri.common.grammars import rule_of
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Server

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
