"""Content between brackets that the grammar does not allow there."""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.mistakes.deriving.bodies import chars, name, some, text
from abnforge.mistakes.deriving.delimiters import Delimiter
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.signs import PAIRS
from abnforge.mistakes.model import Slot


def content(drafting: Drafting, key: str, found: list[Delimiter]) -> None:
    """Anything between the brackets of a rule that is these and what is in them: a place, and no fix.

    Of rules that recurse any text would have as many of it as it likes, so they have none.
    """
    around = drafting.around
    if key in around.recursive or len(found) != 2 or any(each.site.depth for each in found):
        return
    first, last = found
    items = first.site.concatenation.items
    if PAIRS.get(first.sign) != last.sign or first.site.index or last.site.index != len(items) - 1:
        return
    if len(first.site.alternation.alternatives) > 1 or around.sequence(items[1:-1]).longest < 2:
        return
    rule = drafting.shown(key)
    other = ~(
        CharSet.of(last.sign) | (around.charset(around.outer[key]) - around.charset(around.shapes[key].alone))
    )
    inside = drafting.helper(f"content-of-{rule}", [some(chars(other), 1)])
    slot = Slot(inside.name.lower())
    drafting.add(
        f"content-in-{rule}",
        (key,),
        [[text(first.sign), name(inside.name), text(last.sign)]],
        f"{{{slot}}} is not allowed between the brackets of {rule}",
        blame=(slot,),
    )
