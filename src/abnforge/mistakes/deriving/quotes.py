"""Quoted strings: in other quotation marks than the grammar has, or in none."""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.grammar.syntax import Repetition, RuleName
from abnforge.mistakes.deriving.bodies import chars, choice, name, one, some, text
from abnforge.mistakes.deriving.delimiters import sign_of, sign_of_rule
from abnforge.mistakes.deriving.drafting import Drafting, to_write
from abnforge.mistakes.deriving.runs import Run
from abnforge.mistakes.deriving.signs import BLANKS, DIGITS, LETTERS, QUOTES, sign_name
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import ALL, END, Slot, Text

_OPENING = CharSet.of("\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\xab\xbb\xb4")
_PLAIN = LETTERS | DIGITS | CharSet.of("_-.")


def quotation(drafting: Drafting, run: Run) -> None:
    """The mistakes of a rule that is a run between quotation marks; nothing for other rules."""
    around = drafting.around
    mark = _mark(around, run)
    if mark is None:
        return
    rule = drafting.shown(run.key)
    held = around.charset(run.shape.alone)
    inside = drafting.helper(f"inside-of-{rule}", [some(chars(held - _OPENING))]) if held - _OPENING else None
    others = _OPENING - CharSet.of(mark) - around.charset(around.begun[run.key])
    if inside is not None and others:
        other = one(chars(others))
        drafting.add(
            f"other-quotes-in-{rule}",
            (run.key,),
            [[other, name(inside.name), other]],
            f"the quotes around {rule} must be {to_write(mark)}",
            fix=(Text(mark), Slot(inside.name.lower()), Text(mark)),
        )
    drafting.add(
        f"missing-{sign_name(mark)}-in-{rule}",
        (run.key,),
        # What it holds does not end in white space: that stands behind it.
        [[text(mark)], [text(mark), run.item, one(chars(held - BLANKS))]],
        f"{to_write(mark)} is missing at the end of {rule}",
        blame=(Slot(END),),
        fix=(Slot(ALL), Text(mark)),
        cost=2,
    )
    if not held & LETTERS:
        return
    word = [one(chars(held & LETTERS)), some(chars(held & _PLAIN))]
    say = f"{{all}} must be in quotes; use {to_write(mark)}"
    fix = (Text(mark), Slot(ALL), Text(mark))
    drafting.add(f"unquoted-{rule}", (run.key,), [word], say, fix=fix, cost=2)
    if " " in held and _instead_of_words(around, run.key):
        # One word needs no quotation marks there, so there are several.
        more = some(choice([some(text(" ").element, 1), some(chars(held & _PLAIN), 1)]), 1)
        drafting.add(f"unquoted-{rule}", (run.key,), [[*word, more]], say, fix=fix, doubtful=True)


def _instead_of_words(around: Surroundings, key: str) -> bool:
    """Whether a word without quotation marks may stand in the place of a rule somewhere."""
    letters = around.bits(LETTERS)
    return any(
        isinstance(site.item.element, RuleName)
        and site.item.element.name.lower() == key
        and len(site.concatenation.items) == 1
        and any(
            not letters & ~around.sequence(each.items).goes_on
            for each in site.alternation.alternatives
            if each is not site.concatenation
        )
        for parent in around.parents[key]
        for site in around.sites(parent)
    )


def _mark(around: Surroundings, run: Run) -> str | None:
    """The quotation mark around a run, if its rule, or an alternative, has nothing else that is not empty."""
    site = run.site
    if site.depth or run.item.min:
        return None
    items = site.concatenation.items
    if site.index == 0 or site.index + 1 >= len(items):
        return None
    for index, item in enumerate(items):
        if index not in (site.index - 1, site.index, site.index + 1) and not around.item(item).nullable:
            return None
    marks = [_sign(around, items[site.index - 1]), _sign(around, items[site.index + 1])]
    return marks[0] if marks[0] in QUOTES and marks[0] == marks[1] else None


def _sign(around: Surroundings, item: Repetition) -> str | None:
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        return sign_of_rule(around, item.element)
    return sign_of(item)
