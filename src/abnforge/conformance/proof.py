"""Whether a pattern, or another rule, is right: proved, or refuted by a shortest string on either side."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from abnforge._arguments import instance_argument
from abnforge._lazy import lazy
from abnforge.automata.algebra import ONLY_LEFT, ONLY_RIGHT, Region, TableDFA, product_search, witnesses
from abnforge.budget import Budget, Meter
from abnforge.comparison.rules import UNDECIDED, compare, quoted, reason
from abnforge.conformance.pattern import Pattern, pattern
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.text import escape

with lazy:
    from abnforge.conformance import inclusion
    from abnforge.parsing.recognizer import machine

# The share of a budget that is for what comes first: looking for differences state by state; strings of a
# rule that recurses. The rest is for what follows where that decides nothing.
_SHARE = 0.5

_TRIED = "all strings of up to {} characters (one character for each class)"


@dataclass(frozen=True)
class Proof:
    """What an implementation takes, beside what a rule derives.

    ``wrongly_accepted`` is a shortest string that the implementation takes and the rule does not derive,
    ``wrongly_refused`` one the other way round; None where there is none, or, where ``bound`` is not None,
    none was found: it says what was tried then. Of several shortest ones it is the one that reads best.
    """

    rule: Rule
    implementation: Pattern | Rule
    wrongly_accepted: str | None
    wrongly_refused: str | None
    bound: str | None = None

    @property
    def equal(self) -> bool | None:
        """Whether both are the same set of strings; None where that is undecided."""
        if self.wrongly_accepted is not None or self.wrongly_refused is not None:
            return False
        return True if self.bound is None else None

    @property
    def verdict(self) -> str:
        """``equal``, ``different`` or ``undecided``."""
        equal = self.equal
        return UNDECIDED if equal is None else "equal" if equal else "different"

    def __str__(self) -> str:
        rule, other = _name(self.rule), _name(self.implementation)
        if self.equal:
            return f"equal: {other} and {rule} match the same strings"
        said: list[str] = []
        if self.wrongly_accepted is not None:
            rejection = self.rule.explain(self.wrongly_accepted)
            why = f" ({escape(reason(rejection))})" if rejection else ""
            said.append(f"wrongly accepts {quoted(self.wrongly_accepted)}{why}")
        if self.wrongly_refused is not None:
            said.append(f"wrongly rejects {quoted(self.wrongly_refused)}")
        tried = "" if self.bound is None else f". Tried: {self.bound}"
        if not said:
            return f"undecided: {other} and {rule}{tried}"
        return f"different: compared with {rule}, {other} {' and '.join(said)}{tried}"


def prove(
    rule: Rule, implementation: Pattern | re.Pattern[str] | Rule, *, budget: Budget | None = None
) -> Proof:
    """Prove that an implementation takes exactly what a rule derives, or find where it does not.

    A compiled pattern of Python's is taken as one for ``fullmatch``. A regular rule is compared as an
    automaton: then the proof is complete, and so are the differences; where the pattern's automaton is too
    large, differences are looked for as far as the budget leads, short strings first. Of a rule that recurses
    in another way it is decided whether the pattern takes all that it derives, by a shortest string; what the
    pattern takes beyond is looked for, short strings first, and can stay ``undecided``. Another rule is
    compared as :func:`abnforge.compare` does.

    Raises PatternError for a compiled pattern that is not regular; LimitExceeded where it takes more than
    ``budget`` (of the rule's grammar, if that is not given; a Pattern has its own for its automaton);
    GrammarError for a rule that needs a prose-val. Cost: below half a second for most patterns that people
    write.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    instance_argument(
        implementation,
        "implementation",
        Pattern | re.Pattern | Rule,
        "a Pattern, a compiled pattern or a Rule",
    )
    instance_argument(budget, "budget", Budget | None, "a Budget or None")
    if isinstance(implementation, re.Pattern):
        implementation = pattern(implementation, budget=budget)
    if isinstance(implementation, Rule):
        found = compare(rule, implementation)
        return Proof(rule, implementation, found.only_right, found.only_left, found.bound)
    rule.grammar.compilation.refuse_prose(rule.key)
    budget = budget or rule.grammar.compilation.budget
    meter = budget.meter(f"comparing {rule.name} and a pattern", code="automaton-too-large", rule=rule.name)
    return (_regular if rule.regular else _recursive)(rule, implementation, meter)


def _regular(rule: Rule, implementation: Pattern, meter: Meter) -> Proof:
    """Differences are looked for in the pattern's states as texts lead to them: most are short, and there may
    be too many states to make them all. Where that does not end, automata are compared.
    """
    left, part = TableDFA(rule.automaton), meter.share(meter.operation, _SHARE)
    found: dict[Region, str] = {}
    length: int | None = 0
    with suppress(LimitExceeded):
        found, stopped = product_search(left, implementation.walk(part), part, (ONLY_LEFT, ONLY_RIGHT))
        length = None if stopped is None else stopped.length
    if length is None or len(found) == 2:
        return Proof(rule, implementation, found.get(ONLY_RIGHT), found.get(ONLY_LEFT))
    try:
        regions = witnesses(rule.automaton, implementation.automaton, meter)
    except LimitExceeded:
        if not found and not length:
            raise
        bound = f"{_TRIED.format(length)} (the automaton of the pattern is too large)"
        return Proof(rule, implementation, found.get(ONLY_RIGHT), found.get(ONLY_LEFT), bound)
    return Proof(rule, implementation, regions.only_right, regions.only_left)


def _recursive(rule: Rule, implementation: Pattern, meter: Meter) -> Proof:
    automaton = implementation.automaton
    core = rule.grammar.compilation.core
    refused = inclusion.shortest_outside(core, rule.key, automaton, meter.share(meter.operation, _SHARE))
    with rule.grammar.readers.taken() as readers:
        walk = machine.ConfigurationWalk(readers.machine, rule.key)
        found, stopped = product_search(walk, TableDFA(automaton), meter, [ONLY_RIGHT])
    accepted = found.get(ONLY_RIGHT)
    if accepted is not None or stopped is None:
        return Proof(rule, implementation, accepted, refused)
    bound = (
        f"{_TRIED.format(stopped.length)}; found no string that the pattern wrongly accepts; in general this "
        "is undecidable"
    )
    return Proof(rule, implementation, None, refused, bound)


def _name(value: Pattern | Rule) -> str:
    return f"{value.name} ({escape(value.grammar.name)})" if isinstance(value, Rule) else escape(str(value))
