"""The surface model: a grammar in RFC 5234's terms, as its author wrote it.

Every node carries the span of its text and compares without it, so that
``read(print_rulelist(model)) == model``. Nothing here is resolved: names are not
bound, ``=/`` is not merged, core rules are not added (see ``abnf.names``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from abnforge.charset import CharSet
from abnforge.records import dataclass, field
from abnforge.source import Source, Span

NO_SPAN = Span(0, 0)


@dataclass(frozen=True, slots=True)
class RuleName:
    """A reference to a rule, in the spelling used at this place. ``<pchar>`` sets ``in_prose``."""

    name: str
    in_prose: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class CharVal:
    """A quoted string: ``"abc"``, ``%i"abc"`` (case-insensitive), ``%s"abc"`` (RFC 7405).

    ``prefix`` is ``""``, ``"%i"`` or ``"%s"``, as written but lower case.
    """

    value: str
    prefix: str = ""
    span: Span = field(default=NO_SPAN, compare=False)

    @property
    def case_sensitive(self) -> bool:
        return self.prefix == "%s"

    @property
    def charsets(self) -> tuple[CharSet, ...]:
        """The set of characters that each character stands for.

        RFC 5234, 2.3: strings are case-insensitive, and their character set is US-ASCII.
        """
        return tuple([letter(char, self.case_sensitive) for char in self.value])


# A grammar that is a list of words asks for the same few sets a million times.
@lru_cache
def letter(char: str, case_sensitive: bool) -> CharSet:
    """The characters that one character of a string stands for."""
    return CharSet.of(char if case_sensitive else char.lower() + char.upper())


@dataclass(frozen=True, slots=True)
class NumVal:
    """Terminal values by number: ``%x0D.0A`` (``values``), ``%x30-39`` (``is_range``).

    ``base`` is ``"b"``, ``"d"`` or ``"x"``; ``values`` are code points;
    for a range they are exactly (first, last).
    """

    base: str
    values: tuple[int, ...]
    is_range: bool = False
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class ProseVal:
    """``<...>`` that the reader could not turn into a rule name: text for people only."""

    text: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """``( alternation )``."""

    alternation: Alternation
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Option:
    """``[ alternation ]``."""

    alternation: Alternation
    span: Span = field(default=NO_SPAN, compare=False)


Element = Union[RuleName, CharVal, NumVal, ProseVal, Group, Option]


@dataclass(frozen=True, slots=True)
class Repetition:
    """``<min>*<max>element`` (RFC 5234, section 3.6); a bare element is (1, 1).

    ``max`` is None when there is no upper limit. ``min`` may exceed ``max`` here: the
    reader keeps what was written, and reports it. ``listed`` is ``<min>#<max>element``, with commas between
    the elements (RFC 9110, section 5.6.1); in a bound grammar it is written out (``abnf.lists``).
    """

    element: Element
    min: int = 1
    max: int | None = 1
    span: Span = field(default=NO_SPAN, compare=False)
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Concatenation:
    """One alternative: repetitions in order. ``comments`` follow it in the text (without ";")."""

    items: tuple[Repetition, ...]
    comments: tuple[str, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Alternation:
    """``concatenation / concatenation``, in declaration order; never empty."""

    alternatives: tuple[Concatenation, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """``name = elements`` or, when ``incremental``, ``name =/ elements``.

    ``section`` is the section that the nearest section comment before the rule names (``; Section 3.2.2`` or
    ``;;;; 3.2.2. Host``), with the specification if the comment names that too (``; RFC 3986, section 3.2``);
    or None.
    """

    name: str
    elements: Alternation
    incremental: bool = False
    section: str | None = None
    span: Span = field(default=NO_SPAN, compare=False)
    name_span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a line of its own between rules (without its ";"); "" is a blank line."""

    text: str
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Rulelist:
    """A whole file, in order. ``dialect`` is ``"abnf"`` (RFC 5234) or ``"rfc822"`` (the "|" notation), and
    ``recognized`` whether it is the latter because the text looks like it, and not because it was said to be.
    """

    items: tuple[Rule | Comment, ...]
    dialect: str = field(default="abnf", compare=False)
    source: Source = field(default=Source(""), compare=False, repr=False)
    recognized: bool = field(default=False, compare=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(item for item in self.items if isinstance(item, Rule))
