"""Mistakes derived from any grammar, for one rule that texts are read by.

A grammar without a file of mistakes gets codes, places and safe fixes from this; one that has a file gets
what the file does not declare, behind it and dearer. Codes can be guessed from the grammar: what is wrong,
and the rule that it is in (``space-in-port``, ``missing-colon-in-member``).
"""

from __future__ import annotations

from contextlib import suppress

from abnforge._lazy import gc_paused
from abnforge.budget import DEFAULT, Budget
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import Binding, BoundMistakes, bind_mistakes
from abnforge.explain.derive.builder import MistakeBuilder
from abnforge.explain.derive.characters import Characters
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.derive.delimiters import Delimiter, delimiters, signs
from abnforge.explain.derive.missing import Signs, content, single_spaces, trailing
from abnforge.explain.derive.runs import CharacterRun, holds, quotation, rules_of_units, runs
from abnforge.explain.derive.structure import (
    around_whole,
    behind_signs,
    behind_whole,
    counts,
    empty_mistakes,
    excepted,
    first_character_mistakes,
    records,
)
from abnforge.explain.derive.words import Words
from abnforge.explain.mistakes import Mistakes
from abnforge.grammar.core import Core
from abnforge.grammar.syntax import BoundGrammar

MAX_DERIVED = 3_000
"""About so many mistakes are derived: a tenth of a second, and more than texts of a grammar need."""

NONE = Mistakes("derived mistakes", (), ())
"""A file that declares nothing."""


def derived(
    grammar: BoundGrammar, start: str, declared: Mistakes = NONE, budget: Budget = DEFAULT
) -> Mistakes:
    """The mistakes that the rule ``start`` of a grammar can have, with the rules that help to write them.

    What ``declared`` declares by the same code is left out; what is derived costs more than that. Raises
    UnknownNameError for a rule that does not exist, LimitExceeded. Cost: linear in the rules needed.
    """
    key = grammar.key(start)
    meter = budget.meter(f"deriving the mistakes of {start}", rule=start)
    around = FollowSets(grammar, key, meter)
    taken = {each.code for each in declared.mistakes} | {each.rule.name for each in declared.mistakes}
    taken |= {each.name for each in declared.helpers}
    drafting = MistakeBuilder(around, taken, len(declared.mistakes))
    found = {key: runs(around, key) for key in around.names}
    units = rules_of_units(around, [run for each in found.values() for run in each])
    own = [key for key in around.names if key not in units]
    between: dict[str, list[Delimiter]] = {}
    for key in own:
        between[key] = [each for each in delimiters(around, key) if not _within(each, found[key])]
    near = _nearest(around, own, found, between)
    own = [key for key in own if key in near]
    known = frozenset(each.sign for all_of in between.values() for each in all_of)
    alone = frozenset(each.key for all_of in between.values() for each in all_of if each.alone)
    behind = behind_signs(around, alone)
    around_whole(drafting)
    delimiting, words = (
        Signs(drafting, known, any(run.encodes for each in found.values() for run in each)),
        Words(drafting),
    )
    families = Characters(drafting, signs([each for all_of in between.values() for each in all_of]))
    words.unclear(own)
    # In this order: of two that cost the same the first is meant.
    for key in own:
        excepted(drafting, key)
        empty_mistakes(drafting, key, found[key], key in behind)
    for key in own:
        trailing(drafting, key)
        delimiting.derive(between[key])
        single_spaces(drafting, key)
        words.derive(key)
        counts(drafting, key)
    for key in own:
        for run in found[key]:
            quotation(drafting, run)
    for key in own:
        for run in found[key]:
            families.derive(run, found[key])
    for key in own:
        if not found[key] and (key in behind or key == around.start):
            first_character_mistakes(drafting, key)
        delimiting.spaced(between[key])
        content(drafting, key, between[key])
    records(drafting)
    behind_whole(drafting)
    return Mistakes(declared.name, tuple(drafting.mistakes), tuple(drafting.helpers))


def bind_derived(
    grammar: BoundGrammar,
    start: str,
    declared: Mistakes = NONE,
    budget: Budget = DEFAULT,
    core: Core | None = None,
) -> BoundMistakes:
    """Declared mistakes and those derived for the rule ``start``, bound to the grammar together.

    Where deriving them would exceed the budget there are none but those that are declared. ``core`` is the
    grammar's core form, if it is known already. Raises UnknownNameError for a rule that does not exist,
    GrammarError where what is declared does not fit.
    """

    def bound() -> Binding:
        with gc_paused(MAX_DERIVED, MAX_DERIVED):  # all of them are kept, and none is garbage
            return bind_mistakes(mistakes, grammar, core).binding

    mistakes = declared
    with gc_paused(MAX_DERIVED, MAX_DERIVED), suppress(LimitExceeded):
        mistakes = declared.followed_by(derived(grammar, start, declared, budget))
    if declared.mistakes:
        made = bound()  # now, since it may be refused; what is derived is not
        return BoundMistakes(grammar, lambda: made)
    return BoundMistakes(grammar, bound, mistakes=mistakes)


def _nearest(
    around: FollowSets,
    own: list[str],
    found: dict[str, list[CharacterRun]],
    between: dict[str, list[Delimiter]],
) -> set[str]:
    """The rules for which mistakes are derived: those nearest to the start, until there are enough."""
    wanted, left = set(own), MAX_DERIVED
    near: set[str] = set()
    seen = dict.fromkeys([around.start])
    for key in (queue := [around.start]):
        if key in wanted:
            left -= 3 + 8 * len(found[key]) + 4 * len({each.sign for each in between[key]})
            if left < 0:
                break
            near.add(key)
        for other in around.names[key]:
            if other not in seen:
                seen[other] = None
                queue.append(other)
    return near


def _within(delimiter: Delimiter, found: list[CharacterRun]) -> bool:
    """Whether a delimiter is part of a run, in which it stands for itself."""
    return any(holds(run.item, delimiter.site.item) for run in found)
