"""Bind mistakes to their grammar: resolve every name to a rule, and every literal to its place.

Rules of a mistakes file may use rules of the grammar, but must not redefine them: the grammar defines the
valid strings. All explanations use ``BoundMistakes``. Built-in grammars store its most-used facts
(``explain.shipped``), so their mistakes are bound only if other facts are needed. Only ``bind_mistakes`` uses
the binder.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge._lazy import cached_property, lazy
from abnforge._native import compiled
from abnforge.budget import DEFAULT
from abnforge.charset import BYTES, MAX_ASCII, AlphabetCompressor, CharSet, partition, union
from abnforge.errors import GrammarError
from abnforge.explain.mistakes import ANY_RULE, Mapped, Mistake, Mistakes, literal_key, literal_text
from abnforge.families import component_of
from abnforge.grammar.binding import BindOptions, bind, binding_errors
from abnforge.grammar.core import (
    Core,
    Node,
    lower_alternation,
)
from abnforge.grammar.facts import Facts, terminals
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    CharVal,
    Concatenation,
    Element,
    NumVal,
    Repetition,
    RuleDefinition,
    Rulelist,
    RuleName,
    elements,
    map_elements,
    transform,
)
from abnforge.messages import message
from abnforge.records import Frozen, NamedTuple, replace
from abnforge.rejection import NOT_UTF8, UNREADABLE
from abnforge.text import Span, near_misses

with lazy:
    from abnforge.automata import code_points, derivatives, dfa, expressions, tables
    from abnforge.grammar import regular


def single_character_strings(facts: Facts, key: str) -> CharSet:
    states = derivatives.Derivatives(facts)
    arcs = (arc for state in states.start(key).states for arc in states.arcs(state))
    return union([arc.charset for arc in arcs if arc.ends or states.accepts(arc.target)])


if TYPE_CHECKING:
    from abnforge.explain.shipped import PrebuiltMistakes


class Binding(NamedTuple):
    """The result of binding: see :class:`BoundMistakes`."""

    mistakes: Mistakes
    core: Core
    marked: Mapping[str, Node]


class BoundMistakes(Frozen):
    """Mistakes and their grammar.

    ``core`` has the rules of both, and one rule for each literal that has mistakes, under the key of
    :func:`literal_key`; ``marked`` has the bodies that refer to these literals. ``stored`` are the facts
    stored with built-in mistakes. ``declared`` are bound mistakes with the same rules with ``withhold``,
    whose automata are then shared.
    """

    grammar: BoundGrammar

    def __init__(
        self,
        grammar: BoundGrammar,
        bind: Callable[[], Binding],
        stored: PrebuiltMistakes | None = None,
        mistakes: Mistakes | None = None,
        declared: BoundMistakes | None = None,
    ) -> None:
        self._fill(grammar=grammar, _bind=bind, _stored=stored, _mistakes=mistakes, _declared=declared)
        self._fill(_sets={}, _components={})

    @cached_property
    def binding(self) -> Binding:
        """The result of binding, computed on first use."""
        binding: Binding = self.__dict__["_bind"]()
        return binding

    @property
    def stored(self) -> PrebuiltMistakes | None:
        """The facts stored with built-in mistakes, or None."""
        stored: PrebuiltMistakes | None = self.__dict__["_stored"]
        return stored

    @property
    def mistakes(self) -> Mistakes:
        """The mistakes before binding."""
        mistakes: Mistakes | None = self.__dict__["_mistakes"]
        return self.binding.mistakes if mistakes is None else mistakes

    @property
    def core(self) -> Core:
        """The rules of the grammar and of its mistakes."""
        return self.binding.core

    @property
    def marked(self) -> Mapping[str, Node]:
        """The bodies with references to literals that have mistakes, by rule key."""
        return self.binding.marked

    @cached_property
    def count(self) -> int:
        return len(self.mistakes.mistakes) if self.stored is None else self.stored.count

    @property
    def complete(self) -> bool:
        """Return whether no further mistakes are derived."""
        return self.mistakes.complete if self.stored is None else self.stored.complete

    @cached_property
    def has_declared(self) -> bool:
        """Return whether any mistake is declared rather than derived from the grammar."""
        # Stored mistakes are declared.
        return self.stored is not None or any(not each.derived for each in self.mistakes.mistakes)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of rules by key."""
        return self.core.names if self.stored is None else self.stored.names

    def single_character_strings(self, rule: str) -> CharSet:
        """Return the strings of exactly one character that a rule derives, as a set.

        For ``pchar`` of RFC 3986, these are the unreserved characters, sub-delims, ``:`` and ``@``, but not
        the percent sign of a triplet.
        """
        sets: dict[str, CharSet] = self.__dict__["_sets"]
        if rule not in sets:
            stored = self.stored
            sets[rule] = (
                single_character_strings(self.facts, rule)
                if stored is None
                else stored.single_character_strings(rule)
            )
        return sets[rule]

    def is_withheld(self, text: str) -> bool:
        """Return whether a string is never suggested, since it matches a rule with ``withhold``.

        Raises LimitExceeded if the automaton of such a rule is too large. Cost: linear.
        """
        return any(table.read(text)[1] for table in self._withheld)

    @cached_property
    def _withheld(self) -> list[Any]:
        declared: BoundMistakes | None = self.__dict__["_declared"]
        if declared is not None:
            return declared._withheld
        make = tables.PythonTable if compiled is None else compiled.Table
        return [make(tables.packed(code_points.from_automaton_data(each))) for each in self.withheld_data]

    @cached_property
    def withheld_data(self) -> list[dict[str, Any]]:
        """The automata of the rules with ``withhold``, as data."""
        if self.stored is not None:
            return self.stored.withheld
        bodies = regular.regular_bodies(self.facts) if self.mistakes.withheld else {}
        return [dfa.to_data(dfa.build(self.core, bodies, key)) for key in self.mistakes.withheld]

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
        """Facts about the core form."""
        return Facts(self.core)

    @cached_property
    def classes(self) -> Classes:
        """The character classes that the grammar and its mistakes distinguish."""
        if self.stored is not None:
            return Classes(self.stored.class_ranges, of_bytes=self.grammar.alphabet == BYTES)
        blocks = partition(terminals((*self.core.rules.values(), *self.marked.values())))
        return Classes(
            sorted((low, number) for number, block in enumerate(blocks) for low, _ in block.ranges)
        )

    @cached_property
    def _mistake_of_code(self) -> Mapping[str, Mistake]:
        return {each.code: each for each in reversed(self.mistakes.mistakes)}

    @cached_property
    def _rule_names(self) -> Mapping[str, str]:
        return {key: rule.name for key, rule in self.grammar.outline.items()}

    def has_code(self, code: str) -> bool:
        """Return whether a mistake has this code."""
        return code in self._mistake_of_code

    def component(self, code: str) -> str | None:
        """Return the rule that a code is about; None for mistakes before or after any rule.

        It is the rule at the end of the code's name, or else the rule of the first mistake with this code.
        """
        components: dict[str, str | None] = self.__dict__["_components"]
        if code not in components:
            components[code] = self._component(code)
        return components[code]

    def is_of_core(self, mistake: Mistake) -> bool:
        """Return whether a mistake is about a core rule, such as a missing DIGIT."""
        key = mistake.about or mistake.targets[0]
        return key != ANY_RULE and self.grammar.outline[key].origin == "core"

    def _component(self, code: str) -> str | None:
        component = component_of(code, self._rule_names)
        mistake = self._mistake_of_code.get(code)
        if component is None and mistake is not None:
            key = mistake.about or next((key for key in mistake.targets if key != ANY_RULE), None)
            component = None if key is None else self._rule_names[key]
        return component

    def section(self, mistake: Mistake) -> str | None:
        """Return the section for a mistake: its own, or the first section of the rules that it concerns."""
        if mistake.section is not None:
            return mistake.section
        targets = (mistake.about or "", *mistake.targets)
        outline = self.grammar.outline
        rules = (outline[key] for key in targets if key in outline)
        return next((rule.section for rule in rules if rule.section is not None), None)


def bind_mistakes(mistakes: Mistakes, grammar: BoundGrammar, core: Core | None = None) -> BoundMistakes:
    """Bind mistakes to a grammar, whose core form is ``core`` if it is already known.

    Raises :class:`GrammarError` with all errors: names without a definition or with two, and targets, sets
    and literals that do not occur in the grammar. Raises as ``core_form`` does if that is called. Cost:
    linear in the size of both.
    """
    rules, marked = bound_rules(mistakes, grammar, core)
    binding = Binding(mistakes, rules, marked)
    bound = BoundMistakes(grammar, lambda: binding)
    if mistakes.withheld:
        recursive = [key for key in mistakes.withheld if key not in regular.regular_bodies(bound.facts)]
        if recursive:
            span = next(each.name_span for each in mistakes.helpers if each.name.lower() == recursive[0])
            problem = message("withheld-recursive", rule=rules.names[recursive[0]])
            raise GrammarError(problem, code="mistake-directive", source=mistakes.source, span=span)
    return bound


def bound_rules(
    mistakes: Mistakes, grammar: BoundGrammar, core: Core | None = None
) -> tuple[Core, Mapping[str, Node]]:
    """Return the rules of a grammar and its mistakes in core form, and the bodies that refer to literals."""
    binder = _Binder(mistakes, grammar)
    if binder.errors:
        raise GrammarError.combine(binder.errors)
    core = expressions.core_form(grammar, DEFAULT) if core is None else core
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
    return Core(rules, names), marked


class _Binder:
    def __init__(self, mistakes: Mistakes, grammar: BoundGrammar) -> None:
        self.grammar = grammar
        self.source = mistakes.source
        own_rules: list[RuleDefinition] = [
            *mistakes.helpers,
            *(mistake.rule for mistake in mistakes.mistakes),
        ]
        self.rulelist = Rulelist(tuple(own_rules), source=mistakes.source)
        self.errors: list[GrammarError] = (
            binding_errors(self.rulelist, BindOptions(grammar.rules)) if own_rules else []
        )
        self.marked: dict[str, Alternation] = {}
        self.literals: dict[str, tuple[str, str, Alternation]] = {}
        self._parts: dict[str, list[str]] = {}
        self._grammar_names = {key: rule.name for key, rule in grammar.rules.items()}
        self._all_names = self._grammar_names | {rule.name.lower(): rule.name for rule in own_rules}
        for rule in own_rules:
            if rule.name.lower() in grammar.rules:
                duplicate = message("rule-of-grammar", rule=rule.name, grammar=grammar.name)
                self._report(rule.name_span, duplicate, "duplicate-rule")
        # Parts come first, larger parts before those in them, so that literals are also found in parts.
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
        grammar_rules = self._grammar_names
        targets = [*mistake.targets, mistake.about]
        targets += [example.rule for example in mistake.examples]
        targets += [near.rule for near in mistake.near]
        uses = [(key, grammar_rules) for key in targets if key is not None and key != ANY_RULE]
        for part in mistake.fix or ():
            if isinstance(part, Mapped) and part.rule is not None:
                uses.append((part.rule, self._all_names))
        for key, defined in uses:
            if key not in defined:
                close = near_misses(key, defined.values())
                undefined = message(
                    "mistake-rule-unknown", code=mistake.code, rule=key, grammar=self.grammar.name, near=close
                )
                self._report(mistake.span, undefined, "undefined-rule")
        if mistake.literal is not None and mistake.part is None:
            for target in mistake.targets:
                if target in self.grammar.rules:
                    self._mark(mistake, target, mistake.literal)

    def _mark_part(self, part: Repetition, target: str, written: str) -> None:
        """Replace every occurrence of a repetition in a rule by a reference."""
        key = literal_key(target, written)
        places = self._places(target)
        if key in places:
            return
        mark = Repetition(RuleName(key))
        for place in places:
            self.marked[place] = transform(self.marked[place], lambda item: mark if item == part else item)
        self.marked[key] = Alternation((Concatenation((part,)),))
        self.literals[key] = target, written, self.marked[key]
        places.append(key)

    def _places(self, target: str) -> list[str]:
        """Return the rule and its parts that are replaced by references."""
        self.marked.setdefault(target, self.grammar.rules[target].elements)
        return self._parts.setdefault(target, [target])

    def _mark(self, mistake: Mistake, target: str, literal: str) -> None:
        """Replace a literal in a rule by a reference."""
        key = literal_key(target, literal)
        if key in self.literals:
            return
        replaced: list[Element] = []

        def change(element: Element) -> Element:
            if _spells(element, literal):
                replaced.append(element)
                return RuleName(key)
            return element

        elements = self.grammar.rules[target].elements
        places = {place: map_elements(self.marked[place], change) for place in self._places(target)}
        if not replaced:
            rule, literals = (
                self.grammar.rules[target].name,
                sorted({f"'{text}'" for text in _literals(elements)}),
            )
            error = message("literal-unknown", rule=rule, literal=literal)
            if literals:
                error = message("literal-unknown-known", rule=rule, literal=literal, known=literals)
            self._report(mistake.span, error, "mistake-directive")
            return
        (alternative,) = map_elements(_single_element(elements), lambda element: replaced[0]).alternatives
        self.marked |= places
        self.literals[key] = target, literal, Alternation((alternative,))

    def _report(self, span: Span, message: str, code: str) -> None:
        self.errors.append(GrammarError(message, code=code, source=self.source, span=span))


def _single_element(elements: Alternation) -> Alternation:
    """Return an alternation of one element, built on the first alternative of another alternation."""
    first = elements.alternatives[0]
    item = replace(first.items[0], element=RuleName("x"), min=1, max=1)
    return Alternation((replace(first, items=(item,), comments=()),))


def _spells(element: Element, literal: str) -> bool:
    text = literal_text(element)
    if text is None:
        return False
    exact = isinstance(element, NumVal) or (isinstance(element, CharVal) and element.case_sensitive)
    return text == literal if exact else text.lower() == literal.lower()


def _literals(alternation: Alternation) -> Iterator[str]:
    return (text for element in elements(alternation) if (text := literal_text(element)) is not None)


class Classes:
    """The character classes that the terminals of a grammar and its mistakes distinguish.

    Two characters are in the same class if no terminal contains only one of them. The search uses classes.
    ``representatives`` is a table for ``str.translate`` that maps each character to the representative of its
    class.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]], of_bytes: bool = False) -> None:
        """``ranges`` are the first code points of ranges, in order, each with the number of its class.

        With ``of_bytes``, the terminals are those of mistakes in text, and the characters are bytes. A byte
        from 80 on is not the character with its number, so its class is that of U+10FFFF. Sets of most
        characters contain it, but sets of spaces or letters do not.
        """
        self.ranges = ranges
        self._count = len({number for _, number in ranges})
        self._members: dict[CharSet, frozenset[int]] = {}
        self._firsts, self._numbers = zip(*ranges, strict=True)
        samples = {number: low for low, number in reversed(ranges)}
        known = [each for each in ranges if not of_bytes or each[0] <= MAX_ASCII]
        self._starts = [low for low, _ in known] + [MAX_ASCII + 1] * of_bytes
        self._class_at = [number for _, number in known] + [ranges[-1][1]] * of_bytes
        self.representatives = AlphabetCompressor(self._starts, [samples[each] for each in self._class_at])

    def __len__(self) -> int:
        return self._count

    @cached_property
    def pages(self) -> tuple[array[int], bytes]:
        """The page number of each 256 code points, and the classes of each page, for the C extension."""
        pages, page_of = tables.pages_of(self._starts, self._class_at)
        return array("H", page_of), pages

    def number(self, char: str) -> int:
        """Return the number of a character's class."""
        return self._class_at[bisect_right(self._starts, ord(char)) - 1]

    def bits(self, charset: CharSet) -> int:
        """Return the classes in a character set, with one bit per number."""
        result = 0
        for low, high in charset.ranges:
            for number in self._numbers[bisect_left(self._firsts, low) : bisect_right(self._firsts, high)]:
                result |= 1 << number
        return result

    def members(self, charset: CharSet) -> frozenset[int]:
        """Return the numbers of the classes in a character set."""
        members = self._members.get(charset)
        if members is None:
            bits = self.bits(charset)
            members = self._members[charset] = frozenset([n for n in range(len(self)) if bits >> n & 1])
        return members
