"""Regular rules as patterns for Python's ``re`` (3.11 and later), for ``fullmatch`` only."""

from __future__ import annotations

from collections import Counter

from abnforge.backends.regex_tree import (
    Alt,
    Cat,
    Group,
    Regex,
    Rep,
    Set,
    first,
    follows,
    is_possessive,
)
from abnforge.charset import EMPTY, CharSet


def python_pattern(node: Regex) -> str:
    """The pattern of an expression.

    A group is called after its rule (``path_abempty``), further ones of the same rule ``path_abempty_2``, ...
    Raises Unsafe when a repetition could backtrack at length. CPython's ``re`` keeps a frame for every turn
    of a group, so ``*(S / T)`` with a set S is written ``[S]*+(?:T[S]*+)*+``: turns only for T.
    """
    return _Writer().write(node, EMPTY)


class _Writer:
    def __init__(self) -> None:
        self._groups: Counter[str] = Counter()

    def write(self, node: Regex, follow: CharSet) -> str:
        match node:
            case Set(charset=charset):
                return character_class(charset)
            case Cat(items=items):
                return "".join(map(self._part, items, follows(items, follow)))
            case Alt(items=items):
                return "|".join(self.write(item, follow) for item in items)
            case Rep():
                return self._repeat(node, follow)
            case Group(key=key, item=item):
                name = key.replace("-", "_")
                self._groups[name] += 1
                number = self._groups[name]
                return f"(?P<{name if number == 1 else f'{name}_{number}'}>{self.write(item, follow)})"

    def _part(self, node: Regex, follow: CharSet) -> str:
        """A pattern that can stand in a sequence or before a quantifier's closing bracket."""
        text = self.write(node, follow)
        return f"(?:{text})" if isinstance(node, Alt) else text

    def _atom(self, node: Regex, follow: CharSet) -> str:
        """A pattern that a quantifier can follow."""
        text = self.write(node, follow)
        return text if isinstance(node, Set | Group) else f"(?:{text})"

    def _repeat(self, node: Rep, follow: CharSet) -> str:
        possessive = is_possessive(node, follow)
        inside = first(node.item) | follow if node.max != 1 else follow
        if possessive and node.max is None and isinstance(node.item, Alt):
            sets = [item for item in node.item.items if isinstance(item, Set)]
            others = [item for item in node.item.items if not isinstance(item, Set)]
            if sets and node.min <= 1:
                run = character_class(sets[0].charset) + "*+"
                turns = "|".join(self.write(item, inside) for item in others)
                loop = f"{run}(?:{turns}{run})*+" if len(others) == 1 else f"{run}(?:(?:{turns}){run})*+"
                return loop if node.min == 0 else self._part(node.item, inside) + loop
        return self._atom(node.item, inside) + _quantifier(node.min, node.max) + ("+" if possessive else "")


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


def character_class(charset: CharSet) -> str:
    """A set as ``re`` reads it: a class, or a single character, escaped."""
    if len(charset) == 1:
        text = charset.to_class()
        if text.isalnum() or text in "!\"%&',/:;<=>@_`~":
            return text
    return f"[{charset.to_class()}]"
