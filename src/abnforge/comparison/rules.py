"""Two rules as sets of strings: which is wider, and a shortest string that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abnforge.arguments import instance_argument
from abnforge.automaton.algebra import DISJOINT, EQUAL, NARROWER, OVERLAP, WIDER, witnesses
from abnforge.drawing import escape
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection

# Characters of a witness that are shown to people. Most have a handful; a rule that counts to a thousand
# has one as long.
MAX_SHOWN = 200

_SENTENCES = {
    EQUAL: "{left} and {right} derive the same strings",
    NARROWER: "{left} is narrower than {right}",
    WIDER: "{left} is wider than {right}",
    OVERLAP: "{left} and {right} overlap",
    DISJOINT: "{left} and {right} have no string in common",
}


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Comparison:
    """How two languages relate.

    ``relation`` is that of the left one to the right one: ``equal``, ``narrower`` (every string of the
    left is one of the right), ``wider``, ``overlap`` or ``disjoint``. ``only_left``, ``only_right`` and
    ``both`` are shortest strings of those regions, None where there are none.
    """

    left: Rule
    right: Rule
    relation: str
    only_left: str | None
    only_right: str | None
    both: str | None

    def why_not_right(self) -> Rejection | None:
        """Why the right rule rejects ``only_left``, None without such a string. Cost: one ``explain``."""
        return None if self.only_left is None else self.right.explain(self.only_left)

    def why_not_left(self) -> Rejection | None:
        """Why the left rule rejects ``only_right``, None without such a string. Cost: one ``explain``."""
        return None if self.only_right is None else self.left.explain(self.only_right)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, ready for ``json.dumps``. Its keys are stable."""
        return {
            "left": {"grammar": self.left.grammar.name, "rule": self.left.name},
            "right": {"grammar": self.right.grammar.name, "rule": self.right.name},
            "relation": self.relation,
            "only_left": _witness(self.only_left, self.why_not_right()),
            "only_right": _witness(self.only_right, self.why_not_left()),
            "both": self.both,
        }

    def __str__(self) -> str:
        names = {"left": _name(self.left), "right": _name(self.right)}
        lines = [_SENTENCES[self.relation].format_map(names)]
        for owner, text, rejection in (
            ("left", self.only_left, self.why_not_right()),
            ("right", self.only_right, self.why_not_left()),
        ):
            if text is not None and rejection is not None:
                lines.append(f"  only {names[owner]}: {quoted(text)} ({escape(reason(rejection))})")
        if self.both is not None and self.relation == OVERLAP:
            lines.append(f"  both: {quoted(self.both)}")
        return "\n".join(lines)


def compare(a: Rule, b: Rule) -> Comparison:
    """The relation of two rules, of one grammar or of two, with witnesses.

    Exact, since both are compared as automata. Raises what ``Rule.automaton`` raises for rules that have
    none, and LimitExceeded when the two together take more than the budget of ``a``'s grammar. Cost: the
    product of the two automata, some milliseconds for URI rules.
    """
    for name, rule in (("a", a), ("b", b)):
        instance_argument(rule, name, Rule, "a rule to compare, as load(name)[rule] gives it")
    meter = a.grammar.compilation.budget.meter(f"comparing {a.name} and {b.name}", code="automaton-too-large")
    found = witnesses(a.automaton, b.automaton, meter)
    return Comparison(a, b, found.relation, found.only_left, found.only_right, found.both)


def quoted(text: str) -> str:
    """A witness as text shows it: safe for a terminal, in quotes; of a long one its beginning."""
    if len(text) > MAX_SHOWN:
        return f'"{escape(text[:MAX_SHOWN])}..." ({len(text)} characters)'
    return f'"{escape(text)}"'


def reason(rejection: Rejection) -> str:
    """Why a string is rejected, in one sentence: the mistake that a person would name."""
    return rejection.hypotheses[0].message if rejection.hypotheses else rejection.message


def _name(rule: Rule) -> str:
    return f"{rule.name} ({escape(rule.grammar.name)})"


def _witness(text: str | None, rejection: Rejection | None) -> dict[str, Any] | None:
    """A string of one language, and why the other one has it not."""
    return None if text is None or rejection is None else {"text": text, "rejection": rejection.to_dict()}
