"""Mistakes derived from a grammar alone, for one start rule.

Read first: ``context`` (the characters before and after each item), ``builder`` (the construction of
mistakes), then any kind of mistake: ``runs`` and ``characters``, ``missing``, ``words``,
``structure``.

Interface: ``derive``, ``bind_derived``, ``NO_MISTAKES``.

For a grammar without a mistakes file, this package provides codes, places and safe fixes. If there is a
mistakes file, derived mistakes come after its mistakes and cost more. A code consists of the kind of mistake
and the rule (``space-in-port``, ``missing-colon-in-member``), so it is predictable. FIRST and FOLLOW sets
(Aho, Sethi and Ullman 1986) decide which mistakes are worth deriving.

No module here uses rejected strings: the input is a bound grammar, and the result is mistakes.
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
from abnforge.explain.derive.missing import (
    Delimiter,
    DelimiterMistakes,
    content_mistakes,
    delimiters,
    signs,
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
    null_mistakes,
    record_mistakes,
    rules_after_delimiters,
)
from abnforge.explain.derive.words import WordMistakes
from abnforge.explain.mistakes import Mistakes
from abnforge.grammar.core import Core
from abnforge.grammar.syntax import BoundGrammar

MAX_DERIVED = 3_000
"""The approximate maximum of derived mistakes, which take a tenth of a second. Most grammars need fewer."""

NO_MISTAKES = Mistakes("derived mistakes", (), ())  # a mistakes file without mistakes


def derive(
    grammar: BoundGrammar, start: str, declared: Mistakes = NO_MISTAKES, budget: Budget = DEFAULT
) -> Mistakes:
    """Return the mistakes that the rule ``start`` of a grammar can have, with their helper rules.

    Codes in ``declared`` are not derived, and derived mistakes cost more than declared ones. Raises
    UnknownNameError for an undefined rule, LimitExceeded. Cost: linear in the rules that the rule needs.
    """
    key = grammar.key(start)
    meter = budget.meter(f"deriving the mistakes of {start}", rule=start)
    context = FollowSets(grammar, key, meter)
    taken = {each.code for each in declared.mistakes} | {each.rule.name for each in declared.mistakes}
    taken |= {each.name for each in declared.helpers}
    builder = MistakeBuilder(context, taken, len(declared.mistakes))
    runs = {key: character_runs(context, key) for key in context.names}
    units = unit_rules(context, [run for each in runs.values() for run in each])
    keys = [key for key in context.names if key not in units]
    delimiters_of: dict[str, list[Delimiter]] = {}
    for key in keys:
        delimiters_of[key] = [
            each
            for each in delimiters(context, key)
            if not any(holds(run.item, each.site.item) for run in runs[key])
        ]
    nearby = _nearest(context, keys, runs, delimiters_of)
    keys = [key for key in keys if key in nearby]
    every = [delimiter for delimiters_in_rule in delimiters_of.values() for delimiter in delimiters_in_rule]
    sign_rules = frozenset(delimiter.key for delimiter in every if delimiter.alone)
    after_delimiter = rules_after_delimiters(context, sign_rules)
    mistakes_around_start(builder)
    has_escapes = any(run.encodes for each in runs.values() for run in each)
    delimiter_mistakes = DelimiterMistakes(builder, frozenset(each.sign for each in every), has_escapes)
    word_mistakes = WordMistakes(builder)
    character_mistakes = CharacterMistakes(builder, signs(every))
    word_mistakes.unclear(keys)
    # The order matters: among mistakes of the same cost, the search prefers the first.
    for key in keys:
        exception_mistakes(builder, key)
        empty_mistakes(builder, key, runs[key], key in after_delimiter)
    for key in keys:
        trailing_mistakes(builder, key)
        delimiter_mistakes.derive(delimiters_of[key])
        space_mistakes(builder, key)
        word_mistakes.derive(key)
        count_mistakes(builder, key)
    for key in keys:
        for run in runs[key]:
            quote_mistakes(builder, run)
    for key in keys:
        for run in runs[key]:
            character_mistakes.derive(run, runs[key])
    for key in keys:
        if not runs[key] and (key in after_delimiter or key == context.start):
            first_character_mistakes(builder, key)
        delimiter_mistakes.spaced(delimiters_of[key])
        content_mistakes(builder, key, delimiters_of[key])
    record_mistakes(builder)
    mistakes_after_start(builder)
    null_mistakes(builder)
    return Mistakes(declared.name, tuple(builder.mistakes), tuple(builder.helpers))


def bind_derived(
    grammar: BoundGrammar,
    start: str,
    declared: Mistakes = NO_MISTAKES,
    budget: Budget = DEFAULT,
    core: Core | None = None,
    bound: BoundMistakes | None = None,
) -> BoundMistakes:
    """Bind declared mistakes, and mistakes derived for the rule ``start``, to the grammar.

    If deriving mistakes exceeds the budget, only the declared ones are bound. ``core`` is the grammar's core
    form, and ``bound`` are the declared mistakes alone, if they are already bound. Raises UnknownNameError
    for an undefined rule, GrammarError if declared mistakes do not fit the grammar.
    """

    def bind() -> Binding:
        with gc_paused():  # no mistake is garbage
            return bind_mistakes(mistakes, grammar, core).binding

    mistakes = declared
    with gc_paused(), suppress(LimitExceeded):
        mistakes = declared.followed_by(derive(grammar, start, declared, budget))
    if declared.mistakes:
        binding = bind()  # not lazily, since declared mistakes can raise errors
        return BoundMistakes(grammar, lambda: binding, declared=bound)
    return BoundMistakes(grammar, bind, mistakes=mistakes)


def _nearest(
    context: FollowSets,
    keys: list[str],
    runs: dict[str, list[CharacterRun]],
    delimiters_of: dict[str, list[Delimiter]],
) -> set[str]:
    """Return the rules whose mistakes are derived: those nearest to the start, up to ``MAX_DERIVED``."""
    requested, remaining = set(keys), MAX_DERIVED
    nearest: set[str] = set()
    reached = dict.fromkeys([context.start])
    for key in (queue := [context.start]):
        if key in requested:
            remaining -= 3 + 8 * len(runs[key]) + 4 * len({each.sign for each in delimiters_of[key]})
            if remaining < 0:
                break
            nearest.add(key)
        for other in context.names[key]:
            if other not in reached:
                reached[other] = None
                queue.append(other)
    return nearest
