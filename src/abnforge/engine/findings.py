"""Every check on a grammar that loads, and the comments in it that accept findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.abnf.binding import BoundGrammar
from abnforge.abnf.reader import read_partial
from abnforge.analysis.core import Core, Node
from abnforge.analysis.facts import Facts
from abnforge.analysis.lint.acceptance import accept, allows
from abnforge.analysis.lint.definitions import core_rules_redefined, unused_rules
from abnforge.analysis.lint.finding import Finding, in_order
from abnforge.analysis.lint.literals import literals
from abnforge.analysis.lint.recursion import recursion
from abnforge.engine.ambiguity import ambiguities


def check(
    grammar: BoundGrammar,
    core: Core,
    facts: Facts,
    bodies: Mapping[str, Node],
    starts: Iterable[str] | None = None,
) -> list[Finding]:
    """Everything found about a grammar, in the order of its text; ``starts`` are keys of rules.

    Only rules that the grammar's own text defines are looked at. Cost: bounded; some tenths of a second for the
    grammars of RFCs, a few seconds for the largest.
    """
    starts = None if starts is None else list(starts)
    found = [
        *unused_rules(grammar, facts, starts),
        *core_rules_redefined(grammar),
        *recursion(grammar, facts),
        *literals(grammar),
        *ambiguities(grammar, core, facts, bodies),
    ]
    rulelist, _ = read_partial(grammar.source.text, grammar.source.name)
    unchecked = ("unused-rule",) if starts is None else ()
    return in_order(accept(found, list(allows(rulelist)), grammar.source, unchecked))
