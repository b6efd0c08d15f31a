"""Single spaces that a rule needs between things: missing, more than one, or other white space."""

from __future__ import annotations

from abnforge.grammar.syntax import CharVal, NumVal, Repetition, RuleName
from abnforge.mistakes.deriving.bodies import EMPTY, chars, one, some
from abnforge.mistakes.deriving.delimiters import CLEAR
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.missing import stands_between
from abnforge.mistakes.deriving.signs import BLANKS
from abnforge.mistakes.model import Text


def single_spaces(drafting: Drafting, key: str) -> None:
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
