"""A form of definitions in which what is written in another way, and says the same, is equal."""

from __future__ import annotations

from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.model import Alternation, CharVal, Element, Group, NumVal, Option, Repetition, RuleName
from abnforge.charset import CharSet
from abnforge.records import NamedTuple


def normal_form(alternation: Alternation) -> object:
    """Return a form that is the same for two ways of writing one definition.

    Single characters, however written, become one set; references to core rules that are such sets
    are replaced by them. Brackets that change nothing are gone, and an option is a repetition. Anything
    further that is equivalent may still differ.
    """
    chars = CharSet()
    rest: list[tuple[object, ...]] = []
    for alternative in alternation.alternatives:
        items = tuple(part for item in alternative.items for part in _normal_item(item))
        if len(items) == 1 and isinstance(items[0], CharSet):
            chars |= items[0]
        elif len(items) == 1 and isinstance(items[0], _Choice):
            chars |= items[0].chars
            rest += items[0].rest
        else:
            rest.append(items)
    return _Choice(chars, tuple(rest)) if rest else chars


class _Choice(NamedTuple):
    """Alternatives: those of one character, and the others in order, each a sequence."""

    chars: CharSet
    rest: tuple[tuple[object, ...], ...]


def _normal_item(item: Repetition) -> tuple[object, ...]:
    """What an item contributes to its concatenation: each character of a string on its own."""
    normal = _normal_element(item.element)
    return normal if (item.min, item.max) == (1, 1) else ((normal, item.min, item.max),)


def _normal_element(element: Element) -> tuple[object, ...]:
    match element:
        case Group(alternation):
            normal = normal_form(alternation)
            if isinstance(normal, _Choice) and not normal.chars and len(normal.rest) == 1:
                return normal.rest[0]
            return (normal,)
        case Option(alternation):
            return ((_normal_element(Group(alternation)), 0, 1),)
        case NumVal(values=values, is_range=True):
            return (CharSet.from_ranges([(values[0], values[1])]) if values[0] <= values[1] else CharSet(),)
        case NumVal(values=values):
            return tuple(CharSet(((value, value),)) for value in values)
        case CharVal(charsets=charsets):
            return charsets
        case RuleName(name=name):
            core = core_rules().get(name.lower())
            normal = normal_form(core.elements) if core else None
            return (normal if isinstance(normal, CharSet) else name.lower(),)
        case _:
            return (element,)
