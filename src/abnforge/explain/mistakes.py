"""The values of a mistakes file: mistakes, their slots and fixes, and the templates of their messages.

A *mistake* is an error production: a rule for the strings that users write instead of, before or after the
strings of another rule (Aho and Peterson 1972, "A minimum distance error-correcting parser for context-free
languages"). All values are frozen, compare by value and can be pickled. Rule names are keys (lower case),
except in messages. ``explain.bind`` binds the values to a grammar.

``fill`` makes the message of a mistake from its ``say`` template. A slot that is a word of the message is
quoted, and a single character is named unless it is plain ASCII. A slot that touches other characters
(``[{host}]``, ``{year}-{month}``) is not quoted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from abnforge._lazy import lazy_pattern
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleDefinition,
    RuleName,
)
from abnforge.records import NamedTuple, dataclass, field, replace
from abnforge.text import Source, Span, shortened, show_char

MAX_SHOWN = 40  # characters of a slot that a message shows; a longer slot would hide the rest of the message

_PART = lazy_pattern(r"\{\{|\}\}|\{([^{}]+)\}")
_RUN = lazy_pattern(r"\{\{|\}\}|(?P<slots>(?:\{[^{}]+\})+)")
_NAME = lazy_pattern(r"\{([^{}]+)\}")
_AFTER_WORD = lazy_pattern(r"[,.;:)]*(?: |$)")

OF, BEFORE, AFTER = "of", "before", "after"

ANY_RULE = "*"  # as a target: the start rule, whichever that is

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
    """The string of a slot with each character mapped; ``rule`` names the set of the map, if any."""

    how: str
    slot: Slot
    rule: str | None


class Substituted(NamedTuple):
    """The whole string of a mistake with every use of some rules replaced by a string."""

    pairs: tuple[tuple[str, str], ...]


FixPart = Union[Slot, Text, Mapped, Substituted]


class MistakeExample(NamedTuple):
    """A wrong string for ``rule`` (None: the start rule), and the right one (None: not fixable)."""

    wrong: str
    right: str | None
    rule: str | None = None


class Near(NamedTuple):
    """A valid string for ``rule`` that looks like the mistake."""

    valid: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """One kind of string that users write instead of, before or after the strings of a rule.

    ``code`` is the rule's name, or a name that several mistakes share; ``family`` is the name of the rule
    that declares a family of mistakes. ``place`` is ``of``, ``before`` or ``after``; ``targets`` are the
    rules, and ``literal`` is the literal in them that the mistake replaces. With ``part``, the mistake
    replaces that repetition in their definitions, and ``literal`` is its notation. A rejection points at the
    first slot of ``blame`` that the string has.

    ``fix`` is None if the mistake is not fixable. An ``unwanted`` fix is valid, but not offered; an
    ``is_ambiguous`` fix is not offered if another interpretation costs no more (see ``explain.explainer``).
    ``inner`` are the rules in the body that may contain mistakes. ``order`` is the position in the file,
    which decides between equal costs. A ``derived`` mistake follows from the grammar. ``reach`` is N if the
    message states that at most N characters can match from the blamed place on.
    """

    code: str
    rule: RuleDefinition
    place: str
    targets: tuple[str, ...]
    literal: str | None
    blame: tuple[Slot, ...]
    fix: tuple[FixPart, ...] | None
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
    sources: tuple[str, ...] = ()
    part: Repetition | None = None
    derived: bool = False
    is_ambiguous: bool = False
    reach: int | None = None
    span: Span = field(default=Span(0, 0), compare=False)

    @property
    def key(self) -> str:
        """The key of the mistake's rule, which is unique, as codes are not."""
        return self.rule.name.lower()


@dataclass(frozen=True, slots=True)
class Adoption:
    """The mistakes that a file inherits from another grammar: all ``without`` some, or ``only`` some.

    ``names`` are pairs of a rule there and its name here. Examples in ``omitted_examples`` are not inherited.
    """

    grammar: str
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    omitted_examples: tuple[str, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """A mistakes file: its mistakes in order, and the rules that only help to write them.

    If it is ``complete``, no further mistakes are derived from the grammar.
    """

    name: str
    mistakes: tuple[Mistake, ...]
    helpers: tuple[RuleDefinition, ...]
    source: Source = field(default=Source(""), compare=False, repr=False)
    adopts: tuple[Adoption, ...] = ()
    complete: bool = False

    def followed_by(self, others: Mistakes) -> Mistakes:
        """Return these mistakes and, with lower preference, others. Errors cite the source of these.

        Both must have different rule names (see ``mistakes_file.combined``).
        """
        later = (replace(each, order=each.order + len(self.mistakes)) for each in others.mistakes)
        helpers = (*self.helpers, *others.helpers)
        complete = self.complete or others.complete
        return replace(self, mistakes=(*self.mistakes, *later), helpers=helpers, complete=complete)


def literal_key(target: str, literal: str) -> str:
    """Return the key of a literal within a rule; rule names do not have this form."""
    return f'{target} "{literal.lower()}"'


def literal_text(element: Element) -> str | None:
    """Return the string of a literal, or None."""
    match element:
        case CharVal(value=value):
            return value
        case NumVal(values=values, is_range=False):
            return "".join(map(chr, values))
        case _:
            return None


@dataclass(frozen=True, slots=True)
class SlotUses:
    """The number of uses of a rule in one string: ``least`` to ``most`` (None: unlimited)."""

    least: int
    most: int | None


def slots(body: Alternation) -> dict[str, SlotUses]:
    """Return the rules that a body names, by key in order, and their uses. Cost: linear, times the rules."""
    uses_by_key: dict[str, SlotUses] = {}
    alternatives = [_sequence([(i.element, i.min, i.max) for i in each.items]) for each in body.alternatives]
    for alternative in alternatives:
        uses_by_key.update(dict.fromkeys(alternative, SlotUses(0, 0)))
    for key in uses_by_key:
        uses = [alternative.get(key, SlotUses(0, 0)) for alternative in alternatives]
        maxima = [each.most for each in uses]
        uses_by_key[key] = SlotUses(
            min(each.least for each in uses),
            None if None in maxima else max(m for m in maxima if m is not None),
        )
    return uses_by_key


def message_slots(mistake: Mistake) -> tuple[Slot, ...]:
    """Return the slots in the message of a mistake, ``ALL`` included."""
    return tuple([_slot(match[1]) for match in _PART.finditer(mistake.say or "") if match[1]])


def fill(template: str, strings: dict[Slot, str]) -> str:
    """Return a template with its slots filled; a slot without a string is empty."""
    pieces: list[str] = []
    for text, slots, is_quoted in _parts(template):
        pieces.append(text)
        if slots:
            joined = "".join([strings.get(slot, "") for slot in slots])
            pieces.append(quoted(joined) if is_quoted else shortened(joined, MAX_SHOWN))
    return "".join(pieces)


def names_neighbor(mistake: Mistake) -> bool:
    """Return whether the message of a mistake ends with the word next to it: ``the port is missing``."""
    return mistake.derived and mistake.say is not None and mistake.say.endswith(" is missing")


def neighbor(text: str, offset: int) -> str:
    """Return the word before an offset, or the first character after it, as the end of a message.

    At the start of a line, the character comes first.
    """
    previous, following = text[:offset].rstrip(), text[offset:].lstrip()[:1]
    if not previous or (following and "\n" in text[len(previous) : offset]):
        return f" before {quoted(following)}" if following else f" after {quoted(text[-1])}" if text else ""
    start = len(previous) - 1  # a sign may end the word
    while start and (previous[start - 1].isalnum() or previous[start - 1] == "."):
        start -= 1
    return f" after {quoted(previous[start:])}"


def in_ascii(message: str, wrong: str) -> str:
    """Return a message that suggests ASCII letters or digits, if the wrong character is another one."""
    if wrong.isascii() or not wrong.isalnum():
        return message
    problem, semicolon, fix = message.rpartition("; use ")
    return (
        problem + semicolon + fix.replace("a letter", "an ASCII letter").replace("a digit", "an ASCII digit")
    )


def quoted(text: str) -> str:
    """Return a string as a word of a message: quoted, or a single character by name; "" if it is empty."""
    if len(text) == 1:
        return show_char(text)
    mark = "'" if '"' in text else '"'
    return f"{mark}{shortened(text, MAX_SHOWN)}{mark}" if text else ""


def outline(template: str) -> str:
    """Return a template with the names of its slots in angle brackets."""
    return _PART.sub(lambda match: match[0][0] if match[1] is None else f"<{match[1]}>", template)


def _sequence(items: list[tuple[Element, int, int | None]]) -> dict[str, SlotUses]:
    uses_by_key: dict[str, SlotUses] = {}
    for element, min_count, max_count in items:
        for key, uses in _element(element).items():
            earlier = uses_by_key.get(key, SlotUses(0, 0))
            maximum = (
                0
                if max_count == 0
                else None
                if max_count is None or uses.most is None
                else max_count * uses.most
            )
            total = None if maximum is None or earlier.most is None else earlier.most + maximum
            uses_by_key[key] = SlotUses(earlier.least + min_count * uses.least, total)
    return uses_by_key


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


@lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[tuple[str, tuple[Slot, ...], bool], ...]:
    """Split a template: verbatim text, the slots after it, and whether the slots are a quoted word."""
    parts: list[tuple[str, tuple[Slot, ...], bool]] = []
    start = 0
    for match in _RUN.finditer(template):
        text = template[start : match.start()]
        start = match.end()
        if match["slots"] is None:
            parts.append((text + match[0][0], (), False))
        else:
            slots = tuple([_slot(name) for name in _NAME.findall(match["slots"])])
            before = template[: match.start()][-1:]
            parts.append(
                (text, slots, before in " (" and _AFTER_WORD.match(template, match.end()) is not None)
            )
    return (*parts, (template[start:], (), False))


def _slot(name: str) -> Slot:
    if name == ALL.name:
        return ALL
    name, _, turn = name.partition(".")
    return Slot(name, int(turn or 1))
