"""Whether a pattern accepts exactly what an automaton does, found by reading it back.

This is translation validation (Pnueli, Siegel and Singerman 1998): not the writer is proved right, but what
it wrote. The pattern is read (``reading``), its language under the engine's own semantics is followed state
by state (``machine``), and the product with the automaton is searched breadth first, so that a difference
comes with a shortest text that shows it. Outside of the proof are what groups capture, limits and faults of
an engine, and the time that a match takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from abnforge.automaton.algebra import preference
from abnforge.automaton.dfa import DEAD, Automaton
from abnforge.backends.regex.dialects import Dialect
from abnforge.backends.regex.machine import Machine
from abnforge.backends.regex.messages import message
from abnforge.backends.regex.reading import (
    NOTATIONS,
    Atomic,
    Loop,
    One,
    Part,
    Run,
    UnreadError,
    inner,
    parts,
    read,
)
from abnforge.backends.regex.threads import Items
from abnforge.budget import Meter
from abnforge.catalog import CodedError
from abnforge.charset import CharSet, partition
from abnforge.errors import LimitExceeded

# Steps that one proof may take, a second or two. The patterns of bundled grammars need up to 300 000. What
# would need more has several unbounded parts that give nothing back open at once; the writer emits no such.
MAX_PROOF_STEPS = 1_000_000

# What a class of characters costs before the search, in steps; classes of the automaton that are looked at in
# one; and what a pair of states, and a move of the automaton, are estimated to take in octets.
_BLOCK_COST = 20
_CLASSES_A_STEP = 40
_PAIR_OCTETS = 300
_MOVE_OCTETS = 100

_HIGH = CharSet(((0xD800, 0xDBFF),))
_LOW = CharSet(((0xDC00, 0xDFFF),))


class UndecidedError(CodedError, ValueError):
    """Whether a pattern is right is not known, and why."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A shortest text on which a pattern and an automaton differ; ``accepted`` is what the pattern says."""

    text: str
    accepted: bool


def difference(
    pattern: str, automaton: Automaton, dialect: Dialect, meter: Meter, *, anchored: bool
) -> Difference | None:
    """Where a pattern and an automaton differ, over the texts that the dialect's strings can hold.

    None: they are proved equal. Raises UndecidedError when the pattern is not of the notation that is known,
    when engines of the dialect differ on it, or when it takes more than MAX_PROOF_STEPS; LimitExceeded when
    ``meter`` has no more. Cost: for a pattern that a rule of a URI grammar has, some milliseconds.
    """
    notation = NOTATIONS[dialect.name]
    try:
        tree = read(pattern, notation, anchored)
    except UnreadError as error:
        raise UndecidedError(error.message) from None
    if not notation.empty_turn_ends and _has_empty_turns_and_cuts(tree):
        raise UndecidedError(message("regex-empty-turns"))
    part = meter.part("proof of a pattern", MAX_PROOF_STEPS, "MAX_PROOF_STEPS")
    try:
        return _search(tree, automaton, dialect, part)
    except LimitExceeded as error:
        if error.setting != part.setting:
            raise
        raise UndecidedError(error.message) from None
    except RecursionError:  # the caller's own stack is almost used up
        raise UndecidedError(message("regex-stack-proof")) from None


def _search(tree: Part, automaton: Automaton, dialect: Dialect, meter: Meter) -> Difference | None:
    notation = NOTATIONS[dialect.name]
    sets = [part.charset for part in parts(tree) if isinstance(part, One)]
    sets += [*automaton.charsets, dialect.alphabet]
    if notation.utf16:
        sets += [_HIGH, _LOW]
    blocks = [block for block in partition(sets) if block.min() in dialect.alphabet]
    blocks.sort(key=preference)
    chars = [preference(block)[1] for block in blocks]
    meter.charge(_BLOCK_COST * len(blocks))
    numbers: list[list[int]] = [[] for _ in range(automaton.width)]  # of the blocks of each class
    for number, char in enumerate(chars):
        numbers[automaton.class_of(char)].append(number)
    targets: dict[int, dict[int, int]] = {DEAD: {}}  # row -> block -> row

    def rows_after(row: int) -> dict[int, int]:
        if row not in targets:
            meter.charge(1 + automaton.width // _CLASSES_A_STEP)
            found = automaton.table[row : row + automaton.width]
            live = [(column, target) for column, target in enumerate(found) if target >= 0]
            targets[row] = {number: target for column, target in live for number in numbers[column]}
            meter.hold(_PAIR_OCTETS + _MOVE_OCTETS * len(targets[row]))
        return targets[row]

    high = [notation.utf16 and char in _HIGH for char in chars]
    low = [notation.utf16 and char in _LOW for char in chars]
    machine = Machine(tree, blocks, notation.cuts_turns, meter)
    accepting = automaton.accepting
    # The pattern's state, the automaton's row, and whether the last character is a high surrogate.
    start: tuple[Items, int, bool] = machine.start, 0 if len(automaton.table) else DEAD, False
    back: dict[tuple[Items, int, bool], tuple[tuple[Items, int, bool], str] | None] = {start: None}
    for node in (queue := [start]):
        items, row, after_high = node
        accepted = machine.accepts(items)
        if accepted != (row in accepting):
            found: list[str] = []
            step = back[node]
            while step is not None:
                found.append(step[1])
                step = back[step[0]]
            return Difference("".join(reversed(found)), accepted)
        states, rows = machine.moves(items), rows_after(row)
        meter.charge(1 + len(states) + len(rows))
        for number in sorted(states.keys() | rows.keys()):
            if after_high and low[number]:
                continue
            following = states.get(number, ()), rows.get(number, DEAD), high[number]
            if following not in back:
                back[following] = node, chars[number]
                meter.hold(_PAIR_OCTETS)
                queue.append(following)
    return None


def _has_empty_turns_and_cuts(tree: Part) -> bool:
    """Whether a loop over what may match nothing is within a part that gives nothing back, or around one."""
    nullable: dict[int, bool] = {}
    cuts: dict[int, bool] = {}
    loops: dict[int, bool] = {}  # whether such a loop is in it
    for part in parts(tree):
        items = [id(item) for item in inner(part)]
        cut = any(cuts[item] for item in items)
        loop = any(loops[item] for item in items)
        empties = [nullable[item] for item in items]
        empty = all(empties) if isinstance(part, Run) else any(empties)
        if isinstance(part, Loop):
            idle = empty and part.max != 1
            if (idle and (cut or part.possessive)) or (loop and part.possessive):
                return True
            empty, cut, loop = empty or part.min == 0, cut or part.possessive, loop or idle
        elif isinstance(part, Atomic):
            if loop:
                return True
            cut = True
        nullable[id(part)], cuts[id(part)], loops[id(part)] = empty, cut, loop
    return False
