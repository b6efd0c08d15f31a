"""Write an automaton as readable ABNF if it is small, or as a rule for each state.

State elimination yields an expression; of several elimination orders, the one with the shortest text is used.
Repeated parts become separate rules, consecutive equal parts become counts, and character sets are written as
core rules (RFC 5234, appendix B.1). ``rule_of`` returns a rule that keeps the automaton.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from abnforge._arguments import wrong_value
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.automata.expressions import to_node
from abnforge.budget import DEFAULT, Budget
from abnforge.charset import CharSet, union
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.engine.stores import AutomatonStore
from abnforge.errors import LimitExceeded
from abnforge.grammar.printer import print_element, print_rulelist
from abnforge.grammar.syntax import (
    Alternation,
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
)
from abnforge.regex.ast import (
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    Regex,
    alternatives,
    children,
    concat,
    iteration,
)
from abnforge.regex.errors import TooLargeError
from abnforge.regex.from_rule import regex_tree, to_regex

MAX_TEXT = 1_200  # longer expressions, with their parts, become one rule per state

_BUDGET = Budget(steps=20_000)
_RULE_NAME = re.compile("[A-Za-z][A-Za-z0-9-]*")
_CORE = {
    "ALPHA": CharSet.from_ranges([(0x41, 0x5A), (0x61, 0x7A)]),
    "DIGIT": CharSet.from_ranges([(0x30, 0x39)]),
    "HEXDIG": CharSet.from_ranges([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
    "VCHAR": CharSet.from_ranges([(0x21, 0x7E)]),
    "WSP": CharSet.of(" \t"),
}
_PASSES = 3  # passes of simplification
_LONG = 16  # longer parts that occur twice become rules


def is_rule_name(name: str) -> bool:
    """Return whether a string is a valid rule name (RFC 5234, section 2.1)."""
    return _RULE_NAME.fullmatch(name) is not None


def abnf_of(automaton: Automaton, name: str) -> str:
    """Return rules for an automaton's language; the first rule is called ``name``.

    Raises ValueError for an invalid rule name. Cost: that of state elimination, less than a second.
    """
    if not is_rule_name(name):
        raise wrong_value("name", "a rule name of letters, digits and hyphens", repr(name))
    if not automaton.table:
        return print_rulelist(Rulelist((RuleDefinition(name, _body([[Repetition(RuleName(name))]])),)))
    texts = [_written(expression, name) for expression in _candidates(automaton)]
    shortest = min(texts, key=len, default="")
    return shortest if 0 < len(shortest) <= MAX_TEXT else _linear(automaton, name)


def _candidates(automaton: Automaton) -> Iterator[Regex]:
    try:
        whole = to_node(automaton, _BUDGET.meter("an expression"))
    except LimitExceeded:  # other orders would also exceed the limit
        return
    assert whole is not None
    with suppress(TooLargeError):
        yield regex_tree({"": whole}, "")
    yield from to_regex(automaton)


def _written(node: Regex, name: str) -> str:
    for _ in range(_PASSES):
        node = _simpler(node)
    counts: dict[Regex, int] = {}
    _count(node, counts)
    named: dict[Regex, str] = {}
    rules: list[RuleDefinition] = []
    # Inner parts come first, so that outer parts refer to them.
    for part, number in reversed(counts.items()):
        if number > 1 and part != node and len(print_rulelist(_rules("x", part, {}))) > _LONG:
            title = f"{name}-{len(named) + 1}"
            rules.append(_rule(title, part, named))
            named[part] = title
    return print_rulelist(Rulelist((_rule(name, node, named), *rules)))


def _rules(name: str, node: Regex, named: dict[Regex, str]) -> Rulelist:
    return Rulelist((_rule(name, node, named),))


def _rule(name: str, node: Regex, named: dict[Regex, str]) -> RuleDefinition:
    return RuleDefinition(name, _alternation(node, named, top=True))


def _count(node: Regex, counts: dict[Regex, int]) -> None:
    """Count the occurrences of each part; count the parts of a repeated part once."""
    counts[node] = counts.get(node, 0) + 1
    if counts[node] == 1:
        for item in children(node):
            _count(item, counts)


def _simpler(node: Regex) -> Regex:
    """Merge equal parts into counts: ``X X`` into ``2X``, ``X *X`` into ``1*X``, ``[X [X]]`` into ``*2X``."""
    match node:
        case Concat(items=items):
            return concat(_runs([_simpler(item) for item in items]))
        case Alternatives(items=items):
            return _same_end(_same_start(alternatives([_simpler(item) for item in items])))
        case Iteration(item=item, min=low, max=high):
            inner = _simpler(item)
            if isinstance(inner, Iteration) and (low, high) == (0, 1) and inner.min <= 1:
                return Iteration(inner.item, 0, inner.max)
            return iteration(inner, low, high)
        case _:
            return node


def _same_start(node: Regex) -> Regex:
    """Merge the starts of alternatives: ``%x35-39 / "5" X`` into ``%x36-39 / "5" [ X ]``."""
    if not isinstance(node, Alternatives):
        return node
    single = next((item.charset for item in node.items if isinstance(item, CharacterClass)), CharSet())
    left = single
    others: list[Regex] = []
    for item in node.items:
        head = item.items[0] if isinstance(item, Concat) else item
        if (
            isinstance(item, Concat)
            and isinstance(head, CharacterClass)
            and head.charset & left == head.charset
        ):
            left -= head.charset
            item = concat([head, _simpler(iteration(concat(list(item.items[1:])), 0, 1))])
        if not isinstance(item, CharacterClass):
            others.append(item)
    return alternatives([CharacterClass(left), *others] if left else others)


def _same_end(node: Regex) -> Regex:
    """Merge the ends of alternatives: ``X Z / Y Z`` into ``( X / Y ) Z``."""
    if not isinstance(node, Alternatives):
        return node
    parts = [item.items if isinstance(item, Concat) else (item,) for item in node.items]
    if any(part[-1] != parts[0][-1] for part in parts):
        return node
    return concat([_same_end(alternatives([concat(list(part[:-1])) for part in parts])), parts[0][-1]])


def _runs(items: list[Regex]) -> list[Regex]:
    merged: list[Regex] = []
    for item in items:
        before = merged[-1] if merged else None
        if before is not None and not _letter(before) and _turn(before) == _turn(item):
            (low, high), (more, most) = _times(before), _times(item)
            both = None if high is None or most is None else high + most
            merged[-1] = Iteration(_turn(item), low + more, both)
        else:
            merged.append(item)
    result: list[Regex] = []
    at = 0
    while at < len(merged):
        size, times = max(
            ((size, _repeats(merged, at, size)) for size in range(2, (len(merged) - at) // 2 + 1)),
            key=lambda pair: pair[0] * (pair[1] - 1),
            default=(1, 1),
        )
        if times > 1:
            result.append(Iteration(concat(merged[at : at + size]), times, times))
            at += size * times
        else:
            result.append(merged[at])
            at += 1
    return result


def _repeats(items: list[Regex], at: int, size: int) -> int:
    times = 1
    block = items[at : at + size]
    while items[at + times * size : at + (times + 1) * size] == block:
        times += 1
    return times


def _turn(node: Regex) -> Regex:
    return node.item if isinstance(node, Iteration) else node


def _times(node: Regex) -> tuple[int, int | None]:
    return (node.min, node.max) if isinstance(node, Iteration) else (1, 1)


def _alternation(node: Regex, named: dict[Regex, str], *, top: bool = False) -> Alternation:
    if node in named and not top:
        return _body([[Repetition(RuleName(named[node]))]])
    if isinstance(node, Alternatives):
        return Alternation(tuple(way for item in node.items for way in _ways(item, named)))
    if isinstance(node, CharacterClass):
        return _body([Repetition(element)] for element in elements_of(node.charset))
    return _body([_concatenation(node, named, top=top)])


def _ways(node: Regex, named: dict[Regex, str]) -> tuple[Concatenation, ...]:
    """Return an alternative as ABNF; a character set can require several."""
    if isinstance(node, CharacterClass) and node not in named:
        return _alternation(node, named).alternatives
    return _body([_concatenation(node, named)]).alternatives


def _concatenation(node: Regex, named: dict[Regex, str], *, top: bool = False) -> list[Repetition]:
    if not isinstance(node, Concat) or (node in named and not top):
        return [_repetition(node, named)]
    items: list[Repetition] = []
    letters = ""
    for item in node.items:
        letter = _letter(item)
        if letter and item not in named:
            letters += letter
            continue
        if letters:
            items.append(Repetition(CharVal(letters)))
            letters = ""
        items.append(_repetition(item, named))
    return [*items, Repetition(CharVal(letters))] if letters or not items else items


def _repetition(node: Regex, named: dict[Regex, str]) -> Repetition:
    if node in named:
        return Repetition(RuleName(named[node]))
    if isinstance(node, Iteration):
        if (node.min, node.max) == (0, 1):
            return Repetition(Option(_alternation(node.item, named)))
        return Repetition(_element(node.item, named), node.min, node.max)
    return Repetition(_element(node, named))


def _element(node: Regex, named: dict[Regex, str]) -> Element:
    body = _alternation(node, named)
    match body.alternatives:
        case (Concatenation(items=(Repetition(element=element, min=1, max=1),)),):
            return element
        case _:
            return Group(body)


def _letter(node: Regex) -> str:
    return letter_of(node.charset) if isinstance(node, CharacterClass) else ""


def letter_of(charset: CharSet) -> str:
    """Return the character whose string literal matches exactly the characters of a set, or ""."""
    if len(charset) <= 2:
        char = charset.min().lower()
        if " " <= char <= "~" and char != '"' and CharSet.of(char + char.upper()) == charset:
            return char
    return ""


def elements_of(charset: CharSet, rules: Mapping[str, CharSet] = _CORE) -> Iterator[Element]:
    """Yield the alternatives of a nonempty set: rules, then ranges, characters and numbers."""
    if letter := letter_of(charset):
        yield CharVal(letter)
        return
    left = charset
    for name in sorted(rules, key=lambda each: -len(rules[each])):
        if rules[name] & charset == rules[name] and rules[name] & left == rules[name]:
            yield RuleName(name)
            left -= rules[name]
    ranges = [(low, high) for low, high in left.ranges if high - low > 1]
    few = left - CharSet.from_ranges(ranges)
    for low, high in left.ranges:
        if high - low > 1:
            yield NumVal("x", (low, high), is_range=True)
            continue
        for char in map(chr, range(low, high + 1)):
            if not (" " <= char <= "~") or char == '"':
                yield NumVal("x", (ord(char),))
            elif char.swapcase() not in few:
                yield CharVal(char, "%s")
            elif char == char.lower():  # write a letter of both cases once
                yield CharVal(char)


def _linear(automaton: Automaton, name: str) -> str:
    """Return one rule per state, of a character and the next state (Chomsky 1959, type 3)."""
    width = automaton.width
    sets: dict[CharSet, str] = {}

    def chars(charset: CharSet) -> Element:
        elements = list(elements_of(charset))
        if len(elements) == 1:
            return elements[0]
        element = Group(_body([Repetition(each)] for each in elements))
        if len(print_element(element)) <= 2 * _LONG:
            return element
        return RuleName(sets.setdefault(charset, f"{name}-set-{len(sets) + 1}"))

    rules: list[RuleDefinition] = []
    for row in range(0, len(automaton.table), width):
        targets: dict[int, list[CharSet]] = {}
        for number, target in enumerate(automaton.table[row : row + width]):
            if target != DEAD:
                targets.setdefault(target, []).append(automaton.charsets[number])
        ways = [
            [Repetition(chars(union(charsets))), Repetition(RuleName(_state(name, target // width)))]
            for target, charsets in targets.items()
        ]
        if row in automaton.accepting:
            ways.append([Repetition(CharVal(""))])
        rules.append(RuleDefinition(_state(name, row // width), _body(ways)))
    for charset, title in sets.items():
        rules.append(RuleDefinition(title, _body([Repetition(each)] for each in elements_of(charset))))
    return print_rulelist(Rulelist(tuple(rules)))


def _state(name: str, number: int) -> str:
    return f"{name}-{number}" if number else name


def _body(ways: Iterable[list[Repetition]]) -> Alternation:
    return Alternation(tuple(Concatenation(tuple(items)) for items in ways))


def rule_of(
    automaton: Automaton, name: str, grammar: str, budget: Budget = DEFAULT, alphabet: str | None = None
) -> Rule:
    """Return the rule of an automaton, in a grammar named after it, with the methods of other rules.

    Raises ValueError for an invalid rule name. Cost: that of ``abnf_of``, less than a second.
    """
    return _grammar(abnf_of(automaton, name), name, grammar, automaton, budget, alphabet)[name]


def _grammar(
    text: str, name: str, title: str, automaton: Automaton, budget: Budget, alphabet: str | None
) -> Grammar:
    bound = loads(text, name=title, alphabet=alphabet, budget=budget, cache=False).compilation.bound
    compilation = Compilation(bound, budget, store=AutomatonStore(name.lower(), automaton))
    return Grammar(compilation, (_grammar, (text, name, title, automaton, budget, alphabet)))
