"""Names bound: one definition for every name, ``=/`` merged, core rules and imports in place.

Rule names match without regard to case (RFC 5234, section 2.1) and keep their spelling. RFC 5234 leaves
open what a second definition of a rule or a ``=/`` without a definition mean: both are errors here. The
core rules count as defined: a grammar may restate one (the file's rule is used) or extend
one with ``=/``, and gets a notice if that changes it.

Prose binds. A grammar that says ``<any CHAR except CTLs>`` can be shown and linted; that it cannot be matched
is for the layers that match to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from abnforge.abnf import name_slips
from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    Rule,
    Rulelist,
    RuleName,
)
from abnforge.abnf.syntax_errors import MAX_ERRORS, MAX_RELATED, shorten
from abnforge.charset import CharSet
from abnforge.citation import within
from abnforge.errors import GrammarError, UnknownName
from abnforge.near_misses import did_you_mean, near_misses
from abnforge.rejection import Edit
from abnforge.source import Source, Span


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule with everything that defines it.

    ``elements`` holds the alternatives of the definition and of each ``=/`` in order. ``origin`` is
    ``"file"``, ``"core"`` or ``"import"``, or ``"combined"`` of one that is made of rules; only for
    ``"file"`` are the spans in ``elements`` offsets of the bound grammar's source. ``rule`` is the (first)
    definition as written. ``section`` is the section of the grammar's specification that defines it; of a
    rule taken over from another specification it is that one's, cited in full (``RFC 5234, appendix B.1``).
    """

    name: str
    elements: Alternation
    origin: str
    section: str | None
    rule: Rule


@dataclass(frozen=True)
class BoundGrammar:
    """A grammar in which every rule name has a definition.

    ``rules`` is keyed by lower-case name: the file's rules in definition order, then imported ones, then the
    core rules that the file does not restate. ``notices`` are remarks, not errors: nothing was refused.
    ``recognised`` tells that the "|" notation was, and that nobody said it is meant (see ``Rulelist``).
    """

    name: str
    source: Source
    rules: Mapping[str, BoundRule]
    notices: tuple[GrammarError, ...] = ()
    recognised: bool = False

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return _again, (self.name, self.source, dict(self.rules), self.notices, self.recognised)

    def key(self, name: str) -> str:
        """The key of a rule's name; names match without regard to case.

        Raises UnknownName (a KeyError) with near misses, TypeError for what is no str.
        """
        if not isinstance(name, str):
            raise TypeError(f"a rule name is a str, not {type(name).__name__}")
        key = name.lower()
        if key not in self.rules:
            known = (rule.name for rule in self.rules.values())
            raise UnknownName(f"no rule {name!r} in grammar {self.name}{did_you_mean(name, known)}")
        return key


def _again(name: str, source: Source, rules: dict[str, BoundRule], *more: Any) -> BoundGrammar:
    """A bound grammar that has travelled."""
    return BoundGrammar(name, source, MappingProxyType(rules), *more)


def bind(rulelist: Rulelist, *, name: str, imports: Mapping[str, BoundRule] | None = None) -> BoundGrammar:
    """Bind the names of a grammar.

    ``imports`` (keyed by lower-case name) are rules from elsewhere. One replaces a rule that the file
    defines by prose alone (``token = <token, see RFC 9110>``); where the file has a real definition, the
    file wins. A name in prose (``<subdomain>``) that is defined nowhere is prose.

    Raises :class:`GrammarError` with every error found, up to a limit: an empty grammar, ``undefined-rule``,
    ``duplicate-rule``, ``incremental-without-base``. Cost: linear, apart from the near misses
    of at most :data:`~abnforge.abnf.syntax_errors.MAX_ERRORS` undefined names.
    """
    binder = _Binder(rulelist, imports or {}, name)
    if binder.errors:
        raise GrammarError.combine(binder.errors)
    return BoundGrammar(
        name,
        rulelist.source,
        MappingProxyType(binder.rules),
        tuple(sorted(binder.core_rule_notices(), key=_place)),
        rulelist.recognised,
    )


def binding_errors(rulelist: Rulelist, imports: Mapping[str, BoundRule] | None = None) -> list[GrammarError]:
    """What :func:`bind` would refuse, in source order; empty if nothing."""
    return sorted(_Binder(rulelist, imports or {}).errors, key=_place)


def references(alternation: Alternation) -> Iterator[RuleName]:
    """Every rule name in an alternation, in the order of the text."""
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if isinstance(item.element, RuleName):
                yield item.element
            elif isinstance(item.element, (Group, Option)):
                yield from references(item.element.alternation)


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

    def element(old: Element) -> Element:
        if isinstance(old, RuleName):
            return change(old)
        if isinstance(old, (Group, Option)):
            return replace(old, alternation=map_names(old.alternation, change))
        return old

    def concatenation(old: Concatenation) -> Concatenation:
        return replace(old, items=tuple(replace(item, element=element(item.element)) for item in old.items))

    return replace(alternation, alternatives=tuple(map(concatenation, alternation.alternatives)))


def _place(error: GrammarError) -> tuple[int, int]:
    return error.line, error.column


class _Binder:
    def __init__(self, rulelist: Rulelist, imports: Mapping[str, BoundRule], name: str = "") -> None:
        self.name = name
        self.source = rulelist.source
        self.errors: list[GrammarError] = []
        self.extended_core: list[Rule] = []
        core = {
            key: BoundRule(rule.name, rule.elements, "core", rule.section, rule)
            for key, rule in core_rules().items()
        }
        imports = {key.lower(): rule for key, rule in imports.items()}
        known = {**core, **imports}
        self.rules = self._definitions(rulelist.rules, known)
        if not rulelist.rules:
            self._report(GrammarError("the grammar defines no rule", source=self.source, span=Span(0, 0)))
        for key, imported in imports.items():
            own = self.rules.get(key)
            if own is None or is_prose_only(own.elements):
                self.rules[key] = replace(imported, origin="import")
        for key, rule in core.items():
            self.rules.setdefault(key, rule)
        self._bind_references()

    def _report(self, error: GrammarError) -> None:
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def _definitions(self, rules: Iterable[Rule], known: Mapping[str, BoundRule]) -> dict[str, BoundRule]:
        """The file's rules by name, incremental alternatives merged."""
        rules = tuple(rules)
        bases: dict[str, Rule] = {}
        for rule in rules:
            if not rule.incremental:
                bases.setdefault(rule.name.lower(), rule)
        alternatives: dict[str, list[Concatenation]] = {}
        first: dict[str, Rule] = {}
        late: set[str] = set()  # rules that begin with "=/": their definition, where it comes, adds to them
        for rule in rules:
            key = rule.name.lower()
            if rule.incremental and key not in first:
                if key in bases or key not in known:
                    self._incremental_without_base(rule, bases)
                    late.add(key)
                else:
                    alternatives[key] = list(known[key].elements.alternatives)
                    if known[key].origin == "core":
                        self.extended_core.append(rule)
            elif not rule.incremental and key in late:
                late.remove(key)
            elif not rule.incremental and key in first:
                self._duplicate(rule, first[key])
                continue
            first.setdefault(key, rule)
            alternatives.setdefault(key, []).extend(rule.elements.alternatives)
        return {
            key: BoundRule(
                rule.name,
                replace(rule.elements, alternatives=tuple(alternatives[key])),
                "file",
                rule.section and within(self.name, rule.section),
                rule,
            )
            for key, rule in first.items()
        }

    def _duplicate(self, rule: Rule, first: Rule) -> None:
        spelt = "" if rule.name == first.name else f' (as "{first.name}": case does not matter)'
        same = _normal(rule.elements) == _normal(first.elements)
        advice = name_slips.duplicate(rule, first, self.source, same)
        self._report(
            GrammarError(
                f'the rule "{rule.name}" is already defined{spelt}; {advice.hint}',
                code="duplicate-rule",
                source=self.source,
                span=rule.name_span,
                rule=rule.name,
                related=[(first.name_span, "first defined here")],
                edits=advice.edits,
            )
        )

    def _incremental_without_base(self, rule: Rule, bases: Mapping[str, Rule]) -> None:
        if len(self.errors) >= MAX_ERRORS:
            return
        base = bases.get(rule.name.lower())
        near = near_misses(rule.name, [each.name for each in bases.values()]) if base is None else []
        advice = name_slips.without_base(rule, base, self.source, bool(near))
        place = "before it" if base else "anywhere"
        hint = " or ".join(f'"{each}"' for each in near)
        self._report(
            GrammarError(
                f'"{rule.name} =/" adds to a rule that is not defined {place}'
                + (f"; did you mean {hint}?" if hint else ""),
                code="incremental-without-base",
                source=self.source,
                span=rule.name_span,
                rule=rule.name,
                related=[(base.name_span, "defined here, too late")] if base else [],
                edits=advice.edits,
            )
        )

    def _bind_references(self) -> None:
        """Report undefined names, and make those in prose prose again."""
        undefined: dict[str, list[tuple[RuleName, str]]] = {}
        for key, rule in self.rules.items():
            prose = False
            words = self._unbracketed(rule) if rule.origin == "file" else set()
            for reference in references(rule.elements):
                wanted = reference.name.lower()
                if wanted in self.rules:
                    continue
                if reference.in_prose:
                    prose = True
                elif reference.span.start in words:
                    continue
                elif rule.origin == "file":
                    undefined.setdefault(wanted, []).append((reference, rule.name))
                else:
                    raise ValueError(f'the imported rule "{rule.name}" needs "{reference.name}"')
            if prose:
                self.rules[key] = replace(rule, elements=map_names(rule.elements, self._prose_if_undefined))
        for uses in islice(undefined.values(), MAX_ERRORS):
            reference, within = uses[0]
            near = near_misses(reference.name, (r.name for r in self.rules.values()))
            advice = name_slips.undefined([use for use, _ in uses], self.source, near, self.rules)
            self._report(
                GrammarError(
                    f'the rule "{reference.name}" is not defined'
                    + (f"; {advice.hint}" if advice.hint else ""),
                    code="undefined-rule",
                    source=self.source,
                    span=reference.span,
                    rule=within,
                    related=[
                        (use.span, f'also used here, in "{rule}"') for use, rule in uses[1 : MAX_RELATED + 1]
                    ],
                    edits=advice.edits,
                )
            )

    def _unbracketed(self, rule: BoundRule) -> set[int]:
        """Report prose that stands without its brackets; where each of its words begins."""
        words: set[int] = set()
        for alternative in name_slips.prose(rule.elements, self.rules, self.source.text):
            span = alternative.span
            words.update(item.span.start for item in alternative.items)
            written = self.source.text[span.start : span.end]
            self._report(
                GrammarError(
                    f'"{shorten(written)}" reads as names of rules, which are not defined; words for people '
                    "stand between angle brackets",
                    code="undefined-rule",
                    source=self.source,
                    span=span,
                    rule=rule.name,
                    edits=(Edit(span.start, span.start, "<"), Edit(span.end, span.end, ">")),
                )
            )
        return words

    def _prose_if_undefined(self, reference: RuleName) -> Element:
        if reference.in_prose and reference.name.lower() not in self.rules:
            return ProseVal(reference.name, reference.span)
        return reference

    def core_rule_notices(self) -> Iterator[GrammarError]:
        """Core rules that the file states differently from RFC 5234, or extends."""
        extended = {rule.name.lower() for rule in self.extended_core}
        for key, core in core_rules().items():
            bound = self.rules[key]
            if bound.origin == "core" or _normal(bound.elements) == _normal(core.elements):
                continue
            if bound.origin == "import":
                what, span = "is imported with another meaning than", None
            else:
                what = "extends" if key in extended else "differs from"
                span = bound.rule.name_span
            yield GrammarError(
                f'"{bound.name}" {what} the core rule of RFC 5234, appendix B.1; this grammar\'s own is used',
                code="core-rule-redefined",
                source=self.source,
                span=span,
                rule=bound.name,
            )


def _normal(alternation: Alternation) -> object:
    """A form in which two ways of writing the same core rule are equal.

    Single characters, however written, become one set; references to core rules that are such sets
    are replaced by them. Anything further that is equivalent may still differ.
    """
    chars = CharSet()
    rest: list[object] = []
    for alternative in alternation.alternatives:
        items = tuple(part for item in alternative.items for part in _normal_item(item))
        if len(items) == 1 and isinstance(items[0], CharSet):
            chars |= items[0]
        elif len(items) == 1 and isinstance(alternative.items[0].element, Group):
            rest.append(items[0])
        else:
            rest.append(items)
    if not rest:
        return chars
    return (chars, *rest) if chars else tuple(rest)


def _normal_item(item: Repetition) -> tuple[object, ...]:
    """What an item contributes to its concatenation: each character of a string on its own."""
    normal = _normal_element(item.element)
    return normal if (item.min, item.max) == (1, 1) else ((normal, item.min, item.max),)


def _normal_element(element: Element) -> tuple[object, ...]:
    match element:
        case Group(alternation):
            return (_normal(alternation),)
        case Option(alternation):
            return (("option", _normal(alternation)),)
        case NumVal(values=values, is_range=True):
            return (CharSet.from_ranges([(values[0], values[1])]) if values[0] <= values[1] else CharSet(),)
        case NumVal(values=values):
            return tuple(CharSet(((value, value),)) for value in values)
        case CharVal(charsets=charsets):
            return charsets
        case RuleName(name=name):
            core = core_rules().get(name.lower())
            normal = _normal(core.elements) if core else None
            return (normal if isinstance(normal, CharSet) else name.lower(),)
        case _:
            return (element,)
