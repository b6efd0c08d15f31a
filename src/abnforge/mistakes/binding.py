"""Mistakes read with the grammar that they are about: every name has a rule, every literal a place.

Rules of the file may use the grammar's own; they must not restate them, since the grammar says what is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abnforge.errors import GrammarError
from abnforge.grammar.binding import Given, bind, binding_errors
from abnforge.grammar.core import Core, Node, lower, lower_alternation, without_left_recursion
from abnforge.grammar.facts import Facts
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    Rule,
    Rulelist,
    RuleName,
)
from abnforge.mistakes.messages import message
from abnforge.mistakes.model import WHATEVER, Mapped, Mistake, Mistakes, literal_key
from abnforge.near_misses import near_misses
from abnforge.records import replace
from abnforge.rejection import NOT_UTF8, UNREADABLE
from abnforge.source import Span


def bound_rules(
    mistakes: Mistakes, grammar: BoundGrammar, core: Core | None = None
) -> tuple[Core, Mapping[str, Node]]:
    """The rules of a grammar and its mistakes in core form, and the bodies that refer to literals: see
    ``bound.bind_mistakes``.
    """
    binder = _Binder(mistakes, grammar)
    if binder.errors:
        raise GrammarError.combine(binder.errors)
    core = lower(grammar) if core is None else core
    rules, names = dict(core.rules), dict(core.names)
    if binder.rulelist.rules:
        bound = bind(binder.rulelist, name=mistakes.name, imports=grammar.rules)
        for rule in binder.rulelist.rules:
            key = rule.name.lower()
            rules[key] = lower_alternation(bound.rules[key].elements)
            names[key] = rule.name
    for key, (target, literal, spelled) in binder.literals.items():
        rules[key] = lower_alternation(spelled)
        names[key] = f'{core.names[target]} "{literal}"'
    marked = {key: lower_alternation(elements) for key, elements in binder.marked.items()}
    _refuse_left_recursion(binder, rules, names)
    return Core(rules, names), marked


def _refuse_left_recursion(binder: _Binder, rules: dict[str, Node], names: dict[str, str]) -> None:
    """Raise GrammarError for mistakes that begin with themselves by way of others: they cannot be read."""
    own = {rule.name.lower(): rule for rule in binder.rulelist.rules}
    if not own:
        return
    left_recursive = Facts(
        Core({key: without_left_recursion(key, node) for key, node in rules.items()}, names)
    ).left_recursive
    for key, rule in own.items():
        if key in left_recursive:
            raise GrammarError(
                message("mistake-left-recursive", rule=rule.name),
                code="left-recursion-indirect",
                source=binder.source,
                span=rule.name_span,
                rule=rule.name,
            )


class _Binder:
    def __init__(self, mistakes: Mistakes, grammar: BoundGrammar) -> None:
        self.grammar = grammar
        self.source = mistakes.source
        own: list[Rule] = [*mistakes.helpers, *(mistake.rule for mistake in mistakes.mistakes)]
        self.rulelist = Rulelist(tuple(own), source=mistakes.source)
        self.errors: list[GrammarError] = binding_errors(self.rulelist, Given(grammar.rules)) if own else []
        self.marked: dict[str, Alternation] = {}
        self.literals: dict[str, tuple[str, str, Alternation]] = {}
        self._parts: dict[str, list[str]] = {}
        self._theirs = {key: rule.name for key, rule in grammar.rules.items()}
        self._known = self._theirs | {rule.name.lower(): rule.name for rule in own}
        for rule in own:
            if rule.name.lower() in grammar.rules:
                taken = message("rule-of-grammar", rule=rule.name, grammar=grammar.name)
                self._report(rule.name_span, taken, "duplicate-rule")
        # Parts first, the larger ones before those in them: literals are then found in them, too.
        for mistake in sorted(mistakes.mistakes, key=lambda each: -len(each.literal or "")):
            if mistake.part is not None and mistake.literal is not None:
                for target in mistake.targets:
                    self._mark_part(mistake.part, target, mistake.literal)
        for mistake in mistakes.mistakes:
            self._check(mistake)

    def _check(self, mistake: Mistake) -> None:
        code = mistake.code.lower()
        if code in (NOT_UTF8, UNREADABLE) or code.startswith(f"{UNREADABLE}-"):
            self._report(mistake.span, message("code-reserved", code=mistake.code), "mistake-directive")
        theirs = self._theirs
        named = [*mistake.targets, mistake.about]
        named += [example.rule for example in mistake.examples]
        named += [near.rule for near in mistake.near]
        wanted = [(key, theirs) for key in named if key is not None and key != WHATEVER]
        for part in mistake.fix or ():
            if isinstance(part, Mapped) and part.rule is not None:
                wanted.append((part.rule, self._known))
        for key, known in wanted:
            if key not in known:
                near = near_misses(key, known.values())
                unknown = message(
                    "mistake-rule-unknown", code=mistake.code, rule=key, grammar=self.grammar.name, near=near
                )
                self._report(mistake.span, unknown, "undefined-rule")
        if mistake.literal is not None and mistake.part is None:
            for target in mistake.targets:
                if target in self.grammar.rules:
                    self._mark(mistake, target, mistake.literal)

    def _mark_part(self, part: Repetition, target: str, written: str) -> None:
        """Put a reference in the place of a part of a rule: a repetition, wherever it stands."""
        key = literal_key(target, written)
        places = self._places(target)
        if key in places:
            return
        mark = Repetition(RuleName(key))
        for place in places:
            self.marked[place] = _map_items(self.marked[place], lambda item: mark if item == part else item)
        self.marked[key] = Alternation((Concatenation((part,)),))
        self.literals[key] = target, written, self.marked[key]
        places.append(key)

    def _places(self, target: str) -> list[str]:
        """The rule, and the parts of it that have references in their place."""
        self.marked.setdefault(target, self.grammar.rules[target].elements)
        return self._parts.setdefault(target, [target])

    def _mark(self, mistake: Mistake, target: str, literal: str) -> None:
        """Put a reference in the place of a literal in a rule."""
        key = literal_key(target, literal)
        if key in self.literals:
            return
        found: list[Element] = []

        def change(element: Element) -> Element:
            if _spells(element, literal):
                found.append(element)
                return RuleName(key)
            return element

        elements = self.grammar.rules[target].elements
        places = {place: _map_elements(self.marked[place], change) for place in self._places(target)}
        if not found:
            rule, known = (
                self.grammar.rules[target].name,
                sorted({f"'{text}'" for text in _literals(elements)}),
            )
            unknown = message("literal-unknown", rule=rule, literal=literal)
            if known:
                unknown = message("literal-unknown-known", rule=rule, literal=literal, known=known)
            self._report(mistake.span, unknown, "mistake-directive")
            return
        (alternative,) = _map_elements(_alone(elements), lambda element: found[0]).alternatives
        self.marked |= places
        self.literals[key] = target, literal, Alternation((alternative,))

    def _report(self, span: Span, message: str, code: str) -> None:
        self.errors.append(GrammarError(message, code=code, source=self.source, span=span))


def _alone(elements: Alternation) -> Alternation:
    """An alternation of one element: the first one of another."""
    first = elements.alternatives[0]
    item = replace(first.items[0], element=RuleName("x"), min=1, max=1)
    return Alternation((replace(first, items=(item,), comments=()),))


def _map_elements(alternation: Alternation, change: Callable[[Element], Element]) -> Alternation:
    """The alternation with every name and terminal replaced by what ``change`` makes of it."""

    def item(old: Repetition) -> Repetition:
        return old if isinstance(old.element, Group | Option) else replace(old, element=change(old.element))

    return _map_items(alternation, item)


def _map_items(alternation: Alternation, change: Callable[[Repetition], Repetition]) -> Alternation:
    """The alternation with every item replaced, before those in it."""

    def item(old: Repetition) -> Repetition:
        new = change(old)
        if isinstance(new.element, Group | Option):
            inner = _map_items(new.element.alternation, change)
            return replace(new, element=replace(new.element, alternation=inner))
        return new

    return replace(
        alternation,
        alternatives=tuple(
            replace(each, items=tuple(map(item, each.items))) for each in alternation.alternatives
        ),
    )


def _text(element: Element) -> str | None:
    """The one string that an element spells, if it is a literal."""
    match element:
        case CharVal(value=value):
            return value
        case NumVal(values=values, is_range=False):
            return "".join(map(chr, values))
        case _:
            return None


def _spells(element: Element, literal: str) -> bool:
    text = _text(element)
    if text is None:
        return False
    exact = isinstance(element, NumVal) or (isinstance(element, CharVal) and element.case_sensitive)
    return text == literal if exact else text.lower() == literal.lower()


def _literals(alternation: Alternation) -> Iterator[str]:
    for each in alternation.alternatives:
        for item in each.items:
            if isinstance(item.element, Group | Option):
                yield from _literals(item.element.alternation)
            elif (text := _text(item.element)) is not None:
                yield text
