"""Mistakes derived from a grammar alone, for one start rule.

A grammar without a mistakes file gets its codes, places and safe fixes from this package. If there is a
mistakes file, derived mistakes come after its mistakes and cost more. Codes are predictable: the kind of
mistake and the rule (``space-in-port``, ``missing-colon-in-member``).
"""

from __future__ import annotations

from contextlib import suppress

from abnforge._lazy import gc_paused
from abnforge.budget import DEFAULT, Budget
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import Binding, BoundMistakes, bind_mistakes
from abnforge.explain.derive.builder import MistakeBuilder
from abnforge.explain.derive.characters import CharacterMistakes
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.derive.delimiters import Delimiter, delimiters, signs
from abnforge.explain.derive.missing import (
    DelimiterMistakes,
    content_mistakes,
    space_mistakes,
    trailing_mistakes,
)
from abnforge.explain.derive.runs import CharacterRun, character_runs, holds, quote_mistakes, unit_rules
from abnforge.explain.derive.structure import (
    count_mistakes,
    empty_mistakes,
    exception_mistakes,
    first_character_mistakes,
    mistakes_after_start,
    mistakes_around_start,
    record_mistakes,
    rules_after_delimiters,
)
from abnforge.explain.derive.words import WordMistakes
from abnforge.explain.mistakes import Mistakes
from abnforge.grammar.core import Core
from abnforge.grammar.syntax import BoundGrammar

MAX_DERIVED = 3_000
"""The approximate limit of derived mistakes: a tenth of a second, and more than most grammars need."""

NO_MISTAKES = Mistakes("derived mistakes", (), ())
"""A file that declares nothing."""


def derive(
    grammar: BoundGrammar, start: str, declared: Mistakes = NO_MISTAKES, budget: Budget = DEFAULT
) -> Mistakes:
    """Return the mistakes that the rule ``start`` of a grammar can have, with their helper rules.

    A code that ``declared`` declares is not derived, and derived mistakes cost more than declared ones.
    Raises UnknownNameError for an undefined rule, LimitExceeded. Cost: linear in the rules needed.
    """
    key = grammar.key(start)
    meter = budget.meter(f"deriving the mistakes of {start}", rule=start)
    context = FollowSets(grammar, key, meter)
    taken = {each.code for each in declared.mistakes} | {each.rule.name for each in declared.mistakes}
    taken |= {each.name for each in declared.helpers}
    builder = MistakeBuilder(context, taken, len(declared.mistakes))
    found = {key: character_runs(context, key) for key in context.names}
    units = unit_rules(context, [run for each in found.values() for run in each])
    own = [key for key in context.names if key not in units]
    between: dict[str, list[Delimiter]] = {}
    for key in own:
        between[key] = [each for each in delimiters(context, key) if not _within(each, found[key])]
    near = _nearest(context, own, found, between)
    own = [key for key in own if key in near]
    known = frozenset(each.sign for all_of in between.values() for each in all_of)
    alone = frozenset(each.key for all_of in between.values() for each in all_of if each.alone)
    behind = rules_after_delimiters(context, alone)
    mistakes_around_start(builder)
    delimiting, words = (
        DelimiterMistakes(builder, known, any(run.encodes for each in found.values() for run in each)),
        WordMistakes(builder),
    )
    families = CharacterMistakes(builder, signs([each for all_of in between.values() for each in all_of]))
    words.unclear(own)
    # The order matters: of two mistakes with the same cost, the first is preferred.
    for key in own:
        exception_mistakes(builder, key)
        empty_mistakes(builder, key, found[key], key in behind)
    for key in own:
        trailing_mistakes(builder, key)
        delimiting.derive(between[key])
        space_mistakes(builder, key)
        words.derive(key)
        count_mistakes(builder, key)
    for key in own:
        for run in found[key]:
            quote_mistakes(builder, run)
    for key in own:
        for run in found[key]:
            families.derive(run, found[key])
    for key in own:
        if not found[key] and (key in behind or key == context.start):
            first_character_mistakes(builder, key)
        delimiting.spaced(between[key])
        content_mistakes(builder, key, between[key])
    record_mistakes(builder)
    mistakes_after_start(builder)
    return Mistakes(declared.name, tuple(builder.mistakes), tuple(builder.helpers))


def bind_derived(
    grammar: BoundGrammar,
    start: str,
    declared: Mistakes = NO_MISTAKES,
    budget: Budget = DEFAULT,
    core: Core | None = None,
) -> BoundMistakes:
    """Bind declared mistakes, and those derived for the rule ``start``, to the grammar.

    If deriving them exceeds the budget, there are only the declared ones. ``core`` is the grammar's core
    form, if it is known already. Raises UnknownNameError for an undefined rule, GrammarError if declared
    mistakes do not fit the grammar.
    """

    def bound() -> Binding:
        with gc_paused(MAX_DERIVED, MAX_DERIVED):  # all of them are kept
            return bind_mistakes(mistakes, grammar, core).binding

    mistakes = declared
    with gc_paused(MAX_DERIVED, MAX_DERIVED), suppress(LimitExceeded):
        mistakes = declared.followed_by(derive(grammar, start, declared, budget))
    if declared.mistakes:
        made = bound()  # now, since this can raise; derived mistakes cannot
        return BoundMistakes(grammar, lambda: made)
    return BoundMistakes(grammar, bound, mistakes=mistakes)


def _nearest(
    context: FollowSets,
    own: list[str],
    found: dict[str, list[CharacterRun]],
    between: dict[str, list[Delimiter]],
) -> set[str]:
    """Return the rules to derive mistakes for: the nearest to the start, up to ``MAX_DERIVED``."""
    wanted, left = set(own), MAX_DERIVED
    near: set[str] = set()
    seen = dict.fromkeys([context.start])
    for key in (queue := [context.start]):
        if key in wanted:
            left -= 3 + 8 * len(found[key]) + 4 * len({each.sign for each in between[key]})
            if left < 0:
                break
            near.add(key)
        for other in context.names[key]:
            if other not in seen:
                seen[other] = None
                queue.append(other)
    return near


def _within(delimiter: Delimiter, found: list[CharacterRun]) -> bool:
    """Return whether a delimiter is inside a run, as one of its characters."""
    return any(holds(run.item, delimiter.site.item) for run in found)
