"""Mistakes with the grammar that they are about, whether they are bound from their text or stored so.

Reading stored ones does not import the binder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from abnforge.charset import CharSet
from abnforge.frozen import Frozen
from abnforge.grammar.core import Core, Node
from abnforge.grammar.facts import Facts
from abnforge.grammar.syntax import BoundGrammar
from abnforge.late import importing
from abnforge.mistakes.character_sets import characters
from abnforge.mistakes.model import Mistake, Mistakes
from abnforge.once import once
from abnforge.records import NamedTuple


class Binding(NamedTuple):
    """What binding gives: see :class:`BoundMistakes`."""

    mistakes: Mistakes
    core: Core
    marked: Mapping[str, Node]


class Known(Protocol):
    """What is known of mistakes before they are bound: what most questions need."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def names(self) -> Mapping[str, str]:
        """The names of rules by key, those of the grammar and those that mistakes use."""

    @property
    def complete(self) -> bool:
        """Return whether no further mistakes are derived."""

    @property
    def is_left_recursive(self) -> bool:
        """Return whether a rule begins with itself by way of others."""

    @property
    def long_rules(self) -> frozenset[str]:
        """The rules that a catch-all is of use for."""

    @property
    def touched_rules(self) -> frozenset[str]:
        """The rules that a mistake or a catch-all can occur in."""

    @property
    def class_ranges(self) -> Sequence[tuple[int, int]]:
        """The characters that the grammar and its mistakes tell apart, as ``Classes`` has them."""

    def characters(self, rule: str) -> CharSet:
        """The set that a rule stands for in a fix."""

    def named_slots(self, mistake: Mistake) -> frozenset[str]:
        """The names of the slots that the directives of a mistake name."""


class BoundMistakes(Frozen):
    """Mistakes with the grammar that they are about.

    ``core`` has the rules of both, and one for each literal that has mistakes, under the key that
    :func:`literal_key` gives; in ``marked`` are the bodies that refer to those. Of shipped mistakes much is
    known (``known``), and they are bound only when more is asked for.
    """

    grammar: BoundGrammar

    def __init__(
        self,
        grammar: BoundGrammar,
        bind: Callable[[], Binding],
        known: Known | None = None,
        mistakes: Mistakes | None = None,
    ) -> None:
        self._fill(grammar=grammar, _bind=bind, _known=known, _mistakes=mistakes, _sets={})

    @once
    def binding(self) -> Binding:
        """What binding gives, which is done when it is first asked for."""
        made: Binding = self.__dict__["_bind"]()
        return made

    @property
    def known(self) -> Known | None:
        """The facts that are stored with shipped mistakes."""
        found: Known | None = self.__dict__["_known"]
        return found

    @property
    def mistakes(self) -> Mistakes:
        """The mistakes as they were read."""
        read: Mistakes | None = self.__dict__["_mistakes"]
        return self.binding.mistakes if read is None else read

    @property
    def core(self) -> Core:
        """The rules of the grammar and of its mistakes."""
        return self.binding.core

    @property
    def marked(self) -> Mapping[str, Node]:
        """The bodies in which literals have mistakes, by key."""
        return self.binding.marked

    @once
    def count(self) -> int:
        """The number of mistakes."""
        return len(self.mistakes.mistakes) if self.known is None else self.known.count

    @property
    def complete(self) -> bool:
        """Return whether no further mistakes are derived."""
        return self.mistakes.complete if self.known is None else self.known.complete

    @once
    def declares(self) -> bool:
        """Whether somebody declared any of them; else all follow from the grammar."""
        # Stored mistakes are declared.
        return self.known is not None or any(not each.derived for each in self.mistakes.mistakes)

    @once
    def names(self) -> Mapping[str, str]:
        """The names of rules by key."""
        return self.core.names if self.known is None else self.known.names

    def characters(self, rule: str) -> CharSet:
        """The characters that a rule stands for in a fix (see ``character_sets``)."""
        sets: dict[str, CharSet] = self.__dict__["_sets"]
        if rule not in sets:
            known = self.known
            sets[rule] = characters(self.core, rule) if known is None else known.characters(rule)
        return sets[rule]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundMistakes):
            return NotImplemented
        return self.grammar == other.grammar and self.mistakes == other.mistakes

    def __hash__(self) -> int:
        return hash((self.grammar.name, self.count))

    def __reduce__(self) -> tuple[Callable[..., BoundMistakes], tuple[Mistakes, BoundGrammar]]:
        return bind_mistakes, (self.mistakes, self.grammar)

    @once
    def facts(self) -> Facts:
        """What follows from the core form."""
        return Facts(self.core)

    @once
    def by_code(self) -> Mapping[str, Mistake]:
        """The declared mistakes by code, in order; of those that share one, the first."""
        found: dict[str, Mistake] = {}
        for mistake in self.mistakes.mistakes:
            found.setdefault(mistake.code, mistake)
        return found

    @once
    def by_rule(self) -> Mapping[str, Mistake]:
        """The declared mistakes by the names of their rules, in order."""
        return {mistake.rule.name: mistake for mistake in self.mistakes.mistakes}

    def section(self, mistake: Mistake) -> str | None:
        """The section that tells what is right: the mistake's own, else its first target's."""
        if mistake.section is not None:
            return mistake.section
        targets = (mistake.about or "", *mistake.targets)
        outline = self.grammar.outline
        rules = (outline[key] for key in targets if key in outline)
        return next((rule.section for rule in rules if rule.section is not None), None)


def bind_mistakes(mistakes: Mistakes, grammar: BoundGrammar, core: Core | None = None) -> BoundMistakes:
    """Bind mistakes to a grammar, whose core form is ``core`` if that is known already.

    Raises :class:`GrammarError` with every error found: names that are defined nowhere, or in both texts;
    targets, sets and literals that the grammar does not have. Cost: linear in the size of both.
    """
    with importing:
        from abnforge.mistakes.binding import bound_rules

    rules, marked = bound_rules(mistakes, grammar, core)
    made = Binding(mistakes, rules, marked)
    return BoundMistakes(grammar, lambda: made)
