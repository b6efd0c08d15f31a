"""A rule in plain English, with short strings that match, near misses, and known facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import islice

from abnforge._arguments import instance_argument
from abnforge.automata.algebra import preference
from abnforge.automata.dfa import Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.near_misses import near_misses
from abnforge.engine.grammar import sentences
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar import syntax
from abnforge.grammar.printer import print_element
from abnforge.text import show_char

SHOWN = 2  # number of strings, and of near misses
UP_TO = 8  # maximum length of the strings that are counted
MAX_ALTERNATIVES = 30  # maximum number in the description of one choice
_SYSTEMATIC = 200  # number of strings of a recursive rule among which the shortest are selected

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """Facts about a rule.

    ``sentences`` are the shortest matches of a regular rule (``exact``), or short ones of another rule;
    ``misses`` are near misses. ``first`` are the possible first characters. ``count`` is the number of
    strings of at most ``UP_TO`` characters, ``finite`` whether the language is finite, ``states`` the size of
    the minimal automaton. These are None for a rule that is not known to be regular, or whose automaton is
    too large.
    """

    rule: Rule
    words: str
    sentences: tuple[str, ...]
    exact: bool
    misses: tuple[str, ...]
    nullable: bool
    first: CharSet
    regular: bool
    states: int | None
    count: int | None
    finite: bool | None


def facts_about(rule: Rule) -> RuleFacts:
    """Return the facts about a rule that the budget allows. Cost: its automaton and near misses."""
    instance_argument(rule, "rule", Rule, "a Rule")
    compilation = rule.grammar.compilation
    is_exact = compilation.prose(rule.key) is None  # a rule with prose has an unknown language
    shape = compilation.facts.language_bounds[rule.key]
    automaton = _automaton(rule) if is_exact else None
    meter = compilation.budget.meter(f"description of {rule.name}")
    matches: tuple[str, ...] = ()
    count = finite = None
    if automaton is not None:
        matches = tuple(shortest(automaton, SHOWN, meter))
        finite, count = _is_finite(automaton), _count(automaton, meter)
    elif is_exact:
        matches = _short(rule)
    return RuleFacts(
        rule,
        in_english(rule),
        matches,
        automaton is not None,
        _misses(rule) if is_exact else (),
        shape.nullable,
        shape.first,
        rule.regular,
        None if automaton is None else automaton.states,
        count,
        finite,
    )


def in_english(rule: Rule) -> str:
    """Return a rule's definition as one English sentence. Raises TypeError. Cost: linear."""
    instance_argument(rule, "rule", Rule, "a Rule")
    bound = rule.grammar.compilation.bound.rules[rule.key]
    return f"{bound.name} is {_alternation(bound.elements)}."


def _alternation(alternation: syntax.Alternation) -> str:
    alternatives = alternation.alternatives
    if len(alternatives) == 1:
        return _concatenation(alternatives[0])
    described = [_concatenation(each) for each in alternatives[:MAX_ALTERNATIVES]]
    described = [f"({each})" if ", " in each else each for each in described]
    if len(alternatives) > MAX_ALTERNATIVES:
        described.append(f"one of {len(alternatives) - MAX_ALTERNATIVES:,} others")
    return "either " + ", or ".join(described)


def _concatenation(concatenation: syntax.Concatenation) -> str:
    items = [_repetition(item) for item in concatenation.items]
    if len(items) > 1:
        items = [f"({each})" if each.startswith("either ") else each for each in items]
    return ", then ".join(items)


def _repetition(item: syntax.Repetition) -> str:
    if item.max == 0:
        return "nothing"
    if item.min == item.max == 1:
        return _element(item.element)
    inner = _element(item.element)
    if item.min == 0 and item.max == 1:
        return f"optionally {_grouped(inner)}"
    many = how_many(item.min, item.max)
    if isinstance(item.element, syntax.RuleName):
        return f"{many} {inner}{'' if item.max == 1 else 's'}"
    return f"{many} times {_grouped(inner)}"


def _element(element: syntax.Element) -> str:
    match element:
        case syntax.Group(alternation=alternation):
            return _alternation(alternation)
        case syntax.Option(alternation=alternation):
            return f"optionally {_grouped(_alternation(alternation))}"
        case syntax.RuleName(name=name):
            return name
        case syntax.ProseVal(text=text):
            return f"a string described as <{text}>"
        case syntax.CharVal(value=""):
            return "nothing"
        case syntax.CharVal(prefix="%s", value=value):
            return f'"{value}" (case-sensitive)'
        case syntax.CharVal(value=value):
            return f'"{value}"' + (" (any case)" if any(char.isalpha() for char in value) else "")
        case syntax.NumVal(values=(first, last), is_range=True):
            return f"a character from {_named(first)} to {_named(last)}"
        case syntax.NumVal(values=values):
            return " and ".join(map(_named, values)) + f" ({print_element(element)})"
    raise AssertionError(element)


def _grouped(text: str) -> str:
    return f"({text})" if ", " in text or text.startswith(("either ", "optionally ")) else text


def _named(value: int) -> str:
    return show_char(chr(value)) if value < 0x110000 else f"{value:X} (not a character)"


def how_many(low: int, high: int | None) -> str:
    if high is None:
        return f"{_number(low)} or more" if low else "any number of"
    if low == high:
        return _number(low)
    return f"{_number(low)} to {_number(high)}" if low else f"at most {_number(high)}"


def _number(value: int) -> str:
    return _SMALL[value] if value < len(_SMALL) else f"{value:,}"


def shortest(automaton: Automaton, most: int, meter: Meter) -> list[str]:
    """Return the ``most`` shortest strings of a language, with readable characters.

    Raises LimitExceeded. Cost: ``most`` squared times the table (the k shortest paths; each state is expanded
    k times).
    """
    if not automaton.table:
        return []
    letters = [_letters(charset, most) for charset in automaton.charsets]
    queue: list[tuple[int, int, str, int]] = [(0, 0, "", 0)]
    left: Counter[int] = Counter()
    strings: list[str] = []
    number = 0
    while queue and len(strings) < most:
        length, _, text, row = heappop(queue)
        if left[row] >= most:
            continue
        left[row] += 1
        if row in automaton.accepting:
            strings.append(text)
        meter.charge(automaton.width)
        moves = [
            (preference(automaton.charsets[column]), rank, char, automaton.table[row + column])
            for column in range(automaton.width)
            if automaton.table[row + column] >= 0
            for rank, char in enumerate(letters[column])
        ]
        for _, _, char, target in sorted(moves):
            number += 1
            heappush(queue, (length + 1, number, text + char, target))
    return strings


def _letters(charset: CharSet, most: int) -> list[str]:
    first = preference(charset)[1]
    others = islice((chr(code) for code in charset if chr(code) > first), most - 1)
    return [first, *others]


def _automaton(rule: Rule) -> Automaton | None:
    try:
        return rule.automaton if rule.regular else None
    except (LimitExceeded, GrammarError):
        return None


def _is_finite(automaton: Automaton) -> bool:
    width, table = automaton.width, automaton.table
    graph = {
        row: {target for target in table[row : row + width] if target >= 0}
        for row in range(0, len(table), width)
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return False
    return True


def _count(automaton: Automaton, meter: Meter) -> int | None:
    if not automaton.table:
        return 0
    try:
        return sum(islice(_counts(Acceptor(automaton), meter), UP_TO + 1))
    except LimitExceeded:
        return None


def _counts(acceptor: Acceptor, meter: Meter) -> Iterator[int]:
    """Yield the number of strings of each length, from 0 (Nijenhuis and Wilf 1978)."""
    sizes = [len(charset) for charset in acceptor.automaton.charsets]
    ways = [int(accepts) for accepts in acceptor.accepting]
    while True:
        yield ways[0]
        meter.charge(len(ways) * len(sizes))
        ways = [
            sum(size * ways[target] for size, target in zip(sizes, row, strict=True)) for row in acceptor.rows
        ]


def _short(rule: Rule) -> tuple[str, ...]:
    try:
        some = set(islice(sentences(rule, systematic=True), _SYSTEMATIC))
    except LimitExceeded:
        return ()
    return tuple(sorted(some, key=lambda text: (len(text), text))[:SHOWN])


def _misses(rule: Rule) -> tuple[str, ...]:
    try:
        misses = [miss.text for miss in near_misses(rule)]
    except (LimitExceeded, GrammarError, ValueError):
        return ()
    # printable strings first
    return tuple(sorted(misses, key=lambda text: not text.isprintable())[:SHOWN])
