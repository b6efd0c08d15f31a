"""Numbers of things: nothing at all, and too few or too many characters where they are counted (``4DIGIT``);
and what a rule is without (``;@ except keyword``).

Which are wrong nobody knows, so these have a place and no fix.
"""

from __future__ import annotations

from abnforge.grammar.syntax import CharVal, NumVal, Repetition, RuleName
from abnforge.mistakes.deriving.bodies import EMPTY, chars, name, one, some
from abnforge.mistakes.deriving.drafting import Drafting, quoted
from abnforge.mistakes.deriving.runs import Run
from abnforge.mistakes.deriving.signs import BLANKS, PUNCTUATION, described
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import Slot

MAX_COUNTED = 256
"""Beyond that nobody counts."""


def counts(drafting: Drafting, key: str) -> None:
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
                f"{{all}} is too short{where}; use {least}{more} {what}",
                part=part,
            )
        if not site.after & shape.first:
            drafting.add(
                f"too-many-in-{rule}",
                (key,),
                [[some(site.item.element, high + 1)]],
                f"{{all}} is too long{where}; use {number}{more} {what}",
                part=part,
                reach=high,
            )


def excepted(drafting: Drafting, key: str) -> None:
    """What the rule is without, in its place."""
    rule = drafting.shown(key)
    for each in drafting.around.grammar.rules[key].excepted:
        other = drafting.shown(each.name.lower())
        say = f"{{all}} is not allowed as {rule}; it is excluded as {other}"
        drafting.once(f"{other}-as-{rule}", (key,), [[Repetition(each)]], say)


def nothing(drafting: Drafting, key: str, found: list[Run], behind: bool) -> None:
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


def beginning(drafting: Drafting, key: str) -> None:
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


def behind_signs(around: Surroundings, signs: frozenset[str]) -> frozenset[str]:
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


def _is_one_of(around: Surroundings, parent: str, key: str) -> bool:
    """Whether a rule is one of the alternatives of another."""
    alternatives = around.grammar.rules[parent].elements.alternatives
    return len(alternatives) > 1 and any(
        len(each.items) == 1
        and isinstance(each.items[0].element, RuleName)
        and each.items[0].element.name.lower() == key
        for each in alternatives
    )
