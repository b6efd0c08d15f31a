"""pytest: lines of ``*.vectors.jsonl`` files as tests, and strings of a rule as arguments of tests.

PYTEST_DONT_REWRITE: the assertions in this module do not belong to tests.

A line has a string and its verdict by a rule (``abnforge.conformance.vectors``). The option ``abnf_judge``
names the tested function, ``module:function``: its result counts as a boolean, and an exception as a
rejection. Without the option, the rule itself is tested, which reveals changes of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from abnforge._arguments import choice_argument
from abnforge.catalog import ArgumentError
from abnforge.conformance.judges import Answer, Judge, judge_for, named
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.sentences import sentences
from abnforge.conformance.suites import suite
from abnforge.conformance.vectors import Recorded, Vector, recorded
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import load
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.integrations.messages import message
from abnforge.messages import message as argument_message
from abnforge.text import escape

KINDS = ("both", "strings", "near-misses", "suite")
COUNT = 100  # default number of matches, and of near misses, for a marked test

MAX_STRINGS = 10_000
"""The default maximum number of strings of a suite, because pytest takes milliseconds for each test. From
more strings, this number is selected at even distances; ``conformance.run`` tests all of them in a second.
"""

# kinds of coverage for regular rules and for others
_HOW = {True: ("alternatives", "transitions"), False: ("alternatives",)}

ID_COLUMNS = 40  # the width of a string in the name of a test


class VectorFailedError(Exception):
    """A wrong verdict on a string; pytest shows its message."""


class VectorItem(pytest.Item):
    """One vector."""

    def __init__(self, *, vector: Recorded, rule: Rule, judge: Judge | None, **more: Any) -> None:
        super().__init__(**more)
        self.vector = vector
        self.rule = rule
        self.judge = judge

    def runtest(self) -> None:
        """Test the vector. Raises VectorFailedError."""
        vector, text = self.vector, self.rule._as_input(self.vector.text)
        answer = (
            Answer(self.rule.matches(text))
            if self.judge is None
            else judge_for(self.rule, self.judge).ask(text)
        )
        if answer is None or answer.yes is vector.valid:
            return
        judge = vector.rule if self.judge is None else self.config.getini("abnf_judge")
        reason = f" [{answer.error}]" if answer.error else ""
        if not vector.valid and (rejection := self.rule.explain(text)) is not None:
            reason = f" ({rejection.code}: {rejection.message}){reason}"
        raise VectorFailedError(
            message(
                "vector-rejected" if vector.valid else "vector-accepted",
                implementation=judge,
                text=vector.text,
                reason=reason,
            )
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message without a traceback."""
        if isinstance(excinfo.value, VectorFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the vector; lines count from 0 here."""
        return self.path, self.vector.line - 1, self.vector.id


class VectorFile(pytest.File):
    """A vector file. Invalid files, and rules that do not load, are errors."""

    def collect(self) -> Iterator[VectorItem]:
        """Yield the vectors in the order of the file."""
        judge = _judge(self.config.getini("abnf_judge"))
        rules: dict[str, Rule] = {}
        try:
            with self.path.open(encoding="utf-8", newline="\n") as lines:
                for vector in recorded(lines):
                    if vector.rule not in rules:
                        rules[vector.rule] = _rule(vector.rule, self.path.parent)
                    yield VectorItem.from_parent(
                        self, name=vector.id, vector=vector, rule=rules[vector.rule], judge=judge
                    )
        except (GrammarError, UnknownNameError, OSError, ValueError) as error:
            raise self.CollectError(str(error)) from None


def parametrize(metafunc: pytest.Metafunc, markers: Sequence[pytest.Mark]) -> None:
    """Call a test with the strings of the rules that it is marked with; a wrong marker fails it."""
    names = [name for name in ("vector", "text", "valid") if name in metafunc.fixturenames]
    where = metafunc.definition.nodeid
    if "vector" not in names and "text" not in names:
        pytest.fail(message("marker-arguments", test=where), pytrace=False)
    by_string: dict[tuple[str, str], Vector] = {}
    for marker in markers:
        try:
            name, vectors = abnf(*marker.args, **marker.kwargs)
        except (GrammarError, UnknownNameError, TypeError, ValueError) as error:
            pytest.fail(message("marker-malformed", test=where, problem=str(error)), pytrace=False)
        for vector in vectors:
            by_string.setdefault((name, vector.text), vector)
    arguments = [
        pytest.param(
            *({"vector": each, "text": each.text, "valid": each.valid}[name] for name in names),
            id=_id(each, rule if len(markers) > 1 else ""),
        )
        for (rule, _), each in by_string.items()
    ]
    metafunc.parametrize(names, arguments)


def abnf(rule: str | Rule, kind: str = "both", count: int | None = None) -> tuple[str, list[Vector]]:
    """Return the rule and the strings of the marker ``abnf``; errors in its arguments name the marker."""
    loaded = rule if isinstance(rule, Rule) else _rule(rule, Path())
    choice_argument(kind, "kind", KINDS)
    if count is None:
        count = MAX_STRINGS if kind == "suite" else COUNT
    if not isinstance(count, int) or count < 1:
        expected, actual = "a positive number", repr(count)
        raise ArgumentError(argument_message("argument-type", name="count", expected=expected, type=actual))
    vectors: list[Vector] = []
    if kind in ("both", "strings"):
        texts = {each.text: each for how in _HOW[loaded.regular] for each in sentences(loaded, how)}
        vectors += _spread(sorted(texts.values(), key=lambda each: (len(each.text), each.text)), count)
    if kind in ("both", "near-misses"):
        missed = [Vector(each.text, False, "near misses") for each in near_misses(loaded)]
        vectors += _spread(missed, count)
    if kind == "suite":
        vectors += _spread(list(suite(loaded)), count)
    return loaded.name, vectors


def _spread(vectors: Sequence[Vector], count: int) -> list[Vector]:
    """Select a number of strings at even distances, since the shortest ones are similar."""
    if len(vectors) <= count:
        return list(vectors)
    return [vectors[number * len(vectors) // count] for number in range(count)]


def _rule(name: object, folder: Path) -> Rule:
    """Return the rule of ``GRAMMAR:RULE``; the grammar is a name, or a file in ``folder``."""
    grammar, _, rule = str(name).rpartition(":")
    if not isinstance(name, str) or not grammar:
        raise ArgumentError(message("rule-name-malformed", name=name))
    loaded: Grammar = load(folder / grammar) if grammar.endswith(".abnf") else load(grammar)
    return loaded[rule]


def _judge(name: str) -> Judge | None:
    try:
        return named(name) if name else None
    except ValueError as error:
        raise pytest.UsageError(message("judge-unusable", problem=str(error))) from None


def _id(vector: Vector, rule: str) -> str:
    text = escape(vector.text) or "empty"
    shown = text if len(text) <= ID_COLUMNS else f"{text[:ID_COLUMNS]}...{len(text)}"
    verdict = "valid" if vector.valid else "not-valid"
    return "-".join(each for each in (rule, verdict, shown) if each)
