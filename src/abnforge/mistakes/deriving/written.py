"""Delimiters that are written twice, with white space beside them, or as a sign that looks like them.

What is derived is local: another sign stands in the place of a delimiter; so every fix is the delimiter
itself, and right. That what follows is what should follow is seen by the reading.
"""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.grammar.syntax import Repetition, RuleName
from abnforge.mistakes.deriving.bodies import chars, one, some, text
from abnforge.mistakes.deriving.delimiters import Delimiter, Uses, by_sign
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.missing import missing, spaces_instead
from abnforge.mistakes.deriving.signs import (
    ASCII,
    BETWEEN_DIGITS,
    DIGITS,
    PAIRS,
    QUOTES,
    SPACES,
    look_alikes,
)
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import Slot, Text

_BACKSLASH, _COMMA = CharSet.of("\\"), CharSet.of(",")


class Signs:
    """Derives the mistakes of delimiters."""

    def __init__(self, drafting: Drafting, known: frozenset[str], encodes: bool) -> None:
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

    def _doubled(self, uses: Uses) -> None:
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

    def _look_alike(self, uses: Uses) -> None:
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

    def _spaced(self, uses: Uses) -> None:
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
        self, code: str, uses: Uses, body: list[list[Repetition]], say: str, *, fixed: bool = True
    ) -> None:
        more = {"fix": (Text(uses.sign),)} if fixed else {"reach": 0}
        self._drafting.add(code, (uses.key,), body, say, literal=uses.sign, **more)


def _opens_text(around: Surroundings, use: Delimiter) -> bool:
    """Whether a rule begins with a sign and goes on with almost anything, as comments do: where another sign
    stands, nothing tells that this one was meant.
    """
    behind = use.site.concatenation.items[use.site.index + 1 :]
    if use.pair or use.site.index or not behind or behind[0].max is not None:
        return False
    return around.charset(around.shape(behind[0].element).alone).almost_all
