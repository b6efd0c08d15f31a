"""What people write around the whole: white space and line ends, quotation marks, and further text."""

from __future__ import annotations

from abnforge.abnf.model import Element, Group, RuleName
from abnforge.charset import ANY, CharSet
from abnforge.mistakes.deriving.bodies import chars, literal, name, one, some
from abnforge.mistakes.deriving.delimiters import sign_of_rule
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.signs import BLANKS, UNSEEN
from abnforge.mistakes.model import AFTER, BEFORE, WHATEVER, Slot, Text

WRAPPERS = (
    ('"', '"'),
    ("'", "'"),
    ("<", ">"),
    ("`", "`"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\xab", "\xbb"),
)
"""What stands around a text that was copied with its quotation marks (RFC 3986, appendix C)."""


def around_whole(drafting: Drafting) -> None:
    """The mistakes around the rule that a text is read by."""
    around = drafting.around
    start = drafting.shown(around.start)
    blank = some(chars(BLANKS | UNSEEN), 1)
    drafting.add(
        "space-before",
        (WHATEVER,),
        [[blank]],
        f"white space stands before the {start}",
        place=BEFORE,
        fix=(Text(""),),
    )
    drafting.add(
        "space-after",
        (WHATEVER,),
        [[blank]],
        f"white space stands behind the {start}",
        place=AFTER,
        fix=(Text(""),),
    )
    first = around.charset(around.shapes[around.start].first)
    opening = [(left, right) for left, right in WRAPPERS if left not in first]
    if opening:
        begin = drafting.helper("opening-around", *([one(literal(left))] for left, _ in opening))
        drafting.add(
            "wrapped",
            (WHATEVER,),
            [[name(begin.name), name(start), one(chars(CharSet.of("".join(right for _, right in opening))))]],
            f"{{{begin.name.lower()}}} stands around the {start}, and is not part of it",
            blame=(Slot(begin.name.lower()),),
            fix=(Slot(around.start),),
            inner=frozenset({around.start}),
        )


def behind_whole(drafting: Drafting) -> None:
    """Text behind the end of the rule that a text is read by."""
    around = drafting.around
    start = drafting.shown(around.start)
    if around.shapes[around.start].nullable:
        return  # all of a text would be behind the empty one
    rest = drafting.helper("text-behind", [some(chars(ANY), 1)])
    slot = Slot(rest.name.lower())
    drafting.add(
        "text-after",
        (WHATEVER,),
        [[name(start), name(rest.name)]],
        f"the {start} ends before {{{slot}}}",
        blame=(slot,),
        cost=3,
    )


def records(drafting: Drafting) -> None:
    """Where a text is many records one behind the other, such as lines: further text in one of them, and a
    record that cannot be read at all. What follows is read as if nothing had happened.
    """
    around = drafting.around
    repeated = dict.fromkeys(
        element.name.lower()
        for site in around.sites(around.start)
        if site.item.max is None
        for element in _of_each(site.item.element)
        if sign_of_rule(around, element) is None
    )
    for key in repeated:
        stops = around.charset(around.outer[key] & ~around.shapes[key].first)
        if not stops or key in around.recursive or around.shapes[key].longest <= 2:
            continue
        rule = drafting.shown(key)
        inside = [key] if not around.shapes[key].nullable else _records_in(drafting, key)
        text = some(chars(~stops), 1)
        for each in inside:
            shown = drafting.shown(each)
            drafting.add(
                f"text-after-{shown}",
                (each,),
                [[text]],
                f"the {shown} ends before {{all}}",
                place=AFTER,
                cost=3,
            )
        say = f"{{all}} cannot be read as {rule}"
        drafting.add(f"other-than-{rule}", (key,), [[text]], say, cost=3)


def _of_each(element: Element) -> list[RuleName]:
    """The rules that every iteration of a repetition needs."""
    if isinstance(element, RuleName):
        return [element]
    if not isinstance(element, Group):
        return []
    return [
        item.element
        for each in element.alternation.alternatives
        for item in each.items
        if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1)
    ]


def _records_in(drafting: Drafting, key: str) -> list[str]:
    """The rules that the alternatives of a rule that may be empty are about."""
    around = drafting.around
    found: dict[str, None] = {}
    for site in around.sites(key):
        element = site.item.element
        if isinstance(element, RuleName) and not site.depth and (site.item.min, site.item.max) == (1, 1):
            named = element.name.lower()
            if not around.shapes[named].nullable:
                found[named] = None
    return list(found)
