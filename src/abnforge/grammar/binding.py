"""Bind names: give every name one definition, merge ``=/``, and add core rules and imports.

Case does not matter in rule names (RFC 5234, section 2.1), which keep their spelling. RFC 5234 does not
define the meaning of a second definition of a rule, or of ``=/`` without a definition: both are errors here.
Core rules count as defined. A grammar may redefine a core rule (the rule of the file is used) or extend it
with ``=/``, and gets a warning if that changes the core rule. Prose with a known meaning is replaced by an
equivalent element (``grammar.prose``). Other prose is allowed: a grammar with ``<see the next section>`` can
be shown and linted, but such a rule cannot match. The same holds for a name without a definition, if
undefined names are allowed.

Lists, ``<n>#<m>element``, are expanded. RFC 9110, section 5.6.1, defines two forms. A **sender** writes
``element *( OWS "," OWS element )``. A **recipient** also accepts empty elements, which do not count. RFC
9110 states this in prose, since the ABNF is long. abnforge counts exactly: ``1#element``, expanded to ``[ OWS
1*( "," OWS ) ] element *( OWS 1*( "," OWS ) element ) [ OWS 1*( "," OWS ) ]``, requires one element that is
not empty. The expansion of ``#element`` matches the same strings as ``[ element ] *( OWS "," OWS [ element ]
)``. In a grammar from the time of RFC 2616, which defines LWS and not OWS, ``*LWS`` replaces OWS (RFC 2616,
section 2.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from abnforge._lazy import lazy
from abnforge.catalog import ArgumentError, Message
from abnforge.charset import UNICODE, CharSet
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.messages import message
from abnforge.grammar.parser import core_rules, parse
from abnforge.grammar.shipped import defining
from abnforge.grammar.syntax import (
    RECIPIENT,
    UNDEFINED,
    Alternation,
    BoundGrammar,
    BoundRule,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    Rulelist,
    RuleName,
    elements,
    is_prose_only,
    map_elements,
    map_names,
    walk,
)
from abnforge.grammar.syntax_errors import MAX_ERRORS, MAX_RELATED, shorten
from abnforge.records import NamedTuple, dataclass, field, replace
from abnforge.rejection import Edit
from abnforge.text import Source, Span, near_misses, within

with lazy:
    from abnforge.grammar import alphabets, prose
    from abnforge.grammar import annotations as grammar_annotations
    from abnforge.grammar.repair import names


def canonical(alternation: Alternation) -> object:
    """Return a normal form, which is the same for different notations of a definition.

    Alternatives of single characters, in any notation, become one set; references to core rules that are such
    sets are replaced by the sets. Redundant brackets are removed, and options become repetitions. Definitions
    that are equivalent in other ways may have different forms.
    """
    chars = CharSet()
    rest: list[tuple[object, ...]] = []
    for alternative in alternation.alternatives:
        items = tuple(part for item in alternative.items for part in _normal_item(item))
        if len(items) == 1 and isinstance(items[0], CharSet):
            chars |= items[0]
        elif len(items) == 1 and isinstance(items[0], _Choice):
            chars |= items[0].chars
            rest += items[0].rest
        else:
            rest.append(items)
    return _Choice(chars, tuple(rest)) if rest else chars


class _Choice(NamedTuple):
    """The alternatives of one character as a set, and the others in order, each as a sequence."""

    chars: CharSet
    rest: tuple[tuple[object, ...], ...]


def _normal_item(item: Repetition) -> tuple[object, ...]:
    """Return the normal forms of an item in a concatenation: one for each character of a string."""
    normal = _normal_element(item.element)
    return normal if (item.min, item.max) == (1, 1) else ((normal, item.min, item.max),)


def _normal_element(element: Element) -> tuple[object, ...]:
    match element:
        case Group(alternation):
            normal = canonical(alternation)
            if isinstance(normal, _Choice) and not normal.chars and len(normal.rest) == 1:
                return normal.rest[0]
            return (normal,)
        case Option(alternation):
            return ((_normal_element(Group(alternation)), 0, 1),)
        case NumVal(values=values, is_range=True):
            return (CharSet.from_ranges([(values[0], values[1])]) if values[0] <= values[1] else CharSet(),)
        case NumVal(values=values):
            return tuple(CharSet(((value, value),)) for value in values)
        case CharVal(charsets=charsets):
            return charsets
        case RuleName(name=name):
            core = core_rules().get(name.lower())
            normal = canonical(core.elements) if core else None
            return (normal if isinstance(normal, CharSet) else name.lower(),)
        case _:
            return (element,)


COLLECTED = "collected"
"""The form of lists in the collected grammars of RFC 7230 (section 7) and RFCs of its time. ``lists=`` does
not accept this form.
"""

MAX_LISTS = 4  # maximum nesting depth of lists: each level doubles the elements. HTTP needs two levels.

SPACE = "OWS"
OWS = "OWS = *( SP / HTAB )  ; optional whitespace: RFC 9110, section 5.6.3\n"
"""The definition of OWS for a grammar with lists that neither defines nor imports it."""


_ELEMENT = "element"
_place = attrgetter("line", "column")


def lists(alternation: Alternation) -> Iterator[Repetition]:
    """Return every list in an alternation, outer lists before inner lists."""
    return (item for item in walk(alternation) if item.listed)


def expand_lists(alternation: Alternation, form: str, space: str, source: Source) -> Alternation:
    """Return the alternation without lists; ``space`` is the whitespace around commas: ``OWS`` or ``*LWS``.

    Cost: linear in the size of the result, which contains each list element twice. Raises LimitExceeded.
    """

    def repetition(item: Repetition, depth: int) -> Repetition:
        depth += item.listed
        if depth > MAX_LISTS:
            raise LimitExceeded(
                message("list-limit", limit=MAX_LISTS),
                operation="writing lists out",
                used=depth,
                limit=MAX_LISTS,
                setting="MAX_LISTS",
                code="nesting-too-deep",
                source=source,
                span=item.span,
            )
        if isinstance(item.element, Group | Option):
            inner = inside(item.element.alternation, depth)
            item = replace(item, element=replace(item.element, alternation=inner))
        return expanded(item) if item.listed else item

    def expanded(item: Repetition) -> Repetition:
        element = replace(item, min=1, max=1, listed=False)
        result: Repetition = _expansion(item.min, item.max, form, space)(item.span, element)
        return result

    def inside(alternation: Alternation, depth: int) -> Alternation:
        alternatives = tuple(
            replace(old, items=tuple(repetition(item, depth) for item in old.items))
            for old in alternation.alternatives
        )
        return replace(alternation, alternatives=alternatives)

    return inside(alternation, 0)


@cache
def _expansion(least: int, most: int | None, form: str, space: str) -> _Template:
    """Return a function that expands a list, whose arguments are the list's span and its element."""
    comma = f'{space} 1*( "," {space} )' if form == RECIPIENT else f'{space} "," {space}'
    bounds = f"{max(0, least - 1)}*{'' if most is None else max(0, most - 1)}"
    elements = "element" if most == 1 else f"element {bounds}( {comma} element )"
    if form == COLLECTED and least <= 1 and most is None:
        rest = f'*( {space} "," [ {space} element ] )'
        text = f'( *( "," {space} ) element {rest} )' if least else f'[ ( "," / element ) {rest} ]'
    elif form == RECIPIENT:
        gap = f"[ {comma} ]"
        text = f"( {gap} {elements} {gap} )" if least else f"( {gap} [ {elements} {gap} ] )"
        text = gap if most == 0 else text
    else:
        text = f"( {elements} )" if least else f"[ {elements} ]"
        text = "0*0( element )" if most == 0 else text
    [rule] = parse(f"list = {text}", dialect="abnf")[0].rules
    return _template(rule.elements.alternatives[0].items[0])


_Template = Callable[[Span, Repetition], Any]


def _template(node: Any) -> _Template:
    """Return a function that copies a node with a new span, and replaces ``element`` by an item."""
    if type(node) is Span:
        return lambda span, element: span
    if type(node) is Repetition and type(node.element) is RuleName and node.element.name == _ELEMENT:
        return lambda span, element: element
    make, parts = type(node), node if isinstance(node, tuple) else ()
    for name in () if parts else getattr(node, "__match_args__", ()):
        parts += (getattr(node, name),)
    if not parts:
        return lambda span, element: node
    templates = tuple(map(_template, parts))
    if make is tuple:
        return lambda span, element: tuple([part(span, element) for part in templates])
    return lambda span, element: make(*[part(span, element) for part in templates])


@dataclass(frozen=True)
class BindOptions:
    """The options of :func:`bind`.

    ``imports`` maps lower-case names to rules of other grammars. An imported rule replaces a rule that the
    file defines by prose alone (``token = <token, see RFC 9110>``); any other definition in the file takes
    precedence. ``define`` contains further rulelists, whose rules the file must not define. ``lists`` is the
    form of expanded lists. With ``allow_undefined``, an undefined name is a warning. ``warnings`` contains
    warnings from earlier steps. ``cited`` has the names of imported rules that prose cites, if the file has
    rules of the same names. ``alphabet`` replaces the alphabet that the file declares. ``places`` has the
    places of the directives that import rules, by lower-case name.
    """

    imports: Mapping[str, BoundRule] = field(default_factory=dict)
    define: tuple[Rulelist, ...] = ()
    allow_undefined: bool = False
    lists: str = RECIPIENT
    warnings: tuple[GrammarError, ...] = ()
    cited: Mapping[str, str] = field(default_factory=dict)
    alphabet: str | None = None
    places: Mapping[str, tuple[Source, Span]] = field(default_factory=dict)


def bind(
    rulelist: Rulelist,
    *,
    name: str,
    imports: Mapping[str, BoundRule] | None = None,
    options: BindOptions | None = None,
) -> BoundGrammar:
    """Bind the names of a grammar; ``imports`` is short for a :class:`BindOptions` with only imports.

    An undefined name in angle brackets (``<subdomain>``) is treated as prose.

    Raises :class:`GrammarError` with every error, up to a limit: an empty grammar, ``undefined-rule``,
    ``duplicate-rule``, ``incremental-without-base``. Cost: linear, apart from the near misses of at most
    :data:`~abnforge.grammar.syntax_errors.MAX_ERRORS` undefined names.
    """
    binder = _Binder(rulelist, options or BindOptions(imports or {}), name)
    if binder.errors:
        raise GrammarError.combine(binder.errors)
    warnings = [*binder.warnings, *binder.core_rule_warnings()]
    return BoundGrammar(
        name,
        rulelist.source,
        MappingProxyType(binder.rules),
        tuple(sorted(warnings, key=_place)),
        rulelist.recognized,
        rulelist.annotations,
        binder.alphabet,
    )


def binding_errors(rulelist: Rulelist, options: BindOptions | None = None) -> list[GrammarError]:
    """Return the errors of :func:`bind` in source order."""
    return sorted(_Binder(rulelist, options or BindOptions()).errors, key=_place)


class _Binder:
    def __init__(self, rulelist: Rulelist, options: BindOptions, name: str = "") -> None:
        self.name = name
        self.source = rulelist.source
        self.options = options
        self.errors: list[GrammarError] = []
        self.warnings: list[GrammarError] = list(options.warnings)
        self.extended_core: list[RuleDefinition] = []
        self.elsewhere: dict[str, Source] = {}  # the source of each rule from ``define``
        core = {
            key: BoundRule(rule.name, rule.elements, "core", rule.section, rule)
            for key, rule in core_rules().items()
        }
        imports = {key.lower(): rule for key, rule in options.imports.items()}
        self.rules = self._definitions(rulelist.rules, {**core, **imports})
        if not rulelist.rules:
            self._report(GrammarError(message("grammar-empty"), source=self.source, span=Span(0, 0)))
        for more in options.define:
            self._define(more)
        for key, imported in imports.items():
            own = self.rules.get(key)
            if own is None or is_prose_only(own.elements):
                self.rules[key] = replace(imported, origin="import")
        for key, rule in core.items():
            own = self.rules.setdefault(key, rule)
            if own.origin != "import" and is_prose_only(own.elements) and _is_core_rule(own, key):
                self.rules[key] = rule
        self.alphabet = UNICODE
        if rulelist.annotations or options.alphabet:
            self._read_annotations(rulelist)
        with_lists, with_prose = [], []
        for key, rule in self._own():
            items = walk(rule.elements)
            if [item for item in items if item.listed]:
                with_lists.append(key)
            if [item for item in items if type(item.element) is ProseVal]:
                with_prose.append(key)
        if with_lists:
            self._write_lists_out(with_lists)
        if with_prose:
            self._understand_prose(with_prose)
        self._bind_references()

    def _read_annotations(self, rulelist: Rulelist) -> None:
        excepted, wrong = grammar_annotations.read_exceptions(self.source, rulelist.annotations, self.rules)
        for key, names in excepted.items():
            self.rules[key] = replace(self.rules[key], excepted=self.rules[key].excepted + names)
        self.alphabet, values = alphabets.alphabet_of(rulelist, self.options, self.rules, self._source)
        self.errors += wrong + values

    def _define(self, rulelist: Rulelist) -> None:
        """Add the rules of ``define`` for names that the file uses and does not define."""
        for rule in rulelist.rules:
            key = rule.name.lower()
            own = self.rules.get(key)
            if own is None or is_prose_only(own.elements):
                self.rules[key] = BoundRule(rule.name, rule.elements, "define", rule.section, rule)
                self.elsewhere[key] = rulelist.source
                continue
            is_here = key not in self.elsewhere
            source, span = (self.source, own.rule.name_span) if is_here else (rulelist.source, rule.name_span)
            problem = message("rule-redefined-outside", name=rule.name)
            self._report(self._error(problem, span, rule.name, code="duplicate-rule", source=source))

    def _source(self, rule: str) -> Source:
        """Return the source of a rule's definition."""
        return self.elsewhere.get(rule.lower(), self.source)

    def _own(self) -> list[tuple[str, BoundRule]]:
        """Return the rules that this grammar defines."""
        return [(key, rule) for key, rule in self.rules.items() if rule.origin in ("file", "define")]

    def _write_lists_out(self, keys: list[str]) -> None:
        space = "*LWS" if "lws" in self.rules and SPACE.lower() not in self.rules else SPACE
        if space == SPACE and SPACE.lower() not in self.rules:
            [ows] = parse(OWS, "RFC 9110, section 5.6.3", "abnf")[0].rules
            section = "RFC 9110, section 5.6.3"
            self.rules[SPACE.lower()] = BoundRule(ows.name, ows.elements, "core", section, ows)
        for key in keys:
            rule = self.rules[key]
            try:
                expanded = expand_lists(rule.elements, self.options.lists, space, self._source(key))
            except GrammarError as error:
                self._report(error)
            else:
                self.rules[key] = replace(rule, elements=expanded)

    def _understand_prose(self, keys: list[str]) -> None:
        understanding = prose.ProseResolver(self.rules, self.options.cited, self.name)
        for key in keys:

            def change(element: Element, key: str = key) -> Element:
                if not isinstance(element, ProseVal):
                    return element
                return understanding.element(element, key) or element

            rule = self.rules[key]
            self.rules[key] = replace(rule, elements=map_elements(rule.elements, change))

    def _error(
        self,
        problem: Message,
        span: Span | None,
        rule: str,
        *,
        code: str,
        source: Source | None = None,
        related: Sequence[tuple[Span, str]] = (),
        edits: tuple[Edit, ...] = (),
    ) -> GrammarError:
        source = source or self.source
        return GrammarError(
            problem, code=code, source=source, span=span, rule=rule, related=related, edits=edits
        )

    def _report(self, error: GrammarError) -> None:
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def _definitions(
        self, rules: Iterable[RuleDefinition], known: Mapping[str, BoundRule]
    ) -> dict[str, BoundRule]:
        """Return the file's rules by name, with incremental alternatives merged."""
        rules = tuple(rules)
        bases: dict[str, RuleDefinition] = {}
        for rule in rules:
            if not rule.incremental:
                bases.setdefault(rule.name.lower(), rule)
        alternatives: dict[str, list[Concatenation]] = {}
        first: dict[str, RuleDefinition] = {}
        late: set[str] = set()  # rules with "=/" before their definition
        for rule in rules:
            key = rule.name.lower()
            if rule.incremental and key not in first:
                if key in bases or key not in known:
                    self._incremental_without_base(rule, bases)
                    late.add(key)
                    if key not in bases:
                        alternatives[key] = [_nothing("its definition is missing")]
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
                replace(rule.elements, alternatives=tuple(alternatives[key]))
                if len(alternatives[key]) > len(rule.elements.alternatives)
                else rule.elements,
                "file",
                rule.section and within(self.name, rule.section),
                rule,
                known[key].excepted if rule.incremental and key in known else (),
            )
            for key, rule in first.items()
        }

    def _duplicate(self, rule: RuleDefinition, first: RuleDefinition) -> None:
        same = canonical(rule.elements) == canonical(first.elements)
        advice = names.duplicate(rule, self.source, same)
        hints = advice.hints
        if rule.name != first.name:
            hints = (message("rule-names-equal", name=rule.name, other=first.name), *hints)
        problem = message("rule-redefined", name=rule.name, hints=hints)
        related = [(first.name_span, message("defined-first-here"))]
        self._report(
            self._error(
                problem,
                rule.name_span,
                rule.name,
                code="duplicate-rule",
                related=related,
                edits=advice.edits,
            )
        )

    def _incremental_without_base(self, rule: RuleDefinition, bases: Mapping[str, RuleDefinition]) -> None:
        if len(self.errors) >= MAX_ERRORS:
            return
        base = bases.get(rule.name.lower())
        near = near_misses(rule.name, [other.name for other in bases.values()]) if base is None else []
        advice = names.without_base(rule, base, self.source, bool(near))
        defined = defining(rule.name) if base is None and not near else []
        missing = self.options.allow_undefined and base is None
        if base is None:
            hints = tuple(names.elsewhere(defined, self.source))
            problem = message("extension-without-definition", name=rule.name, near=tuple(near), hints=hints)
        else:
            problem = message("extension-before-definition", name=rule.name)
        related = [(base.name_span, message("defined-too-late"))] if base else []
        edits = () if defined else advice.edits
        error = self._error(
            problem,
            rule.name_span,
            rule.name,
            code="incremental-without-base",
            related=related,
            edits=edits,
        )
        (self.warnings.append if missing else self._report)(error)

    def _bind_references(self) -> None:
        """Report undefined names, and turn undefined names in angle brackets back into prose."""
        undefined: dict[str, list[tuple[RuleName, str]]] = {}
        reported: set[tuple[str, int]] = set()  # an expanded list contains its elements twice
        for key, rule in self.rules.items():
            prose = False
            words: set[int] | None = None if rule.origin == "file" else set()
            for reference in rule.references:
                target = reference.name.lower()
                if target in self.rules:
                    continue
                if reference.in_prose:
                    prose = True
                    continue
                if words is None:
                    words = self._unbracketed(rule)
                if reference.span.start in words:
                    continue
                if rule.origin in ("file", "define"):
                    if (key, reference.span.start) not in reported:
                        reported.add((key, reference.span.start))
                        undefined.setdefault(target, []).append((reference, rule.name))
                else:
                    problem = message("imported-rule-incomplete", name=rule.name, reference=reference.name)
                    raise ArgumentError(problem)
            if prose:
                self.rules[key] = replace(rule, elements=map_names(rule.elements, self._prose_if_undefined))
        for target, uses in islice(undefined.items(), None if self.options.allow_undefined else MAX_ERRORS):
            error = self._undefined(uses)
            if self.options.allow_undefined:
                self.warnings.append(error)
                self.rules[target] = _missing(uses[0][0].name)
            else:
                self._report(error)

    def _undefined(self, uses: list[tuple[RuleName, str]]) -> GrammarError:
        reference, within = uses[0]
        near = near_misses(reference.name, (r.name for r in self.rules.values()))
        defined = defining(reference.name)
        advice = names.undefined([use for use, _ in uses], self.source, near, self.rules)
        hints = names.hints(advice, reference, defined, self.source)
        source = self._source(within)
        problem = message("rule-undefined", name=reference.name, hints=hints)
        related = [
            (use.span, message("used-in-rule", name=rule))
            for use, rule in uses[1 : MAX_RELATED + 1]
            if self._source(rule) is source
        ]
        edits = advice.edits if source is self.source else ()
        return self._error(
            problem,
            reference.span,
            within,
            code="undefined-rule",
            source=source,
            related=related,
            edits=edits,
        )

    def _unbracketed(self, rule: BoundRule) -> set[int]:
        """Report prose without angle brackets; return the offset of each of its words."""
        words: set[int] = set()
        for alternative in names.prose(rule.elements, self.rules, self.source.text):
            span = alternative.span
            words.update(item.span.start for item in alternative.items)
            written = shorten(self.source.text[span.start : span.end])
            problem = message("prose-without-brackets", text=written)
            edits = Edit(span.start, span.start, "<"), Edit(span.end, span.end, ">")
            self._report(self._error(problem, span, rule.name, code="undefined-rule", edits=edits))
        return words

    def _prose_if_undefined(self, reference: RuleName) -> Element:
        if reference.in_prose and reference.name.lower() not in self.rules:
            return ProseVal(reference.name, reference.span)
        return reference

    def core_rule_warnings(self) -> Iterator[GrammarError]:
        """Yield warnings about core rules that the file extends or defines differently from RFC 5234."""
        extended = {rule.name.lower() for rule in self.extended_core}
        for key, core in core_rules().items():
            bound = self.rules[key]
            if bound.origin == "core" or canonical(bound.elements) == canonical(core.elements):
                continue
            is_imported = bound.origin == "import"
            code = "core-rule-extended" if key in extended else "core-rule-replaced"
            problem = message("core-rule-imported" if is_imported else code, name=bound.name)
            span = None if is_imported else bound.rule.name_span
            yield self._error(problem, span, bound.name, code="core-rule-redefined")


def _is_core_rule(rule: BoundRule, key: str) -> bool:
    """Return whether a prose value of a rule refers to the core rule."""
    return any(
        isinstance(element, ProseVal) and prose.names_core_rule(element.text, key)
        for element in elements(rule.elements)
    )


def _missing(name: str) -> BoundRule:
    """Return a placeholder definition for an undefined rule."""
    elements = Alternation((_nothing("not defined"),))
    return BoundRule(name, elements, UNDEFINED, None, RuleDefinition(name, elements))


def _nothing(text: str) -> Concatenation:
    """Return an alternative of prose."""
    return Concatenation((Repetition(ProseVal(text)),))
