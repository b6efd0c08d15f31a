"""Which alternatives others cover, as ``reg-name`` covers ``IPv4address``: they change no language.

Most alternatives share nothing, and that is seen without a question: what begins with other characters, or
has another length, or other characters in it, covers nothing. Strings of characters are compared place by
place. So a list of a thousand words asks no automaton anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from abnforge.budget import Meter
from abnforge.charset import CharSet, disjoint
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Node, Seq
from abnforge.grammar.facts import LanguageBounds, bounds_of

# Steps for the alternatives of one choice. When they are used up, the alternatives that are left are kept,
# which changes the pattern but not what it accepts.
MAX_COVERING_STEPS = 300_000
# What comparing two shapes costs, in steps.
_SHAPE_COST = 15

_Places = dict[CharSet, dict[int | None, list[int]]]

# Whether the first language is a part of the second.
Covers = Callable[[Node, Node, Meter], bool]


def uncovered(
    items: Sequence[Node], shapes: Mapping[str, LanguageBounds], covers: Covers, meter: Meter
) -> list[int]:
    """The places of the alternatives that no later one covers.

    ``shapes`` are those of the rules by key. A set of characters covers none: it becomes a part of
    one set with its neighbours anyway. Cost: linear for alternatives that begin differently.
    """
    part = meter.part("comparing alternatives", MAX_COVERING_STEPS, "MAX_COVERING_STEPS")
    known = [bounds_of(item, shapes) for item in items]
    words = [_word(item) for item in items]
    # First characters -> length -> places of the alternatives that begin so, in ascending order.
    places: _Places = {}
    others: _Places = {}  # the same without words
    last: dict[tuple[CharSet, ...], int] = {}
    for place, (item, shape, word) in enumerate(zip(items, known, words, strict=True)):
        if isinstance(item, Chars):
            continue
        places.setdefault(shape.first, {}).setdefault(shape.length, []).append(place)
        if word is None:
            others.setdefault(shape.first, {}).setdefault(shape.length, []).append(place)
        else:
            last[word] = place
    letters = {letter for word in words if word is not None for letter in word}
    # Where no letter is in another one, a word covers nothing but itself.
    apart = disjoint(letters)

    inside: dict[tuple[CharSet, CharSet], bool] = {}

    def is_inside(one: CharSet, other: CharSet) -> bool:
        """Whether all characters of one set are in another; the letters of words are few."""
        if (one, other) not in inside:
            inside[one, other] = one == other or one & other == one
        return inside[one, other]

    def is_covered(place: int) -> bool:
        own, word = known[place], words[place]
        if apart and word is not None and last.get(word, place) > place:
            return True
        for first, by_length in (others if apart and word is not None else places).items():
            part.charge()
            if own.first and own.first.min() not in first:
                continue
            for length in dict.fromkeys((own.length, None)):
                for other in by_length.get(length, ()):
                    part.charge()
                    if other <= place:
                        continue
                    longer = words[other]
                    if word is not None and longer is not None:
                        if len(word) == len(longer) and all(map(is_inside, word, longer)):
                            return True
                        continue
                    part.charge(_SHAPE_COST)
                    if _may_cover(known[other], own) and covers(items[place], items[other], part):
                        return True
        return False

    kept: list[int] = []
    for place in range(len(items)):
        try:
            if is_covered(place):
                continue
        except LimitExceeded as error:
            if error.setting != part.setting:
                raise
            return [*kept, *range(place, len(items))]
        kept.append(place)
    return kept


def _word(item: Node) -> tuple[CharSet, ...] | None:
    """The characters of each place of a string; None for anything else."""
    if isinstance(item, Chars):
        return (item.charset,)
    if isinstance(item, Seq) and all(isinstance(part, Chars) for part in item.items):
        return tuple(part.charset for part in item.items if isinstance(part, Chars))
    return None


def _may_cover(shape: LanguageBounds, own: LanguageBounds) -> bool:
    """Whether nothing known excludes that a language of a shape holds all of another one."""
    if shape.length is not None and shape.length != own.length:
        return False
    if own.nullable and not shape.nullable:
        return False
    return own.first & shape.first == own.first and own.alphabet & shape.alphabet == own.alphabet
