"""The mistakes derived so far: each with a code that nothing else is called by, and the rules that help."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abnforge.charset import CharSet
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.derive.signs import BLANKS
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

# Definitions put together in memory: what the mistakes that are derived have as bodies.


EMPTY = Repetition(CharVal(""))


def one(element: Element) -> Repetition:
    """An element, once."""
    return Repetition(element)


def some(element: Element, low: int = 0, high: int | None = None) -> Repetition:
    """An element, any number of times, or ``low`` to ``high`` times."""
    return Repetition(element, low, high)


def name(rule: str) -> Repetition:
    """A rule, once."""
    return Repetition(RuleName(rule))


def text(value: str) -> Repetition:
    """A string, character for character; what has no letters is the same in any case."""
    return Repetition(literal(value))


def literal(value: str) -> Element:
    """The terminal of a string."""
    if all(" " <= char <= "~" and char != '"' for char in value):
        return CharVal(value, "%s" if value.lower() != value.upper() else "")
    return NumVal("x", tuple(map(ord, value)))


def chars(charset: CharSet) -> Element:
    """One character of a set that is not empty."""
    values = [
        NumVal("x", (low,) if low == high else (low, high), is_range=low != high)
        for low, high in charset.ranges
    ]
    return values[0] if len(values) == 1 else choice(*([one(value)] for value in values))


def choice(*alternatives: Iterable[Repetition]) -> Element:
    """A choice in parentheses."""
    return Group(body(*alternatives))


def body(*alternatives: Iterable[Repetition]) -> Alternation:
    """A definition: a choice of sequences."""
    return Alternation(tuple(Concatenation(tuple(items)) for items in alternatives))


def rule(code: str, *alternatives: Iterable[Repetition]) -> RuleDefinition:
    """A rule of some alternatives."""
    return RuleDefinition(code, body(*alternatives))


def as_alternatives(element: Element) -> Alternation:
    """An element as a definition of its own."""
    return element.alternation if isinstance(element, Group) else body([one(element)])


class MistakeBuilder:
    """Collects mistakes of one grammar. ``taken`` are names that codes and helpers must not have.

    ``declared`` is the number of mistakes that stand before these, and are meant first.
    """

    def __init__(self, surroundings: FollowSets, taken: Iterable[str], declared: int) -> None:
        self.around = surroundings
        self.mistakes: list[Mistake] = []
        self.helpers: list[RuleDefinition] = []
        self._declared = {name.lower() for name in taken}
        self._own: set[str] = set()
        self._known = set(surroundings.grammar.rules)
        self._dearer = 1 if declared else 0

    def shown(self, key: str) -> str:
        """A rule's name as the grammar writes it."""
        return self.around.grammar.rules[key].name

    def where(self, key: str) -> str:
        """Return the place of a mistake in a rule, as part of a message: of a rule of single characters or
        of whitespace, the only rule around it that has more, if any.
        """
        while self.is_part(key):
            parents = self.around.parents[key]
            if len(parents) != 1 or key in self.around.recursive:
                return ""
            (key,) = parents
        return f" in {self.shown(key)}"

    def is_part(self, key: str) -> bool:
        """Return whether a message is better about a rule around this one: it has single characters or
        whitespace alone.
        """
        shape = self.around.shapes[key]
        return key != self.around.start and (
            shape.longest <= 1 or not shape.chars & ~self.around.bits(BLANKS)
        )

    @staticmethod
    def beside(sites: list[Site]) -> str:
        """Return the literal next to all of some items, as part of a message; "" if it differs."""
        for word, step in (("after", -1), ("before", 1)):
            places = ((site.concatenation.items, site.index + step) for site in sites)
            found = {_literal(items[at]) if 0 <= at < len(items) else None for items, at in places}
            if len(found) == 1 and (text := found.pop()):
                return f" {word} {to_write(text)}"
        return ""

    def uses(self, key: str, item: Repetition) -> list[Site]:
        """Return the sites of an item in a rule, and of those written the same way."""
        return [site for site in self.around.sites(key) if site.item == item]

    def helper(self, wanted: str, *alternatives: Iterable[Repetition]) -> RuleDefinition:
        """A rule that helps to write mistakes, by a name near the one wanted."""
        found = rule(self._free(wanted), *alternatives)
        self._own.add(found.name.lower())
        self.helpers.append(found)
        return found

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
        **more: object,
    ) -> None:
        """One more mistake, but where one of that code is declared, which stands for it."""
        if code.lower() in self._declared:
            return
        while code.lower() in self._known:
            code += "-2"
        own = rule(self._free(code), *alternatives)
        self._own.add(own.name.lower())
        if part is not None:
            alone = isinstance(part.element, RuleName) and part.min == part.max == 1
            written = print_alternation(body([part]))
            literal = f"<{written}>" if alone else written
        made = Mistake(
            code=code,
            rule=own,
            place=place,
            targets=targets,
            literal=literal,
            blame=blame,
            fix=fix,
            cost=cost + self._dearer,
            order=len(self.mistakes),
            say=say,
            part=part,
            derived=True,
            **more,  # type: ignore[arg-type]
        )
        self.mistakes.append(made)

    def has(self, code: str) -> bool:
        """Whether there is a mistake of a code already."""
        return code.lower() in self._own or code.lower() in self._declared

    def once(self, code: str, *arguments: Any, **more: Any) -> None:
        """One more mistake, but where there is one of that code."""
        if not self.has(code):
            self.add(code, *arguments, **more)

    def _free(self, wanted: str) -> str:
        """The name wanted, with a number behind it if something has that name already."""
        found, number = wanted, 1
        while found.lower() in self._own or found.lower() in self._known or found.lower() in self._declared:
            number += 1
            found = f"{wanted}-{number}"
        return found


def _literal(item: Repetition) -> str | None:
    """Return the string that an item is, if it is a literal that cannot be absent and can be shown."""
    match item:
        case Repetition(CharVal(value=text), 1, 1):
            pass
        case Repetition(NumVal(values=values, is_range=False), 1, 1):
            text = "".join(map(chr, values))
        case _:
            return None
    return text if text.strip() and text.isascii() and text.isprintable() else None


def to_write(text: str) -> str:
    """Return a literal in the quotes that messages have around what to write."""
    mark = '"' if "'" in text else "'"
    return f"{mark}{quoted(text)}{mark}"


def quoted(text: str) -> str:
    """A text in a sentence's template, where braces are doubled."""
    return text.replace("{", "{{").replace("}", "}}")
