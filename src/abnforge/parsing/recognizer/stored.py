"""Configurations that are known before a text is read: the beginning of a rule's automaton, stored.

The configurations of a rule are the states of a deterministic automaton without end (``configurations``).
What people write leads to few of them, so these are explored when a bundled grammar is built
(``exploring``), and a first text is read along a table. Each is known by a text that leads to it: where the
table ends, a machine reads that text and goes on.

Classes of characters have letters. What is stored of a configuration is looked at when a text comes there:
``+`` if the text may end there, the letter and the number of how it is first reached; then its moves, letters
and a number each; then the letters of what leads elsewhere. Other characters cannot be read. The first
configuration is the start.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from abnforge.charset import AlphabetCompressor

# Characters that are read between two translations.
_PIECE = 1 << 14

BETWEEN = ";"

# None of those that a row is cut at, nor of those that JSON writes with more than one character.
_LETTERS = string.ascii_letters + string.digits + "!#$%&'()*./<=>?@[]^_`{|}~"


def letter_of(number: int) -> str:
    """What a class of characters is called, by its number."""
    return _LETTERS[number] if number < len(_LETTERS) else chr(0x100 + number)


class State(dict[str, "State"]):
    """A stored configuration; as a dict, the next ones by letter, filled when it is first left.

    ``accepting``: the text may end here. ``access``: the configuration before, and the letter that leads from
    there; None at the start. ``beyond``: the letters that lead to what is not stored.
    """

    __slots__ = ("_row", "_stored", "accepting", "access", "beyond")

    def __init__(self, stored: Stored, row: str) -> None:
        super().__init__()
        self._stored = stored
        head, *self._row = row.split(" ")
        self.accepting = head[0] == "+"
        self.access = (int(head[2:]), head[1]) if len(head) > 1 else None
        self.beyond = ""

    def __missing__(self, letter: str) -> State:
        # Another thread may fill it at the same time: looked at in this order, nothing is missed.
        row = self._row
        found = self.get(letter)
        if found is not None:
            return found
        if not row:
            raise KeyError(letter)
        moves, self.beyond = row
        for move in moves.split(",") if moves else ():
            letters, target = move.split(":")
            self.update(dict.fromkeys(letters, self._stored.state(int(target))))
        self._row = []
        return self[letter]


class Stored:
    """The stored configurations of one rule. Safe for several threads."""

    def __init__(self, starts: Sequence[int], letters: str, rows: Sequence[str]) -> None:
        self._table = AlphabetCompressor(starts, list(map(ord, letters)))
        self._starts = starts
        self._letters = letters
        self._rows = rows
        self._states: dict[int, State] = {}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], key: str) -> Stored | None:
        """What is stored of a rule, read back from what ``exploring.to_data`` gave; None if nothing is."""
        rows = data["rules"].get(key)
        return None if rows is None else cls(data["starts"], data["letters"], rows.split(BETWEEN))

    def state(self, number: int) -> State:
        """The configuration of a number; 0 is the start."""
        found = self._states.get(number)
        if found is None:
            found = self._states.setdefault(number, State(self, self._rows[number]))
        return found

    def read(self, text: str) -> tuple[bool, tuple[str, str] | None]:
        """Whether the rule derives a text; or, where that leads to what is not stored, a text that leads to
        where it stopped, and what is left to be read behind it.

        Cost: linear.
        """
        state = self.state(0)
        for begin in range(0, len(text), _PIECE):
            piece: Any = iter(text[begin : begin + _PIECE].translate(self._table))
            try:
                for letter in piece:
                    state = state[letter]
            except KeyError:
                if letter not in state.beyond:
                    return False, None
                left: int = piece.__length_hint__()
                end = min(begin + _PIECE, len(text)) - left - 1
                return False, (self._access(state), text[end:])
        return state.accepting, None

    def _access(self, state: State) -> str:
        chars = []
        while state.access is not None:
            before, letter = state.access
            chars.append(chr(self._starts[self._letters.index(letter)]))
            state = self.state(before)
        return "".join(reversed(chars))
