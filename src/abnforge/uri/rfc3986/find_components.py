"""Finding the components of RFC 3986 in a text without a parse tree.

A pattern that the engine generates from the grammar decides whether the text is valid and, in the same pass,
where its components are; the groups of the pattern are the grammar's rules. So the grammar's text stays
the only place where a rule is written, and a tree is built only for whoever wants one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

from abnforge.engine.rule import Rule
from abnforge.uri.common.grammars import rule_of
from abnforge.uri.rfc3986.components import (
    COMPONENTS,
    URI,
    Authority,
    HostKind,
    Parts,
    PathKind,
    RelativeRef,
)

# The rules that references are read as, and the rules whose texts are their components. Keys, in lower case.
COMPONENT_ROOTS = ("uri", "uri-reference", "absolute-uri", "relative-ref")
# A path is derived by the rule of its kind.
COMPONENT_GROUPS = frozenset(COMPONENTS) - {"path"} | {kind.value for kind in PathKind}

# A path that is empty is path-empty, unless an authority stands before it; both derive the empty text.
_PATHS = {kind.value.replace("-", "_"): kind for kind in PathKind}


@cache
def reader(grammar: str, name: str) -> Callable[[str], URI | RelativeRef | None] | None:
    """A function from a text to its reference, None for a text that is not valid; or None if there is none.

    Cost of the function: one match of the rule's pattern; components are cut out when they are asked for.
    """
    rule = rule_of(grammar, name)
    key = rule.name.lower()
    if key not in COMPONENT_ROOTS:
        return None
    pattern = rule.grammar.compilation.components_pattern(key, COMPONENT_GROUPS)
    if pattern is None:
        return None
    compiled = re.compile(pattern)
    fullmatch = compiled.fullmatch
    find = partial(_find, _Places(compiled), rule_of(grammar, "IPv4address"))
    scheme = compiled.groupindex.get("scheme", 0)  # group 0 is the whole text
    always: type[URI] | type[RelativeRef] | None = None
    if key != "uri-reference":
        always = URI if scheme else RelativeRef
    rule_name = rule.name

    def read(text: str) -> URI | RelativeRef | None:
        match = fullmatch(text)
        if match is None:
            return None
        kind = always or (RelativeRef if match[scheme] is None else URI)
        return kind._lazy(text, find, match, rule_name)

    return read


class _Places:
    """The numbers of a pattern's groups, by rule: a rule has one for every place it stands in."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._numbers: dict[str, list[int]] = {}
        for name, number in pattern.groupindex.items():
            base, _, last = name.rpartition("_")
            self._numbers.setdefault(base if last.isdigit() else name, []).append(number)

    def text(self, match: re.Match[str], rule: str) -> str | None:
        """The text that a rule derived; None if it took no part."""
        for number in self._numbers.get(rule, ()):
            if (text := match[number]) is not None:
                return text
        return None


def _find(places: _Places, ipv4address: Rule, match: re.Match[str]) -> Parts:
    text = partial(places.text, match)
    host = text("host")
    authority = None
    if host is not None:
        authority = Authority(text("userinfo"), host, _host_kind(host, ipv4address), text("port"))
    path, kind = "", PathKind.EMPTY
    for name, candidate in _PATHS.items():
        if (found := text(name)) is not None:
            path, kind = found, candidate
            break
    return Parts(text("scheme"), authority, path, kind, text("query"), text("fragment"))


def _host_kind(host: str, ipv4address: Rule) -> HostKind:
    if host.startswith("["):
        return HostKind.IPVFUTURE if host[1] in "vV" else HostKind.IPV6ADDRESS
    return HostKind.IPV4ADDRESS if ipv4address.matches(host) else HostKind.REG_NAME
