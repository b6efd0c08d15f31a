"""Parse and validate strings by the rules of RFC 3986.

A reference is parsed without a tree: one pass validates the string and finds its components. The pass is a
walk of a tagged table in C, or a match of the rule's pattern without the C extension. Both are compiled from
the grammar, and its rules name the components. Only ``authority`` uses the tree and ``URITransformer``.

Reading order: :func:`parse`, :func:`is_valid` and :func:`explain` are at the end; :func:`reader` returns the
function that finds the components by one rule.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

from abnforge._arguments import Text, input_text, plain_argument, text_like_argument
from abnforge._lazy import lazy
from abnforge._native import compiled
from abnforge.engine.rule import Rule
from abnforge.errors import Rejected
from abnforge.rejection import Rejection
from abnforge.uri.common import rule_of
from abnforge.uri.common.components import lazy_component
from abnforge.uri.common.percent import PercentCoding
from abnforge.uri.rfc3986.components import (
    COMPONENTS,
    URI,
    Authority,
    HostKind,
    PathKind,
    Reference,
    RelativeRef,
)

with lazy:  # lark takes longer to import than this package
    import pydantic_core

    from abnforge.uri.rfc3986 import transformer

GRAMMAR = "rfc3986"

percent = PercentCoding(GRAMMAR)
"""Percent-encoding by RFC 3986 (sections 2.1 to 2.5): ``encode`` data before a URI is built, ``decode`` a
component after the URI is parsed.
"""

# The rules of references, and the rules of their components, by key. The rule of a path depends on its kind.
COMPONENT_ROOTS = ("uri", "uri-reference", "absolute-uri", "relative-ref")
COMPONENT_GROUPS = frozenset(COMPONENTS) - {"path"} | {kind.value for kind in PathKind}

# Rules of the components for a tagged automaton, and the rules that distinguish the kinds of a component.
KINDS: Mapping[str, tuple[str, ...]] = {
    "path": tuple(kind.value.lower() for kind in PathKind),
    "host": tuple(kind.value.lower() for kind in HostKind),
}
PARTS: Mapping[str, tuple[str, ...]] = {name: (name,) for name in COMPONENTS} | {"path": KINDS["path"]}

Read = Callable[[str], URI | RelativeRef | None]


@cache
def reader(grammar: str, name: str) -> Read | None:
    """Return a function from a string to its reference, or to None if the string does not match.

    Return None for a rule that is not a rule of references.

    Complexity of the function: one walk, or one match of a pattern. Components are cut on first use.
    """
    rule = rule_of(grammar, name)
    key = rule.name.lower()
    if key not in COMPONENT_ROOTS:
        return None
    if (table := table_of(grammar, name)) is not None:
        return _compiled_reader(table, rule.name, _nothing, (reader, (grammar, name)), {})
    pattern = rule.grammar.compilation.components_pattern(key, COMPONENT_GROUPS)
    return None if pattern is None else partial(_read, _Pattern(pattern, rule))


def table_of(grammar: str, name: str) -> Any:
    """Return the table that finds the components of a rule's strings; None without the C extension."""
    rule = rule_of(grammar, name)
    return compiled and rule.grammar.compilation.tagged_table(rule.name.lower(), PARTS, KINDS)


def _verdict_table(grammar: str, name: str) -> Any:
    """Return the table of a rule's automaton; None without the C extension."""
    rule = rule_of(grammar, name)
    return rule.grammar.compilation.table(rule.key)


@cache
def _text_reader(grammar: str, name: str) -> Callable[[str], str | None]:
    """Return a function from a string to the same string, or to None if it does not match the rule."""
    rule = rule_of(grammar, name)
    if compiled is not None and (table := _verdict_table(grammar, name)) is not None:
        return _compiled_reader(table, rule.name, _nothing, (_text_reader, (grammar, name)), {}, classes=None)
    matches = rule.matches
    return lambda text: text if matches(text) else None


def _compiled_reader(
    table: Any,
    rule: str,
    slow: Callable[..., Any],
    travel: tuple[Any, ...],
    others: dict[str, Any],
    classes: tuple[type, type] | None = (URI, RelativeRef),
) -> Callable[..., Any]:
    """Return a function in C from a string to its reference, or to the string itself without ``classes``.

    ``table`` may be a function that returns the table. ``slow`` is called with an argument that is not a
    plain str or does not match. A call with the name of another rule uses the reader in ``others``.
    ``travel`` is for pickles: an object with a function ``parse`` like this one.
    """
    parse: Callable[..., Any] = compiled.Reader(table, classes, rule, slow, travel, others).parse
    return parse


def _nothing(text: str) -> None:
    return None


class _Pattern:
    """The pattern of a rule, and the component of each of its groups.

    A rule has one group for each place in the pattern; the groups of a path tell its kind, too.
    """

    def __init__(self, pattern: str, rule: Rule) -> None:
        regex = re.compile(pattern)
        self.fullmatch = regex.fullmatch
        self.scheme = regex.groupindex.get("scheme", 0)
        self.rule = rule.name
        self._ipv4address = rule.grammar["IPv4address"].matches
        numbers = {_group(each): number for number, name in enumerate(PARTS) for each in PARTS[name]}
        self._path_kinds = {_group(each): kind for kind, each in enumerate(KINDS["path"], 1)}
        self._kind_of_group: dict[int, int] = {}
        self._groups: list[list[int]] = [[] for _ in COMPONENTS]
        for name, group in regex.groupindex.items():
            base, _, last = name.rpartition("_")
            component = base if last.isdigit() else name
            self._groups[numbers[component]].append(group)
            self._kind_of_group[group] = self._path_kinds.get(component, 0)

    def places(self, match: re.Match[str]) -> tuple[int, ...]:
        """Return the start and end of each component, (-1, -1) for one that is undefined."""
        spans = match.regs
        places: list[int] = []
        for groups in self._groups:
            for group in groups:
                if (span := spans[group])[0] >= 0:
                    places += span
                    break
            else:
                places += _NOWHERE
        return tuple(places)

    def kinds(self, match: re.Match[str]) -> tuple[int, int]:
        path = next(group for group in self._groups[_PATH] if match.start(group) >= 0)
        host = next((text for group in self._groups[_HOST] if (text := match[group]) is not None), None)
        return self._kind_of_group[path], 0 if host is None else self._host_kind(host)

    def _host_kind(self, host: str) -> int:
        if host.startswith("["):
            kind = HostKind.IPVFUTURE if host[1] in "vV" else HostKind.IPV6ADDRESS
        else:
            kind = HostKind.IPV4ADDRESS if self._ipv4address(host) else HostKind.REG_NAME
        return _HOST_KINDS.index(kind) + 1


_NOWHERE = (-1, -1)
_PATH, _HOST = COMPONENTS.index("path"), COMPONENTS.index("host")
_HOST_KINDS = tuple(HostKind)


def _group(rule: str) -> str:
    """Return the name of a rule's group in a pattern."""
    return rule.replace("-", "_")


def _read(pattern: _Pattern, text: str) -> URI | RelativeRef | None:
    match = pattern.fullmatch(text)
    if match is None:
        return None
    kind = URI if pattern.scheme and match.start(pattern.scheme) >= 0 else RelativeRef
    reference: URI | RelativeRef = lazy_component(kind, text, pattern.rule, pattern, match)
    return reference


@overload
def parse(value: Text, rule: Literal["URI-reference"] = ...) -> URI | RelativeRef: ...
@overload
def parse(value: Text, rule: Literal["URI", "absolute-URI"]) -> URI: ...
@overload
def parse(value: Text, rule: Literal["relative-ref"]) -> RelativeRef: ...
@overload
def parse(value: Text, rule: Literal["authority"]) -> Authority: ...
@overload
def parse(value: Text, rule: str) -> URI | RelativeRef | Authority | str: ...
def parse(value: Text, rule: str = "URI-reference") -> URI | RelativeRef | Authority | str:
    """Parse a string by a rule of RFC 3986; ``str`` of the result is the string.

    Returns: a :class:`URI` or :class:`RelativeRef` for URI-reference, URI, absolute-URI and relative-ref, an
    :class:`Authority` for authority, and the string itself for every other rule.
    Raises: :class:`abnforge.Rejected` if the string does not match; UnknownNameError for an unknown rule;
    TypeError for a value that is not a str, UTF-8 as bytes, or a component object.
    Complexity: linear; for references one walk, or one match of a pattern.
    """
    read = _reader(rule if type(rule) is str else plain_argument(rule, "rule"))
    if type(value) is str:
        result = read(value)
    else:
        text = input_text(value, "value")
        result = read(text.text) if text.broken is None else None
    if result is None:
        rejection = explain(value, rule)
        assert rejection is not None, "the engines disagree"
        raise Rejected(rejection)
    return result


def is_valid(value: Text, rule: str = "URI") -> bool:
    """Return whether a string matches a rule. A valid URI is not necessarily safe.

    Raises: as :func:`parse`, except Rejected.
    Complexity: linear.
    """
    text = value if type(value) is str else text_like_argument(value, "value")
    return _verdict(rule if type(rule) is str else plain_argument(rule, "rule"))(text)


def explain(value: Text, rule: str = "URI") -> Rejection | None:
    """Return why a string does not match a rule, or None if it matches. Raises as :func:`is_valid`."""
    return rule_of(GRAMMAR, rule).explain(text_like_argument(value, "value"))


def _module() -> ModuleType:
    """Return this module, in whichever process a pickle is loaded."""
    return sys.modules[__name__]


# Objects of the C extension by the names of rules. The first call for a rule adds its object.
_readers: dict[str, Any] = {}
_verdicts: dict[str, Any] = {}
# With the C extension, a usual call costs no more than its walk. Other calls reach the functions above.
if not TYPE_CHECKING and compiled is not None:
    tagged, verdict = partial(table_of, GRAMMAR, "URI-reference"), partial(_verdict_table, GRAMMAR, "URI")
    parse = _compiled_reader(tagged, "URI-reference", parse, (_module, ()), _readers)
    is_valid = compiled.Verdict(verdict, is_valid, (_module, ()), _verdicts).is_valid


Parsed = URI | RelativeRef | Authority | str


@cache
def _verdict(rule: str) -> Callable[[Text], bool]:
    """Return the function that validates by a rule."""
    matches: Callable[[Text], bool] = rule_of(GRAMMAR, rule).matches
    native = getattr(matches, "__self__", None)
    if compiled is not None and isinstance(native, compiled.Verdict):
        _verdicts[rule] = native
    return matches


@cache
def _reader(rule: str) -> Callable[[str], Parsed | None]:
    """Return a function from a string to the result of ``parse``, or to None if it does not match."""
    read: Callable[[str], Parsed | None] | None = reader(GRAMMAR, rule)
    if read is None:
        is_authority = rule_of(GRAMMAR, rule).key == "authority"
        read = _authority_reader() if is_authority else _text_reader(GRAMMAR, rule)
    native = getattr(read, "__self__", None)
    if compiled is not None and isinstance(native, compiled.Reader):
        _readers[rule] = native
    return read


def _authority_reader() -> Callable[[str], Authority | None]:
    """Return a function from a string to its authority, or to None if it does not match."""
    transform = transformer.URITransformer().transform
    authority = rule_of(GRAMMAR, "authority")
    return lambda text: transform(authority.parse(text)) if authority.matches(text) else None


# References as types of pydantic models. A value is an object or a string, and is kept unchanged. pydantic
# finds methods by their names, and is imported on first use. The classes get them here, because
# ``components`` must not know parsers.

_RULES: dict[type[Reference], str] = {URI: "URI", RelativeRef: "relative-ref", Reference: "URI-reference"}
_FORMATS = {"URI": "uri", "URI-reference": "uri-reference"}


def pydantic_error(rejection: Rejection) -> Any:
    """Return a rejection as an error of pydantic, with its code as the type and its data in ``ctx``."""
    start, end = rejection.span
    context = {
        "reason": rejection.message_with_position,
        "grammar": rejection.grammar,
        "rule": rejection.rule,
        "offset": rejection.offset,
        "start": start,
        "end": end,
    }
    if rejection.section is not None:
        context["section"] = rejection.section
    if rejection.suggestion is not None:
        context["suggestion"] = rejection.suggestion.text
    return pydantic_core.PydanticCustomError(rejection.code, "{reason}", context)


def _rule_of_class(cls: type[Reference]) -> str:
    return next(rule for kind, rule in _RULES.items() if issubclass(cls, kind))


def _core_schema(cls: type[Reference], source: object, handler: object) -> Any:
    """Return how pydantic validates and serializes a field of one of the classes."""
    rule = _rule_of_class(cls)

    def read(value: object, text: Callable[[object], str]) -> Reference:
        if isinstance(value, cls):
            return value
        try:
            return parse(text(value), rule)  # type: ignore[return-value]
        except Rejected as error:
            raise pydantic_error(error.rejection) from None

    schemas = pydantic_core.core_schema
    as_text = schemas.to_string_ser_schema()
    return schemas.no_info_wrap_validator_function(read, schemas.str_schema(), serialization=as_text)


def _json_schema(cls: type[Reference], core: Any, handler: Any) -> Any:
    schema, rule = handler(core), _rule_of_class(cls)
    return {**schema, "format": _FORMATS[rule]} if rule in _FORMATS else schema


_pydantic: Any = Reference
_pydantic.__get_pydantic_core_schema__ = classmethod(_core_schema)
_pydantic.__get_pydantic_json_schema__ = classmethod(_json_schema)
