"""Lists: a separator behind the last of the things that it stands between."""

from __future__ import annotations

from abnforge.grammar.syntax import Group, Repetition, RuleName
from abnforge.mistakes.deriving.delimiters import sign_of, sign_of_rule
from abnforge.mistakes.deriving.drafting import Drafting
from abnforge.mistakes.deriving.signs import BLANKS, sign_name
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import AFTER, Text


def trailing(drafting: Drafting, key: str) -> None:
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


def _separator(around: Surroundings, items: list[Repetition]) -> str | None:
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
