"""The characters that a grammar and its mistakes tell apart."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from abnforge._lazy import cached_property, importing
from abnforge.charset import AlphabetCompressor, CharSet, partition, union
from abnforge.errors import GrammarError
from abnforge.explain.messages import message
from abnforge.explain.mistakes import WHATEVER, Mapped, Mistake, Mistakes, literal_key
from abnforge.grammar.binding import BindOptions, bind, binding_errors
from abnforge.grammar.core import (
    Chars,
    Choice,
    Core,
    Node,
    Ref,
    Repeat,
    Seq,
    lower,
    lower_alternation,
    without_left_recursion,
)
from abnforge.grammar.facts import Facts, terminals
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
    RuleDefinition,
    Rulelist,
    RuleName,
    elements,
)
from abnforge.records import Frozen, NamedTuple, replace
from abnforge.rejection import NOT_UTF8, UNREADABLE
from abnforge.text import Span, near_misses

# Mistakes read with the grammar that they are about: every name has a rule, every literal a place.
#
# Rules of the file may use the grammar's own; they must not restate them, since the grammar says what is
# right.


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
        own: list[RuleDefinition] = [*mistakes.helpers, *(mistake.rule for mistake in mistakes.mistakes)]
        self.rulelist = Rulelist(tuple(own), source=mistakes.source)
        self.errors: list[GrammarError] = (
            binding_errors(self.rulelist, BindOptions(grammar.rules)) if own else []
        )
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
    return (text for element in elements(alternation) if (text := _text(element)) is not None)


# The characters that a rule stands for: those that it derives alone, as strings of one character.


def single_character_strings(core: Core, key: str) -> CharSet:
    """The strings of one character that a rule derives, as a set.

    ``pchar`` of RFC 3986 gives its unreserved characters, sub-delims, ``:`` and ``@``; the percent sign of
    a triplet is no such string. Cost: linear in the rules that it needs.
    """
    return _Alone(core, key).known[key]


class _Alone:
    """The sets of all rules that one needs: the least that satisfy their definitions."""

    def __init__(self, core: Core, start: str) -> None:
        self._facts = Facts(core)
        self.known = dict.fromkeys(reversed(self._facts.reachable(start)), CharSet())
        grown = True
        while grown:
            grown = False
            for key, before in self.known.items():
                found = self._node(core.rules[key])
                if found != before:
                    self.known[key] = found
                    grown = True

    def _node(self, node: Node) -> CharSet:
        match node:
            case Chars(charset=charset):
                return charset
            case Ref(key=key):
                return self.known[key]
            case Seq(items=items):
                heavy = [item for item in items if not self._facts.is_nullable(item)]
                if len(heavy) > 1:
                    return CharSet()
                return union(map(self._node, heavy or items))
            case Choice(items=items):
                return union(map(self._node, items))
            case Repeat(item=item, min=low):
                return self._node(item) if low <= 1 or self._facts.is_nullable(item) else CharSet()
            case _:
                return CharSet()


# Mistakes with the grammar that they are about, whether they are bound from their text or stored so.
#
# Reading stored ones does not import the binder.


class Binding(NamedTuple):
    """What binding gives: see :class:`BoundMistakes`."""

    mistakes: Mistakes
    core: Core
    marked: Mapping[str, Node]


class Known(Protocol):
    """What is known of mistakes before they are bound: what most questions need."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def names(self) -> Mapping[str, str]:
        """The names of rules by key, those of the grammar and those that mistakes use."""

    @property
    def complete(self) -> bool:
        """Return whether no further mistakes are derived."""

    @property
    def is_left_recursive(self) -> bool:
        """Return whether a rule begins with itself by way of others."""

    @property
    def long_rules(self) -> frozenset[str]:
        """The rules that a catch-all is of use for."""

    @property
    def touched_rules(self) -> frozenset[str]:
        """The rules that a mistake or a catch-all can occur in."""

    @property
    def class_ranges(self) -> Sequence[tuple[int, int]]:
        """The characters that the grammar and its mistakes tell apart, as ``Classes`` has them."""

    def single_character_strings(self, rule: str) -> CharSet:
        """The set that a rule stands for in a fix."""

    def named_slots(self, mistake: Mistake) -> frozenset[str]:
        """The names of the slots that the directives of a mistake name."""


class BoundMistakes(Frozen):
    """Mistakes with the grammar that they are about.

    ``core`` has the rules of both, and one for each literal that has mistakes, under the key that
    :func:`literal_key` gives; in ``marked`` are the bodies that refer to those. Of shipped mistakes much is
    known (``known``), and they are bound only when more is asked for.
    """

    grammar: BoundGrammar

    def __init__(
        self,
        grammar: BoundGrammar,
        bind: Callable[[], Binding],
        known: Known | None = None,
        mistakes: Mistakes | None = None,
    ) -> None:
        self._fill(grammar=grammar, _bind=bind, _known=known, _mistakes=mistakes, _sets={})

    @cached_property
    def binding(self) -> Binding:
        """What binding gives, which is done when it is first asked for."""
        made: Binding = self.__dict__["_bind"]()
        return made

    @property
    def known(self) -> Known | None:
        """The facts that are stored with shipped mistakes."""
        found: Known | None = self.__dict__["_known"]
        return found

    @property
    def mistakes(self) -> Mistakes:
        """The mistakes as they were read."""
        read: Mistakes | None = self.__dict__["_mistakes"]
        return self.binding.mistakes if read is None else read

    @property
    def core(self) -> Core:
        """The rules of the grammar and of its mistakes."""
        return self.binding.core

    @property
    def marked(self) -> Mapping[str, Node]:
        """The bodies in which literals have mistakes, by key."""
        return self.binding.marked

    @cached_property
    def count(self) -> int:
        """The number of mistakes."""
        return len(self.mistakes.mistakes) if self.known is None else self.known.count

    @property
    def complete(self) -> bool:
        """Return whether no further mistakes are derived."""
        return self.mistakes.complete if self.known is None else self.known.complete

    @cached_property
    def declares(self) -> bool:
        """Whether somebody declared any of them; else all follow from the grammar."""
        # Stored mistakes are declared.
        return self.known is not None or any(not each.derived for each in self.mistakes.mistakes)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of rules by key."""
        return self.core.names if self.known is None else self.known.names

    def single_character_strings(self, rule: str) -> CharSet:
        """The characters that a rule stands for in a fix (see ``character_sets``)."""
        sets: dict[str, CharSet] = self.__dict__["_sets"]
        if rule not in sets:
            known = self.known
            sets[rule] = (
                single_character_strings(self.core, rule)
                if known is None
                else known.single_character_strings(rule)
            )
        return sets[rule]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundMistakes):
            return NotImplemented
        return self.grammar == other.grammar and self.mistakes == other.mistakes

    def __hash__(self) -> int:
        return hash((self.grammar.name, self.count))

    def __reduce__(self) -> tuple[Callable[..., BoundMistakes], tuple[Mistakes, BoundGrammar]]:
        return bind_mistakes, (self.mistakes, self.grammar)

    @cached_property
    def facts(self) -> Facts:
        """What follows from the core form."""
        return Facts(self.core)

    @cached_property
    def by_code(self) -> Mapping[str, Mistake]:
        """The declared mistakes by code, in order; of those that share one, the first."""
        found: dict[str, Mistake] = {}
        for mistake in self.mistakes.mistakes:
            found.setdefault(mistake.code, mistake)
        return found

    @cached_property
    def by_rule(self) -> Mapping[str, Mistake]:
        """The declared mistakes by the names of their rules, in order."""
        return {mistake.rule.name: mistake for mistake in self.mistakes.mistakes}

    def section(self, mistake: Mistake) -> str | None:
        """The section that tells what is right: the mistake's own, else its first target's."""
        if mistake.section is not None:
            return mistake.section
        targets = (mistake.about or "", *mistake.targets)
        outline = self.grammar.outline
        rules = (outline[key] for key in targets if key in outline)
        return next((rule.section for rule in rules if rule.section is not None), None)


def bind_mistakes(mistakes: Mistakes, grammar: BoundGrammar, core: Core | None = None) -> BoundMistakes:
    """Bind mistakes to a grammar, whose core form is ``core`` if that is known already.

    Raises :class:`GrammarError` with every error found: names that are defined nowhere, or in both texts;
    targets, sets and literals that the grammar does not have. Cost: linear in the size of both.
    """

    rules, marked = bound_rules(mistakes, grammar, core)
    made = Binding(mistakes, rules, marked)
    return BoundMistakes(grammar, lambda: made)


class Classes:
    """The characters that no terminal of a grammar and its mistakes tells apart.

    ``representatives`` is a table for ``str.translate``, by which one character of each stands for all.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        """``ranges`` are the first code points of ranges, in order, and the number of the class of each."""
        self.ranges = ranges
        self._starts = [low for low, _ in ranges]
        self._numbers = [number for _, number in ranges]
        samples: dict[int, int] = {}
        for low, number in ranges:
            samples.setdefault(number, low)
        self._count = len(samples)
        self._members: dict[CharSet, frozenset[int]] = {}
        self.representatives = AlphabetCompressor(self._starts, [samples[number] for number in self._numbers])

    def __len__(self) -> int:
        return self._count

    @classmethod
    def of(cls, bound: BoundMistakes) -> Classes:
        """The classes of a grammar and its mistakes."""
        if bound.known is not None:
            return cls(bound.known.class_ranges)
        blocks = partition(terminals((*bound.core.rules.values(), *bound.marked.values())))
        return cls(sorted((low, number) for number, block in enumerate(blocks) for low, _ in block.ranges))

    @cached_property
    def pages(self) -> tuple[array[int], bytes]:
        """The page of each 256 code points, and the classes of each page, as the kernel reads them."""
        with importing:
            from abnforge.automata.tables import pages_of

        pages, page_of = pages_of(self._starts, self._numbers)
        return array("H", page_of), pages

    def number(self, char: str) -> int:
        """The class of a character."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def bits(self, charset: CharSet) -> int:
        """The classes that a set of characters is made of: a bit for each, by its number."""
        found = 0
        for low, high in charset.ranges:
            for number in self._numbers[bisect_left(self._starts, low) : bisect_right(self._starts, high)]:
                found |= 1 << number
        return found

    def members(self, charset: CharSet) -> frozenset[int]:
        """The classes that a set of characters is made of."""
        found = self._members.get(charset)
        if found is None:
            bits = self.bits(charset)
            found = self._members[charset] = frozenset([n for n in range(len(self)) if bits >> n & 1])
        return found
