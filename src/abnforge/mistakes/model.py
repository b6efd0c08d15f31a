"""What a file of mistakes says: each mistake with its rule and what its directives tell.

All are values: frozen, compared by what they hold, and fit to travel. Names of rules are keys (lower case)
but where they are shown; nothing here is bound to a grammar yet (see ``mistakes.binding``).
"""

from __future__ import annotations

from typing import Union

from abnforge.grammar.syntax import Repetition, Rule
from abnforge.records import NamedTuple, dataclass, field, replace
from abnforge.source import Source, Span

OF, BEFORE, AFTER = "of", "before", "after"

ALL, START, END = "all", "start", "end"
"""Words that stand for the whole text of a mistake, and for the places before and behind it."""

WHATEVER = "*"
"""As a target: the rule that a string is read by, whichever that is."""

ENCODE, DROP, DECODE, LIKE, IDNA = "encode", "drop", "decode", "like", "idna"


class Slot(NamedTuple):
    """What one use of a rule in a mistake's body reads: the ``turn``-th in the text, from 1.

    ``name`` is the rule's key, or one of the words ``all``, ``start`` and ``end``.
    """

    name: str
    turn: int = 1

    def __str__(self) -> str:
        return self.name if self.turn == 1 else f"{self.name}.{self.turn}"


class Text(NamedTuple):
    """Characters that a fix writes."""

    value: str


class Mapped(NamedTuple):
    """A slot's text with each character mapped; ``rule`` names the set that the map asks for, if it does."""

    how: str
    slot: Slot
    rule: str | None


class Substituted(NamedTuple):
    """The whole text of a mistake in which every use of some rules is replaced by a text."""

    pairs: tuple[tuple[str, str], ...]


Part = Union[Slot, Text, Mapped, Substituted]


class Example(NamedTuple):
    """A wrong text, read by ``rule`` (None: where the grammar starts), and the right one (None: no fix)."""

    wrong: str
    right: str | None
    rule: str | None = None


class Near(NamedTuple):
    """A valid text that looks like the mistake, read by ``rule``."""

    valid: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that people write instead of, before or after what a rule derives.

    ``code`` is the rule's name, or the name that it has in common with others that are the same mistake to a
    person; ``family`` the name of the rule that it was written as. ``place`` is ``of``, ``before`` or
    ``after``; ``targets`` are the rules, ``literal`` the literal in them that is meant. With ``part`` it is
    that repetition in their definitions, and ``literal`` is how it is written. ``blame`` are slots, of which
    the first that a text has is shown. ``fix`` is None where there is
    none; with ``unwanted`` it is valid, but not offered. ``inner`` are the rules that may hold mistakes, too.
    ``order`` is the place in the file, which decides between equal costs. Those that are ``derived`` stand in
    no file, but follow from a grammar; the fix of a ``doubtful`` one is not offered where another reading is
    as cheap (see ``rivals``). ``reach`` is a number of characters, if the sentence says that nothing can
    match more than so many from the blamed place on (see ``explain.nearness``).
    """

    code: str
    rule: Rule
    place: str
    targets: tuple[str, ...]
    literal: str | None
    blame: tuple[Slot, ...]
    fix: tuple[Part, ...] | None
    cost: int = 1
    order: int = 0
    about: str | None = None
    inner: frozenset[str] = frozenset()
    unwanted: bool = False
    say: str | None = None
    section: str | None = None
    family: str | None = None
    examples: tuple[Example, ...] = ()
    near: tuple[Near, ...] = ()
    seen: tuple[str, ...] = ()
    part: Repetition | None = None
    derived: bool = False
    doubtful: bool = False
    reach: int | None = None
    span: Span = field(default=Span(0, 0), compare=False)

    @property
    def key(self) -> str:
        """The key of the mistake's rule: no two mistakes share it, as they may share a code."""
        return self.rule.name.lower()


@dataclass(frozen=True, slots=True)
class Adoption:
    """Mistakes of another grammar that count here, too, but for some; or ``only`` some, if any are named. Its
    rules are called by the names that they have here, and examples that are none here are ``left_out``.
    """

    grammar: str
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """A file of mistakes: those that it declares, in order, and the rules that only help to write them.

    Of ``complete`` ones the file says that no others are derived from the grammar.
    """

    name: str
    mistakes: tuple[Mistake, ...]
    helpers: tuple[Rule, ...]
    source: Source = field(default=Source(""), compare=False, repr=False)
    adopts: tuple[Adoption, ...] = ()
    complete: bool = False

    def then(self, others: Mistakes) -> Mistakes:
        """These and others: of equals, these are meant. Errors in either are told in the text of these.

        No rule's name may be in both (see ``adoption.behind``).
        """
        behind = (replace(each, order=each.order + len(self.mistakes)) for each in others.mistakes)
        helpers = (*self.helpers, *others.helpers)
        complete = self.complete or others.complete
        return replace(self, mistakes=(*self.mistakes, *behind), helpers=helpers, complete=complete)


def literal_key(target: str, literal: str) -> str:
    """The key of a literal within a rule; no name of a rule looks so."""
    return f'{target} "{literal.lower()}"'
