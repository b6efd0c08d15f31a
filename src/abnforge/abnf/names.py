"""A grammar whose names are bound (by ``abnf.binding``), and the names in definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from abnforge.abnf.messages import message
from abnforge.abnf.model import Alternation, Concatenation, Element, Group, Option, ProseVal, Rule, RuleName
from abnforge.catalog import ArgumentTypeError
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.messages import message as _message
from abnforge.near_misses import near_misses
from abnforge.once import once
from abnforge.records import dataclass, field, replace
from abnforge.source import Source

UNDEFINED = "undefined"
"""The origin of a rule that nothing defines, where that is allowed."""


class RuleOutline:
    """The name, origin and section of a rule, as :class:`BoundRule` has them."""

    __slots__ = ("name", "origin", "section")

    def __init__(self, name: str, origin: str, section: str | None) -> None:
        self.name = name
        self.origin = origin
        self.section = section


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule with everything that defines it.

    ``elements`` holds the alternatives of the definition and of each ``=/`` in order. ``origin`` is
    ``"file"``, ``"core"``, ``"import"`` or ``"define"``, ``"combined"`` of one that is made of rules, or
    ``"undefined"`` of a name that nothing defines, where that is allowed; only for ``"file"`` are the spans
    in ``elements`` offsets of the bound grammar's source. Lists are written out there, and prose that is
    understood. ``rule`` is the (first) definition as written. ``section`` is the section of the grammar's
    specification that defines it; of a rule taken over from another specification it is that one's, cited in
    full (``RFC 5234, appendix B.1``). ``excepted`` are rules whose strings are none of this one
    (``abnf.exceptions``).
    """

    name: str
    elements: Alternation
    origin: str
    section: str | None
    rule: Rule
    excepted: tuple[RuleName, ...] = ()

    @property
    def references(self) -> Iterator[RuleName]:
        """Every rule name that it is defined by, in the order of the text; exceptions come last."""
        yield from references(self.elements)
        yield from self.excepted


@dataclass(frozen=True)
class BoundGrammar:
    """A grammar in which every rule name has a definition.

    ``rules`` is keyed by lower-case name: the file's rules in definition order, then imported ones, then the
    core rules that the file does not restate. ``warnings`` are remarks, not errors: nothing was refused.
    ``recognized`` tells that the "|" notation was, and that nobody said it is meant (see ``Rulelist``).

    Notices follow from the rest, and exceptions are equal to themselves alone, so they are not compared. The
    hash omits the rules: it costs the same for every grammar.
    """

    name: str
    source: Source
    rules: Mapping[str, BoundRule] = field(hash=False)
    warnings: tuple[GrammarError, ...] = field(default=(), compare=False)
    recognized: bool = False

    @once
    def outline(self) -> Mapping[str, BoundRule | RuleOutline]:
        """The rules by key, for callers that need their names, origins and sections only."""
        return self.rules

    @once
    def formal(self) -> frozenset[str]:
        """Keys of rules that are known to need no prose-val; others may need none, either."""
        return frozenset()

    @once
    def has_exceptions(self) -> bool:
        """Whether a rule is without what others derive."""
        return any(rule.excepted for rule in self.rules.values())

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return _again, (self.name, self.source, dict(self.rules), self.warnings, self.recognized)

    def key(self, name: str) -> str:
        """The key of a rule's name; names match without regard to case.

        Raises UnknownNameError (a KeyError) with near misses, TypeError for what is no str.
        """
        if not isinstance(name, str):
            kind = type(name).__name__
            raise ArgumentTypeError(_message("argument-type", name="rule name", expected="a str", type=kind))
        key = name.lower()
        if key not in self.outline:
            known = (rule.name for rule in self.outline.values())
            near = tuple(near_misses(name, known))
            raise UnknownNameError(message("rule-name-unknown", name=name, grammar=self.name, near=near))
        return key


def _again(name: str, source: Source, rules: dict[str, BoundRule], *more: Any) -> BoundGrammar:
    """A bound grammar that has travelled."""
    return BoundGrammar(name, source, MappingProxyType(rules), *more)


def elements(alternation: Alternation) -> Iterator[Element]:
    """Every element but brackets, in the order of the text."""
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if isinstance(item.element, (Group, Option)):
                yield from elements(item.element.alternation)
            else:
                yield item.element


def references(alternation: Alternation) -> Iterator[RuleName]:
    """Every rule name in an alternation, in the order of the text."""
    return (each for each in elements(alternation) if isinstance(each, RuleName))


def is_prose_only(alternation: Alternation) -> bool:
    """Whether a definition is one prose value, with or without a rule name inside."""
    if len(alternation.alternatives) > 1 or len(alternation.alternatives[0].items) > 1:
        return False
    item = alternation.alternatives[0].items[0]
    prose = isinstance(item.element, ProseVal) or (
        isinstance(item.element, RuleName) and item.element.in_prose
    )
    return prose and (item.min, item.max) == (1, 1)


def map_names(alternation: Alternation, change: Callable[[RuleName], Element]) -> Alternation:
    """The alternation with every rule name replaced by what ``change`` makes of it."""
    return map_elements(alternation, lambda old: change(old) if isinstance(old, RuleName) else old)


def map_elements(alternation: Alternation, change: Callable[[Element], Element]) -> Alternation:
    """The alternation with every element but brackets replaced by what ``change`` makes of it."""

    def element(old: Element) -> Element:
        if isinstance(old, (Group, Option)):
            return replace(old, alternation=map_elements(old.alternation, change))
        return change(old)

    def concatenation(old: Concatenation) -> Concatenation:
        return replace(old, items=tuple(replace(item, element=element(item.element)) for item in old.items))

    return replace(alternation, alternatives=tuple(map(concatenation, alternation.alternatives)))
