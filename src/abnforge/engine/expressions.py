"""Rules written as expressions of set algebra: ``URI & web``, ``~port``, ``(URI - http).at_most(2048)``.

The signs and what binds tighter are Python's: ``~`` and ``.at_most(N)``, then ``-``, ``&``, ``|``. A name has
hyphens in it, so a difference has white space about its sign. ``GRAMMAR:RULE`` is a rule of another grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abnforge.catalog import ArgumentError
from abnforge.engine.messages import message
from abnforge.engine.rule import AND, BUT_NOT, OR

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

MAX_NESTING = 50
"""Brackets and complements within one another."""

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<most>\.at_most\(\s*(?P<number>[0-9]+)\s*\))
    |(?P<name>(?:[^\s()&|~]*:)?[A-Za-z][A-Za-z0-9_-]*)
    |(?P<mark>[()&|~]|-(?=\s))
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
_SIGNS = re.compile(r"[()&|~]|\.at_most|\s-\s")
_TIGHTER = {OR: 0, AND: 1, BUT_NOT: 2}


def is_expression(text: str) -> bool:
    """Whether a text is more than a rule's name."""
    return _SIGNS.search(text) is not None


def evaluate(text: str, rule: Callable[[str], Rule]) -> Rule:
    """The rule that an expression tells; ``rule`` gives those that it names.

    Raises ValueError for what is no expression, what ``rule`` raises, and what combining rules raises. Cost:
    that of the operations.
    """
    return _Reader(text, rule).read()


MAX_DIGITS = 9
"""Digits of a length in an expression."""


class _Reader:
    def __init__(self, text: str, rule: Callable[[str], Rule]) -> None:
        self._text = text
        self._rule = rule
        self._at = 0
        self._depth = 0
        self._token = self._next()

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].strip()
            raise self._error("expression-sign", text=rest[:20])
        self._at = match.end()
        return match

    def _error(self, code: str, **data: Any) -> ArgumentError:
        return ArgumentError(message(code, expression=self._text, **data))

    def _shown(self) -> str:
        return repr(self._token[0].strip()) if self._token[0].strip() else "the end"

    def read(self) -> Rule:
        """The whole."""
        found = self._binary(0)
        if self._token["end"] is None:
            raise self._error("expression-operator", before=self._shown())
        return found

    def _binary(self, least: int) -> Rule:
        found = self._unary()
        while (sign := self._token["mark"]) in _TIGHTER and _TIGHTER[sign] >= least:
            self._token = self._next()
            right = self._binary(_TIGHTER[sign] + 1)
            found = found & right if sign == AND else found - right if sign == BUT_NOT else found | right
        return found

    def _unary(self) -> Rule:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._error("expression-nesting", limit=MAX_NESTING)
        token = self._token
        self._token = self._next()
        if token["name"] is not None:
            found = self._rule(token["name"])
        elif token["mark"] == "~":
            found = ~self._unary()
            self._depth -= 1
            return found
        elif token["mark"] == "(":
            found = self._binary(0)
            if self._token["mark"] != ")":
                raise self._error("expression-parenthesis", before=self._shown())
            self._token = self._next()
        else:
            self._token = token
            raise self._error("expression-rule", before=self._shown())
        while self._token["most"] is not None:
            if len(self._token["number"]) > MAX_DIGITS:
                raise self._error("expression-length", most=MAX_DIGITS)
            found = found.at_most(int(self._token["number"]))
            self._token = self._next()
        self._depth -= 1
        return found
