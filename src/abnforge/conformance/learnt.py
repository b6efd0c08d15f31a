"""What was learnt of an implementation: an automaton, how far it is known to be right, and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge._lazy import cached_property
from abnforge.automata.algebra import difference
from abnforge.automata.dfa import Automaton, number_of_strings
from abnforge.charset import CharSet
from abnforge.comparison.rules import Comparison, compare, quoted
from abnforge.conformance.black_box import Raised
from abnforge.engine.rule import Rule
from abnforge.engine.writing import abnf_of, is_rule_name, rule_of

# Characters of a difference's definition that are told beside its shortest string.
_TOLD = 90


@dataclass(frozen=True)
class Learnt:
    """``automaton`` accepts what the implementation does, as far as ``bound`` says; ``reference`` is the rule
    that it was asked for. ``queries`` strings were asked. ``letters`` are the sets of characters that were
    taken to be alike, ``errors`` the kinds of exceptions that were raised.

    ``exact_for`` is the number of states, a dead one among them, up to which no other automaton over the
    letters answers as the implementation did. None where learning did not end.
    """

    reference: Rule
    automaton: Automaton
    queries: int
    letters: tuple[CharSet, ...]
    exact_for: int | None
    level: str
    errors: tuple[Raised, ...] = ()

    def __iter__(self) -> Iterator[Automaton | Comparison]:
        """``automaton, comparison = learn(...)``."""
        yield self.automaton
        yield self.comparison

    @property
    def states(self) -> int:
        """The states of the automaton, without a dead one."""
        return self.automaton.states

    @property
    def bound(self) -> str:
        """What is known, and what is not."""
        if self.exact_for is None:
            return f"Learning did not finish within {self.queries:,} queries, so the result is not verified."
        told = "one character of each class of the rule"
        if self.level != "quick":
            told = "characters tried at every state"
        return (
            f"The result is exact if an automaton of at most {self.exact_for} states describes the "
            f"implementation and treats all characters of each of {len(self.letters)} sets the same way; the "
            f"sets were found by {told}. It agrees with all {self.queries:,} queries."
        )

    @cached_property
    def rule(self) -> Rule:
        """The automaton as a rule of a grammar ``learnt``: to be explained, exported and combined like any
        other one.
        """
        return rule_of(self.automaton, self._name, "learnt", self.reference.grammar.compilation.budget)

    @cached_property
    def comparison(self) -> Comparison:
        """What was learnt, compared with the rule: ``only_left`` is a shortest string that is wrongly
        accepted, ``only_right`` one that is wrongly refused.
        """
        return compare(self.rule, self.reference)

    def abnf(self) -> str:
        """The automaton as ABNF: a readable expression where it is small, else a rule for each state."""
        return abnf_of(self.automaton, self._name)

    @property
    def _name(self) -> str:
        return self.reference.name if is_rule_name(self.reference.name) else "learnt"

    def pattern(self, dialect: str = "python") -> str:
        """The automaton as a regular expression. Raises what ``Rule.export`` raises."""
        return self.rule.export(dialect)

    def __str__(self) -> str:
        name = self.reference.name
        states = "one state" if self.states == 1 else f"{self.states} states"
        lines = [f"{states}, learned by {self.queries:,} queries"]
        found = self.comparison
        if found.only_left is None and found.only_right is None:
            lines.append(f"  accepts exactly the strings of {name}")
        if found.only_left is not None:
            more = difference(self.automaton, self.reference.automaton)
            lines.append(f"  wrongly accepts {quoted(found.only_left)}{_all(more)}")
        if found.only_right is not None:
            less = difference(self.reference.automaton, self.automaton)
            lines.append(f"  wrongly rejects {quoted(found.only_right)}{_all(less)}")
        for each in self.errors:
            strings = "1 string," if each.count == 1 else f"{each.count:,} strings, such as"
            lines.append(f"  raised {each.kind} for {strings} {quoted(each.text)}")
        return "\n".join([*lines, f"  {self.bound}"])


def _all(automaton: Automaton) -> str:
    """All strings of a difference, where that is said in a few words."""
    if number_of_strings(automaton, 2) == 1:
        return " only"
    text = abnf_of(automaton, "all")
    said = text.removeprefix("all = ").strip()
    if "\n" in said or len(said) > _TOLD:
        return ""
    return f", in total {said}"
