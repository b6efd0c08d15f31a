"""Collect derived mistakes, each with a unique name, and construct their bodies.

``chars``, ``choice``, ``some`` and similar functions construct ABNF syntax trees. ``MistakeBuilder`` adds
mistakes and helper rules, and names parts of the grammar in messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abnforge.charset import CharSet
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.mistakes import ALL, OF, FixPart, Mistake, Slot
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Repetition,
    RuleDefinition,
    RuleName,
)

EMPTY = Repetition(CharVal(""))


def one(element: Element) -> Repetition:
    return Repetition(element)


def some(element: Element, low: int = 0, high: int | None = None) -> Repetition:
    """Repeat an element ``low`` to ``high`` times, by default any number of times."""
    return Repetition(element, low, high)


def name(rule: str) -> Repetition:
    return Repetition(RuleName(rule))


def text(value: str) -> Repetition:
    return Repetition(literal(value))


def literal(value: str) -> Element:
    if all(" " <= char <= "~" and char != '"' for char in value):
        return CharVal(value, "%s" if value.lower() != value.upper() else "")
    return NumVal("x", tuple(map(ord, value)))


def chars(charset: CharSet) -> Element:
    """Return an element that matches one character of a nonempty set."""
    values = [
        NumVal("x", (low,) if low == high else (low, high), is_range=low != high)
        for low, high in charset.ranges
    ]
    return values[0] if len(values) == 1 else choice(*([one(value)] for value in values))


def choice(*alternatives: Iterable[Repetition]) -> Element:
    return Group(body(*alternatives))


def body(*alternatives: Iterable[Repetition]) -> Alternation:
    """Return a definition: a choice of sequences."""
    return Alternation(tuple(Concatenation(tuple(items)) for items in alternatives))


def rule(code: str, *alternatives: Iterable[Repetition]) -> RuleDefinition:
    return RuleDefinition(code, body(*alternatives))


class MistakeBuilder:
    """Collect the mistakes of one grammar. ``taken`` are the names that codes and helpers cannot use.

    ``declared`` is the number of declared mistakes; if there are any, derived mistakes cost more.
    """

    def __init__(self, context: FollowSets, taken: Iterable[str], declared: int) -> None:
        self.context = context
        self.mistakes: list[Mistake] = []
        self.helpers: list[RuleDefinition] = []
        self._declared = {name.lower() for name in taken}
        self._own: set[str] = set()
        self._known = set(context.grammar.rules)
        self._dearer = 1 if declared else 0

    def rule_name(self, key: str) -> str:
        """Return a rule's name in the grammar's spelling."""
        return self.context.grammar.rules[key].name

    def location(self, key: str) -> str:
        """Return the part of a message that names the rule of a mistake.

        If the rule derives single characters or whitespace, its only user is named instead, or none.
        """
        while self.is_too_small(key):
            parents = self.context.parents[key]
            if len(parents) != 1 or key in self.context.recursive:
                return ""
            (key,) = parents
        return f" in the {self.rule_name(key)}"

    def is_too_small(self, key: str) -> bool:
        """Return whether a rule derives only single characters or whitespace: messages name larger rules."""
        shape = self.context.shapes[key]
        return key != self.context.start and (
            shape.longest <= 1 or not shape.chars & ~self.context.bits(self.context.whitespace)
        )

    def helper(self, requested: str, *alternatives: Iterable[Repetition]) -> RuleDefinition:
        """Add and return a helper rule with the requested name, or a similar name if it is taken."""
        helper = rule(self._free(requested), *alternatives)
        self._own.add(helper.name.lower())
        self.helpers.append(helper)
        return helper

    def add(
        self,
        code: str,
        targets: tuple[str, ...],
        alternatives: Iterable[Iterable[Repetition]],
        say: str,
        *,
        place: str = OF,
        literal: str | None = None,
        part: Repetition | None = None,
        blame: tuple[Slot, ...] = (ALL,),
        fix: tuple[FixPart, ...] | None = None,
        cost: int = 1,
        order: int | None = None,
        **more: object,
    ) -> None:
        """Add a mistake, unless the user declared one with the same code.

        ``order`` decides between equal costs; by default, earlier mistakes are preferred.
        """
        if code.lower() in self._declared:
            return
        while code.lower() in self._known:
            code += "-2"
        own_rule = rule(self._free(code), *alternatives)
        self._own.add(own_rule.name.lower())
        if part is not None:
            is_rule = isinstance(part.element, RuleName) and part.min == part.max == 1
            written = print_alternation(body([part]))
            literal = f"<{written}>" if is_rule else written
        mistake = Mistake(
            code=code,
            rule=own_rule,
            place=place,
            targets=targets,
            literal=literal,
            blame=blame,
            fix=fix,
            cost=cost + self._dearer,
            order=len(self.mistakes) if order is None else order,
            say=say,
            part=part,
            derived=True,
            **more,  # type: ignore[arg-type]
        )
        self.mistakes.append(mistake)

    def add_missing(
        self,
        code: str,
        targets: tuple[str, ...],
        alternatives: Iterable[Iterable[Repetition]],
        what: str,
        **more: Any,
    ) -> None:
        """Add a mistake whose message says that ``what`` is missing; the message ends with the place."""
        self.add(code, targets, alternatives, f"{what} is missing", is_missing=True, **more)

    def has_code(self, code: str) -> bool:
        """Return whether a mistake with this code exists."""
        return code.lower() in self._own or code.lower() in self._declared

    def add_once(self, code: str, *arguments: Any, **more: Any) -> None:
        """Add a mistake, unless a mistake with this code exists."""
        if not self.has_code(code):
            self.add(code, *arguments, **more)

    def _free(self, requested: str) -> str:
        """Return the requested name, with a number appended if it is taken."""
        free_name, suffix = requested, 1
        while (
            free_name.lower() in self._own
            or free_name.lower() in self._known
            or free_name.lower() in self._declared
        ):
            suffix += 1
            free_name = f"{requested}-{suffix}"
        return free_name


def quoted_literal(text: str) -> str:
    """Quote a literal in the way that messages quote text to write."""
    mark = '"' if "'" in text else "'"
    return f"{mark}{escaped(text)}{mark}"


def unless_others(charset: CharSet) -> dict[str, Any]:
    """Return the attributes of a mistake whose message is false if other characters can follow."""
    return {"listed": charset, "is_vague": True}


def escaped(text: str) -> str:
    """Escape a string for a message template by doubling its braces."""
    return text.replace("{", "{{").replace("}", "}}")
