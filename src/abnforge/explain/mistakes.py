"""The contents of a mistakes file: mistakes, their slots and fixes, and message templates.

A *mistake* is an error production: a rule for the strings that users write instead of, before or after the
strings of another rule (Aho and Peterson 1972, "A minimum distance error-correcting parser for context-free
languages"). All values are frozen, compare by value and can be pickled. Rule names are keys (in lower case),
except in messages. ``explain.bind`` binds the values to a grammar.

``fill`` writes the message of a mistake from its ``say`` template. If a slot is a separate word of the
message, it is quoted, and a single character is named unless it is plain ASCII. Slots next to other
characters (``[{host}]``, ``{year}-{month}``) are not quoted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from abnforge._lazy import lazy_pattern
from abnforge.charset import CharSet
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

MAX_SHOWN = 40  # characters of a slot shown, so that the rest of the message stays readable

_PART = lazy_pattern(r"\{\{|\}\}|\{([^{}]+)\}")
_RUN = lazy_pattern(r"\{\{|\}\}|(?P<slots>(?:\{[^{}]+\})+)")
_NAME = lazy_pattern(r"\{([^{}]+)\}")
_AFTER_WORD = lazy_pattern(r"[,.;:)]*(?: |$)")

OF, BEFORE, AFTER = "of", "before", "after"

ANY_RULE = "*"  # as a target: the current start rule

NO_VALUE = "no-value"
"""The code of words for a missing value, such as ``null``."""

ENCODE, DROP, DECODE, LIKE, IDNA, UNESCAPE = "encode", "drop", "decode", "like", "idna", "unescape"


class Slot(NamedTuple):
    """The string of one use of a rule in a mistake's body: use number ``turn`` (from 1) of the rule ``name``.

    The words ``ALL``, ``START`` and ``END`` have number 0, since a rule may be called the same.
    """

    name: str
    turn: int = 1

    def __str__(self) -> str:
        is_short = self == ALL if self.name == ALL.name else self.turn <= 1
        return self.name if is_short else f"{self.name}.{self.turn}"


ALL, START, END = Slot("all", 0), Slot("start", 0), Slot("end", 0)
"""The whole mistake, and the places before and after it."""


class Text(NamedTuple):
    """Characters that a fix inserts."""

    value: str


class Mapped(NamedTuple):
    """The string of a slot with each character mapped; ``rule`` names the map's character set, if any."""

    how: str
    slot: Slot
    rule: str | None


class Substituted(NamedTuple):
    """The whole string of a mistake with every use of some rules replaced by a string."""

    pairs: tuple[tuple[str, str], ...]


FixPart = Union[Slot, Text, Mapped, Substituted]

SPACE_FOR = "space-for-"  # the start of the codes of whitespace instead of a sign
WORD_IN = "word-in-"  # the start of the codes of other words instead of literals
CONTENT_IN = "content-in-"  # the start of the codes of wrong content between brackets
LOOK_ALIKE = "look-alike-"  # the start of the codes of characters that resemble a sign
ALONE = frozenset("+-*.,_")  # signs that a similar character does not follow instead of the same sign


class MistakeExample(NamedTuple):
    """A wrong string for ``rule`` (None: the start rule), and its fix (None: not fixable)."""

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
    that declares the mistake's family. ``place`` is ``of``, ``before`` or ``after``; ``targets`` are the
    rules, and ``literal`` is the literal in them that the mistake replaces. With ``part``, the mistake
    replaces that repetition in their definitions, and ``literal`` is the repetition's notation. A rejection
    points at the first slot of ``blame`` that occurs in the string.

    ``fix`` is None if the mistake is not fixable. An ``unwanted`` fix is valid, but not offered; an
    ``is_ambiguous`` fix is not offered if another interpretation with a different fix does not cost more (see
    ``explain.explainer``). ``inner`` are the rules in the body that may contain mistakes. ``order`` is the
    position in the file, which decides between equal costs. A ``derived`` mistake follows from the grammar.
    ``reach`` is N if the message states that at most N characters can match after the blamed offset. A
    mistake ``is_short`` if valid strings continue it, such as too few digits; an ``is_exception`` mistake is
    a string that ``;@ except`` excludes. If it ``is_vague``, the facts at the offset are more exact than its
    message. Its message lists the characters in ``listed``; if it also ``is_vague``, it is false without an
    exact list. A mistake ``is_missing`` if its message states only that something is missing. Only derived
    mistakes have these five, and those are not stored.
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
    is_short: bool = field(default=False, compare=False)
    is_exception: bool = field(default=False, compare=False)
    is_vague: bool = field(default=False, compare=False)
    is_missing: bool = field(default=False, compare=False)
    listed: CharSet | None = field(default=None, compare=False)
    span: Span = field(default=Span(0, 0), compare=False)

    @property
    def key(self) -> str:
        """The key of the mistake's rule, which is unique, unlike its code."""
        return self.rule.name.lower()


def is_refutable(mistake: Mistake) -> bool:
    """Return whether facts can refute a mistake, which must be derived and without a fix."""
    return mistake.derived and mistake.fix is None


def is_placeholder(mistake: Mistake) -> bool:
    """Return whether a mistake is declared for the whole string of a rule, and has no fix.

    A derived mistake only is if its string is a word for a missing value.
    """
    is_whole = mistake.fix is None and mistake.blame == (ALL,) and mistake.place == OF
    return is_whole and (not mistake.derived or mistake.code == NO_VALUE)


@dataclass(frozen=True, slots=True)
class Adoption:
    """The mistakes inherited from another grammar: all except those in ``without``, or ``only`` some.

    ``names`` are pairs of a rule's name in the other grammar and in this one. Examples in
    ``omitted_examples`` are not inherited.
    """

    grammar: str
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    omitted_examples: tuple[str, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """A mistakes file: its mistakes in order, and helper rules for their bodies.

    If the file is ``complete``, no further mistakes are derived from the grammar. Strings of the ``withheld``
    rules (keys) are never suggested.
    """

    name: str
    mistakes: tuple[Mistake, ...]
    helpers: tuple[RuleDefinition, ...]
    source: Source = field(default=Source(""), compare=False, repr=False)
    adopts: tuple[Adoption, ...] = ()
    complete: bool = False
    withheld: tuple[str, ...] = ()

    def followed_by(self, others: Mistakes) -> Mistakes:
        """Return these mistakes followed by others, which are less preferred.

        The rule names must be disjoint (see ``mistakes_file.combined``). Errors cite the source of the first.
        """
        later = (replace(each, order=each.order + len(self.mistakes)) for each in others.mistakes)
        helpers = (*self.helpers, *others.helpers)
        complete = self.complete or others.complete
        withheld = (*self.withheld, *others.withheld)
        mistakes = (*self.mistakes, *later)
        return replace(self, mistakes=mistakes, helpers=helpers, complete=complete, withheld=withheld)


def literal_key(target: str, literal: str) -> str:
    """Return the key of a literal within a rule, which cannot be a rule name."""
    return f'{target} "{literal.lower()}"'


def literal_text(element: Element) -> str | None:
    """Return the string that an element matches if it is a literal, or None."""
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
    """Return the rules that a body names, by key in order, and their uses. Cost: linear, for each rule."""
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
    """Return the slots in the message of a mistake, including ``ALL``."""
    return tuple([_slot(match[1]) for match in _PART.finditer(mistake.say or "") if match[1]])


def fill(template: str, strings: dict[Slot, str]) -> str:
    """Fill the slots of a template; slots without a string are empty."""
    pieces: list[str] = []
    for text, slots, is_quoted in _parts(template):
        pieces.append(text)
        if slots:
            joined = "".join([strings.get(slot, "") for slot in slots])
            pieces.append(quoted(joined) if is_quoted else shortened(joined, MAX_SHOWN))
    return "".join(pieces)


def depends_on_place(mistake: Mistake) -> bool:
    """Return whether the characters at a mistake change its message: see :func:`placed`."""
    return mistake.is_missing or mistake.listed is not None


def placed(mistake: Mistake, message: str, text: str, offset: int) -> str:
    """Complete the filled message of a mistake that starts at an offset.

    Add the word next to the mistake to ``the port is missing``. Qualify letters and digits in a fix as ASCII
    if the wrong character is a non-ASCII one.
    """
    if not depends_on_place(mistake) or mistake.say is None:
        return message
    if mistake.is_missing:
        return message + neighbor(text, offset)
    return in_ascii(message, text[offset : offset + 1])


def neighbor(text: str, offset: int) -> str:
    """Return the word before an offset, or the character at it, as the end of a message.

    Spaces after the word are skipped. After a line break, the character at the offset is preferred.
    """
    previous, following = text[:offset].rstrip(), text[offset : offset + 1]
    is_new_line = not {"\r", "\n"}.isdisjoint(text[len(previous) : offset])
    if following and (is_new_line or not previous):
        return f" before {quoted(following)}"
    if not previous:
        return f" after {quoted(text[-1])}" if text else ""
    start = len(previous) - 1  # the word can end in a sign
    while start and (previous[start - 1].isalnum() or previous[start - 1] == "."):
        start -= 1
    return f" after {quoted(previous[start:])}{' and a line break' if is_new_line else ''}"


def is_space_for_sign(mistake: Mistake) -> bool:
    """Return whether a derived mistake is whitespace instead of a sign."""
    return mistake.derived and mistake.code.startswith(SPACE_FOR)


def is_look_alike(mistake: Mistake) -> bool:
    """Return whether a derived mistake is a character that resembles a sign."""
    return mistake.derived and mistake.code.startswith(LOOK_ALIKE)


def in_ascii(message: str, wrong: str) -> str:
    """Qualify characters in a fix as ASCII if the wrong character is a non-ASCII one of the same kind."""
    problem, semicolon, fix = message.rpartition("; use ")
    if wrong.isascii() or not wrong.isprintable():
        return message
    fix = fix.replace("a visible character", "a visible ASCII character")
    if wrong.isalnum():
        fix = fix.replace("a letter", "an ASCII letter").replace("a digit", "an ASCII digit")
    return problem + semicolon + fix


def quoted(text: str) -> str:
    """Quote a string for a message, or name it if it is a single character; "" if it is empty."""
    if len(text) == 1:
        return show_char(text)
    mark = "'" if '"' in text else '"'
    return f"{mark}{shortened(text, MAX_SHOWN)}{mark}" if text else ""


def outline(template: str) -> str:
    """Write the slots of a template as names in angle brackets."""
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
    """Split a template into triples: verbatim text, the slots after it, and whether they are quoted."""
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
