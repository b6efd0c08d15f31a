"""Rules below a rule, asked where they stand: what a minimal automaton has swallowed.

``reg-name`` of RFC 3986 derives all that ``IPv4address`` does. So the automaton of URI has no state that
would tell an address from a name, and no suite of it asks what implementations treat apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.automata.dfa import Automaton
from abnforge.budget import Meter
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.complete import complete_texts
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import LimitExceeded

MAX_WORDS = 1_500
"""Words of the suite of each rule below, the shortest ones."""


def in_contexts(rule: Rule, most: int, meter: Meter) -> Iterator[str]:
    """The complete suites of the rules below a rule, each where it stands in a short sentence; at most so
    many strings a rule. Rules of one language are asked for once; those without an automaton are left out.
    """
    if expression_of(rule) is not None:
        return
    met: set[Automaton] = {rule.automaton} if rule.regular else set()
    for key, (before, behind) in source_of(rule).contexts(rule.key).items():
        below = rule.grammar[rule.grammar.core.names[key]]
        if not below.regular:
            continue
        try:
            automaton = below.automaton
        except LimitExceeded:
            continue
        if automaton in met:
            continue
        met.add(automaton)
        acceptor = Acceptor(automaton)
        texts = sorted(
            (text for text, _ in complete_texts(acceptor, 0, meter)), key=lambda text: (len(text), text)
        )
        for text in texts[:most]:
            yield before + text + behind
