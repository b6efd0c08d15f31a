"""Single spaces that a rule needs between things: missing, more than one, or other white space."""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.charset import CharSet
from abnforge.explain.derive.builder import EMPTY, MistakeBuilder, chars, name, one, some, text
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.derive.delimiters import (
    CLEAR,
    MAX_USES,
    PARTLY,
    UNCLEAR,
    Delimiter,
    DelimiterUses,
    by_sign,
    sign_of,
    sign_of_rule,
)
from abnforge.explain.derive.signs import (
    ASCII,
    BETWEEN_DIGITS,
    BLANKS,
    DIGITS,
    PAIRS,
    QUOTES,
    SEPARATORS,
    SPACES,
    look_alikes,
    sign_name,
)
from abnforge.explain.mistakes import AFTER, ALL, START, FixPart, Slot, Text
from abnforge.grammar.syntax import CharVal, Element, Group, NumVal, Repetition, RuleName

# Delimiters that are missing, where their place can be seen: from what follows, or from white space there.
#
# Of white space between two things one sees that something is missing, and often not what: a fix is derived
# for separators of lists where white space may stand beside them, and for other signs where it may not
# stand at all. Other readings are asked whether they would mend it otherwise (``Mistake.doubtful``).


def missing(drafting: MistakeBuilder, uses: DelimiterUses) -> None:
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
        fix = (Text(uses.sign), ALL) if known else None
        _add(drafting, uses, body, fix, None, blame=(START,))
        return
    around_it = around.charset(_all_of(each.site.after & each.site.before for each in between)) & SPACES
    if around_it and clear != CLEAR:
        # White space is there, and shows the place.
        _add(drafting, uses, [[some(chars(around_it), 1)]], (Text(uses.sign),) if known else None, uses.sign)
    elif clear != UNCLEAR:
        # Else one does not see where it should be.
        _add(drafting, uses, [[EMPTY]], (Text(uses.sign),) if clear == CLEAR else None, uses.sign)


def spaces_instead(drafting: MistakeBuilder, uses: DelimiterUses) -> None:
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
            is_ambiguous=True,
        )


def _of_pair(drafting: MistakeBuilder, uses: DelimiterUses) -> None:
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


def _inside(around: FollowSets, use: Delimiter) -> int:
    """What can follow a bracket that opens."""
    return around.after[use.key] if use.alone else use.site.after


def _clear(between: list[Delimiter]) -> int:
    """Whether the place of a sign can be seen, where it has several places in all of them."""
    clear = [each.clear for each in between]
    if not clear or len(set(clear)) == 1:
        return clear[0] if clear else UNCLEAR
    return PARTLY


def _is_between(around: FollowSets, use: Delimiter) -> bool:
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


def stands_between(around: FollowSets, site: Site, clear: int) -> bool:
    """Whether something has to stand on both sides of an item, or before it in the last iteration."""
    items, index = site.concatenation.items, site.index
    if site.item.min == 0:
        return False
    left, right = around.sequence(items[:index]), around.sequence(items[index + 1 :])
    if left.nullable and site.depth:
        return clear == CLEAR and not right.nullable  # the first of a repetition, such as a separator
    return not left.nullable and not right.nullable


def _keeps_out_blanks(around: FollowSets, use: Delimiter) -> bool:
    """Whether no white space may stand in the place of a sign, between what stands on its sides."""
    site, blanks = use.site, around.bits(SPACES)
    if use.alone or (site.before | site.after) & blanks or not stands_between(around, site, CLEAR):
        return False
    return not any(other.before & site.before and other.after & site.after for other in around.blanks)


def _blank(around: FollowSets, use: Delimiter) -> Element | None:
    """The white space that may follow a sign in a rule that is nothing but that and white space."""
    if not use.alone or use.site.depth or len(use.site.alternation.alternatives) > 1:
        return None
    behind = use.site.concatenation.items[use.site.index + 1 :]
    if len(behind) != 1 or not around.item(behind[0]).nullable:
        return None
    return _run_of(around, behind[0])


def _run_of(around: FollowSets, item: Repetition) -> Element | None:
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
    drafting: MistakeBuilder,
    uses: DelimiterUses,
    body: list[list[Repetition]],
    fix: tuple[FixPart, ...] | None,
    literal: str | None,
    blame: tuple[Slot, ...] = (ALL,),
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
        is_ambiguous=body != [[EMPTY]],
    )


# Lists: a separator behind the last of the things that it stands between.


def trailing(drafting: MistakeBuilder, key: str) -> None:
    """``"," `` behind the last item of ``item *( "," item )``: dropped."""
    around = drafting.around
    rule = drafting.shown(key)
    for site in around.sites(key):
        element = site.item.element
        if site.item.max is not None or not isinstance(element, Group):
            continue
        alternatives = element.alternation.alternatives
        if len(alternatives) != 1 or len(alternatives[0].items) < 2:
            continue
        *between, thing = alternatives[0].items
        sign = _separator(around, between)
        if sign is None or (called := sign_name(sign)) is None or around.item(thing).nullable:
            continue
        drafting.add(
            f"trailing-{called}-in-{rule}",
            (key,),
            [between],
            f"{{all}} is not allowed after the last item of {rule}; remove it",
            place=AFTER,
            part=site.item,
            fix=(Text(""),),
        )


def _separator(around: FollowSets, items: list[Repetition]) -> str | None:
    """The sign that some items are, with or without white space around it."""
    found: list[str] = []
    blanks = around.bits(BLANKS)
    for item in items:
        shape = around.item(item)
        if shape.nullable and not shape.first & ~blanks:
            continue
        sign = sign_of(item)
        if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
            sign = sign_of_rule(around, item.element)
        if sign is None:
            return None
        found.append(sign)
    return found[0] if len(found) == 1 else None


# Content between brackets that the grammar does not allow there.


def content(drafting: MistakeBuilder, key: str, found: list[Delimiter]) -> None:
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


# Delimiters that are written twice, with white space beside them, or as a sign that looks like them.
#
# What is derived is local: another sign stands in the place of a delimiter; so every fix is the delimiter
# itself, and right. That what follows is what should follow is seen by the reading.


_BACKSLASH, _COMMA = CharSet.of("\\"), CharSet.of(",")


class Signs:
    """Derives the mistakes of delimiters."""

    def __init__(self, drafting: MistakeBuilder, known: frozenset[str], encodes: bool) -> None:
        self._drafting = drafting
        self._encodes = encodes  # whether some run of the grammar is percent-encoded
        self._known = known  # signs of the whole grammar

    def derive(self, found: list[Delimiter]) -> None:
        """The mistakes of one rule's delimiters."""
        for uses in by_sign(self._drafting, found):
            if uses.sign * 2 not in self._known:
                self._doubled(uses)
            if not all(_opens_text(self._drafting.around, each) for each in uses.uses):
                self._look_alike(uses)
                missing(self._drafting, uses)

    def spaced(self, found: list[Delimiter]) -> None:
        """White space beside the delimiters of one rule."""
        for uses in by_sign(self._drafting, found):
            self._spaced(uses)
            spaces_instead(self._drafting, uses)

    def _doubled(self, uses: DelimiterUses) -> None:
        say = f"{{all}} must be one {uses.shown}{uses.where}"
        twice = [[some(text(uses.sign).element, 2, 3)]]
        code, first = f"doubled-{uses.place}", uses.uses[0]
        # Of two brackets that open what can be in itself, one may not have been closed. Which one cannot be
        # known, so there is no fix; and a text that can be continued is reported as not complete.
        nested = uses.sign[0] in PAIRS and uses.key in self._drafting.around.recursive_homes
        if nested:
            say = f"{{all}} is not closed{uses.where}"
        if first.alone and len(uses.uses) == 1 and not first.site.depth:
            if not nested:
                self._add(code, uses, twice, say)
            body = [[some(RuleName(uses.key), 2, 3)]]  # with white space between
            if nested:
                self._drafting.add(code, (uses.key,), body, say, reach=0)
            else:
                self._drafting.add(code, (uses.key,), body, say, fix=(Slot(uses.key),))
        else:
            self._add(code, uses, twice, say, fixed=not nested)

    def _look_alike(self, uses: DelimiterUses) -> None:
        around, sign = self._drafting.around, uses.sign
        alike = look_alikes(sign) if len(sign) == 1 else CharSet()
        digits = around.bits(DIGITS)
        if all(each.site.after and not each.site.after & ~digits for each in uses.uses):
            alike |= BETWEEN_DIGITS.get(sign, CharSet())
        if self._encodes:
            alike -= _BACKSLASH  # in a run it would be percent-encoded, and all of a text are mended alike
        if sign == "." and "," in self._known:
            alike -= _COMMA  # it stands for itself, between two things
        for each in uses.uses:
            if sign in PAIRS and each.site.first:  # what begins something else is meant as that
                alike -= around.charset(around.begun[each.key])
            if each.site.last:  # what closes: what the text before it can hold is part of that
                alike -= around.charset(each.site.before)
        if sign in QUOTES and all(each.pair for each in uses.uses):
            alike -= ASCII  # both are seen together: see ``quotes``
        if len(sign) == 1 and not alike:
            return
        if len(sign) == 1:
            body = [[one(chars(alike))]]
        else:
            body = [[one(chars(look_alikes(char) | CharSet.of(char))) for char in sign]]
        say = f"{{all}} must be {uses.shown}{uses.where}"
        self._add(f"look-alike-{uses.place}", uses, body, say)

    def _spaced(self, uses: DelimiterUses) -> None:
        """White space around a delimiter that has none, or none on one side."""
        blanks = self._drafting.around.bits(SPACES)
        pair = any(each.pair for each in uses.uses)
        if any(each.site.before & blanks for each in uses.uses):
            return
        if pair and (uses.sign[0] not in PAIRS or not all(each.site.index for each in uses.uses)):
            return  # only before what opens, behind something else
        spaces = some(chars(SPACES), 1)
        body = [[spaces, text(uses.sign)]]
        if not pair and not any(each.site.after & blanks for each in uses.uses):
            body += [[text(uses.sign), spaces], [spaces, text(uses.sign), spaces]]
        say = f"whitespace is not allowed around {uses.shown}{uses.where}; remove it"
        self._add(f"space-around-{uses.place}", uses, body, say)

    def _add(
        self, code: str, uses: DelimiterUses, body: list[list[Repetition]], say: str, *, fixed: bool = True
    ) -> None:
        more = {"fix": (Text(uses.sign),)} if fixed else {"reach": 0}
        self._drafting.add(code, (uses.key,), body, say, literal=uses.sign, **more)


def _opens_text(around: FollowSets, use: Delimiter) -> bool:
    """Whether a rule begins with a sign and goes on with almost anything, as comments do: where another sign
    stands, nothing tells that this one was meant.
    """
    behind = use.site.concatenation.items[use.site.index + 1 :]
    if use.pair or use.site.index or not behind or behind[0].max is not None:
        return False
    return around.charset(around.shape(behind[0].element).alone).almost_all


def single_spaces(drafting: MistakeBuilder, key: str) -> None:
    """The mistakes of the single spaces of one rule."""
    around, rule = drafting.around, drafting.shown(key)
    blanks = around.bits(BLANKS)
    seen: list[Repetition] = []
    for site in around.sites(key):
        shape = around.item(site.item)
        if shape.longest != 1 or shape.nullable or shape.first & ~blanks or site.item in seen:
            continue
        element = site.item.element
        if " " not in around.charset(shape.first) or (site.item.min, site.item.max) != (1, 1):
            continue
        if not isinstance(element, RuleName) and element not in (CharVal(" "), NumVal("x", (0x20,))):
            continue
        seen.append(site.item)
        part = site.item if isinstance(element, RuleName) else None
        sign = " " if part is None else None
        if not site.after & blanks:
            body = [[some(chars(BLANKS), 2)], [one(chars(BLANKS - around.charset(shape.first)))]]
            say = f"{{all}} must be one space{drafting.where(key)}"
            fix = (Text(" "),)
            drafting.add(f"doubled-space-in-{rule}", (key,), body, say, literal=sign, part=part, fix=fix)
        if site.after and not site.after & site.before and stands_between(around, site, CLEAR):
            drafting.add(
                f"missing-space-in-{rule}",
                (key,),
                [[EMPTY]],
                "a space is missing"
                + (drafting.beside(drafting.uses(key, site.item)) or drafting.where(key)),
                literal=sign,
                part=part,
                fix=(Text(" "),),
            )
