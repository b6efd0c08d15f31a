"""Set algebra of rules: ``a & b``, ``a - b``, ``a | b``, ``~a`` and ``a.at_most(n)`` as values.

An expression is an operation and its operands. Its strings are determined by the automaton that set algebra
builds or, equivalently, by the verdicts of the operands. ``sets`` contains the rules that expressions define.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from abnforge._lazy import cached_property, lazy, lazy_pattern
from abnforge.budget import Meter
from abnforge.catalog import ArgumentError
from abnforge.charset import ANY, ANY_BYTE, BYTES, CharSet
from abnforge.engine.rule import AND, AT_MOST, BUT_NOT, NOT, OR, Rule
from abnforge.errors import LimitExceeded
from abnforge.messages import message
from abnforge.records import dataclass, fields

with lazy:
    from abnforge.automata import algebra, dfa
    from abnforge.explain import mistakes

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


OVER_LENGTH = "over-length"  # the code of a string that is longer than ``at_most`` allows

# Prefixes of codes: for strings that the other operand does not match, and for strings that it matches.
_OUTSIDE, _EXCLUDED = "outside", "excluded"

MAX_OPERATIONS = 50
"""The maximum number of operations in one rule, since names, copies and explanations visit all of them."""


@dataclass(frozen=True)
class ExclusionMessage:
    """The message and code for a string that the left operand matches and the operation excludes.

    ``says`` is a sentence with the slots ``{text}`` for the excluded part and ``{length}`` for the length in
    code points. ``missing`` is the sentence if the part is missing. If a sentence is None, the reason of the
    other operand is used. The part is the last match of the rule with the key ``part`` in the tree of the
    rule ``splitter``; without these, it is the whole string.
    """

    code: str
    meaning: str
    says: str | None = None
    missing: str | None = None
    splitter: Any = None
    part: str | None = None

    def place(self, text: str) -> tuple[int, int] | None:
        """Return the span of the excluded part in code points, or None if the part is missing."""
        if self.splitter is None or self.part is None:
            return 0, len(text)
        spans = self._splitting.find(text)
        if spans is None:
            return None
        (start, end), _ = spans
        return (start, end) if end >= 0 else None

    @cached_property
    def _splitting(self) -> Any:
        """The table that finds the span of the part."""
        assert self.part is not None
        table = self.splitter.grammar.compilation.tagged_table(
            self.splitter.key, {self.part: (self.part,)}, {}
        )
        assert table is not None, "the rule of a splitter is regular"
        return table

    def __reduce__(self) -> tuple[type[ExclusionMessage], tuple[object, ...]]:
        return ExclusionMessage, tuple(getattr(self, each.name) for each in fields(self))

    def message(self, text: str, place: tuple[int, int] | None) -> str | None:
        """Return the sentence about a string whose part has the span ``place``."""
        if place is None and self.missing is not None:
            return self.missing
        if self.says is None:
            return None
        start, end = place or (0, len(text))
        return _filled(self.says.replace("{length}", f"{len(text):,}"), text[start:end])


@lru_cache(maxsize=1024)
def _filled(says: str, text: str) -> str:
    return mistakes.fill(says, {mistakes.Slot("text", 1): text})


@dataclass(frozen=True)
class SetExpression:
    """A set operation on rules.

    ``longest`` is the maximum number of code points for ``AT_MOST``. ``exclusion`` is the message about a
    string that the left operand matches and the operation excludes. ``title`` replaces the default name of
    the rule.
    """

    operation: str
    left: Rule
    right: Rule | None = None
    longest: int | None = None
    exclusion: ExclusionMessage | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        for operand in self.operands:
            operand.grammar.compilation.refuse_prose(operand.key)
            if not operand.regular:
                raise ArgumentError(
                    message("rule-not-regular", rule=operand.name, grammar=operand.grammar.name)
                )
            if operand.grammar.alphabet != self.alphabet:
                raise ArgumentError(message("rule-alphabets", rules=(self.left.name, operand.name)))
        if self.operations > MAX_OPERATIONS:
            raise LimitExceeded(
                message("combination-limit", limit=MAX_OPERATIONS),
                operation="combining rules",
                used=self.operations,
                limit=MAX_OPERATIONS,
                setting="MAX_OPERATIONS",
            )

    @property
    def alphabet(self) -> str:
        """The alphabet of all operands."""
        return self.left.grammar.alphabet

    @property
    def characters(self) -> CharSet:
        """The characters of the alphabet."""
        return ANY_BYTE if self.alphabet == BYTES else ANY

    @property
    def operands(self) -> tuple[Rule, ...]:
        """The one or two operands."""
        return (self.left,) if self.right is None else (self.left, self.right)

    @cached_property
    def operations(self) -> int:
        """The number of operations, including those of the operands."""
        expressions: list[SetExpression | None] = [operand._expression for operand in self.operands]
        return 1 + sum([expression.operations for expression in expressions if expression])

    @property
    def name(self) -> str:
        """The name of the rule, built from its operands' names."""
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
        """The name of its grammar, after the operands that provide its trees and rejections."""
        names = [operand.grammar.name for operand in self.operands]
        return ", ".join(dict.fromkeys(names if self.operation == OR else names[:1]))

    @property
    def meaning(self) -> str:
        """A description of the expression's strings."""
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
        """Return whether the expression is a subset of the left operand, which then provides its trees."""
        return self.operation in (AND, BUT_NOT, AT_MOST)

    @property
    def is_of_one_grammar(self) -> bool:
        """Return whether all operands are rules of the same grammar."""
        return all(operand.grammar is self.left.grammar for operand in self.operands)

    def holds(self, left: bool, right: bool) -> bool:
        """Return whether the expression contains a string, by the operands' verdicts; ignore its length."""
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
        """Return whether the expression contains a string, by the operands' engines."""
        if self.longest is not None and len(text) > self.longest:
            return False
        right = self.right is not None and self.right._is_match(text, engine)
        return self.holds(self.left._is_match(text, engine), right)

    def parsed_by(self, text: str, engine: str) -> Rule:
        """Return the operand that provides a string's tree: the first operand that matches it.

        Raises ValueError if no operand matches.
        """
        for operand in self.operands:
            if operand._is_match(text, engine):
                return operand
        raise ArgumentError(message("combination-tree", rule=self.name))

    def build(self, meter: Meter) -> dfa.Automaton:
        """Build the minimal automaton. Raises LimitExceeded, immediately for a large bound."""
        if self.bound is not None:
            rule, longest = self.bound
            return dfa.at_most(rule.automaton, longest, meter)
        left = self.left.automaton
        if self.right is None:
            return algebra.complement(left, meter, self.characters)
        return algebra.combine(left, self.right.automaton, self.holds, meter)

    def narrowing(self, meter: Meter) -> dfa.Automaton | None:
        """Return the automaton whose intersection with a rule of a grammar is the expression.

        The result is None if the expression is not such an intersection or bounds the length. Raises
        LimitExceeded.
        """
        if not self.is_narrower or self.right is None:
            return None
        by: dfa.Automaton = self.right.automaton
        if self.operation == BUT_NOT:
            by = algebra.complement(by, meter, self.characters)
        before: SetExpression | None = self.left._expression
        if before is None:
            return by
        others = before.narrowing(meter)
        return others and algebra.intersection(others, by, meter)

    @cached_property
    def bound(self) -> tuple[Rule, int] | None:
        """The expression as a rule without a bound on lengths, and the bound.

        The value is None if the length of some strings is not bounded.
        """
        left, longest = bound_of(self.left) or (self.left, None)
        if self.longest is not None:
            return left, self.longest if longest is None else min(longest, self.longest)
        if self.right is None:
            return None
        right, other = bound_of(self.right) or (self.right, None)
        bounds = [bound for bound in (longest, other) if bound is not None]
        is_bound = {AND: bool(bounds), BUT_NOT: longest is not None and other is None, OR: longest == other}
        if not bounds or not is_bound[self.operation]:
            return None
        return left.grammar._combine(self.operation, left, right), min(bounds)

    @property
    def first(self) -> Rule:
        """The first operand in the expression that is a rule of a grammar."""
        return self.left if self.left._expression is None else self.left._expression.first

    @property
    def others(self) -> Mapping[str, Rule]:
        """The rules that the expression's trees and rejections name, by key.

        These are the rules of all operands' grammars for a union, and of the left operand's grammar
        otherwise. If two rules have the same key, the first operand's rule is used.
        """
        rules: dict[str, Rule] = {}
        for operand in self.operands if self.operation == OR else (self.left,):
            for rule in operand.grammar.values():
                if rule._expression is None:
                    rules.setdefault(rule.key, rule)
        return rules

    @property
    def exclusion_message(self) -> ExclusionMessage:
        """The message about a string that the left operand matches and the operation excludes."""
        if self.exclusion is not None:
            return self.exclusion
        left = self.left.name
        if self.longest is not None:
            return ExclusionMessage(
                OVER_LENGTH,
                message("set-length", most=self.longest),
                message("set-length-is", most=self.longest),
            )
        if self.right is None:
            return ExclusionMessage(
                _code(_EXCLUDED, left), message("set-excluded", rule=left, name=self.name)
            )
        right = self.right.name
        if self.operation == AND:
            return ExclusionMessage(_code(_OUTSIDE, right), message("set-outside", left=left, rule=right))
        return ExclusionMessage(_code(_EXCLUDED, right), message("set-excluded", rule=right, name=self.name))


def expression_of(rule: Rule) -> SetExpression | None:
    """Return the expression that defines a rule, or None for a rule of a grammar."""
    expression: SetExpression | None = rule._expression
    return expression


def base_of(rule: Rule) -> Rule | None:
    """Return the rule of a grammar that matches all strings of a rule and builds their trees, if any."""
    expression = expression_of(rule)
    if expression is None:
        return rule
    return base_of(expression.left) if expression.is_narrower else None


def bound_of(rule: Rule) -> tuple[Rule, int] | None:
    """Split a rule into a rule without a bound on lengths and the bound; None if it is not bounded."""
    expression = expression_of(rule)
    return None if expression is None else expression.bound


def codes_of_sets(rules: Iterable[str]) -> dict[str, str]:
    """Return the codes that set operations add to the rejections of these rules, and their meanings."""
    meanings = {}
    for rule in rules:
        meanings[_code(_OUTSIDE, rule)] = f"The string must also match {rule}."
        meanings[_code(_EXCLUDED, rule)] = f"The string matches {rule}, which is excluded."
    return meanings


def _code(head: str, name: str) -> str:
    """Return a code from a prefix and a rule's name."""
    return f"{head}-{re.sub('[^A-Za-z0-9]+', '-', name).strip('-')}"


def _untitled(rule: Rule) -> Rule:
    expression: SetExpression | None = rule._expression
    return rule if expression is None or expression.title is None else _untitled(expression.left)


# Expressions as text: ``URI & web``, ``~port``, ``(URI - http).at_most(2048)``. Operators and precedence are
# as in Python: ``~`` and ``.at_most(N)``, then ``-``, ``&``, ``|``. Names can contain hyphens, so ``-`` as an
# operator needs spaces around it. ``GRAMMAR:RULE`` is a rule of another grammar.


MAX_NESTING = 50  # the maximum nesting of brackets and complements

_TOKEN = lazy_pattern(
    r"""\s*(?:
    (?P<most>\.at_most\(\s*(?P<number>[0-9]+)\s*\))
    |(?P<name>(?:[^\s()&|~]*:)?[A-Za-z][A-Za-z0-9_-]*)
    |(?P<mark>[()&|~]|-(?=\s))
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
_SIGNS = lazy_pattern(r"[()&|~]|\.at_most|\s-\s")
_TIGHTER = {OR: 0, AND: 1, BUT_NOT: 2}


def is_expression(text: str) -> bool:
    """Return whether a string is an expression rather than a rule's name."""
    return _SIGNS.search(text) is not None


def evaluate(text: str, rule: Callable[[str], Rule]) -> Rule:
    """Return the rule of an expression; ``rule`` looks up the rules that it names.

    Raises ValueError for a syntax error, and the exceptions of ``rule`` and of set algebra. Cost: that of the
    operations.
    """
    return _Reader(text, rule).read()


MAX_DIGITS = 9  # the maximum number of digits of a length


class _Reader:
    def __init__(self, text: str, rule: Callable[[str], Rule]) -> None:
        self._text = text
        self._rule = rule
        self._at = 0
        self._depth = 0
        self._token = self._next()

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].strip()
            raise self._error("expression-sign", text=rest[:20])
        self._at = match.end()
        return match

    def _error(self, code: str, **data: Any) -> ArgumentError:
        return ArgumentError(message(code, expression=self._text, **data))

    def _shown(self) -> str:
        return repr(self._token[0].strip()) if self._token[0].strip() else "the end"

    def read(self) -> Rule:
        """Parse the whole expression."""
        rule = self._binary(0)
        if self._token["end"] is None:
            raise self._error("expression-operator", before=self._shown())
        return rule

    def _binary(self, least: int) -> Rule:
        rule = self._unary()
        while (sign := self._token["mark"]) in _TIGHTER and _TIGHTER[sign] >= least:
            self._token = self._next()
            right = self._binary(_TIGHTER[sign] + 1)
            rule = rule & right if sign == AND else rule - right if sign == BUT_NOT else rule | right
        return rule

    def _unary(self) -> Rule:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._error("expression-nesting", limit=MAX_NESTING)
        token = self._token
        self._token = self._next()
        if token["name"] is not None:
            rule = self._rule(token["name"])
        elif token["mark"] == "~":
            rule = ~self._unary()
            self._depth -= 1
            return rule
        elif token["mark"] == "(":
            rule = self._binary(0)
            if self._token["mark"] != ")":
                raise self._error("expression-parenthesis", before=self._shown())
            self._token = self._next()
        else:
            self._token = token
            raise self._error("expression-rule", before=self._shown())
        while self._token["most"] is not None:
            if len(self._token["number"]) > MAX_DIGITS:
                raise self._error("expression-length", most=MAX_DIGITS)
            rule = rule.at_most(int(self._token["number"]))
            self._token = self._next()
        self._depth -= 1
        return rule
