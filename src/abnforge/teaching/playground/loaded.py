"""Load the grammars of the page, each once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from abnforge import KERNEL, __version__
from abnforge.budget import Budget
from abnforge.catalog import ArgumentError
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import load, loads
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.shipped import generated
from abnforge.teaching.messages import message

BUDGET = Budget(steps=1_000_000, memory=300_000_000, seconds=10)
"""The budget of a call: a step takes several times longer in a browser than elsewhere."""

MAX_FACTOR, MAX_MEMORY = 100, 1_500_000_000
"""The maximum factor of a raised budget, and its maximum memory in bytes."""

MAX_GRAMMAR, MAX_STRING, MAX_RECURSIVE = 200_000, 10_000, 2_000
"""Maximum numbers of characters: of a grammar, of a string, and of a string for recursive rules. A browser's
stack is limited to a few thousand nested values.
"""


SHIPPED = ("rfc3986", "rfc3339", "rfc5321", "rfc8259")
"""The grammars whose precomputed data is packed for the browser."""


class Call:
    """The arguments of a call, by name. Methods raise ValueError for missing or wrong ones."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._told = arguments

    def text(self, name: str = "text", most: int = MAX_GRAMMAR) -> str:
        """Return a string. Raises LimitExceeded if it is too long."""
        value = self._told.get(name)
        if not isinstance(value, str):
            raise ArgumentError(message("call-string", name=name))
        if len(value) > most:
            raise LimitExceeded(
                message("call-too-long", limit=most, length=len(value)),
                used=len(value),
                limit=most,
                setting="MAX_GRAMMAR" if most == MAX_GRAMMAR else "MAX_STRING",
            )
        return value

    def number(self, name: str, most: int) -> int:
        """Return a number from 0 to ``most``; 0 if it is missing."""
        value = self._told.get(name, 0)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise ArgumentError(message("call-number", name=name, limit=most))
        return value

    def choice(self, name: str, known: tuple[str, ...]) -> str:
        """Return one of the known values; the first if it is missing."""
        value = self.text(name) if self.has(name) else known[0]
        if value not in known:
            raise ArgumentError(message("call-choice", name=name, known=known, value=value))
        return value

    def has(self, name: str) -> bool:
        return self._told.get(name) is not None

    def grammar(self, name: str = "text") -> Grammar:
        """Return a grammar. Raises GrammarError."""
        return _loaded(self.text(name), self._factor())

    def budget(self) -> Budget:
        """Return the budget of the call: ``BUDGET``, times the argument ``budget``."""
        return _times(BUDGET, self._factor())

    def _factor(self) -> int:
        return self.number("budget", MAX_FACTOR) or 1

    def rule(self, name: str = "rule", text: str = "text") -> Rule:
        """Return a rule of a grammar. Raises GrammarError, UnknownNameError."""
        return self.grammar(text)[self.text(name)]

    def string(self, rule: Rule) -> str:
        """Return the string to match. Raises LimitExceeded."""
        return self.text("string", longest(rule))


def longest(rule: Rule) -> int:
    """Return the maximum number of characters of a string for a rule."""
    return MAX_RECURSIVE if rule.recursive else MAX_STRING


def _times(budget: Budget, factor: int) -> Budget:
    memory = max(budget.memory, min(budget.memory * factor, MAX_MEMORY))
    return Budget(budget.steps * factor, budget.per_character * factor, memory, budget.seconds * factor)


@lru_cache(maxsize=4)
def _loaded(text: str, factor: int) -> Grammar:
    """Load a grammar; a built-in one is loaded with its precomputed data."""
    name = _shipped().get(text.strip())
    if name is not None:
        return load(name, budget=_times(Budget(), factor))
    return loads(text, name="grammar", budget=_times(BUDGET, factor), cache=False)


@cache
def _shipped() -> Mapping[str, str]:
    return {shipped_text(name).strip(): name for name in SHIPPED}


def shipped_text(name: str) -> str:
    """Return the source of a built-in grammar without the generated head."""
    text = generated().joinpath(f"{name}.abnf").read_text("utf-8")
    return text.partition("\n\n")[2] if text.startswith("; DO NOT EDIT") else text


def describe_implementation(question: Call) -> dict[str, Any]:
    """Return the version, the code that walks tables, and whether the archive has the C extension."""
    is_packed = find_spec("abnforge._native.binding") is not None
    return {"version": __version__, "kernel": KERNEL, "packed": is_packed}


def list_examples(question: Call) -> list[dict[str, str]]:
    """Return the examples of the menu, in order: ``id``, ``title``, ``grammar``, ``rule`` and ``string``."""
    return [dict(each) for each in examples()]


@cache
def examples() -> tuple[dict[str, str], ...]:
    menu = tomllib.loads(files("abnforge.teaching.playground").joinpath("menu.toml").read_text("utf-8"))
    return tuple(_example(each) for each in menu["example"])


def _example(entry: dict[str, str]) -> dict[str, str]:
    grammar = shipped_text(entry["ships"]) if "ships" in entry else entry["grammar"]
    return {
        "id": entry["id"],
        "title": entry["title"],
        "grammar": grammar,
        "rule": entry["rule"],
        "string": entry["string"],
    }
