"""The verbs of RFC 3986 on strings."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

from abnforge._arguments import Text, given, judged_argument, plain_argument
from abnforge._lazy import importing
from abnforge._native.loaded import compiled
from abnforge.automata.parts import later
from abnforge.engine.rule import Rule
from abnforge.errors import Rejected
from abnforge.rejection import Rejection
from abnforge.uri.common.rules import explain_text, judging, rule_of, table_of_rule
from abnforge.uri.rfc3986.components import COMPONENTS, URI, Authority, HostKind, PathKind, RelativeRef

# Finding the components of RFC 3986 in a text without a parse tree.
#
# A table or a pattern that the engine makes of the grammar decides whether the text is valid and, in the
# same pass, where its components are; their names are the grammar's rules. So the grammar's text stays the
# only place where a rule is written, and a tree is built only for whoever wants one.


# The rules that references are read as, and the rules whose texts are their components. Keys, in lower case.
COMPONENT_ROOTS = ("uri", "uri-reference", "absolute-uri", "relative-ref")
# A path is derived by the rule of its kind.
COMPONENT_GROUPS = frozenset(COMPONENTS) - {"path"} | {kind.value for kind in PathKind}

# The same for a tagged automaton, with the rules that it is to tell apart.
KINDS: Mapping[str, tuple[str, ...]] = {
    "path": tuple(kind.value.lower() for kind in PathKind),
    "host": tuple(kind.value.lower() for kind in HostKind),
}
PARTS: Mapping[str, tuple[str, ...]] = {name: (name,) for name in COMPONENTS} | {"path": KINDS["path"]}

Read = Callable[[str], URI | RelativeRef | None]


@cache
def reader(grammar: str, name: str) -> Read | None:
    """A function from a text to its reference, None for a text that is not valid; or None if there is none.

    Cost of the function: one walk, or one match of the rule's pattern; components are cut out when they are
    asked for.
    """
    rule = rule_of(grammar, name)
    key = rule.name.lower()
    if key not in COMPONENT_ROOTS:
        return None
    if (table := table_of(grammar, name)) is not None:
        return parsing(table, rule.name, _nothing, (reader, (grammar, name)), {})
    pattern = rule.grammar.compilation.components_pattern(key, COMPONENT_GROUPS)
    return None if pattern is None else partial(_read, _Pattern(pattern, rule))


def table_of(grammar: str, name: str) -> Any:
    """The table that finds the components of texts of a rule; None without the kernel."""
    rule = rule_of(grammar, name)
    return compiled and rule.grammar.compilation.tagged_table(rule.name.lower(), PARTS, KINDS)


@cache
def text_reader(grammar: str, name: str) -> Callable[[str], str | None]:
    """Return a function from a string to the same string; to None if it does not match the rule.

    Cost of the function: one verdict.
    """
    rule = rule_of(grammar, name)
    if compiled is not None and (table := table_of_rule(grammar, name)) is not None:
        return parsing(table, rule.name, _nothing, (text_reader, (grammar, name)), {}, classes=None)
    matches = rule.matches
    return lambda text: text if matches(text) else None


def parsing(
    table: Any,
    rule: str,
    slow: Callable[..., Any],
    travel: tuple[Any, ...],
    others: dict[str, Any],
    classes: tuple[type, type] | None = (URI, RelativeRef),
) -> Callable[..., Any]:
    """A function written in C, from a text to its reference. ``table`` may be what gives one when it is
    needed; ``slow`` is for all that is not derived, or no plain str; ``travel`` makes an object with a
    function ``parse`` like this. A call with the name of another rule uses the reader in ``others``. Without
    ``classes`` the function returns its input.
    """
    parse: Callable[..., Any] = compiled.Reader(table, classes, rule, slow, travel, others).parse
    return parse


def _nothing(text: str) -> None:
    return None


class _Pattern:
    """A rule's pattern, and which of its groups are which component: a rule has one for every place it stands
    in, each with the kind that it tells.
    """

    def __init__(self, pattern: str, rule: Rule) -> None:
        made = re.compile(pattern)
        self.fullmatch = made.fullmatch
        self.scheme = made.groupindex.get("scheme", 0)
        self.rule = rule.name
        self._ipv4address = rule.grammar["IPv4address"].matches
        numbers = {_group(each): number for number, name in enumerate(PARTS) for each in PARTS[name]}
        self._path_kinds = {_group(each): kind for kind, each in enumerate(KINDS["path"], 1)}
        self._kind_of_group: dict[int, int] = {}
        self._groups: list[list[int]] = [[] for _ in COMPONENTS]
        for name, group in made.groupindex.items():
            base, _, last = name.rpartition("_")
            found = base if last.isdigit() else name
            self._groups[numbers[found]].append(group)
            self._kind_of_group[group] = self._path_kinds.get(found, 0)

    def places(self, match: re.Match[str]) -> tuple[int, ...]:
        """Where the components are."""
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
        """The kinds of path and host."""
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
    """The name of a rule's group in a pattern."""
    return rule.replace("-", "_")


def _read(pattern: _Pattern, text: str) -> URI | RelativeRef | None:
    match = pattern.fullmatch(text)
    if match is None:
        return None
    kind = URI if pattern.scheme and match.start(pattern.scheme) >= 0 else RelativeRef
    made: URI | RelativeRef = later(kind, text, pattern.rule, pattern, match)
    return made


GRAMMAR = "rfc3986"


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
    """Read a text as ``rule`` of RFC 3986; ``str`` of the result is the text.

    Gives a :class:`URI` or :class:`RelativeRef` for URI-reference, URI, absolute-URI and relative-ref, an
    :class:`Authority` for authority, and the text itself for every other rule.

    Raises :class:`abnforge.Rejected` when the rule does not derive the text, KeyError for a rule that does
    not exist, TypeError for a value that is neither a str, UTF-8 as bytes, nor a component object. Cost:
    linear; for references one match of a pattern, their components being cut out when they are asked for.
    """
    read = _reader(rule if type(rule) is str else plain_argument(rule, "rule"))
    if type(value) is str:
        found = read(value)
    else:
        it = given(value, "value")
        found = read(it.text) if it.broken is None else None
    if found is None:
        rejection = explain(value, rule)
        assert rejection is not None, "the lanes disagree"
        raise Rejected(rejection)
    return found


def is_valid(value: Text, rule: str = "URI") -> bool:
    """Whether ``rule`` derives the text. Valid is not safe: nothing is said about where it leads.

    Errors as for :func:`parse`, but never Rejected. Cost: linear.
    """
    text = value if type(value) is str else judged_argument(value, "value")
    return _verdict(rule if type(rule) is str else plain_argument(rule, "rule"))(text)


def explain(value: Text, rule: str = "URI") -> Rejection | None:
    """Why ``rule`` does not derive the text; None when it does. Errors as for :func:`is_valid`."""
    return explain_text(GRAMMAR, rule, value)


def _here() -> ModuleType:
    """What has ``parse`` and ``is_valid``, wherever they travel to."""
    return sys.modules[__name__]


# Objects of the C extension by the names of rules; the functions above add them at the first call by a name.
_readers: dict[str, Any] = {}
_verdicts: dict[str, Any] = {}
# With the kernel the usual call costs no more than its walk: all else goes on to the functions above.
if not TYPE_CHECKING and compiled is not None:
    reference = partial(table_of, GRAMMAR, "URI-reference")
    parse = parsing(reference, "URI-reference", parse, (_here, ()), _readers)
    is_valid = judging(partial(table_of_rule, GRAMMAR, "URI"), is_valid, (_here, ()), _verdicts)


Parsed = URI | RelativeRef | Authority | str


@cache
def _verdict(rule: str) -> Callable[[Text], bool]:
    """Return the function that validates by a rule."""
    matches: Callable[[Text], bool] = rule_of(GRAMMAR, rule).matches
    if compiled is not None and isinstance(found := getattr(matches, "__self__", None), compiled.Verdict):
        _verdicts[rule] = found
    return matches


@cache
def _reader(rule: str) -> Callable[[str], Parsed | None]:
    """A function from a text to what ``parse`` gives; None for one that is not valid."""
    read: Callable[[str], Parsed | None] | None = reader(GRAMMAR, rule)
    if read is None:
        is_authority = rule_of(GRAMMAR, rule).key == "authority"
        read = _authority_reader() if is_authority else text_reader(GRAMMAR, rule)
    if compiled is not None and isinstance(found := getattr(read, "__self__", None), compiled.Reader):
        _readers[rule] = found
    return read


def _authority_reader() -> Callable[[str], Authority | None]:
    """Return a function from a string to its authority; None for a string that is not valid."""
    # Imported on first use: lark takes longer to import than everything here together.
    with importing:
        from abnforge.uri.rfc3986.transformer import URITransformer

    transform = URITransformer().transform
    found = rule_of(GRAMMAR, "authority")
    return lambda text: transform(found.parse(text)) if found.matches(text) else None
