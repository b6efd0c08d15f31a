"""Regular rules as patterns, in the notation of any ``Dialect``."""

from __future__ import annotations

from abnforge.backends.regex.dialects import Dialect
from abnforge.backends.regex.messages import message
from abnforge.backends.regex.safety import After, Apart, is_possessive
from abnforge.backends.regex.tree import Alt, Cat, Group, Regex, Rep, Set, UnsafeError, has_group, restricted
from abnforge.charset import EMPTY

# Pieces that one repetition may be written in where an engine limits its count.
MAX_PIECES = 1_000


def write_pattern(
    node: Regex, dialect: Dialect, *, anchored: bool = False, apart: Apart | None = None
) -> str:
    """The pattern of an expression.

    Without anchors it is for functions that match the whole text and for nothing else: it may not be put
    into a larger pattern, since its quantifiers rely on what follows. A group is called after its rule
    (``path_abempty``), further ones of the same rule ``path_abempty_2``, ... Raises UnsafeError when a
    repetition could backtrack at length, unless the dialect's engines do not backtrack, or when the pattern
    grows too large.
    """
    kept = restricted(node, dialect.alphabet)
    if kept is None:
        raise UnsafeError(message("regex-alphabet", dialect=dialect.name))
    text = _Writer(dialect, apart).write(kept, After(EMPTY, None))
    return dialect.options + (f"{dialect.start}(?:{text}){dialect.end}" if anchored else text)


class _Writer:
    def __init__(self, dialect: Dialect, apart: Apart | None) -> None:
        self._dialect = dialect
        self._apart = apart
        self._names: set[str] = set()

    def write(self, node: Regex, after: After) -> str:
        match node:
            case Set(charset=charset):
                return self._dialect.character_class(charset)
            case Cat(items=items):
                afters = [after]
                for item in items[:0:-1]:
                    afters.append(afters[-1].behind(item))
                return "".join(map(self._part, items, reversed(afters)))
            case Alt(items=items):
                return "|".join(self.write(item, after) for item in items)
            case Rep():
                return self._repeat(node, after)
            case Group(key=key, item=item):
                return f"{self._open(key)}{self.write(item, after)})"

    def _open(self, key: str) -> str:
        """The beginning of a group, under a name that no other has."""
        assert self._dialect.group is not None, "named groups are not supported"
        number = 1
        while (name := self._dialect.identifier(key, number)) in self._names:
            number += 1
        self._names.add(name)
        return self._dialect.group.format(name)

    def _part(self, node: Regex, after: After) -> str:
        """A pattern that can stand in a sequence or before a quantifier's closing bracket."""
        text = self.write(node, after)
        return f"(?:{text})" if isinstance(node, Alt) else text

    def _atom(self, node: Regex, after: After) -> str:
        """A pattern that a quantifier can follow."""
        text = self.write(node, after)
        return text if isinstance(node, Set | Group) else f"(?:{text})"

    def _repeat(self, node: Rep, after: After) -> str:
        possessive = not self._dialect.linear and is_possessive(node, after, self._apart)
        inside = after.behind(Rep(node.item, 0, None)) if node.max != 1 else after
        if possessive and node.max is None and node.min <= 1 and isinstance(node.item, Alt):
            sets = [item for item in node.item.items if isinstance(item, Set)]
            if sets and (node.min == 0 or not has_group(node.item)):
                return self._unrolled(node.min, node.item, sets[0], inside)
        atom = self._atom(node.item, inside)
        plus = self._plus(node.item) if possessive else ""
        counts = self._counts(node)
        return "".join(atom + _quantifier(*count) + plus for count in counts)

    def _unrolled(self, minimum: int, item: Alt, charset: Set, inside: After) -> str:
        """``*(S / T)`` with a set S as ``[S]*+(?:T[S]*+)*+``.

        Engines that backtrack keep a frame, or some bytes, for every turn of a group: here only for T.
        """
        run = f"{self._dialect.character_class(charset.charset)}*{self._plus(charset)}"
        others = [other for other in item.items if other is not charset]
        turns = "|".join(self.write(other, inside) for other in others)
        if len(others) > 1:
            turns = f"(?:{turns})"
        loop = f"{run}(?:{turns}{run})*{self._plus(item)}"
        return loop if minimum == 0 else self._part(item, inside) + loop

    def _plus(self, item: Regex) -> str:
        """What makes a quantifier of an item give nothing back, where the dialect has that."""
        able = self._dialect.possessive and (self._dialect.possessive_groups or not has_group(item))
        return "+" if able else ""

    def _counts(self, node: Rep) -> list[tuple[int, int | None]]:
        """The counts of a repetition in pieces that the dialect can count to."""
        highest = max(node.min, node.max or 0)
        if self._dialect.max_count is None:
            return [(node.min, node.max)]
        most = max(1, self._dialect.max_count // _nested(node.item))
        if highest <= most:
            return [(node.min, node.max)]
        pieces_limit = 1 if has_group(node.item) else MAX_PIECES  # a name stands for one place
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
    """The highest product of counts of repetitions within one another."""
    match node:
        case Set():
            return 1
        case Cat(items=items) | Alt(items=items):
            return max(map(_nested, items), default=1)
        case Rep(item=item, min=minimum, max=maximum):
            return max(1, minimum, maximum or 0) * _nested(item)
        case Group(item=item):
            return _nested(item)


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
