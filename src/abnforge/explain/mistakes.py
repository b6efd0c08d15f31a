"""The message of a mistake: the template of its ``say`` directive, filled with the strings of its slots.

A slot that is a word of the message is quoted, and a single character is named unless it is plain ASCII. A
slot that touches other characters (``[{host}]``, ``{year}-{month}``) is not quoted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from abnforge._lazy import lazy_pattern
from abnforge.grammar.syntax import Alternation, Element, Group, Option, Repetition, RuleDefinition, RuleName
from abnforge.records import NamedTuple, dataclass, field, replace
from abnforge.text import Source, Span, shortened, show_char

# What a file of mistakes says: each mistake with its rule and what its directives tell.
#
# All are values: frozen, compared by what they hold, and fit to travel. Names of rules are keys (lower
# case) but where they are shown; nothing here is bound to a grammar yet (see ``mistakes.binding``).


OF, BEFORE, AFTER = "of", "before", "after"

WHATEVER = "*"
"""As a target: the rule that a string is read by, whichever that is."""

ENCODE, DROP, DECODE, LIKE, IDNA = "encode", "drop", "decode", "like", "idna"


class Slot(NamedTuple):
    """The string of one use of a rule in a mistake's body: use number ``turn``, from 1, of the rule ``name``.

    The words ``ALL``, ``START`` and ``END`` have number 0, since a rule may have the same name.
    """

    name: str
    turn: int = 1

    def __str__(self) -> str:
        is_short = self == ALL if self.name == ALL.name else self.turn <= 1
        return self.name if is_short else f"{self.name}.{self.turn}"


ALL, START, END = Slot("all", 0), Slot("start", 0), Slot("end", 0)
"""The whole mistake, and the places before and after it."""


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


class MistakeExample(NamedTuple):
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
    rule: RuleDefinition
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
    examples: tuple[MistakeExample, ...] = ()
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
    helpers: tuple[RuleDefinition, ...]
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


# Slots: the rules that a mistake's body uses directly, and how often a text can use each of them.


@dataclass(frozen=True, slots=True)
class SlotUses:
    """How often one text uses a rule: at least ``least`` times, at most ``most`` (None: no limit)."""

    least: int
    most: int | None


def slots(body: Alternation) -> dict[str, SlotUses]:
    """The rules that a body names, by key, in the order of the text. Cost: linear, times the rules named."""
    found: dict[str, SlotUses] = {}
    choices = [_sequence([(i.element, i.min, i.max) for i in each.items]) for each in body.alternatives]
    for choice in choices:
        found.update(dict.fromkeys(choice, SlotUses(0, 0)))
    for key in found:
        uses = [choice.get(key, SlotUses(0, 0)) for choice in choices]
        most = [each.most for each in uses]
        found[key] = SlotUses(
            min(each.least for each in uses), None if None in most else max(m for m in most if m is not None)
        )
    return found


def _sequence(items: list[tuple[Element, int, int | None]]) -> dict[str, SlotUses]:
    found: dict[str, SlotUses] = {}
    for element, low, high in items:
        for key, uses in _element(element).items():
            before = found.get(key, SlotUses(0, 0))
            most = 0 if high == 0 else None if high is None or uses.most is None else high * uses.most
            together = None if most is None or before.most is None else before.most + most
            found[key] = SlotUses(before.least + low * uses.least, together)
    return found


def _element(element: Element) -> dict[str, SlotUses]:
    match element:
        case RuleName(name=name):
            return {name.lower(): SlotUses(1, 1)}
        case Group(alternation=alternation):
            return slots(alternation)
        case Option(alternation=alternation):
            return {key: SlotUses(0, uses.most) for key, uses in slots(alternation).items()}
        case _:
            return {}


MAX_SHOWN = 40
"""Characters of a slot that a sentence shows: more would hide the rest of it."""

_PART = lazy_pattern(r"\{\{|\}\}|\{([^{}]+)\}")
_RUN = lazy_pattern(r"\{\{|\}\}|(?P<slots>(?:\{[^{}]+\})+)")
_NAME = lazy_pattern(r"\{([^{}]+)\}")
_BEHIND = lazy_pattern(r"[,.;:)]*(?: |$)")  # what may follow a word


def slots_said(mistake: Mistake) -> tuple[Slot, ...]:
    """The slots that a mistake's sentence shows, and the word that stands for all of it."""
    return tuple([_slot(match[1]) for match in _PART.finditer(mistake.say or "") if match[1]])


def fill(template: str, texts: dict[Slot, str]) -> str:
    """A template with texts for its slots; those that a text does not use are empty."""
    said: list[str] = []
    for text, slots, is_word in _parts(template):
        said.append(text)
        if slots:
            found = "".join([texts.get(slot, "") for slot in slots])
            said.append(quoted(found) if is_word else shortened(found, MAX_SHOWN))
    return "".join(said)


@lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[tuple[str, tuple[Slot, ...], bool], ...]:
    """What a template says as it is, each part with the slots behind it, and whether these are a word."""
    parts: list[tuple[str, tuple[Slot, ...], bool]] = []
    at = 0
    for match in _RUN.finditer(template):
        text = template[at : match.start()]
        at = match.end()
        if match["slots"] is None:
            parts.append((text + match[0][0], (), False))
        else:
            slots = tuple([_slot(name) for name in _NAME.findall(match["slots"])])
            before = template[: match.start()][-1:]
            parts.append((text, slots, before in " (" and _BEHIND.match(template, match.end()) is not None))
    return (*parts, (template[at:], (), False))


def quoted(text: str) -> str:
    """Return a string as a word of a message: in quotes, a single character by its name; "" for none."""
    if len(text) == 1:
        return show_char(text)
    mark = "'" if '"' in text else '"'
    return f"{mark}{shortened(text, MAX_SHOWN)}{mark}" if text else ""


def outline(template: str) -> str:
    """A template with the names of slots in the place of their texts."""
    return _PART.sub(lambda match: match[0][0] if match[1] is None else f"<{match[1]}>", template)


def _slot(name: str) -> Slot:
    if name == ALL.name:
        return ALL
    name, _, turn = name.partition(".")
    return Slot(name, int(turn or 1))
