"""Implementations that validate strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction, isgeneratorfunction, ismethod
from typing import TYPE_CHECKING, Any

from abnforge._arguments import choice_argument, wrong_type
from abnforge._lazy import importing
from abnforge.budget import Meter
from abnforge.catalog import ArgumentError, ArgumentTypeError, CodedError
from abnforge.charset import BYTES
from abnforge.conformance.messages import message
from abnforge.errors import LimitExceeded
from abnforge.text import LAST_BYTE, LATIN_1

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

Function = Callable[[str], object]

_NO_ANSWERS = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)


class JudgeError(CodedError, OSError):
    """An implementation that cannot be run, or that breaks its protocol."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict of an implementation; ``error`` is its exception, which counts as a rejection."""

    yes: bool
    error: str | None = None


class Judge:
    """An implementation. ``is_slow`` says whether a verdict takes long.

    ``answers`` returns its verdicts on strings, in order; None for a string that cannot be passed to it.
    """

    is_slow = False

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """Yield a verdict for each string. Raises OSError for an implementation that cannot run."""
        raise NotImplementedError

    def ask(self, text: str) -> Answer | None:
        """Return the verdict on a string; None if it cannot be passed. Raises the errors of ``answers``."""
        (answer,) = self.answers([text])
        return answer

    def __call__(self, text: str) -> bool:
        """Return whether a string is accepted. Raises ValueError if the string cannot be passed."""
        answer = self.ask(text)
        if answer is None:
            raise ArgumentError(message("judge-unsupported", text=text))
        return answer.yes


class FunctionJudge(Judge):
    """A function of a string: its result counts as a boolean, and an exception as a rejection."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def answers(self, texts: Sequence[str]) -> Iterator[Answer]:
        """Yield a verdict for each string, lazily."""
        for text in texts:
            try:
                answer = Answer(bool(self._function(text)))
            except (Exception, SystemExit) as error:  # command-line parsers raise SystemExit
                answer = Answer(False, f"{type(error).__name__}: {error}")
            yield answer


class ByteJudge(Judge):
    """An implementation of a grammar of bytes, which gets each string as ``bytes``.

    A string with characters beyond %xFF, which is not a string of bytes, counts as a rejection.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge: Any = judge
        self.is_slow = judge.is_slow

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """Yield a verdict for each string, lazily."""
        inside = [not text or max(text) <= LAST_BYTE for text in texts]
        octets = [text.encode(LATIN_1) for text, is_inside in zip(texts, inside, strict=True) if is_inside]
        answers = self._judge.answers(octets)
        for is_inside in inside:
            yield next(answers) if is_inside else Answer(False)


def judge_for(rule: Rule, judge: Judge) -> Judge:
    """Return an implementation that gets the strings of a rule, which can be bytes."""
    if rule.grammar.alphabet != BYTES or isinstance(judge, ByteJudge):
        return judge
    return ByteJudge(judge)


def parses(function: Function) -> Judge:
    """Wrap a function that raises for invalid strings, and whose result does not matter.

    ``int`` returns 0 for "0", which would otherwise count as a rejection.
    """
    if not callable(function):
        raise wrong_type("function", "a function of a string", function)

    def judge(text: str) -> bool:
        function(text)
        return True

    return FunctionJudge(judge)


def named(name: str, *, raises: bool = False) -> Judge:
    """Return the implementation ``module:function``; with ``raises``, only exceptions are rejections."""
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ArgumentError(message("judge-name", name=name))
    try:
        with importing:
            value: object = import_module(module)
        for part in attribute.split("."):
            value = getattr(value, part)
        return parses(value) if raises else as_judge(value)  # type: ignore[arg-type]
    except (Exception, SystemExit) as error:  # a module can raise anything
        reason = repr(error) if isinstance(error, SystemExit) else str(error)
        raise ArgumentError(message("judge-import", name=name, reason=reason)) from None


def as_judge(judge: Judge | Function | re.Pattern[str], rule: Rule | None = None) -> Judge:
    """Return an implementation for an argument. A compiled pattern must match the whole string.

    The pattern must be of bytes if the alphabet of ``rule`` is ``"bytes"``.
    """
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, re.Pattern):
        kind = bytes if rule is not None and rule.grammar.alphabet == BYTES else str
        if not isinstance(judge.pattern, kind):
            raise wrong_type("judge", f"a pattern of {kind.__name__}", judge.pattern)
        return FunctionJudge(judge.fullmatch)
    if not callable(judge):
        raise wrong_type("judge", "a function of a string, or a compiled pattern", judge)
    return FunctionJudge(_answering(judge))


def _answering(function: Function) -> Function:
    """Return the function. Raises TypeError if its results are always true, as for a coroutine function."""
    of_its_type = vars(type(function)).get("__call__")  # the method of a callable object
    called = function if isfunction(function) or ismethod(function) else of_its_type
    if any(kind(function) or kind(called) for kind in _NO_ANSWERS):
        raise ArgumentTypeError(message("judge-async"))
    return function


# Implementations as black boxes: each string is tested once, and some are tested again, to detect
# nondeterminism.

UNASKED = "no question"  # the kind of error for a string that cannot be passed to a program
ERRORS = ("no", "yes", "raise")  # meanings of an exception: rejection, acceptance, or the end of learning
MAX_REPEATS = 1_000  # the maximum number of strings that are tested again, at regular distances

# Costs in steps of a new string (in addition to its characters) and of a known one. Size in bytes.
_QUESTION_COST = 50
_KNOWN_COST = 2
_OCTETS = 150


class UnsteadyError(CodedError, ValueError):
    """Different results for one string, so that learning is impossible. ``first`` is the first result."""

    def __init__(self, text: str, first: bool) -> None:
        self.text = text
        self.first = first
        super().__init__(message("judge-unsteady" if first else "judge-unsteady-reject", text=text))

    def __reduce__(self) -> tuple[type[UnsteadyError], tuple[str, bool]]:
        return type(self), (self.text, self.first)


@dataclass(frozen=True)
class Raised:
    """A kind of exception that an implementation raised for ``count`` strings; ``text`` is the shortest."""

    kind: str
    count: int
    text: str


class BlackBox:
    """The tested strings and their results. ``most`` is the maximum number of strings."""

    def __init__(
        self, judge: Judge | Function | re.Pattern[str], errors: str, most: int, meter: Meter
    ) -> None:
        as_judge(judge)  # raises for other arguments
        self._judge = judge.fullmatch if isinstance(judge, re.Pattern) else judge
        self._errors = choice_argument(errors, "errors", ERRORS)
        self._most = most
        self._meter = meter
        self._answers: dict[str, bool] = {}
        self._raised: dict[str, Raised] = {}

    @property
    def asked(self) -> int:
        """The number of tested strings."""
        return len(self._answers)

    @property
    def texts(self) -> list[str]:
        """The strings in the order of their tests."""
        return list(self._answers)

    @property
    def raised(self) -> tuple[Raised, ...]:
        """The kinds of exceptions, by name."""
        return tuple(self._raised[kind] for kind in sorted(self._raised))

    def accepts(self, text: str) -> bool:
        """Return the verdict on a string. Raises LimitExceeded; re-raises if ``errors`` is ``raise``."""
        verdict = self._answers.get(text)
        if verdict is not None:
            self._meter.charge(_KNOWN_COST)
            return verdict
        if len(self._answers) >= self._most:
            raise LimitExceeded(
                message("limit-queries", operation=self._meter.operation, limit=self._most),
                operation=self._meter.operation,
                used=len(self._answers) + 1,
                limit=self._most,
                setting="queries",
            )
        self._meter.charge(_QUESTION_COST + len(text))
        self._meter.hold(_OCTETS + len(text))
        answer, kind = self._ask(text)
        if kind is not None:
            known_kind = self._raised.get(kind, Raised(kind, 0, text))
            shortest = min(known_kind.text, text, key=lambda each: (len(each), each))
            self._raised[kind] = Raised(kind, known_kind.count + 1, shortest)
        self._answers[text] = answer
        return answer

    def _ask(self, text: str) -> tuple[bool, str | None]:
        if isinstance(self._judge, Judge):
            answer = self._judge.ask(text)
            if answer is not None and answer.error is None:
                return answer.yes, None
            error = UNASKED if answer is None else str(answer.error)
            if self._errors == "raise":
                raise JudgeError(message("judge-failed", text=text, reason=error))
            return self._errors == "yes", error.partition(":")[0]  # an error starts with the exception's name
        try:
            return bool(self._judge(text)), None
        except (Exception, SystemExit) as error:
            if self._errors == "raise":
                error.add_note(message("judge-note", text=text))
                raise
            return self._errors == "yes", type(error).__name__

    def confirm(self, text: str) -> None:
        """Test a string again, because all other results contradict its result. Raises UnsteadyError."""
        if self._ask(text)[0] is not self._answers[text]:
            raise UnsteadyError(text, self._answers[text])

    def repeat(self) -> None:
        """Test some strings again, the same ones in every run. Raises UnsteadyError."""
        texts = self.texts
        for text in texts[:: 1 + len(texts) // MAX_REPEATS]:
            self.confirm(text)
