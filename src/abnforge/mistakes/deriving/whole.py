"""What people write around the whole: white space and line ends, quotation marks, and further text."""

from __future__ import annotations

from abnforge.charset import ANY, CharSet, union
from abnforge.grammar.syntax import Element, Group, RuleName
from abnforge.mistakes.deriving.bodies import chars, literal, name, one, some
from abnforge.mistakes.deriving.delimiters import sign_of_rule
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.signs import BLANKS, QUOTES, UNSEEN, look_alikes
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import AFTER, BEFORE, WHATEVER, Slot, Text

_LINE_ENDS = CharSet.of("\r\n")

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
    # What comes after is meant first: white space before it may be a part of the rule.
    for place in (AFTER, BEFORE):
        say = f"{{all}} is not allowed {place} the {start}; remove it"
        drafting.add(f"space-{place}", (WHATEVER,), [[blank]], say, place=place, fix=(Text(""),))
    first = around.charset(around.shapes[around.start].first)
    own = first | union(look_alikes(mark) for mark in QUOTES if mark in first)
    opening = [(left, right) for left, right in WRAPPERS if left not in own]
    if opening:
        begin = drafting.helper("opening-around", *([one(literal(left))] for left, _ in opening))
        drafting.add(
            "wrapped",
            (WHATEVER,),
            [[name(begin.name), name(start), one(chars(CharSet.of("".join(right for _, right in opening))))]],
            f"{{{begin.name.lower()}}} is not allowed around the {start}; remove both delimiters",
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
    rest = drafting.helper("text-at-end", [some(chars(ANY), 1)])
    slot = Slot(rest.name.lower())
    drafting.add(
        "text-after",
        (WHATEVER,),
        [[name(start), name(rest.name)]],
        f"{{{slot}}} is not allowed after the {start}",
        blame=(slot,),
        cost=3,
        reach=0,
    )


def records(drafting: Drafting) -> None:
    """Where a text is many records one behind the other, such as lines: further text in one of them, and a
    record that cannot be read at all. What follows is read as if nothing had happened.
    """
    around = drafting.around
    for parent in _wholes(around):
        for site in around.sites(parent):
            if site.item.max is None:
                for element in _of_each(site.item.element):
                    if sign_of_rule(around, element) is None:
                        _record(drafting, element.name.lower())
            if isinstance(site.item.element, RuleName) and not site.depth:
                _line(drafting, site.item.element.name.lower())


def _wholes(around: Surroundings) -> list[str]:
    """The rule that a text is read by, and those that are alternatives of it."""
    found = dict.fromkeys([around.start])
    for key in (queue := [around.start]):
        for each in around.grammar.rules[key].elements.alternatives:
            item = each.items[0]
            if len(each.items) == 1 and isinstance(item.element, RuleName) and item.max == 1:
                named = item.element.name.lower()
                if named not in found:
                    found[named] = None
                    queue.append(named)
    return list(found)


def _record(drafting: Drafting, key: str) -> None:
    """The mistakes of one record, which ends where something else begins."""
    around = drafting.around
    if _line(drafting, key):
        return
    stops = around.charset(around.outer[key] & ~around.shapes[key].first)
    if not stops or key in around.recursive or around.shapes[key].longest <= 2:
        return
    rule = drafting.shown(key)
    inside = [key] if not around.shapes[key].nullable else _records_in(drafting, key)
    text = some(chars(~stops), 1)
    valid = f"valid{drafting.where(key)}" if drafting.is_part(key) else f"a valid {rule}"
    for each in inside:
        shown = drafting.shown(each)
        say = f"{{all}} is not allowed after the {shown}"
        drafting.once(f"text-after-{shown}", (each,), [[text]], say, place=AFTER, cost=3, reach=0)
    drafting.once(f"other-than-{rule}", (key,), [[text]], f"{{all}} is not {valid}", cost=3)


def _line(drafting: Drafting, key: str) -> bool:
    """The mistakes of a rule that has the end of its line in it; whether it is one."""
    around = drafting.around
    alternatives = around.grammar.rules[key].elements.alternatives
    end = alternatives[0].items[-1]
    shape = around.item(end)
    if len(alternatives) > 1 or len(alternatives[0].items) < 2 or shape.nullable:
        return False
    ends = around.bits(_LINE_ENDS)
    if shape.first & ~ends or key in around.recursive or not around.shapes[key].first & ~ends:
        return False
    rule = drafting.shown(key)
    code = f"other-than-{rule}"
    if drafting.has(code):
        return True
    text = drafting.helper(f"text-of-{rule}", [some(chars(~_LINE_ENDS), 1)])
    slot = Slot(text.name.lower())
    say = f"{{{slot}}} is not a valid {rule}"
    drafting.add(code, (key,), [[name(text.name), end]], say, blame=(slot,), cost=3)
    return True


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
