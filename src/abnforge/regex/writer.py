"""Write expressions as patterns in the notation of a ``Dialect``."""

from __future__ import annotations

from abnforge.charset import EMPTY
from abnforge.regex.ast import (
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    children,
    has_group,
    restricted,
)
from abnforge.regex.dialects import Dialect
from abnforge.regex.errors import UnsafeError
from abnforge.regex.messages import message
from abnforge.regex.safety import After, Apart, is_possessive

# Pieces of one iteration if an engine limits its count.
MAX_PIECES = 1_000


def write_pattern(
    node: Regex, dialect: Dialect, *, anchored: bool = False, apart: Apart | None = None
) -> str:
    """Return the pattern of an expression.

    A pattern without anchors is for functions that match the whole input only: its quantifiers depend on the
    continuation, so it must not be part of a larger pattern. A group is named after its rule
    (``path_abempty``), the next ones of the same rule ``path_abempty_2``, ... Raises UnsafeError if an
    iteration could backtrack at length, unless the engines of the dialect do not backtrack, or if the pattern
    grows too large.
    """
    expression = restricted(node, dialect.alphabet)
    if expression is None:
        raise UnsafeError(message("regex-alphabet", dialect=dialect.name))
    text = _Writer(dialect, apart).write(expression, After(EMPTY, None))
    return dialect.options + (f"{dialect.start}(?:{text}){dialect.end}" if anchored else text)


class _Writer:
    def __init__(self, dialect: Dialect, apart: Apart | None) -> None:
        self._dialect = dialect
        self._apart = apart
        self._names: set[str] = set()

    def write(self, node: Regex, after: After) -> str:
        match node:
            case CharacterClass(charset=charset):
                return self._dialect.character_class(charset)
            case Concat(items=items):
                afters = [after]
                for item in items[:0:-1]:
                    afters.append(afters[-1].behind(item))
                return "".join(map(self._part, items, reversed(afters)))
            case Alternatives(items=items):
                return "|".join(self.write(item, after) for item in items)
            case Iteration():
                return self._repeat(node, after)
            case NamedGroup(key=key, item=item):
                return f"{self._open(key)}{self.write(item, after)})"
        raise AssertionError("atomic groups and assertions are not from a rule")

    def _open(self, key: str) -> str:
        """Return the beginning of a group with a unique name."""
        assert self._dialect.group is not None, "named groups are not supported"
        number = 1
        while (name := self._dialect.identifier(key, number)) in self._names:
            number += 1
        self._names.add(name)
        return self._dialect.group.format(name)

    def _part(self, node: Regex, after: After) -> str:
        """Return a pattern for a concatenation."""
        text = self.write(node, after)
        return f"(?:{text})" if isinstance(node, Alternatives) else text

    def _atom(self, node: Regex, after: After) -> str:
        """Return a pattern that a quantifier can follow."""
        text = self.write(node, after)
        return text if isinstance(node, CharacterClass | NamedGroup) else f"(?:{text})"

    def _repeat(self, node: Iteration, after: After) -> str:
        possessive = not self._dialect.linear and is_possessive(node, after, self._apart)
        inside = after.behind(Iteration(node.item, 0, None)) if node.max != 1 else after
        if possessive and node.max is None and node.min <= 1 and isinstance(node.item, Alternatives):
            sets = [item for item in node.item.items if isinstance(item, CharacterClass)]
            if sets and (node.min == 0 or not has_group(node.item)):
                return self._unrolled(node.min, node.item, sets[0], inside)
        atom = self._atom(node.item, inside)
        plus = self._plus(node.item) if possessive else ""
        counts = self._counts(node)
        return "".join(atom + _quantifier(*count) + plus for count in counts)

    def _unrolled(self, minimum: int, item: Alternatives, charset: CharacterClass, inside: After) -> str:
        """Write ``*(S / T)`` with a set S as ``[S]*+(?:T[S]*+)*+``.

        Engines that backtrack keep a frame, or some bytes, for each turn of a group: here only for T.
        """
        run = f"{self._dialect.character_class(charset.charset)}*{self._plus(charset)}"
        others = [other for other in item.items if other is not charset]
        turns = "|".join(self.write(other, inside) for other in others)
        if len(others) > 1:
            turns = f"(?:{turns})"
        loop = f"{run}(?:{turns}{run})*{self._plus(item)}"
        return loop if minimum == 0 else self._part(item, inside) + loop

    def _plus(self, item: Regex) -> str:
        """Return the suffix of a possessive quantifier, if the dialect has one."""
        has_suffix = self._dialect.possessive and (self._dialect.possessive_groups or not has_group(item))
        return "+" if has_suffix else ""

    def _counts(self, node: Iteration) -> list[tuple[int, int | None]]:
        """Return the counts of an iteration, in pieces that the dialect supports."""
        highest = max(node.min, node.max or 0)
        if self._dialect.max_count is None:
            return [(node.min, node.max)]
        most = max(1, self._dialect.max_count // _nested(node.item))
        if highest <= most:
            return [(node.min, node.max)]
        pieces_limit = 1 if has_group(node.item) else MAX_PIECES  # a name occurs once
        if highest > most * pieces_limit:
            count = self._dialect.max_count
            raise UnsafeError(
                message("regex-count", dialect=self._dialect.name, most=count, limit=pieces_limit)
            )
        pieces: list[tuple[int, int | None]] = [(most, most)] * (node.min // most)
        if node.min % most:
            pieces.append((node.min % most, node.min % most))
        if node.max is None:
            return [*pieces, (0, None)]
        optional = node.max - node.min
        pieces += [(0, most)] * (optional // most)
        return [*pieces, (0, optional % most)] if optional % most else pieces


def _nested(node: Regex) -> int:
    """Return the highest product of the counts of nested iterations."""
    highest = max(map(_nested, children(node)), default=1)
    return max(1, node.min, node.max or 0) * highest if isinstance(node, Iteration) else highest


def _quantifier(minimum: int, maximum: int | None) -> str:
    match minimum, maximum:
        case 0, 1:
            return "?"
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case _ if minimum == maximum:
            return f"{{{minimum}}}"
    return f"{{{minimum},{'' if maximum is None else maximum}}}"
