"""Whether a pattern without cuts says what an expression does: both brought to one form and compared.

Where every quantifier gives back, the order in which an engine tries makes no difference to what it accepts,
so identities of regular expressions hold. Those are used that the writer relies on: ``X{2}X{1,3}`` is
``X{3,5}``, ``S*(?:TS*)*`` is ``(?:S|T)*``. No automaton is asked: this serves rules that have too large a
one.
"""

from __future__ import annotations

from typing import Union

from abnforge.backends.regex.dialects import Dialect
from abnforge.backends.regex.reading import (
    NOTATIONS,
    Atomic,
    Branches,
    Loop,
    One,
    Part,
    Run,
    UnreadError,
    read,
)
from abnforge.backends.regex.tree import Alt, Cat, Group, Regex, Rep, Set, restricted
from abnforge.charset import CharSet

# A set of characters; parts one after the other; one of some parts; a part so many times.
_Form = Union[CharSet, "tuple[_Form, ...]", "frozenset[_Form]", "_Times"]


class _Times(tuple["_Form", int, "int | None"]):
    """A part, at least and at most so many times."""

    __slots__ = ()

    # A tuple of parts is a sequence, so that one must not be equal to the other.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Times) and tuple.__eq__(self, other)

    def __hash__(self) -> int:
        return hash(("times", *self))


def says(pattern: str, node: Regex, dialect: Dialect, anchored: bool) -> bool:
    """Whether a pattern, as its engines read it, is the expression, and nothing in it gives nothing back.

    False may also mean that it is another way to write the same. Cost: linear.
    """
    kept = restricted(node, dialect.alphabet)
    try:
        part = read(pattern, NOTATIONS[dialect.name], anchored)
        return kept is not None and _of_part(part) == _of_node(kept)
    except (UnreadError, _CutError):
        return False


class _CutError(Exception):
    """Something gives nothing back."""


def _of_part(part: Part) -> _Form:
    match part:
        case One(charset=charset):
            return charset
        case Run(items=items):
            return _sequence([_of_part(item) for item in items])
        case Branches(items=items):
            return _choice([_of_part(item) for item in items])
        case Loop(item=item, min=minimum, max=maximum, possessive=False):
            return _times(_of_part(item), minimum, maximum)
        case Loop() | Atomic():
            raise _CutError


def _of_node(node: Regex) -> _Form:
    match node:
        case Set(charset=charset):
            return charset
        case Cat(items=items):
            return _sequence([_of_node(item) for item in items])
        case Alt(items=items):
            return _choice([_of_node(item) for item in items])
        case Rep(item=item, min=minimum, max=maximum):
            return _times(_of_node(item), minimum, maximum)
        case Group(item=item):
            return _of_node(item)


def _sequence(items: list[_Form]) -> _Form:
    """Parts one after the other: the same part again as a count, what unrolls a loop as the loop."""
    flat: list[_Form] = []
    for item in items:
        parts = item if isinstance(item, tuple) and not isinstance(item, _Times) else (item,)
        for part in parts:
            flat.append(part)
            while len(flat) > 1 and (joined := _joined(flat[-2], flat[-1])) is not None:
                flat[-2:] = [joined]
    return flat[0] if len(flat) == 1 else tuple(flat)


def _joined(left: _Form, right: _Form) -> _Form | None:
    """Two parts as one: ``X{a,b}X{c,d}`` as ``X{a+c,b+d}``, ``S*(?:TS*)*`` as ``(?:S|T)*``."""
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
    """One of some parts, in any order."""
    found: set[_Form] = set()
    for item in items:
        found |= item if isinstance(item, frozenset) else {item}
    return found.pop() if len(found) == 1 else frozenset(found)


def _times(item: _Form, minimum: int, maximum: int | None) -> _Form:
    return item if (minimum, maximum) == (1, 1) else _Times((item, minimum, maximum))
