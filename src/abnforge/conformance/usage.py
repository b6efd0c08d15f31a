"""Count how often strings use the parts of a grammar, with examples, by means of marked rules.

Each string is parsed once, and its preferred derivation contains the marks. The events between two characters
(a tuple of starts and ends) have few distinct values, so they are counted, and interpreted once each. The
positions of parts are only computed for strings that may be shorter examples than the known ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from abnforge.budget import Budget
from abnforge.catalog import ArgumentError
from abnforge.conformance.messages import message
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.grammar import syntax
from abnforge.grammar.core import (
    EPSILON,
    Core,
    Node,
    Ref,
    Repeat,
    Seq,
    choice,
    lower_alternation,
    sequence,
)
from abnforge.grammar.facts import Facts
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.syntax import BoundRule
from abnforge.parsing.api import DerivationParser
from abnforge.parsing.trace import CALL, RETURN, Spans, Steps, Trace
from abnforge.text import Span

# The parts of a grammar: rules, alternatives, and zero, one or many iterations of a repetition.
#
# A tree shows which rules matched, but neither the alternatives nor the iterations. So the rules have a
# second core form with *marks*: rules with private names for each alternative and each count of a
# repetition. Marks change neither language nor preference. Alternatives keep their order. If an item cannot
# be empty, its repetition decides "at least one, else none" and "a second one, else no more". If an item can
# be empty (only iterations that match something count), the first, the second and all further iterations are
# separate repetitions. Each comes before the next, so the preferred derivation never skips one.
#
# A tree never has a rule below itself over the same span. Marks are also rules: a mark below itself over the
# same span means that its rule derives itself and nothing else. Such rules get no marks (ValueError).

RULE, ALTERNATIVE, ZERO, ONE, MANY = "rule", "alternative", "zero", "one", "many"
KINDS = (RULE, ALTERNATIVE, ZERO, ONE, MANY)
"""The kinds of parts: a rule, one of several alternatives, and a repetition with zero, one or more
iterations.
"""

MARK = "#"  # rule names do not contain this character


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the rule named ``rule``.

    ``source`` is its ABNF on one line: an alternative, or a repetition with its count. ``span`` is its place
    in the grammar's text; None for rules from elsewhere. For an expanded list, it is the place of the list.
    """

    rule: str
    kind: str
    source: str
    span: Span | None


@dataclass(slots=True, eq=False)
class Marked:
    """A part in the core form, and the marks that count it.

    In the rules without marks, the part is at ``node``, which matches the sequence ``chosen``. The part is
    used as often as the mark ``plus`` occurs, minus the occurrences of ``minus``.
    """

    part: Part
    plus: str
    minus: str | None = None
    node: Node = EPSILON
    chosen: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedRules:
    """The rules that a rule needs: ``core`` with marks, ``plain`` without.

    ``tells`` maps each mark of a count to the mark of the whole repetition, which starts before it. ``loose``
    are repetitions of items that can be empty: the marks of the whole, the first and the second iteration.
    """

    parts: tuple[Marked, ...]
    core: Core
    plain: Core
    tells: Mapping[str, str]
    loose: tuple[tuple[str, str, str], ...]


def marked_rules(rule: Rule) -> MarkedRules:
    """Return the marked rules that a rule needs, in the order of the grammar.

    Raises GrammarError for a rule that needs a prose-val, ValueError for a combination of rules, or for a
    rule that needs one that derives itself and nothing else. Cost: linear in the needed rules.
    """
    compilation = rule.grammar.compilation
    if expression_of(rule) is not None:
        raise ArgumentError(message("coverage-combined", rule=rule.name))
    compilation.refuse_prose(rule.key)
    needed = frozenset(compilation.facts.reachable(rule.key))
    keys = [key for key in compilation.core.rules if key in needed]
    for key in keys:
        if key in compilation.facts.cyclic:
            raise ArgumentError(
                message("coverage-cyclic", rule=rule.name, cyclic=compilation.core.names[key])
            )
    return _Marking(compilation.facts, {key: compilation.bound.rules[key] for key in keys}).made()


class _Marking:
    """Marks rules. Its methods return a node without marks and a node with marks."""

    def __init__(self, facts: Facts, rules: Mapping[str, BoundRule]) -> None:
        self._facts = facts
        self._parts: list[Marked] = []
        self._marks: dict[str, Node] = {}
        self._tells: dict[str, str] = {}
        self._loose: list[tuple[str, str, str]] = []
        self._plain: dict[str, Node] = {}
        self._core: dict[str, Node] = {}
        for key, rule in rules.items():
            self._rule(key, rule)

    def made(self) -> MarkedRules:
        names = {key: self._facts.core.names[key] for key in self._plain}
        core = Core(self._core | self._marks, names | {mark: mark for mark in self._marks})
        return MarkedRules(
            tuple(self._parts), core, Core(self._plain, names), self._tells, tuple(self._loose)
        )

    def _rule(self, key: str, rule: BoundRule) -> None:
        self._of, self._own = rule.name, rule.origin == "file"
        whole = self._note(RULE, rule.name, rule.rule.name_span, key)
        if rule.excepted:  # the automaton of a difference does not follow the definition
            plain = marked = self._facts.core.rules[key]
        else:
            plain, marked = self._alternation(rule.elements)
        self._plain[key], self._core[key] = plain, marked
        whole.node, whole.chosen = plain, (plain,)

    def _note(self, kind: str, written: str, span: Span, plus: str, minus: str | None = None) -> Marked:
        part = Part(self._of, kind, written, span if self._own else None)
        self._parts.append(Marked(part, plus, minus))
        return self._parts[-1]

    def _mark(self) -> str:
        """Return a new mark, which precedes its match."""
        mark = f"{MARK}{len(self._marks)}"
        self._marks[mark] = EPSILON
        return mark

    def _alternation(self, alternation: syntax.Alternation) -> tuple[Node, Node]:
        if len(alternation.alternatives) == 1:
            return self._concatenation(alternation.alternatives[0])
        noted: list[Marked] = []
        for alternative in alternation.alternatives:
            mark = self._mark()
            written = print_alternation(syntax.Alternation((alternative,)))
            noted.append(self._note(ALTERNATIVE, written, alternative.span, mark))
            node, self._marks[mark] = self._concatenation(alternative)
            noted[-1].chosen = (node,)
        node = choice(each.chosen[0] for each in noted)
        for each in noted:
            each.node = node
        return node, choice(Ref(each.plus) for each in noted)

    def _concatenation(self, concatenation: syntax.Concatenation) -> tuple[Node, Node]:
        items = [self._repetition(item) for item in concatenation.items]
        return sequence(plain for plain, _ in items), sequence(marked for _, marked in items)

    def _repetition(self, item: syntax.Repetition) -> tuple[Node, Node]:
        if item.max == 0:
            return EPSILON, EPSILON
        if item.min == item.max == 1:
            return self._element(item.element)
        return self._counted(item, item.min, item.max, item.element)

    def _element(self, element: syntax.Element) -> tuple[Node, Node]:
        match element:
            case syntax.Group(alternation=alternation):
                return self._alternation(alternation)
            case syntax.Option(alternation=alternation, span=span):
                return self._counted(syntax.Repetition(element, span=span), 0, 1, syntax.Group(alternation))
        one = syntax.Alternation((syntax.Concatenation((syntax.Repetition(element),)),))
        return lower_alternation(one), lower_alternation(one)

    def _counted(
        self, whole: syntax.Repetition, low: int, high: int | None, element: syntax.Element
    ) -> tuple[Node, Node]:
        possible = {ZERO: low == 0, ONE: low <= 1, MANY: low <= 1 and (high is None or high > 1)}
        written = print_alternation(syntax.Alternation((syntax.Concatenation((whole,)),)))
        noted = {kind: self._note(kind, written, whole.span, "") for kind, there in possible.items() if there}
        plain, inside = self._element(element)
        if isinstance(plain, Seq) and not plain.items:  # the repetition is empty for every count
            for each in noted.values():
                self._parts.remove(each)
            return EPSILON, EPSILON
        repeat = Repeat(plain, low, high)
        if not noted:  # the count is always "many"
            return repeat, Repeat(inside, low, high)
        around = self._mark()
        for count, kind in enumerate((ZERO, ONE, MANY)):
            if kind in noted:
                noted[kind].node, noted[kind].chosen = repeat, (plain,) * count
        again = self._again(inside)
        if self._facts.is_nullable(plain):
            self._marks[around] = self._loosely(around, noted, again, low, high)
        else:
            self._marks[around] = self._strictly(around, noted, again, low, high)
        return repeat, Ref(around)

    def _again(self, node: Node) -> str:
        mark = self._mark()
        self._marks[mark] = node
        return mark

    def _strictly(
        self, around: str, noted: Mapping[str, Marked], item: str, low: int, high: int | None
    ) -> Node:
        """Return a repetition of a nonempty item, with a mark for each count."""
        for each in noted.values():
            each.plus = self._mark()
            self._tells[each.plus] = around
        reads: Node = Ref(noted[ONE].plus)
        if MANY in noted:
            more = None if high is None else high - 1
            self._marks[noted[MANY].plus] = Repeat(Ref(item), 1, more)
            reads = sequence((Ref(item), choice((Ref(noted[MANY].plus), reads))))
        else:
            self._marks[noted[ONE].plus] = Ref(item)
        return choice((reads, Ref(noted[ZERO].plus))) if low == 0 else reads

    def _loosely(
        self, around: str, noted: Mapping[str, Marked], item: str, low: int, high: int | None
    ) -> Node:
        """Return a repetition of an item that can be empty, with marks for its first and second iteration."""
        first, second = self._mark(), self._mark()
        self._marks[first] = self._marks[second] = Ref(item)
        self._loose.append((around, first, second))
        if ZERO in noted:
            noted[ZERO].plus, noted[ZERO].minus = around, first
        noted[ONE].plus = first
        begin: Node = Ref(first) if low else Repeat(Ref(first), 0, 1)
        if MANY not in noted:
            return begin
        noted[ONE].minus, noted[MANY].plus = second, second
        rest = None if high is None else high - 2
        return sequence(
            (begin, Repeat(Ref(second), 0, 1), Repeat(Ref(item), 0, rest) if rest != 0 else EPSILON)
        )


# The maximum number of distinct events at a position.
MAX_HAPPENINGS = 50_000


@dataclass(frozen=True, slots=True)
class Example:
    """A string, and a span in it; offsets count code points from 0."""

    text: str
    start: int
    end: int


def counts_dict(count: int, example: Example | None, sample: str | None) -> dict[str, Any]:
    """Return counts as plain data with stable keys."""
    return {
        "count": count,
        "example": None if example is None else asdict(example),
        "sample": sample,
    }


class MarkReader:
    """Parses strings by marked rules, from the rule ``key``. This class is not thread-safe."""

    def __init__(self, marked: MarkedRules, key: str, budget: Budget) -> None:
        self.loose = bool(marked.loose)
        self._key = key
        self._derivations = DerivationParser(Facts(marked.core), budget)
        self._spans = Spans({key: key for key in marked.core.rules})
        self._part_of = {each.plus: index for index, each in enumerate(marked.parts)}
        self._tells = marked.tells
        self._wholes = set(marked.tells.values())
        self._firsts = {first: whole for whole, first, _ in marked.loose}
        self._seconds = {second: whole for whole, _, second in marked.loose}
        # The used parts of each repetition of items that can be empty, for zero, one and two iterations.
        self._by_count = {marks[0]: list(map(self._part_of.get, marks)) for marks in marked.loose}

    def trace(self, text: str) -> Trace | None:
        """Return the preferred derivation of a string, with marks as rules; None if it does not match.

        Raises LimitExceeded. Cost: linear if the rule is not recursive.
        """
        return self._derivations.preferred(self._key, text)

    def places(self, trace: Trace) -> Iterator[tuple[int, int, int]]:
        """Yield the number, start and end of each use of a part in a derivation. Cost: linear."""
        # started repetitions by mark, with their number of iterations so far
        begun: dict[str, list[list[int]]] = defaultdict(list)
        for key, start, end in self._spans.of(trace):
            if key in self._tells:
                start, end = begun[self._tells[key]].pop()
                yield self._part_of[key], start, end
            elif key in self._wholes:
                begun[key].append([start, end])
            elif key in self._by_count:
                begun[key].append([start, end, 0])
            elif key in self._firsts:  # it follows directly after the start of its repetition
                begun[self._firsts[key]][-1][2] = 1
            elif key in self._seconds:  # the match is not empty, so an open repetition contains it
                whole = self._seconds[key]
                while begun[whole][-1][1] < end:
                    yield from self._told(whole, begun[whole].pop())
                begun[whole][-1][2] = 2
            elif key in self._part_of:
                yield self._part_of[key], start, end
        for whole, left in begun.items():
            for each in left:
                yield from self._told(whole, each)

    def _told(self, whole: str, place: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        start, end, count = place
        part = self._by_count[whole][count]
        if part is not None:
            yield part, start, end


class Usage:
    """Counts and examples of the parts of marked rules, by number. Memory: a string for each part."""

    def __init__(self, marked: MarkedRules, reader: MarkReader) -> None:
        self._marked = marked
        self._reader = reader
        self._steps = Steps({key: key for key in marked.core.rules})
        self._happened: Counter[tuple[str, ...]] = Counter()
        self._begun: Counter[str] = Counter()
        self._shortest: dict[tuple[str, ...], int] = {}  # length of the shortest string
        self.examples: list[Example | None] = [None] * len(marked.parts)

    def add(self, text: str, trace: Trace) -> None:
        """Count the uses of a string. Cost: linear."""
        happened = self._happened
        happened.update(trace)
        shortest, length = self._shortest, len(text)
        shorter = self._reader.loose
        for happens in set(trace):
            if shortest.get(happens, length + 1) > length:
                shortest[happens] = length
                shorter = True
        if shorter:
            for part, start, end in self._reader.places(trace):
                example = self.examples[part]
                if example is None or len(example.text) > length:
                    self.examples[part] = Example(text, start, end)
        if len(happened) > MAX_HAPPENINGS:
            self._settle()

    def counts(self) -> list[int]:
        """Return the number of uses of each part."""
        self._settle()
        begun = self._begun
        return [begun[each.plus] - (begun[each.minus] if each.minus else 0) for each in self._marked.parts]

    def _settle(self) -> None:
        for happens, count in self._happened.items():
            for step in self._steps[happens]:
                if type(step) is tuple:
                    self._begun[step[0]] += count
                elif step is not None and step is not CALL and step is not RETURN:
                    self._begun[step] += count
        self._happened.clear()
        self._shortest.clear()
