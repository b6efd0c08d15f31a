"""A pattern as an implementation: the texts that it takes, as an automaton."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abnforge._arguments import choice_argument, instance_argument, plain_argument, wrong_type
from abnforge._lazy import cached_property, lazy
from abnforge.budget import DEFAULT, Budget
from abnforge.catalog import ArgumentError
from abnforge.conformance.messages import message
from abnforge.regex.errors import PatternError, out_of_stack

with lazy:
    from abnforge.regex import automaton, engines, foreign, python

if TYPE_CHECKING:
    from abnforge.automata.algebra import LazyDFA
    from abnforge.automata.dfa import Automaton
    from abnforge.budget import Meter
    from abnforge.regex.ast import Regex

DIALECTS = ("python", "javascript", "pcre", "java", "re2")
"""The notations that are read. ``pcre`` is that of PHP, too, and of Perl with its flag ``a``; ``re2`` that of
Go. All of them are over code points: a character beyond U+FFFF is one, in JavaScript as with its flag ``u``.
"""

HOW = ("fullmatch", "match", "search")
"""Where a pattern has to be found: as the whole text, at its beginning, anywhere. Anchors keep their meaning:
``match`` with ``^[0-9]+$`` takes ``1`` and a line feed in Python, and ``search`` in JavaScript does not.
"""

_PYTHON_FLAGS = {
    "a": re.ASCII,
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "x": re.VERBOSE,
}


@dataclass(frozen=True)
class Pattern:
    """A regular expression, how it is asked, and the letters of its flags. Made by :func:`pattern`."""

    text: str
    dialect: str
    how: str
    flags: str
    budget: Budget

    @cached_property
    def automaton(self) -> Automaton:
        """The minimal automaton of the texts that are taken, over code points.

        Raises LimitExceeded where it takes more than the budget; PatternError for an atomic group that no
        automaton is made of. Cost: that of the subset construction, built once.
        """
        return automaton.build(self._tree, self.how, self.budget.meter("automaton of a pattern"))

    def walk(self, meter: Meter) -> LazyDFA:
        """What is taken, state by state as texts lead there, where the automaton is too large to be built.

        Raises what ``automaton`` does.
        """
        return automaton.PatternWalk(self._tree, self.how, meter)

    @cached_property
    def _tree(self) -> Regex:
        meter = self.budget.meter("reading a pattern")
        try:
            if self.dialect == "python":
                return python.read(self.text, _number(self.flags), meter)
            return foreign.read(self.text, self.dialect, self.flags, meter)
        except RecursionError:  # the caller's own stack is almost used up
            raise out_of_stack() from None

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return f"pattern {shown!r} ({self.dialect}, {self.how})"


def pattern(
    text: str | re.Pattern[str],
    dialect: str = "python",
    how: str = "fullmatch",
    flags: int | str = "",
    *,
    budget: Budget | None = None,
) -> Pattern:
    """A regular expression as a value: what it takes, exactly as its engine does.

    ``text`` is the pattern, or a compiled one of Python's, which has its flags already. ``dialect`` is one of
    ``DIALECTS``, ``how`` one of ``HOW``, ``flags`` letters as the dialect writes them, or those of ``re``.
    Raises TypeError (for a pattern of octets, too), ValueError for other words, PatternError for what is no
    pattern of the dialect, or has no automaton: back references, conditionals, calls of groups; LimitExceeded
    for groups that are nested too deeply. Cost: linear; the automaton is made when it is asked for.
    """
    choice_argument(dialect, "dialect", DIALECTS)
    choice_argument(how, "how", HOW)
    instance_argument(flags, "flags", int | str, "a str of letters, or flags of re")
    instance_argument(budget, "budget", Budget | None, "a Budget or None")
    if isinstance(text, re.Pattern):
        if isinstance(text.pattern, bytes):
            raise wrong_type("text", "a pattern of str", text.pattern)
        if dialect != "python" or flags:
            raise ArgumentError(message("pattern-compiled"))
        source, flags = text.pattern, text.flags
    else:
        source = plain_argument(text, "text")
    letters = _letters(flags) if dialect == "python" else _known(flags, dialect)
    how = "match" if how == "search" and set(letters) & _anchored(dialect) else how
    made = Pattern(source, dialect, how, letters, budget or DEFAULT)
    made._tree  # noqa: B018  # what is wrong with it is said here
    return made


def _anchored(dialect: str) -> set[str]:
    """The flags by which a pattern is tried at the beginning alone."""
    return {"javascript": {"y"}, "pcre": {"A"}}.get(dialect, set())


def _letters(flags: int | str) -> str:
    """Flags of Python's by their letters, in order."""
    if isinstance(flags, str):
        flags = flags.replace("u", "")  # what holds anyway
        unknown = sorted(set(flags) - set(_PYTHON_FLAGS))
        if unknown:
            raise _unknown_flag("python", unknown[0], _PYTHON_FLAGS)
        return "".join(sorted(set(flags)))
    if flags & re.LOCALE:
        raise PatternError(message("pattern-locale"))
    return "".join(letter for letter, flag in _PYTHON_FLAGS.items() if flags & flag)


def _known(flags: int | str, dialect: str) -> str:
    if not isinstance(flags, str):
        raise wrong_type("flags", "a str of letters", flags)
    allowed = engines.ENGINES[dialect].flags
    unknown = sorted(set(flags) - set(allowed))
    if unknown:
        raise _unknown_flag(dialect, unknown[0], allowed)
    return "".join(sorted(set(flags)))


def _unknown_flag(dialect: str, flag: str, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(message("flag-unknown", flag=flag, dialect=dialect, flags=tuple(known)))


def _number(letters: str) -> int:
    found = 0
    for letter in letters:
        found |= _PYTHON_FLAGS[letter]
    return int(found)
