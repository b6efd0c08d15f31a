"""Prove by reading a pattern back that it accepts exactly the strings of an automaton or an expression.

This is translation validation (Pnueli, Siegel and Singerman 1998): it verifies each pattern, not the writer.
``difference`` parses the pattern (``reading``), follows it state by state as its engine does (``machine``),
and performs a breadth-first search of the product with the automaton. So a counterexample is a shortest one.
The proof does not cover captured groups, limits and bugs of engines, or matching time.

``is_rendering_of`` is for rules whose automata are too large: it compares normal forms of the pattern and of
the expression. Without possessive quantifiers and atomic groups, the order of alternatives does not change
the language, so identities of regular expressions hold. The function applies the identities that the writer
depends on: ``X{2}X{1,3}`` is ``X{3,5}``, and ``S*(?:TS*)*`` is ``(?:S|T)*``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from abnforge.automata.algebra import Search, preference
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.errors import LimitExceeded
from abnforge.regex.ast import (
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    children,
    postorder,
    restricted,
)
from abnforge.regex.dialects import Dialect
from abnforge.regex.errors import UndecidedError, UnreadError
from abnforge.regex.machine import Items, PatternMachine
from abnforge.regex.messages import message
from abnforge.regex.reading import NOTATIONS, read

# The step limit for one proof: about one or two seconds. The patterns of built-in grammars need up to 300,000
# steps. Patterns that need more have several unbounded atomic groups open at the same time, and the writer
# does not emit such patterns.
MAX_PROOF_STEPS = 1_000_000

# The steps for each character class before the search, and the number of classes of the automaton that one
# step handles. The estimated sizes of a pair of states and of a transition of the automaton, in bytes.
_BLOCK_COST = 20
_CLASSES_A_STEP = 40
_PAIR_BYTES = 300
_MOVE_BYTES = 100

_HIGH = CharSet(((0xD800, 0xDBFF),))
_LOW = CharSet(((0xDC00, 0xDFFF),))


# The state of the pattern, the row of the automaton, and whether the last character is a high surrogate.
_Node = tuple[Items, int, bool]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A shortest string that only a pattern or only an automaton accepts; ``accepted``: by the pattern."""

    text: str
    accepted: bool


def difference(
    pattern: str, automaton: Automaton, dialect: Dialect, meter: Meter, *, anchored: bool
) -> Counterexample | None:
    """Return a difference between a pattern and an automaton over the alphabet of the dialect.

    None means that the two are proved equal. Raises UndecidedError for a pattern that is outside the
    supported notation, that engines of the dialect interpret differently, or that exceeds MAX_PROOF_STEPS.
    Raises LimitExceeded if the proof exceeds ``meter``. Complexity: a few milliseconds for rules of URI
    grammars.
    """
    try:
        tree = read(pattern, NOTATIONS[dialect.name], anchored)
    except UnreadError as error:
        raise UndecidedError(error.message) from None
    return tree_difference(tree, automaton, dialect, meter)


def tree_difference(
    tree: Regex, automaton: Automaton, dialect: Dialect, meter: Meter
) -> Counterexample | None:
    """Return the result of ``difference`` for a pattern that was parsed."""
    if not NOTATIONS[dialect.name].empty_turn_ends and _has_empty_turns_and_cuts(tree):
        raise UndecidedError(message("regex-empty-turns"))
    limited = meter.part("proof of a pattern", MAX_PROOF_STEPS, "MAX_PROOF_STEPS")
    try:
        return _search(tree, automaton, dialect, limited)
    except LimitExceeded as error:
        if error.setting != limited.setting:
            raise
        raise UndecidedError(error.message) from None
    except RecursionError:  # the stack of the caller is almost full
        raise UndecidedError(message("regex-stack-proof")) from None


def _search(tree: Regex, automaton: Automaton, dialect: Dialect, meter: Meter) -> Counterexample | None:
    notation = NOTATIONS[dialect.name]
    sets = [part.charset for part in postorder(tree) if isinstance(part, CharacterClass)]
    sets += [*automaton.charsets, dialect.alphabet]
    if notation.utf16:
        sets += [_HIGH, _LOW]
    blocks = [block for block in partition(sets) if block.min() in dialect.alphabet]
    blocks.sort(key=preference)
    chars = [preference(block)[1] for block in blocks]
    meter.charge(_BLOCK_COST * len(blocks))
    numbers: list[list[int]] = [[] for _ in range(automaton.width)]  # class -> its blocks
    for number, char in enumerate(chars):
        numbers[automaton.class_of(char)].append(number)
    targets: dict[int, dict[int, int]] = {DEAD: {}}  # row -> block -> row

    def rows_after(row: int) -> dict[int, int]:
        if row not in targets:
            meter.charge(1 + automaton.width // _CLASSES_A_STEP)
            columns = enumerate(automaton.table[row : row + automaton.width])
            live = [(column, target) for column, target in columns if target >= 0]
            targets[row] = {number: target for column, target in live for number in numbers[column]}
            meter.hold(_PAIR_BYTES + _MOVE_BYTES * len(targets[row]))
        return targets[row]

    high = [notation.utf16 and char in _HIGH for char in chars]
    low = [notation.utf16 and char in _LOW for char in chars]
    machine = PatternMachine(tree, blocks, meter)
    accepting = automaton.accepting

    def moves(node: _Node) -> Iterator[tuple[str, _Node]]:
        items, row, after_high = node
        states, rows = machine.moves(items), rows_after(row)
        meter.charge(1 + len(states) + len(rows))
        meter.hold(_PAIR_BYTES)
        for number in sorted(states.keys() | rows.keys()):
            if not (after_high and low[number]):
                yield chars[number], (states.get(number, ()), rows.get(number, DEAD), high[number])

    start: _Node = machine.start, 0 if len(automaton.table) else DEAD, False
    search = Search(start, moves)
    for node in search:
        accepted = machine.accepts(node[0])
        if accepted != (node[1] in accepting):
            return Counterexample(search.path(node), accepted)
    return None


def _has_empty_turns_and_cuts(tree: Regex) -> bool:
    """Return whether a loop with possibly empty turns is inside or around an atomic part."""
    nullable: dict[int, bool] = {}
    cuts: dict[int, bool] = {}
    loops: dict[int, bool] = {}  # node -> it contains such a loop
    for part in postorder(tree):
        items = [id(item) for item in children(part)]
        cut = any(cuts[item] for item in items)
        loop = any(loops[item] for item in items)
        empties = [nullable[item] for item in items]
        empty = all(empties) if isinstance(part, Concat) else any(empties)
        if isinstance(part, Iteration):
            idle = empty and part.max != 1
            if idle and cut:
                return True
            empty, loop = empty or part.min == 0, loop or idle
        elif isinstance(part, AtomicGroup):
            if loop:
                return True
            cut = True
        nullable[id(part)], cuts[id(part)], loops[id(part)] = empty, cut, loop
    return False


# A form is a character class, a sequence, alternatives or an iteration.
_Form = Union[CharSet, "tuple[_Form, ...]", "frozenset[_Form]", "_Times"]


class _Times(tuple["_Form", int, "int | None"]):
    """A part with its minimum and maximum count."""

    __slots__ = ()

    # A plain tuple of parts is a sequence, which must not equal an iteration.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Times) and tuple.__eq__(self, other)

    def __hash__(self) -> int:
        return hash(("times", *self))


def is_rendering_of(pattern: str, node: Regex, dialect: Dialect, anchored: bool) -> bool:
    """Return whether engines interpret a pattern as the expression and can backtrack everywhere in it.

    False may also mean that the pattern expresses the same language in another way. Complexity: linear.
    """
    restriction = restricted(node, dialect.alphabet)
    try:
        tree = read(pattern, NOTATIONS[dialect.name], anchored)
        return restriction is not None and _form(tree) == _form(restriction)
    except (UnreadError, _PossessiveError):
        return False


class _PossessiveError(Exception):
    """Raised for a part that engines do not backtrack into."""


def _form(node: Regex) -> _Form:
    match node:
        case CharacterClass(charset=charset):
            return charset
        case Concat(items=items):
            return _sequence([_form(item) for item in items])
        case Alternatives(items=items):
            return _choice([_form(item) for item in items])
        case Iteration(item=item, min=minimum, max=maximum, mode="greedy"):
            return _times(_form(item), minimum, maximum)
        case NamedGroup(item=item):
            return _form(item)
    raise _PossessiveError


def _sequence(items: list[_Form]) -> _Form:
    """Return a sequence with repeated parts merged into counts, and unrolled loops into loops."""
    flat: list[_Form] = []
    for item in items:
        parts = item if isinstance(item, tuple) and not isinstance(item, _Times) else (item,)
        for part in parts:
            flat.append(part)
            while len(flat) > 1 and (joined := _joined(flat[-2], flat[-1])) is not None:
                flat[-2:] = [joined]
    return flat[0] if len(flat) == 1 else tuple(flat)


def _joined(left: _Form, right: _Form) -> _Form | None:
    """Merge two parts or return None: ``X{a,b}X{c,d}`` is ``X{a+c,b+d}``, ``S*(?:TS*)*`` is ``(?:S|T)*``."""
    item, minimum, maximum = left if isinstance(left, _Times) else (left, 1, 1)
    other, least, most = right if isinstance(right, _Times) else (right, 1, 1)
    if item == other:
        return _times(item, minimum + least, None if maximum is None or most is None else maximum + most)
    if (minimum, maximum, least, most) != (0, None, 0, None):
        return None
    if isinstance(other, tuple) and not isinstance(other, _Times) and other[-1:] == (left,):
        return _times(_choice([item, _sequence(list(other[:-1]))]), 0, None)
    return None


def _choice(items: list[_Form]) -> _Form:
    """Return alternatives whose order does not matter."""
    branches: set[_Form] = set()
    for item in items:
        branches |= item if isinstance(item, frozenset) else {item}
    return branches.pop() if len(branches) == 1 else frozenset(branches)


def _times(item: _Form, minimum: int, maximum: int | None) -> _Form:
    return item if (minimum, maximum) == (1, 1) else _Times((item, minimum, maximum))
