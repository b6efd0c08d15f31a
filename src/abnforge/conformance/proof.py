"""Prove that a pattern or another rule equals a rule, or refute it by shortest strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from abnforge._arguments import choice_argument, instance_argument, plain_argument, wrong_type
from abnforge._lazy import cached_property, lazy
from abnforge.automata.algebra import (
    ONLY_LEFT,
    ONLY_RIGHT,
    Region,
    TableDFA,
    preference,
    product_search,
    witnesses,
)
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet
from abnforge.comparison.rules import UNDECIDED, compare, quoted, reason
from abnforge.conformance.messages import message
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.regex import engines
from abnforge.regex.errors import PatternError, out_of_stack
from abnforge.text import escape

with lazy:
    from abnforge.parsing.recognizer import machine
    from abnforge.regex import automaton, foreign, python

if TYPE_CHECKING:
    from abnforge.automata.algebra import LazyDFA
    from abnforge.regex.ast import Regex


DIALECTS = ("python", *engines.ENGINES)
"""The supported notations. ``pcre2`` is also the notation of PHP, and of Perl with its flag ``a``; ``re2`` is
that of Go. All of them match code points: a character beyond U+FFFF is one, as in ECMAScript with its flag
``u``.
"""

HOW = ("fullmatch", "match", "search")
"""The match modes: the whole string, at its start, anywhere. Anchors keep their meaning: ``match`` with
``^[0-9]+$`` accepts ``1`` and a line feed in Python; ``search`` in JavaScript does not.
"""

_PYTHON_FLAGS = {
    "a": re.ASCII,
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "x": re.VERBOSE,
}


@dataclass(frozen=True)
class Pattern:
    """A regular expression, its match mode and flags. Created by :func:`pattern`."""

    text: str
    dialect: str
    how: str
    flags: str
    budget: Budget

    @cached_property
    def automaton(self) -> Automaton:
        """The minimal automaton of the accepted strings, over code points.

        Raises LimitExceeded beyond the budget; PatternError for an atomic group without an automaton. It is
        built once, at the cost of the subset construction.
        """
        return automaton.build(self._tree, self.how, self.budget.meter("automaton of a pattern"))

    def walk(self, meter: Meter) -> LazyDFA:
        """Return the states of the pattern, built lazily. Raises the same errors as ``automaton``."""
        return automaton.PatternWalk(self._tree, self.how, meter)

    @cached_property
    def of_bytes(self) -> Callable[[bytes], re.Match[bytes] | None]:
        """The function that matches bytes, as Python's ``re`` does. Raises ValueError for other dialects."""
        if self.dialect != "python":
            raise ArgumentError(message("pattern-bytes-dialect", dialect=self.dialect))
        try:
            octets = self.text.encode("latin-1")
        except UnicodeEncodeError:
            raise ArgumentError(message("pattern-bytes", pattern=self.text)) from None
        match: Callable[[bytes], re.Match[bytes] | None] = getattr(
            re.compile(octets, _number(self.flags)), self.how
        )
        return match

    @cached_property
    def _tree(self) -> Regex:
        meter = self.budget.meter("reading a pattern")
        try:
            if self.dialect == "python":
                return python.read(self.text, _number(self.flags), meter)
            return foreign.read(self.text, self.dialect, self.flags, meter)
        except RecursionError:  # the caller has used almost all of the stack
            raise out_of_stack() from None

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return f"pattern {shown!r} ({self.dialect}, {self.how})"


def pattern(
    text: str | re.Pattern[str],
    dialect: str = "python",
    how: str = "fullmatch",
    flags: int | str = "",
    *,
    budget: Budget | None = None,
) -> Pattern:
    """Return a regular expression as a value, with the exact language of its engine.

    ``text`` is the pattern, or a compiled Python pattern with its flags. ``dialect`` is one of ``DIALECTS``,
    and ``how`` one of ``HOW``. ``flags`` are letters of the dialect, or flags of ``re``.

    Raises PatternError for an invalid pattern, and for a pattern with back references, conditionals or group
    calls, which does not have an automaton. Raises LimitExceeded for deeply nested groups, TypeError
    (including for a pattern of bytes) and ValueError. Cost: linear; the automaton is built lazily.
    """
    choice_argument(dialect, "dialect", DIALECTS)
    choice_argument(how, "how", HOW)
    instance_argument(flags, "flags", int | str, "a str of letters, or flags of re")
    instance_argument(budget, "budget", Budget | None, "a Budget or None")
    if isinstance(text, re.Pattern):
        if isinstance(text.pattern, bytes):
            raise wrong_type("text", "a pattern of str", text.pattern)
        if dialect != "python" or flags:
            raise ArgumentError(message("pattern-compiled"))
        source, flags = text.pattern, text.flags
    else:
        source = plain_argument(text, "text")
    letters = _letters(flags) if dialect == "python" else _known(flags, dialect)
    anchor = {"ecmascript": "y", "pcre2": "A"}.get(dialect)
    how = "match" if how == "search" and anchor in set(letters) else how
    compiled = Pattern(source, dialect, how, letters, budget or DEFAULT)
    compiled._tree  # noqa: B018  # report errors of the pattern immediately
    return compiled


def _letters(flags: int | str) -> str:
    if isinstance(flags, str):
        flags = flags.replace("u", "")  # the flag u is always set
        unknown = sorted(set(flags) - set(_PYTHON_FLAGS))
        if unknown:
            raise _unknown_flag("python", unknown[0], _PYTHON_FLAGS)
        return "".join(sorted(set(flags)))
    if flags & re.LOCALE:
        raise PatternError(message("pattern-locale"))
    return "".join(letter for letter, flag in _PYTHON_FLAGS.items() if flags & flag)


def _known(flags: int | str, dialect: str) -> str:
    if not isinstance(flags, str):
        raise wrong_type("flags", "a str of letters", flags)
    allowed = engines.ENGINES[dialect].flags
    unknown = sorted(set(flags) - set(allowed))
    if unknown:
        raise _unknown_flag(dialect, unknown[0], allowed)
    return "".join(sorted(set(flags)))


def _unknown_flag(dialect: str, flag: str, flags: Iterable[str]) -> ArgumentError:
    return ArgumentError(message("flag-unknown", flag=flag, dialect=dialect, flags=tuple(flags)))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number |= _PYTHON_FLAGS[letter]
    return int(number)


# Inclusion of a recursive rule in a regular language. Context-free languages are closed under intersection
# with regular ones (Bar-Hillel, Perles and Shamir 1961), and their emptiness is decidable. So it is decidable
# whether a rule derives a string that a pattern rejects. The shortest such string is found first (Knuth, "A
# generalization of Dijkstra's algorithm", 1977). The converse is undecidable.

# estimated size in bytes of a substring between two states
_OCTETS = 400


class _Grammar:
    """A rule and its dependencies as productions of up to two symbols. Symbols are numbers."""

    def __init__(self, core: Core, key: str, meter: Meter) -> None:
        self._meter = meter
        self.size = 0
        self.empty: list[int] = []
        self.chars: dict[int, CharSet] = {}
        self.single: dict[int, list[int]] = {}  # symbol -> symbols that derive exactly that symbol
        self.first: dict[int, list[tuple[int, int]]] = {}  # symbol -> (product, symbol after it)
        self.second: dict[int, list[tuple[int, int]]] = {}  # symbol -> (product, symbol before it)
        self._rules: dict[str, int] = {}
        waiting = [key]
        self.start = self._rules[key] = self._new()
        for name in waiting:
            before = len(self._rules)
            self._make(core.rules[name], self._rules[name])
            waiting += list(self._rules)[before:]

    def _new(self) -> int:
        self._meter.charge()
        self.size += 1
        return self.size - 1

    def _symbol(self, node: Node) -> int:
        if isinstance(node, Ref):
            if node.key not in self._rules:
                self._rules[node.key] = self._new()
            return self._rules[node.key]
        symbol = self._new()
        self._make(node, symbol)
        return symbol

    def _make(self, node: Node, product: int) -> None:
        match node:
            case Chars(charset=charset):
                self.chars[product] = charset
            case Seq(items=items):
                self._row([self._symbol(item) for item in items], product)
            case Choice(items=items):
                for item in items:
                    self._one(self._symbol(item), product)
            case Ref():
                self._one(self._symbol(node), product)
            case Repeat(item=item, min=least, max=most):
                turn = self._symbol(item)
                if most is None:
                    more = self._new()
                    self.empty.append(more)
                    self._two(turn, more, more)
                    self._row([turn] * least + [more], product)
                else:
                    more = self._new()
                    self.empty.append(more)
                    for _ in range(most - least):
                        longer = self._new()
                        self.empty.append(longer)
                        self._two(turn, more, longer)
                        more = longer
                    self._row([turn] * least + [more], product)
            case Prose():
                raise AssertionError("prose is rejected before")

    def _row(self, symbols: list[int], product: int) -> None:
        if not symbols:
            self.empty.append(product)
            return
        last = symbols[-1]
        for symbol in reversed(symbols[1:-1]):
            both = self._new()
            self._two(symbol, last, both)
            last = both
        if len(symbols) == 1:
            self._one(last, product)
        else:
            self._two(symbols[0], last, product)

    def _one(self, symbol: int, product: int) -> None:
        self.single.setdefault(symbol, []).append(product)

    def _two(self, one: int, other: int, product: int) -> None:
        self._meter.charge()
        self.first.setdefault(one, []).append((product, other))
        self.second.setdefault(other, []).append((product, one))


# A substring: a symbol, and the states before and after it.
_Part = tuple[int, int, int]
# the content of a substring: a character, or two substrings
_Making = str | tuple[_Part, ...]


def shortest_outside(core: Core, key: str, automaton: Automaton, meter: Meter) -> str | None:
    """Return a shortest string that a rule derives and an automaton rejects, or None.

    Raises LimitExceeded. Cost: at most the number of productions times the cube of the number of states.
    """
    grammar = _Grammar(core, key, meter)
    width = automaton.width
    states = [*range(0, len(automaton.table), width), DEAD]
    derived: dict[_Part, _Making] = {}
    ends: dict[tuple[int, int], list[int]] = {}  # symbol and state before it -> states after it
    begins: dict[tuple[int, int], list[int]] = {}
    queue: list[tuple[int, tuple[int, ...], int, _Part, _Making]] = []
    lengths: dict[_Part, int] = {}
    count = 0

    def add(length: int, part: _Part, making: _Making, rank: int = 0) -> None:
        nonlocal count
        meter.charge(2)
        if part in derived or lengths.get(part, length + 1) <= length:
            return
        lengths[part] = length
        meter.hold(_OCTETS)
        count += 1
        heappush(queue, (length, (rank,), count, part, making))

    for symbol in grammar.empty:
        for state in states:
            add(0, (symbol, state, state), ())
    for symbol, charset in grammar.chars.items():
        best: dict[int, tuple[int, str]] = {}
        for number, block in enumerate(automaton.charsets):
            if shared := charset & block:
                best[number] = preference(shared)
        for state in states:
            for number, (rank, char) in sorted(best.items(), key=lambda pair: pair[1]):
                target = DEAD if state == DEAD else automaton.table[state + number]
                add(1, (symbol, state, target), char, rank)
    start = 0 if automaton.table else DEAD
    while queue:
        length, _, _, part, making = heappop(queue)
        if part in derived:
            continue
        derived[part] = making
        symbol, before, behind = part
        if symbol == grammar.start and before == start and behind not in automaton.accepting:
            return _text(part, derived)
        ends.setdefault((symbol, before), []).append(behind)
        begins.setdefault((symbol, behind), []).append(before)
        for product in grammar.single.get(symbol, ()):
            add(length, (product, before, behind), (part,))
        for product, other in grammar.first.get(symbol, ()):
            for end in tuple(ends.get((other, behind), ())):
                right = other, behind, end
                add(length + lengths[right], (product, before, end), (part, right))
        for product, other in grammar.second.get(symbol, ()):
            for begin in tuple(begins.get((other, before), ())):
                left = other, begin, before
                add(lengths[left] + length, (product, begin, behind), (left, part))
    return None


def _text(part: _Part, derived: dict[_Part, _Making]) -> str:
    chars: list[str] = []
    stack = [part]
    while stack:
        making = derived[stack.pop()]
        if isinstance(making, str):
            chars.append(making)
        else:
            stack.extend(reversed(making))
    return "".join(chars)


# The share of a budget for the first step: a lazy search for differences, or strings of a recursive rule. The
# rest is for the second step, if the first is inconclusive.
_SHARE = 0.5

_TRIED = "all strings of up to {} characters (one character for each class)"


@dataclass(frozen=True)
class Proof:
    """The difference between an implementation and a rule.

    ``wrongly_accepted`` is a shortest string that only the implementation accepts, ``wrongly_rejected`` one
    that only the rule matches. Either is None if there is none, or if the search within ``bound`` found none.
    The most readable of several shortest strings is preferred.
    """

    rule: Rule
    implementation: Pattern | Rule
    wrongly_accepted: str | None
    wrongly_rejected: str | None
    bound: str | None = None

    @property
    def equal(self) -> bool | None:
        """Return whether both match the same strings; None if undecided."""
        if self.wrongly_accepted is not None or self.wrongly_rejected is not None:
            return False
        return True if self.bound is None else None

    @property
    def verdict(self) -> str:
        """``equal``, ``different`` or ``undecided``."""
        equal = self.equal
        return UNDECIDED if equal is None else "equal" if equal else "different"

    def __str__(self) -> str:
        rule, other = _name(self.rule), _name(self.implementation)
        if self.equal:
            return f"equal: {other} and {rule} match the same strings"
        sentences: list[str] = []
        if self.wrongly_accepted is not None:
            rejection = self.rule.explain(self.wrongly_accepted)
            why = f" ({escape(reason(rejection))})" if rejection else ""
            sentences.append(f"wrongly accepts {quoted(self.wrongly_accepted)}{why}")
        if self.wrongly_rejected is not None:
            sentences.append(f"wrongly rejects {quoted(self.wrongly_rejected)}")
        tried = "" if self.bound is None else f". Tried: {self.bound}"
        if not sentences:
            return f"undecided: {other} and {rule}{tried}"
        return f"different: compared with {rule}, {other} {' and '.join(sentences)}{tried}"


def prove(
    rule: Rule, implementation: Pattern | re.Pattern[str] | Rule, *, budget: Budget | None = None
) -> Proof:
    """Prove that an implementation accepts exactly the strings of a rule, or find a difference.

    A compiled Python pattern must match the whole string. A regular rule is compared as an automaton: the
    proof and the differences are complete. If the automaton of the pattern is too large, the search is
    limited by the budget, short strings first. For a recursive rule, the proof shows whether the pattern
    accepts all its strings. A search looks for additional strings of the pattern, and its result can be
    ``undecided``. Other rules are compared as by :func:`abnforge.compare`.

    Raises PatternError for a compiled pattern that is not regular, and GrammarError for a rule that needs a
    prose-val. Raises LimitExceeded beyond ``budget`` (default: the budget of the rule's grammar; a Pattern
    has its own budget for its automaton). Cost: less than half a second for most patterns.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    instance_argument(
        implementation,
        "implementation",
        Pattern | re.Pattern | Rule,
        "a Pattern, a compiled pattern or a Rule",
    )
    instance_argument(budget, "budget", Budget | None, "a Budget or None")
    if isinstance(implementation, re.Pattern):
        implementation = pattern(implementation, budget=budget)
    if isinstance(implementation, Rule):
        comparison = compare(rule, implementation)
        return Proof(rule, implementation, comparison.only_right, comparison.only_left, comparison.bound)
    rule.grammar.compilation.refuse_prose(rule.key)
    budget = budget or rule.grammar.compilation.budget
    meter = budget.meter(f"comparing {rule.name} and a pattern", code="automaton-too-large", rule=rule.name)
    return (_regular if rule.regular else _recursive)(rule, implementation, meter)


def _regular(rule: Rule, implementation: Pattern, meter: Meter) -> Proof:
    """Search the lazily built states of the pattern first: most differences are short.

    The automaton of the pattern may be too large. If the search does not end, compare automata.
    """
    left, part = TableDFA(rule.automaton), meter.share(meter.operation, _SHARE)
    examples: dict[Region, str] = {}
    length: int | None = 0
    with suppress(LimitExceeded):
        examples, stopped = product_search(left, implementation.walk(part), part, (ONLY_LEFT, ONLY_RIGHT))
        length = None if stopped is None else stopped.length
    if length is None or len(examples) == 2:
        return Proof(rule, implementation, examples.get(ONLY_RIGHT), examples.get(ONLY_LEFT))
    try:
        regions = witnesses(rule.automaton, implementation.automaton, meter)
    except LimitExceeded:
        if not examples and not length:
            raise
        bound = f"{_TRIED.format(length)} (the automaton of the pattern is too large)"
        return Proof(rule, implementation, examples.get(ONLY_RIGHT), examples.get(ONLY_LEFT), bound)
    return Proof(rule, implementation, regions.only_right, regions.only_left)


def _recursive(rule: Rule, implementation: Pattern, meter: Meter) -> Proof:
    automaton = implementation.automaton
    core = rule.grammar.compilation.core
    refused = shortest_outside(core, rule.key, automaton, meter.share(meter.operation, _SHARE))
    with rule.grammar.readers.taken() as readers:
        walk = machine.ConfigurationWalk(readers.machine, rule.key)
        examples, stopped = product_search(walk, TableDFA(automaton), meter, [ONLY_RIGHT])
    accepted = examples.get(ONLY_RIGHT)
    if accepted is not None or stopped is None:
        return Proof(rule, implementation, accepted, refused)
    bound = (
        f"{_TRIED.format(stopped.length)}; found no string that the pattern wrongly accepts; in general this "
        "is undecidable"
    )
    return Proof(rule, implementation, None, refused, bound)


def _name(value: Pattern | Rule) -> str:
    return f"{value.name} ({escape(value.grammar.name)})" if isinstance(value, Rule) else escape(str(value))
