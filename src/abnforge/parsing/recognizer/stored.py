"""Stored configurations: the beginning of a rule's automaton, explored at build time.

The configurations of a rule are the states of an infinite deterministic automaton (``configurations``).
Ordinary strings reach few of them. ``tools/build_grammars.py`` explores these for built-in grammars, so the
first string is already parsed along a table. Each stored configuration has an access string; where the table
ends, a machine parses this string and continues.

A row is decoded when a string first reaches it. It begins with ``+`` if the string can end here, followed by
its access: a letter, which represents a character class, and the number of the previous configuration. Its
moves follow, each as letters and a number, then the letters of moves to configurations that are not stored.
Other characters are rejected. The first row is the start.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from abnforge.charset import AlphabetCompressor

# The number of characters translated at a time.
_PIECE = 1 << 14

BETWEEN = ";"

# These do not include separators of rows, or characters that JSON escapes.
_LETTERS = string.ascii_letters + string.digits + "!#$%&'()*./<=>?@[]^_`{|}~"


def letter_of(number: int) -> str:
    """Return the letter of a character class."""
    return _LETTERS[number] if number < len(_LETTERS) else chr(0x100 + number)


class StoredState(dict[str, "StoredState"]):
    """A stored configuration; the dict maps letters to the next ones and is filled on first use.

    ``accepting`` means that the string can end here. ``access`` is the number of the previous configuration
    and the letter of the move from it, or None at the start. ``beyond`` has the letters of moves that are not
    stored.
    """

    __slots__ = ("_row", "_stored", "accepting", "access", "beyond")

    def __init__(self, stored: Stored, row: str) -> None:
        super().__init__()
        self._stored = stored
        head, *self._row = row.split(" ")
        self.accepting = head[0] == "+"
        self.access = (int(head[2:]), head[1]) if len(head) > 1 else None
        self.beyond = ""

    def __missing__(self, letter: str) -> StoredState:
        # Another thread can fill the dict concurrently; reading the row first ensures that no entry is
        # missed.
        row = self._row
        following = self.get(letter)
        if following is not None:
            return following
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
        self._states: dict[int, StoredState] = {}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], key: str) -> Stored | None:
        """Return the stored configurations of a rule from the built data, or None."""
        rows = data["rules"].get(key)
        return None if rows is None else cls(data["starts"], data["letters"], rows.split(BETWEEN))

    def state(self, number: int) -> StoredState:
        """Return the configuration with a number; 0 is the start."""
        state = self._states.get(number)
        if state is None:
            state = self._states.setdefault(number, StoredState(self, self._rows[number]))
        return state

    def read(self, text: str) -> tuple[bool, tuple[str, str] | None]:
        """Return whether the rule derives a string.

        If it leads to a configuration that is not stored, return an access string of the last stored one, and
        the unread rest. Complexity: linear.
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

    def _access(self, state: StoredState) -> str:
        chars = []
        while state.access is not None:
            before, letter = state.access
            chars.append(chr(self._starts[self._letters.index(letter)]))
            state = self.state(before)
        return "".join(reversed(chars))
