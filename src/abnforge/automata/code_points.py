"""Represent deterministic automata over code points, with or without tags, and over UTF-8 bytes.

Tables are built from these automata. ``utf8_automaton`` converts an automaton over code points to an
automaton over the bytes of UTF-8 (RFC 3629, section 4). It keeps the states, and adds states between the
bytes of a character, one for each possible rest of a character. Few states are added, since characters that
lead to the same states share them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge.records import dataclass

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton


# The new value of a register: the place before or after the current character, or no place.
BEFORE, BEHIND, CLEARED = 0, 1, -128

# The registers that a move sets, in ascending order, each with its change.
Operation = tuple[tuple[int, int], ...]

STATE_BITS = 24


@dataclass(frozen=True)
class Tags:
    """The tags of a tagged automaton (Laurikari 2000).

    ``names`` contains the parts: tag ``2 * i`` is the beginning of part i, and ``2 * i + 1`` its end.
    ``kinds`` maps names to rules. For each name, the automaton finds the rule that derived a part of the
    string: its number in ``kinds[name]``, counted from 1, or 0 for none. ``final`` has, for each accepting
    state, the register of each tag and the kinds. The last two of the ``registers`` hold the end of the
    string and no place. ``initial`` has the values of the registers before the first character.
    """

    names: tuple[str, ...]
    kinds: Mapping[str, tuple[str, ...]]
    registers: int
    initial: tuple[int, ...]
    operations: tuple[Operation, ...]
    final: Mapping[int, tuple[int, ...]]


NO_TAGS = Tags((), {}, 0, (), ((),), {})


@dataclass(frozen=True)
class CodePointDFA:
    """A deterministic automaton with only live states; state 0 is the start.

    ``rows[state][number]`` is the target of the characters of class ``number``, or 0. A target is a state's
    number plus one, with the number of an operation in the bits above the lowest ``STATE_BITS``. ``starts``
    and ``classes`` are as in :class:`~abnforge.automata.dfa.Automaton`.
    """

    rows: Sequence[Sequence[int]]
    accepting: frozenset[int]
    starts: tuple[int, ...]
    classes: tuple[int, ...]
    tags: Tags = NO_TAGS


def without_tags(automaton: Automaton) -> CodePointDFA:
    """Convert a minimal automaton. Complexity: linear."""
    return _points(automaton.width, automaton.table, automaton.accepting, automaton.starts, automaton.classes)


def from_automaton_data(data: dict[str, Any]) -> CodePointDFA:
    """Read the data of an ``Automaton`` (``dfa.to_data``) without building that automaton."""
    return _points(
        data["width"], data["table"], data["accepting"], tuple(data["starts"]), tuple(data["classes"])
    )


def _points(
    width: int,
    table: Sequence[int],
    accepting: Iterable[int],
    starts: tuple[int, ...],
    classes: tuple[int, ...],
) -> CodePointDFA:
    rows = [
        [0 if target < 0 else target // width + 1 for target in table[at : at + width]]
        for at in range(0, len(table), width)
    ]
    return CodePointDFA(rows, frozenset(row // width for row in accepting), starts, classes)


def to_data(points: CodePointDFA) -> dict[str, Any]:
    """Return an automaton as data for ``json.dumps``."""
    tags = points.tags
    return {
        "parts": list(tags.names),
        "kinds": {name: list(rules) for name, rules in tags.kinds.items()},
        "starts": list(points.starts),
        "classes": list(points.classes),
        "registers": tags.registers,
        "initial": list(tags.initial),
        "operations": [[list(setting) for setting in operation] for operation in tags.operations],
        "final": [[state, *last] for state, last in tags.final.items()],
        "rows": [list(row) for row in points.rows],
    }


def from_data(data: dict[str, Any]) -> CodePointDFA:
    """Return the automaton that the data from ``to_data`` represents."""
    final = {state: tuple(last) for state, *last in data["final"]}
    tags = Tags(
        names=tuple(data["parts"]),
        kinds={name: tuple(rules) for name, rules in data["kinds"].items()},
        registers=data["registers"],
        initial=tuple(data["initial"]),
        operations=tuple(
            tuple((register, change) for register, change in operation) for operation in data["operations"]
        ),
        final=final,
    )
    return CodePointDFA(data["rows"], frozenset(final), tuple(data["starts"]), tuple(data["classes"]), tags)


CONTINUATION = 0x80  # the first of the 64 continuation bytes
# Ranges of first bytes: start, end (exclusive), and the number of bytes that follow.
_LEADS = ((0xC2, 0xE0, 1), (0xE0, 0xF0, 2), (0xF0, 0xF5, 3))
_FIRST_BITS = {1: 0xC0, 2: 0xE0, 3: 0xF0}
_LEAST = {1: 0x80, 2: 0x800, 3: 0x10000}
_SURROGATES = (0xD800, 0xE000)
_END = 0x110000

# A range of code points as pieces: the offset of each piece in the range, and the entry of the piece.
Pieces = tuple[tuple[int, int], ...]


@dataclass
class UTF8Automaton:
    """An automaton over bytes.

    ``high[state]`` has the entries of the bytes 0x80 and above. The states of the automaton over code points
    come first, then the states within characters, which have no other entries. ``operations`` extends the
    operations of the automaton over code points.
    """

    high: list[dict[int, int]]
    operations: list[Operation]


def utf8_automaton(points: CodePointDFA, *, surrogates: bool = False) -> UTF8Automaton:
    """Return the automaton over bytes. Complexity: states x character ranges beyond US-ASCII.

    UTF-8 does not encode surrogates. With ``surrogates``, they have three bytes, as their neighbors have.
    """
    return _Expansion(points, surrogates).result()


def byte_automaton(points: CodePointDFA) -> UTF8Automaton:
    """Return the automaton over bytes that reads each byte as a character. Complexity: linear."""
    classes = [points.classes[bisect_right(points.starts, octet) - 1] for octet in range(0x80, 0x100)]
    high = [
        {octet: row[number] for octet, number in enumerate(classes, 0x80) if row[number]}
        for row in points.rows
    ]
    return UTF8Automaton(high, list(points.tags.operations))


class _Expansion:
    def __init__(self, points: CodePointDFA, surrogates: bool) -> None:
        self._points = points
        self._surrogates = surrogates
        self._inner: list[dict[int, int]] = []
        self._nodes: dict[tuple[int, int, Pieces], int] = {}
        self._operations = list(points.tags.operations)
        self._numbers = {operation: number for number, operation in enumerate(self._operations)}

    def result(self) -> UTF8Automaton:
        points = self._points
        # The starts of the ranges beyond US-ASCII, each with its class.
        first = bisect_right(points.starts, CONTINUATION) - 1
        starts = [CONTINUATION, *points.starts[first + 1 :]]
        classes = points.classes[first:]
        leads: dict[tuple[int, ...], dict[int, int]] = {}
        high = []
        for row in points.rows:
            entries = tuple(row[number] for number in classes)
            if entries not in leads:
                leads[entries] = self._leads(starts, entries) if any(entries) else {}
            high.append(leads[entries])
        return UTF8Automaton(high + self._inner, self._operations)

    def _leads(self, starts: Sequence[int], entries: Sequence[int]) -> dict[int, int]:
        """Return the entries of first bytes, given the ``entries`` of character ranges."""
        pieces = tuple(zip(starts, entries, strict=True))
        if not self._surrogates:
            pieces = _without_surrogates(pieces)
        result = {}
        for low, end, following in _LEADS:
            size = 64**following
            for octet in range(low, end):
                begin = (octet - _FIRST_BITS[following]) * size
                part = _part(
                    pieces, max(begin, _LEAST[following]), min(begin + size, _END), begin, begin + size
                )
                if entry := self._node(part, size, 1):
                    result[octet] = entry
        return result

    def _node(self, pieces: Pieces, size: int, depth: int) -> int:
        """Return the entry of the state that reads a character's bytes after the first ``depth`` bytes."""
        if not any(entry for _, entry in pieces):
            return 0
        if not any(entry >> STATE_BITS for _, entry in pieces):
            depth = 0  # without operations, the depth does not matter
        key = size, depth, pieces
        if key not in self._nodes:
            self._inner.append({})
            number = self._nodes[key] = len(self._points.rows) + len(self._inner)
            self._inner[number - 1 - len(self._points.rows)] = self._continuations(pieces, size, depth)
        return self._nodes[key]

    def _continuations(self, pieces: Pieces, size: int, depth: int) -> dict[int, int]:
        step = size // 64
        result = {}
        for number in range(64):
            part = _part(pieces, number * step, (number + 1) * step, number * step, (number + 1) * step)
            entry = (
                self._last(part[0][1], depth)
                if step == 1
                else self._node(part, step, depth + 1 if depth else 0)
            )
            if entry:
                result[CONTINUATION + number] = entry
        return result

    def _last(self, entry: int, depth: int) -> int:
        """Return the entry of a character's last byte; the character began ``depth`` bytes before."""
        operation = self._operations[entry >> STATE_BITS]
        late = tuple((register, change if change != BEFORE else -depth) for register, change in operation)
        if late not in self._numbers:
            self._numbers[late] = len(self._operations)
            self._operations.append(late)
        return self._numbers[late] << STATE_BITS | entry & (1 << STATE_BITS) - 1


def _without_surrogates(pieces: Pieces) -> Pieces:
    """Return the pieces with entry 0 for surrogates."""
    low, end = _SURROGATES
    behind = pieces[bisect_right(pieces, (end, _END << STATE_BITS)) - 1][1]
    before = [piece for piece in pieces if piece[0] < low]
    after = [piece for piece in pieces if piece[0] > end]
    return (*before, (low, 0), (end, behind), *after)


def _part(pieces: Pieces, low: int, end: int, begin: int, stop: int) -> Pieces:
    """Return the pieces from ``low`` to ``end``, relative to ``begin``, and entry 0 up to ``stop``."""
    result: list[tuple[int, int]] = [(0, 0)] if low > begin else []
    at = bisect_right(pieces, (low, _END << STATE_BITS)) - 1
    while at < len(pieces) and pieces[at][0] < end:
        start, entry = pieces[at]
        if not result or result[-1][1] != entry:
            result.append((max(start, low) - begin, entry))
        at += 1
    if end < stop and result[-1][1]:
        result.append((end - begin, 0))
    return tuple(result)
