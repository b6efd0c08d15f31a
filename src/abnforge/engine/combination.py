"""Rules as sets of strings: what ``a & b``, ``a - b``, ``a | b``, ``~a`` and ``a.at_most(n)`` are made of.

A combination is a value: an operation and its operands. Which strings it has is known in two ways, which
agree: by the automaton of set algebra, and by asking the operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abnforge.budget import Meter
from abnforge.catalog import ArgumentError
from abnforge.engine.messages import message
from abnforge.engine.refusals import Refusal
from abnforge.errors import LimitExceeded
from abnforge.late import importing
from abnforge.once import once
from abnforge.records import dataclass

if TYPE_CHECKING:
    from abnforge.automaton.dfa import Automaton

AND, BUT_NOT, OR, NOT, AT_MOST = "&", "-", "|", "~", "at most"

MAX_OPERATIONS = 50
"""Operations within one rule: its name, its copies and its explanations go through all of them."""


Operand = Any  # a Rule, which this is a part of


@dataclass(frozen=True)
class Combination:
    """An operation on rules. ``longest`` is the number of code points of ``AT_MOST``; ``refusal`` is what is
    said of a text that the left operand derives and the operation leaves out, and ``title`` the name of the
    rule where that is not to be made of its operands' names.
    """

    operation: str
    left: Operand
    right: Operand | None = None
    longest: int | None = None
    refusal: Refusal | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        for operand in self.operands:
            operand.grammar.compilation.refuse_prose(operand.key)
            if not operand.regular:
                raise ArgumentError(
                    message("rule-not-regular", rule=operand.name, grammar=operand.grammar.name)
                )
        if self.operations > MAX_OPERATIONS:
            raise LimitExceeded(
                message("combination-limit", limit=MAX_OPERATIONS),
                operation="combining rules",
                used=self.operations,
                limit=MAX_OPERATIONS,
                setting="MAX_OPERATIONS",
            )

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The rules that it is made of."""
        return (self.left,) if self.right is None else (self.left, self.right)

    @once
    def operations(self) -> int:
        """How many operations there are in it, those of its operands included."""
        made = (operand.grammar.compilation.combined for operand in self.operands)
        count: int = sum(each.operations for each in made if each is not None)
        return 1 + count

    @property
    def name(self) -> str:
        """The name of the rule, made of its operands' names."""
        left = self.left.name
        if self.title is not None:
            return self.title
        if self.operation == NOT:
            return f"~{left}"
        if self.right is None:
            return f"({left}, at most {self.longest})"
        return f"({left} {self.operation} {self.right.name})"

    @property
    def grammar_name(self) -> str:
        """The name of its grammar: that of the operands whose trees and rejections it has."""
        names = [operand.grammar.name for operand in self.operands]
        return ", ".join(dict.fromkeys(names if self.operation == OR else names[:1]))

    @property
    def meaning(self) -> str:
        """Which strings it has, in words."""
        left = self.left.name
        if self.title is not None:
            return f"the strings of {_untitled(self.left).name} that the policy allows"
        if self.operation == NOT:
            return f"all strings except those of {left}"
        if self.right is None:
            return f"the strings of {left} of up to {self.longest} characters"
        says = {AND: "and of", BUT_NOT: "but not of", OR: "or of"}
        return f"the strings of {left} {says[self.operation]} {self.right.name}"

    @property
    def is_narrower(self) -> bool:
        """Whether all its strings are the left operand's, and so are its trees."""
        return self.operation in (AND, BUT_NOT, AT_MOST)

    @property
    def is_of_one_grammar(self) -> bool:
        """Whether all operands are rules of the same grammar."""
        return all(operand.grammar is self.left.grammar for operand in self.operands)

    def holds(self, left: bool, right: bool) -> bool:
        """Whether it has a string, by whether its operands have it; not about lengths."""
        match self.operation:
            case "&":
                return left and right
            case "-":
                return left and not right
            case "|":
                return left or right
            case "~":
                return not left
            case _:
                return left

    def derives(self, text: str, engine: str) -> bool:
        """Whether it has a string, by its operands' lanes."""
        if self.longest is not None and len(text) > self.longest:
            return False
        right = self.right is not None and bool(self.right.matches(text, engine=engine))
        return self.holds(self.left.matches(text, engine=engine), right)

    def teller(self, text: str, engine: str) -> Any:
        """The operand whose tree is that of a string that it has: the first one that derives it.

        Raises ValueError where none does.
        """
        for operand in self.operands:
            if operand.matches(text, engine=engine):
                return operand
        raise ArgumentError(message("combination-tree", rule=self.name))

    def build(self, meter: Meter) -> Automaton:
        """Its minimal automaton. Raises LimitExceeded; of a great bound at once."""
        with importing:
            from abnforge.automaton import algebra, bounded

        if self.bound is not None:
            rule, longest = self.bound
            return bounded.at_most(rule.automaton, longest, meter)
        left = self.left.automaton
        if self.right is None:
            return bounded.complement(left, meter)
        return algebra.combine(left, self.right.automaton, self.holds, meter)

    def narrowing(self, meter: Meter) -> Automaton | None:
        """The automaton of all that a rule of a grammar is narrowed by; None where it is not, or by a length.

        Raises LimitExceeded.
        """
        with importing:
            from abnforge.automaton import algebra, bounded

        if not self.is_narrower or self.right is None:
            return None
        by: Automaton = self.right.automaton
        if self.operation == BUT_NOT:
            by = bounded.complement(by, meter)
        before: Combination | None = self.left.grammar.compilation.combined
        if before is None:
            return by
        others = before.narrowing(meter)
        return others and algebra.intersection(others, by, meter)

    @once
    def bound(self) -> tuple[Operand, int] | None:
        """The same set as a rule without a bound on lengths, and that bound; None where there is none, or
        where it is not a bound on all.
        """
        parts = [_bound(operand) for operand in self.operands]
        left, longest = parts[0]
        if self.longest is not None:
            return left, self.longest if longest is None else min(longest, self.longest)
        if self.right is None:
            return None
        right, other = parts[1]
        bounds = [each for each in (longest, other) if each is not None]
        is_bound = {AND: bool(bounds), BUT_NOT: longest is not None and other is None, OR: longest == other}
        if not bounds or not is_bound[self.operation]:
            return None
        return left._combined(self.operation, right), min(bounds)


def _untitled(rule: Operand) -> Operand:
    made: Combination | None = rule.grammar.compilation.combined
    return rule if made is None or made.title is None else _untitled(made.left)


def _bound(rule: Operand) -> tuple[Operand, int | None]:
    made: Combination | None = rule.grammar.compilation.combined
    return (rule, None) if made is None or made.bound is None else made.bound


def derived_from(rule: Any) -> Any:
    """The rule of a grammar that all strings of a rule are derived from, and that their trees are of; None
    where there is none.
    """
    made: Combination | None = rule.grammar.compilation.combined
    if made is None:
        return rule
    return derived_from(made.left) if made.is_narrower else None


def others(made: Combination) -> Mapping[str, Any]:
    """The rules by key that its trees and rejections name: those of its operands' grammars, of a key that
    both have the first one's; of the left one alone where trees are the left operand's.
    """
    found: dict[str, Any] = {}
    for operand in made.operands if made.operation == OR else (made.left,):
        for rule in operand.grammar.values():
            if rule.grammar.compilation.combined is None:
                found.setdefault(rule.key, rule)
    return found
