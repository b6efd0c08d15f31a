"""Everything that a generated file contains, in its final form, independent of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from abnforge.records import dataclass

if TYPE_CHECKING:
    from abnforge.automata.code_points import Operation

TABLE_FORMAT = 1
"""The version of the layout of rows, which headers of generated files show."""


@dataclass(frozen=True)
class FileHeading:
    """The origin of a generated file.

    ``title`` is the rule with its grammar (``rfc3986:URI``), ``name`` the base of identifiers (``uri``),
    ``grammar`` the grammar's name or the path of its file. ``sha256`` is the hexadecimal digest of the
    grammar's text. ``linked_sha256`` is that of other rules: imports, definitions of the caller, operands of
    a set; it is empty without any. ``command`` writes the file again; it is empty if it is not known.
    ``definition`` are the lines of the rule's definition. With ``of_bytes``, each byte of a string is a
    character; otherwise, strings are UTF-8.
    """

    title: str
    name: str
    grammar: str
    sha256: str
    linked_sha256: str
    version: str
    command: str
    definition: tuple[str, ...]
    of_bytes: bool = False


@dataclass(frozen=True)
class StackTables:
    """The actions of a recursive rule: changes of a stack of ``symbols`` symbols, numbered from 1.

    Actions follow the rows of states in the array of cells: places from ``CodeTables.cells`` on are actions.
    The walk performs actions until it arrives at a state, then reads the next byte. The action ``(symbol,
    place)`` pushes the symbol and continues at the place of a state. The action ``(0, place, place, ...)``
    pops a symbol, and continues at the place that the symbol numbers: a state or an action. The stack is
    never empty there.
    """

    symbols: int
    actions: Sequence[Sequence[int]]


@dataclass(frozen=True)
class CodeTables:
    """An automaton over bytes as a generated file contains it.

    A state is represented by its *place*, the number of the state times ``width``, so that
    ``cells[place + class_of[byte]]`` is the place of the next state. Places below ``points`` are between
    characters, the others are within a character. Place 0 is the dead state: no string continues there.
    ``cells[place]`` is the number of the operation that an arrival at the state performs.

    Operation n sets registers: each pair is a register and the change from the index of the last byte that
    was read to the new value (``CLEARED``: no place). A change above 0 is the end of the last character, any
    other change its beginning. ``finals`` are the registers of each part's start and end; ``final`` contains
    the number of the row for each state. The last two registers hold the length of the string and no place.

    ``pattern`` is a regular expression of Python that was proved to match exactly the strings of the rule,
    for a target that uses it. ``stack`` is None for a regular rule. The tables of a recursive rule do not
    have parts. If ``surrogates`` is true, lone surrogates have three bytes, as their neighbors have in UTF-8;
    else no string contains them.
    """

    heading: FileHeading
    class_of: Sequence[int]
    width: int
    rows: Sequence[Sequence[int]]
    start: int
    points: int
    accepting: Sequence[int]
    labels: Sequence[int]
    expected: Sequence[str]
    parts: Sequence[str] = ()
    operations: Sequence[Operation] = ((),)
    initial: Sequence[int] = ()
    final: Sequence[int] = ()
    finals: Sequence[Sequence[int]] = ((),)
    stack: StackTables | None = None
    pattern: str | None = None
    surrogates: bool = False

    @property
    def states(self) -> int:
        """The number of states, with the dead state."""
        return len(self.rows)

    @property
    def cells(self) -> int:
        """The number of cells of all states, after which the actions on the stack follow."""
        return len(self.rows) * self.width

    @property
    def lines(self) -> list[Sequence[int]]:
        """The rows of states, followed by the actions on the stack."""
        return [*self.rows, *(self.stack.actions if self.stack else ())]
