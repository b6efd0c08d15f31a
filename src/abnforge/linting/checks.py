"""Every check on a grammar that loads, and the comments in it that accept findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from abnforge.abnf.binding import bind
from abnforge.abnf.core_rules import CORE_RULES
from abnforge.abnf.names import BoundGrammar
from abnforge.abnf.reader import read, read_partial
from abnforge.analysis.core_form import Core, Node, lower
from abnforge.analysis.facts import Facts
from abnforge.automaton.algebra import EQUAL, witnesses
from abnforge.automaton.dfa import build
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.linting.allow_comments import MAY_ALLOW, Allow, accept, allows
from abnforge.linting.ambiguity import ambiguities
from abnforge.linting.comments import comments
from abnforge.linting.definitions import (
    core_rules_redefined,
    names_in_another_case,
    quoted_names,
    unused_rules,
)
from abnforge.linting.examples import example_directives
from abnforge.linting.finding import Finding, from_error, in_order
from abnforge.linting.list_notation import list_notation
from abnforge.linting.literals import literals
from abnforge.linting.notation import notation
from abnforge.linting.recursion import recursion
from abnforge.linting.registry import INFO
from abnforge.linting.sites import own_rules
from abnforge.linting.slips import slips
from abnforge.source import Source
from abnforge.uncollected import uncollected

# What finding out whether one rule is the core rule of its name may take of the budget of lint.
CORE_SHARE = 0.02


def check(
    grammar: BoundGrammar,
    facts: Facts,
    bodies: Mapping[str, Node],
    starts: Iterable[str] | None = None,
    budget: Budget = DEFAULT,
) -> list[Finding]:
    """Everything found about a grammar, in the order of its text.

    ``facts`` are those of its core form, ``bodies`` the recursion-free bodies of its regular rules;
    ``starts`` names the rules that it is for (None: all that no other rule refers to). Raises
    UnknownNameError for a start that is no rule.

    Only rules that the grammar's own text defines are looked at. What ``budget`` does not allow for is told
    as a finding. Cost: some tenths of a second for the grammars of RFCs, a few seconds for the largest.
    """
    meter = budget.meter(f"lint of {grammar.name}")
    with uncollected(len(grammar.source.text)):
        return _check(grammar, facts, bodies, starts, meter)


def _check(
    grammar: BoundGrammar,
    facts: Facts,
    bodies: Mapping[str, Node],
    starts: Iterable[str] | None,
    meter: Meter,
) -> list[Finding]:
    begin = None if starts is None else [grammar.key(name) for name in starts]
    found = [
        *unused_rules(grammar, facts, begin),
        *quoted_names(grammar, facts),
        *names_in_another_case(grammar),
        *core_rules_redefined(grammar, lambda key: _is_core(key, facts.core, bodies, meter)),
        *recursion(grammar, facts),
        *literals(grammar),
        *slips(grammar),
        *comments(grammar),
        *list_notation(grammar),
        *example_directives(grammar),
        *_noticed(grammar),
        *(notation(grammar.source, (r.rule for _, r in own_rules(grammar))) if grammar.recognized else ()),
        *ambiguities(grammar, facts, bodies, meter),
    ]
    found = list(dict.fromkeys(found))  # a list that is written out has its elements twice
    unchecked = ("unused-rule",) if begin is None else ()
    return in_order(accept(found, _allows(grammar.source), grammar.source, unchecked))


def _noticed(grammar: BoundGrammar) -> Iterator[Finding]:
    """What was remarked when the grammar was put together, and is no matter of the checks here."""
    for warning in grammar.warnings:
        if warning.code == "import-collision":
            yield from_error(warning, grammar.source)
        elif warning.code in ("undefined-rule", "incremental-without-base"):
            yield replace(from_error(warning, grammar.source), severity=INFO)


def _allows(source: Source) -> list[Allow]:
    """The comments that accept findings. A text that looks like it has none is not read again for them."""
    if not MAY_ALLOW.search(source.text):
        return []
    rulelist, _ = read_partial(source)
    return list(allows(rulelist))


def _is_core(key: str, core: Core, bodies: Mapping[str, Node], meter: Meter) -> bool:
    """Whether a rule with a core rule's name derives exactly what the core rule does."""
    if key not in bodies:
        return False
    standard = _standard()
    try:
        own = build(core, bodies, key, meter.share("a core rule", CORE_SHARE))
    except LimitExceeded:
        return False
    return witnesses(own, build(standard, standard.rules, key)).relation == EQUAL


@cache
def _standard() -> Core:
    """The core rules alone, each built of the others as RFC 5234 has them."""
    return lower(bind(read(CORE_RULES, "RFC 5234, appendix B.1", "abnf"), name="core"))
