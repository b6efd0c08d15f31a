"""Define syntax trees, which keep grammars as written, and grammars whose names are bound.

Nodes follow RFC 5234, section 4. Every node has its span (0-based offsets), which comparisons ignore:
``read(print_rulelist(tree)) == tree``. Nothing in a :class:`Rulelist` is resolved: names are not bound,
``=/`` is not merged, and core rules are not added. In a :class:`BoundGrammar` (returned by
``grammar.binding``), every rule name has a definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Union

from abnforge._lazy import cached_property
from abnforge.catalog import ArgumentTypeError
from abnforge.charset import UNICODE, CharSet
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar.messages import message
from abnforge.messages import message as _message
from abnforge.records import dataclass, field, replace
from abnforge.text import Source, Span, near_misses

NO_SPAN = Span(0, 0)


@dataclass(frozen=True, slots=True)
class RuleName:
    """A reference to a rule, with its spelling at this place. ``<pchar>`` sets ``in_prose``."""

    name: str
    in_prose: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class CharVal:
    """A quoted string: ``"abc"``, ``%i"abc"`` (case-insensitive), ``%s"abc"`` (RFC 7405).

    ``prefix`` is ``""``, ``"%i"`` or ``"%s"``: the prefix as written, in lower case.
    """

    value: str
    prefix: str = ""
    span: Span = field(default=NO_SPAN, compare=False)

    @property
    def case_sensitive(self) -> bool:
        return self.prefix == "%s"

    @property
    def charsets(self) -> tuple[CharSet, ...]:
        """For each character of the string, the set of characters that match it.

        RFC 5234, 2.3: strings are case-insensitive, and their character set is US-ASCII.
        """
        return tuple([letter(char, self.case_sensitive) for char in self.value])


# A long list of words requests the same few sets a million times.
@lru_cache
def letter(char: str, case_sensitive: bool) -> CharSet:
    """Return the characters that match one character of a string."""
    return CharSet.of(char if case_sensitive else char.lower() + char.upper())


@dataclass(frozen=True, slots=True)
class NumVal:
    """Terminal values by number: ``%x0D.0A`` (``values``), ``%x30-39`` (``is_range``).

    ``base`` is ``"b"``, ``"d"`` or ``"x"``; ``values`` are code points;
    for a range they are exactly (first, last).
    """

    base: str
    values: tuple[int, ...]
    is_range: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class ProseVal:
    """A ``<...>`` that does not name a rule: a description in prose."""

    text: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """``( alternation )``."""

    alternation: Alternation
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Option:
    """``[ alternation ]``."""

    alternation: Alternation
    span: Span = field(default=NO_SPAN, compare=False)


# The lexer, the parser and the printer read this table. Another kind of bracket is a subclass of Group or
# Option and a line here; ``core`` lowers it.
BRACKETS: Mapping[type[Group | Option], tuple[str, str]] = MappingProxyType(
    {Group: ("(", ")"), Option: ("[", "]")}
)

Element = Union[RuleName, CharVal, NumVal, ProseVal, Group, Option]


@dataclass(frozen=True, slots=True)
class Repetition:
    """``<min>*<max>element`` (RFC 5234, section 3.6); a bare element is (1, 1).

    ``max`` is None for an unlimited repetition. ``min`` may exceed ``max``: the parser keeps both and reports
    an error. ``listed`` marks ``<min>#<max>element``, a list with commas between the elements (RFC 9110,
    section 5.6.1), which ``grammar.binding`` expands.
    """

    element: Element
    min: int = 1
    max: int | None = 1
    span: Span = field(default=NO_SPAN, compare=False)
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Concatenation:
    """One alternative: repetitions in order. ``comments`` follow it in the grammar (without ";")."""

    items: tuple[Repetition, ...]
    comments: tuple[str, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Alternation:
    """``concatenation / concatenation``, in declaration order; never empty."""

    alternatives: tuple[Concatenation, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class RuleDefinition:
    """``name = elements`` or, when ``incremental``, ``name =/ elements``.

    ``section`` comes from the nearest preceding comment that names a section (``; Section 3.2.2`` or ``;;;;
    3.2.2. Host``), and includes the specification if the comment names it (``; RFC 3986, section 3.2``). It
    is None without such a comment.
    """

    name: str
    elements: Alternation
    incremental: bool = False
    section: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)
    name_span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a separate line between rules (without its ";"); "" is an empty line."""

    text: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Annotation:
    """A structured comment (``;@ ...`` or ``; abnforge: allow ...``); see ``annotations``.

    ``rule`` is the name of the rule that the comment applies to: the rule that contains the comment, or the
    next rule. If an empty line or the end of the grammar follows, the comment applies to the rule directly
    above (``after``). Without such a rule, ``rule`` is None.
    """

    span: Span
    rule: str | None
    after: bool = False


@dataclass(frozen=True, slots=True)
class Rulelist:
    """A whole grammar in source order.

    ``dialect`` is ``"abnf"`` (RFC 5234) or ``"rfc822"`` (the "|" notation). ``recognized`` is True if the
    notation was detected rather than requested.
    """

    items: tuple[RuleDefinition | Comment, ...]
    dialect: str = field(default="abnf", compare=False)
    source: Source = field(default=Source(""), compare=False, repr=False)
    recognized: bool = field(default=False, compare=False)
    annotations: tuple[Annotation, ...] = field(default=(), compare=False, repr=False)

    @property
    def rules(self) -> tuple[RuleDefinition, ...]:
        return tuple(item for item in self.items if isinstance(item, RuleDefinition))


SENDER, RECIPIENT = "sender", "recipient"
LISTS = (SENDER, RECIPIENT)  # values of ``lists=`` and ``--lists``: the forms of expanded lists (``binding``)
UNDEFINED = "undefined"  # the origin of an undefined rule, if undefined names are allowed


class RuleOutline:
    """The name, origin and section of a rule, with the same meaning as in :class:`BoundRule`."""

    __slots__ = ("name", "origin", "section")

    def __init__(self, name: str, origin: str, section: str | None) -> None:
        self.name = name
        self.origin = origin
        self.section = section


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule with everything that defines it.

    ``elements`` holds the alternatives of the definition and of each ``=/`` in order; lists are expanded, and
    prose that abnforge understands is replaced. ``origin`` is ``"file"``, ``"core"``, ``"import"``,
    ``"define"``, ``"combined"`` (a set expression of rules) or ``"undefined"``. The spans in ``elements`` are
    offsets in the bound grammar's source only for ``"file"``. ``rule`` is the (first) definition as written.
    ``section`` is the section of the specification that defines the rule; for an imported rule, it includes
    the specification (``RFC 5234, appendix B.1``). ``excepted`` contains the rules whose strings this rule
    excludes (``grammar.annotations``).
    """

    name: str
    elements: Alternation
    origin: str
    section: str | None
    rule: RuleDefinition
    excepted: tuple[RuleName, ...] = ()

    @property
    def references(self) -> Iterator[RuleName]:
        """Every rule name in the definition, in source order; exceptions come last."""
        yield from references(self.elements)
        yield from self.excepted


@dataclass(frozen=True)
class BoundGrammar:
    """A grammar whose rule names all have a definition.

    ``rules`` is keyed by lower-case name: the file's rules in definition order, then imported rules, then the
    core rules that the file does not restate. A grammar with ``warnings`` can be used. ``recognized`` is True
    if the "|" notation was detected rather than requested (see ``Rulelist``). ``alphabet`` contains the
    characters of strings (``charset.ALPHABETS``).

    Comparisons ignore warnings: they follow from the other fields, and exception objects compare by identity.
    The hash omits the rules, so it takes the same time for every grammar.
    """

    name: str
    source: Source
    rules: Mapping[str, BoundRule] = field(hash=False)
    warnings: tuple[GrammarError, ...] = field(default=(), compare=False)
    recognized: bool = False
    annotations: tuple[Annotation, ...] = field(default=(), compare=False, repr=False)
    alphabet: str = UNICODE

    @cached_property
    def outline(self) -> Mapping[str, BoundRule | RuleOutline]:
        """The rules by key, for callers that need their names, origins and sections only."""
        return self.rules

    @cached_property
    def formal(self) -> frozenset[str]:
        """The keys of rules that are known to use no prose-val; the set may be incomplete."""
        return frozenset()

    @cached_property
    def has_exceptions(self) -> bool:
        """True if a rule excludes the strings of other rules."""
        return any(rule.excepted for rule in self.rules.values())

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return _bound_grammar, (
            self.name,
            self.source,
            dict(self.rules),
            self.warnings,
            self.recognized,
            self.annotations,
            self.alphabet,
        )

    def key(self, name: str) -> str:
        """Return the key of a rule name; case does not matter.

        Raises UnknownNameError (a KeyError) with near misses, and TypeError if ``name`` is not a str.
        """
        if not isinstance(name, str):
            kind = type(name).__name__
            raise ArgumentTypeError(_message("argument-type", name="rule name", expected="a str", type=kind))
        key = name.lower()
        if key not in self.outline:
            names = (rule.name for rule in self.outline.values())
            near = tuple(near_misses(name, names))
            raise UnknownNameError(message("rule-name-unknown", name=name, grammar=self.name, near=near))
        return key


def _bound_grammar(name: str, source: Source, rules: dict[str, BoundRule], *more: Any) -> BoundGrammar:
    """Return a bound grammar from its pickled fields."""
    return BoundGrammar(name, source, MappingProxyType(rules), *more)


def walk(alternation: Alternation) -> list[Repetition]:
    """Return every repetition in source order, outer repetitions before inner ones."""
    repetitions: list[Repetition] = []
    for alternative in alternation.alternatives:
        for item in alternative.items:
            repetitions.append(item)
            if type(item.element) in BRACKETS:
                repetitions += walk(item.element.alternation)  # type: ignore[union-attr]
    return repetitions


def transform(alternation: Alternation, change: Callable[[Repetition], Repetition]) -> Alternation:
    """Return the alternation with every repetition changed, inner repetitions before outer ones."""

    def item(old: Repetition) -> Repetition:
        if isinstance(old.element, (Group, Option)):
            inner = transform(old.element.alternation, change)
            old = replace(old, element=replace(old.element, alternation=inner))
        return change(old)

    alternatives = (replace(old, items=tuple(map(item, old.items))) for old in alternation.alternatives)
    return replace(alternation, alternatives=tuple(alternatives))


def map_parts(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node or a tuple with ``change`` applied to its parts: nodes, spans and tuples."""
    if isinstance(node, tuple):
        return tuple([change(part) for part in node])
    parts = [getattr(node, name) for name in getattr(node, "__match_args__", ())]
    return type(node)(*[part if type(part) in _VALUES else change(part) for part in parts]) if parts else node


_VALUES = frozenset([str, int, bool, type(None)])


def elements(alternation: Alternation) -> Iterator[Element]:
    """Return every element except groups and options, in source order."""
    return (item.element for item in walk(alternation) if not isinstance(item.element, (Group, Option)))


def references(alternation: Alternation) -> list[RuleName]:
    """Return every rule name in an alternation, in source order."""
    return [item.element for item in walk(alternation) if isinstance(item.element, RuleName)]


def is_prose_only(alternation: Alternation) -> bool:
    """Return whether a definition is a single prose value, including a rule name in angle brackets."""
    if len(alternation.alternatives) > 1 or len(alternation.alternatives[0].items) > 1:
        return False
    item = alternation.alternatives[0].items[0]
    prose = isinstance(item.element, ProseVal) or (
        isinstance(item.element, RuleName) and item.element.in_prose
    )
    return prose and (item.min, item.max) == (1, 1)


def map_names(alternation: Alternation, change: Callable[[RuleName], Element]) -> Alternation:
    """Return the alternation with ``change`` applied to every rule name."""
    return map_elements(alternation, lambda old: change(old) if isinstance(old, RuleName) else old)


def map_elements(alternation: Alternation, change: Callable[[Element], Element]) -> Alternation:
    """Return the alternation with ``change`` applied to every element except groups and options."""

    def item(old: Repetition) -> Repetition:
        is_bracket = isinstance(old.element, (Group, Option))
        return old if is_bracket else replace(old, element=change(old.element))

    return transform(alternation, item)
