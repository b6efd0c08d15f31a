"""Values that the methods of a rule return: its verdict as a function, and iterators of trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from abnforge._arguments import Text
from abnforge._native import compiled

if TYPE_CHECKING:  # trees are lark's, which takes longer to import than a verdict takes
    from abnforge.parsing.trees import ParseTree

ENGINES = ("auto", "automaton", "general", "lark")


class Matcher(Protocol):
    """A rule's verdict as a function."""

    def __call__(self, text: Text | Iterable[str], *, engine: str = "auto") -> bool: ...


# Functions and not closures, so that they travel. What is known of a rule comes first, then what a caller
# gives: a positional default and the likely case first, since the call costs as much as a short match.
_AUTO = "auto"


def matches_by_pattern(
    fullmatch: Callable[[str], object], slow: Matcher, text: str, engine: str = _AUTO
) -> bool:
    if engine is _AUTO:
        try:
            return fullmatch(text) is not None
        except TypeError:
            pass  # not a str: told below
    return slow(text, engine=engine)


def matches_by_table(accepts: Callable[[str], bool], slow: Matcher, text: str, engine: str = "auto") -> bool:
    if engine == "auto" and isinstance(text, str):
        return accepts(text)
    return slow(text, engine=engine)


def matches_within(longest: int, matches: Matcher, slow: Matcher, text: str, engine: str = "auto") -> bool:
    if engine == "auto" and type(text) is str:
        return len(text) <= longest and matches(text)
    return slow(text, engine=engine)


def matches_by_kernel(table: Any, slow: Matcher, rule: object) -> Matcher:
    """A method written in C: it walks the table for one str, and leaves all else to ``slow``."""
    matcher: Matcher = compiled.Verdict(table, slow, (itself, (rule,))).matches
    return matcher


def itself(value: Any) -> Any:
    """What a verdict travels as: its rule, which has its own verdict wherever it is."""
    return value


class Derivations(Iterator["ParseTree"]):
    """The trees of derivations, made lazily; printing makes none."""

    def __init__(self, trees: Iterator[ParseTree], rule: str, limit: int | None) -> None:
        self._trees = trees
        self._rule = rule
        self._limit = limit

    def __next__(self) -> ParseTree:
        return next(self._trees)

    def __repr__(self) -> str:
        number = "all" if self._limit is None else f"at most {self._limit}"
        return f"<Derivations by {self._rule}, {number}: iterate over them, or call list()>"
