"""What people write around the whole: white space and line ends, quotation marks, and further text."""

from __future__ import annotations

from abnforge.charset import ANY, CharSet, union
from abnforge.explain.derive.builder import EMPTY, MistakeBuilder, chars, literal, name, one, quoted, some
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.derive.delimiters import sign_of_rule
from abnforge.explain.derive.runs import CharacterRun
from abnforge.explain.derive.signs import BLANKS, PUNCTUATION, QUOTES, UNSEEN, described, look_alikes
from abnforge.explain.mistakes import AFTER, ANY_RULE, BEFORE, Slot, Text
from abnforge.grammar.syntax import CharVal, Element, Group, NumVal, Repetition, RuleName

# Numbers of things: nothing at all, and too few or too many characters where they are counted (``4DIGIT``);
# and what a rule is without (``;@ except keyword``).
#
# Which are wrong nobody knows, so these have a place and no fix.


MAX_COUNTED = 256
"""Beyond that nobody counts."""


def counts(drafting: MistakeBuilder, key: str) -> None:
    """The mistakes of the numbers in one rule."""
    around = drafting.around
    rule, where = drafting.shown(key), drafting.where(key)
    seen: list[object] = []
    for site in around.sites(key):
        low, high = site.item.min, site.item.max
        shape = around.shape(site.item.element)
        if high is None or high < 2 or high > MAX_COUNTED or shape.longest != 1 or site.item in seen:
            continue
        seen.append(site.item)
        if not around.charset(shape.alone) - PUNCTUATION:
            continue  # a delimiter
        whole = site.last and site.depth == 0 and len(site.concatenation.items) == 1
        whole = whole and len(site.alternation.alternatives) == 1
        part = None if whole else site.item
        what = quoted(described(around.charset(shape.alone), several=True))
        # After one of their kind they are not all that the rule has: ``%x31-39 *2DIGIT``.
        before = site.concatenation.items[site.index - 1] if site.index else None
        more = " more" if before is not None and around.item(before).alone & shape.alone else ""
        number = f"{low}" if low == high else f"at most {high}"
        least = f"{low}" if low == high else f"at least {low}"
        if low > 1:
            drafting.add(
                f"too-few-in-{rule}",
                (key,),
                [[some(site.item.element, 1, low - 1)]],
                f"{{all}} must have {least}{more} {what}{where}",
                part=part,
            )
        if not site.after & shape.first:
            drafting.add(
                f"too-many-in-{rule}",
                (key,),
                [[some(site.item.element, high + 1)]],
                f"{{all}} must have {number}{more} {what}{where}",
                part=part,
                reach=high,
            )


def excepted(drafting: MistakeBuilder, key: str) -> None:
    """What the rule is without, in its place."""
    rule = drafting.shown(key)
    for each in drafting.around.grammar.rules[key].excepted:
        other = drafting.shown(each.name.lower())
        say = f"{{all}} is not allowed as {rule}; it is excluded as {other}"
        drafting.once(f"{other}-as-{rule}", (key,), [[Repetition(each)]], say)


def empty_mistakes(drafting: MistakeBuilder, key: str, found: list[CharacterRun], behind: bool) -> None:
    """Nothing where the rule, or a run in it, has to have something.

    ``behind`` tells whether the rule stands behind a delimiter, so that one sees where it should begin.
    """
    around = drafting.around
    rule = drafting.shown(key)
    for run in found:
        if run.item.min == 1 and not run.whole and not run.site.others:
            what = quoted(described(around.charset(run.shape.alone)))
            place = drafting.beside(drafting.uses(key, run.item)) or drafting.where(key)
            say = f"{what} is missing{place}"
            drafting.add(f"nothing-in-{rule}", (key,), [[EMPTY]], say, part=run.item, cost=2)
    if around.shapes[key].nullable or not around.shapes[key].first & ~around.bits(BLANKS):
        return
    if behind or key == around.start or any(run.last for run in found):
        say = f"{rule} is missing"
        if drafting.is_part(key):
            what = described(around.charset(around.shapes[key].first))
            say = f"{quoted(what)} is missing{drafting.where(key)}"
        drafting.add(f"missing-{rule}", (key,), [[EMPTY]], say, cost=2 if behind else 3)


def first_character_mistakes(drafting: MistakeBuilder, key: str) -> None:
    """What cannot even begin a rule that has to stand behind a delimiter, or the one that is read."""
    around = drafting.around
    rule = drafting.shown(key)
    if around.shapes[key].nullable or any(_is_one_of(around, parent, key) for parent in around.parents[key]):
        return  # the choice is the one to name
    stops = around.charset(around.outer[key])
    bad = ~(stops | around.charset(around.begun[key]))
    if bad:
        here = drafting.helper(f"first-here-in-{rule}", [one(chars(bad))])
        rest = drafting.helper(f"rest-of-{rule}", [some(chars(~stops))])
        slot = Slot(here.name.lower())
        where = f"at the start of {rule}"
        if drafting.is_part(key):
            where = f"{drafting.where(key)} here".strip()
        drafting.add(
            f"first-character-in-{rule}",
            (key,),
            [[name(here.name), name(rest.name)]],
            f"{{{slot}}} is not allowed {where}",
            blame=(slot,),
            cost=2,
            reach=0,
        )


def behind_signs(around: FollowSets, signs: frozenset[str]) -> frozenset[str]:
    """The rules that have to stand right behind a delimiter somewhere: one sees where they should begin.

    ``signs`` are the rules that are a delimiter alone.
    """
    blanks = around.bits(BLANKS)
    found: set[str] = set()
    for parent in around.names:
        for site in around.sites(parent):
            element = site.item.element
            if not isinstance(element, RuleName) or not site.index:
                continue
            before = site.concatenation.items[site.index - 1]
            named = before.element.name.lower() if isinstance(before.element, RuleName) else None
            if _ends_in_sign(before) or named in signs:
                found.add(element.name.lower())
    shapes = around.shapes
    return frozenset(key for key in found - signs if not shapes[key].nullable and shapes[key].first & ~blanks)


def _ends_in_sign(item: Repetition) -> bool:
    """Whether an item is a literal with a sign at its end, such as ``"q="``."""
    match item:
        case Repetition(CharVal(value=value), 1, 1):
            return value[-1:] in PUNCTUATION if value else False
        case Repetition(NumVal(values=(*_, last), is_range=False), 1, 1):
            return last in PUNCTUATION
        case _:
            return False


def _is_one_of(around: FollowSets, parent: str, key: str) -> bool:
    """Whether a rule is one of the alternatives of another."""
    alternatives = around.grammar.rules[parent].elements.alternatives
    return len(alternatives) > 1 and any(
        len(each.items) == 1
        and isinstance(each.items[0].element, RuleName)
        and each.items[0].element.name.lower() == key
        for each in alternatives
    )


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


def around_whole(drafting: MistakeBuilder) -> None:
    """The mistakes around the rule that a text is read by."""
    around = drafting.around
    start = drafting.shown(around.start)
    blank = some(chars(BLANKS | UNSEEN), 1)
    # What comes after is meant first: white space before it may be a part of the rule.
    for place in (AFTER, BEFORE):
        say = f"{{all}} is not allowed {place} the {start}; remove it"
        drafting.add(f"space-{place}", (ANY_RULE,), [[blank]], say, place=place, fix=(Text(""),))
    first = around.charset(around.shapes[around.start].first)
    own = first | union(look_alikes(mark) for mark in QUOTES if mark in first)
    opening = [(left, right) for left, right in WRAPPERS if left not in own]
    if opening:
        begin = drafting.helper("opening-around", *([one(literal(left))] for left, _ in opening))
        drafting.add(
            "wrapped",
            (ANY_RULE,),
            [[name(begin.name), name(start), one(chars(CharSet.of("".join(right for _, right in opening))))]],
            f"{{{begin.name.lower()}}} is not allowed around the {start}; remove both delimiters",
            blame=(Slot(begin.name.lower()),),
            fix=(Slot(around.start),),
            inner=frozenset({around.start}),
        )


def behind_whole(drafting: MistakeBuilder) -> None:
    """Text behind the end of the rule that a text is read by."""
    around = drafting.around
    start = drafting.shown(around.start)
    if around.shapes[around.start].nullable:
        return  # all of a text would be behind the empty one
    rest = drafting.helper("text-at-end", [some(chars(ANY), 1)])
    slot = Slot(rest.name.lower())
    drafting.add(
        "text-after",
        (ANY_RULE,),
        [[name(start), name(rest.name)]],
        f"{{{slot}}} is not allowed after the {start}",
        blame=(slot,),
        cost=3,
        reach=0,
    )


def records(drafting: MistakeBuilder) -> None:
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


def _wholes(around: FollowSets) -> list[str]:
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


def _record(drafting: MistakeBuilder, key: str) -> None:
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


def _line(drafting: MistakeBuilder, key: str) -> bool:
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


def _records_in(drafting: MistakeBuilder, key: str) -> list[str]:
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
