"""Delimiters that are missing, where their place can be seen: from what follows, or from white space there.

Of white space between two things one sees that something is missing, and often not what: a fix is derived
for separators of lists where white space may stand beside them, and for other signs where it may not stand
at all. Other readings are asked whether they would mend it otherwise (``Mistake.doubtful``).
"""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.grammar.syntax import Element, Repetition, RuleName
from abnforge.mistakes.deriving.bodies import EMPTY, chars, some
from abnforge.mistakes.deriving.delimiters import CLEAR, MAX_USES, PARTLY, UNCLEAR, Delimiter, Uses
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.signs import BLANKS, DIGITS, PAIRS, QUOTES, SEPARATORS, SPACES
from abnforge.mistakes.deriving.surroundings import Site, Surroundings
from abnforge.mistakes.model import ALL, START, Part, Slot, Text


def missing(drafting: Drafting, uses: Uses) -> None:
    """The mistakes of a sign of one rule where it is not there."""
    around = drafting.around
    if len(uses.uses) > MAX_USES:
        return
    if all(each.pair for each in uses.uses):
        _of_pair(drafting, uses)
        return
    between = [each for each in uses.uses if _is_between(around, each)]
    if any(not each.site.optional and each not in between for each in uses.uses):
        return  # a sign that the rule begins with, as one in pairs
    clear = _clear(between)
    blank = _blank(around, uses.uses[0])
    known = clear == CLEAR or uses.sign in SEPARATORS
    if blank and between:
        # White space may stand in its place, and has to, where it could not be seen without.
        body = [[some(blank, 0 if clear == CLEAR else 1)]]
        fix = (Text(uses.sign), Slot(ALL)) if known else None
        _add(drafting, uses, body, fix, None, blame=(Slot(START),))
        return
    around_it = around.charset(_all_of(each.site.after & each.site.before for each in between)) & SPACES
    if around_it and clear != CLEAR:
        # White space is there, and shows the place.
        _add(drafting, uses, [[some(chars(around_it), 1)]], (Text(uses.sign),) if known else None, uses.sign)
    elif clear != UNCLEAR:
        # Else one does not see where it should be.
        _add(drafting, uses, [[EMPTY]], (Text(uses.sign),) if clear == CLEAR else None, uses.sign)


def spaces_instead(drafting: Drafting, uses: Uses) -> None:
    """White space in the place of a sign, where none may stand."""
    around, found = drafting.around, uses.uses
    if len(found) > MAX_USES:
        return
    if not any(each.pair for each in found) and all(_keeps_out_blanks(around, each) for each in found):
        # Of digits with a decimal point nobody knows whether they are one number.
        digits = around.bits(DIGITS)
        number = uses.sign == "." and len(found) == 1
        number = number and not (found[0].site.before | found[0].site.after) & ~digits
        drafting.add(
            f"space-for-{uses.place}",
            (uses.key,),
            [[some(chars(SPACES), 1)]],
            f"{{all}} must be {uses.shown}{uses.where}",
            literal=uses.sign,
            fix=None if number else (Text(uses.sign),),
            doubtful=True,
        )


def _of_pair(drafting: Drafting, uses: Uses) -> None:
    """A bracket. Nobody sees where a string begins without its quotation mark: see ``quotes``."""
    around, sign = drafting.around, uses.sign
    if sign[0] in PAIRS and uses.key in around.recursive_homes:
        return  # what is in it could be it again: any text would have any number of them
    if sign[0] in QUOTES:
        return
    opens = sign[0] in PAIRS
    # What begins something else, too, may be meant as that.
    other = opens and any(_inside(around, each) & around.begun[uses.key] for each in uses.uses)
    fix = None if other else (Text(sign),)
    beside = drafting.beside([each.site for each in uses.uses]) or uses.where
    say = f"{uses.shown} is missing{beside}"
    drafting.add(
        f"missing-{uses.place}", (uses.key,), [[EMPTY]], say, literal=sign, fix=fix, cost=2 if opens else 1
    )


def _inside(around: Surroundings, use: Delimiter) -> int:
    """What can follow a bracket that opens."""
    return around.after[use.key] if use.alone else use.site.after


def _clear(between: list[Delimiter]) -> int:
    """Whether the place of a sign can be seen, where it has several places in all of them."""
    clear = [each.clear for each in between]
    if not clear or len(set(clear)) == 1:
        return clear[0] if clear else UNCLEAR
    return PARTLY


def _is_between(around: Surroundings, use: Delimiter) -> bool:
    """Whether something has to stand on both sides of a delimiter: one sees where it should be."""
    blanks = around.bits(SPACES)
    spaced = use.site.before & use.site.after & blanks and use.site.after & ~blanks
    clear = CLEAR if spaced or _blank(around, use) is not None else use.clear
    if use.alone:
        return all(
            stands_between(around, site, clear)
            for parent in around.parents[use.key]
            for site in around.sites(parent)
            if isinstance(site.item.element, RuleName) and site.item.element.name.lower() == use.key
        )
    return stands_between(around, use.site, clear)


def stands_between(around: Surroundings, site: Site, clear: int) -> bool:
    """Whether something has to stand on both sides of an item, or before it in the last iteration."""
    items, index = site.concatenation.items, site.index
    if site.item.min == 0:
        return False
    left, right = around.sequence(items[:index]), around.sequence(items[index + 1 :])
    if left.nullable and site.depth:
        return clear == CLEAR and not right.nullable  # the first of a repetition, such as a separator
    return not left.nullable and not right.nullable


def _keeps_out_blanks(around: Surroundings, use: Delimiter) -> bool:
    """Whether no white space may stand in the place of a sign, between what stands on its sides."""
    site, blanks = use.site, around.bits(SPACES)
    if use.alone or (site.before | site.after) & blanks or not stands_between(around, site, CLEAR):
        return False
    return not any(other.before & site.before and other.after & site.after for other in around.blanks)


def _blank(around: Surroundings, use: Delimiter) -> Element | None:
    """The white space that may follow a sign in a rule that is nothing but that and white space."""
    if not use.alone or use.site.depth or len(use.site.alternation.alternatives) > 1:
        return None
    behind = use.site.concatenation.items[use.site.index + 1 :]
    if len(behind) != 1 or not around.item(behind[0]).nullable:
        return None
    return _run_of(around, behind[0])


def _run_of(around: Surroundings, item: Repetition) -> Element | None:
    """The white space that an item holds any number of: a character of it."""
    if item.max is None:
        alone = around.shape(item.element).alone
        blank = around.charset(alone) & BLANKS
        return chars(blank) if blank and not around.charset(alone) - BLANKS else None
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        inner = around.grammar.rules[item.element.name.lower()].elements.alternatives
        if len(inner) == 1 and len(inner[0].items) == 1:
            return _run_of(around, inner[0].items[0])
    return None


def _all_of(sets: Iterable[int]) -> int:
    """What some sets of classes share."""
    found: int | None = None
    for each in sets:
        found = each if found is None else found & each
    return found or 0


def _add(
    drafting: Drafting,
    uses: Uses,
    body: list[list[Repetition]],
    fix: tuple[Part, ...] | None,
    literal: str | None,
    blame: tuple[Slot, ...] = (Slot(ALL),),
) -> None:
    """A missing sign: what has no fix is meant after what has one."""
    beside = drafting.beside([each.site for each in uses.uses]) or uses.where
    drafting.add(
        f"missing-{uses.place}",
        (uses.key,),
        body,
        f"{uses.shown} is missing{beside}",
        literal=literal,
        blame=blame,
        fix=fix,
        cost=1 if fix is not None else 2,
        doubtful=body != [[EMPTY]],
    )
