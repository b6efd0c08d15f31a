"""Who is asked whether a string is valid: anything that answers yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction, isgeneratorfunction, ismethod

from abnforge._arguments import wrong_type
from abnforge._lazy import importing
from abnforge.catalog import ArgumentError, ArgumentTypeError, CodedError
from abnforge.conformance.messages import message

Function = Callable[[str], object]

_NO_ANSWERS = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)


class JudgeError(CodedError, OSError):
    """An implementation that cannot be run, or that breaks its protocol."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an implementation said of a string; ``error`` is what it failed with, which counts as no."""

    yes: bool
    error: str | None = None


class Judge:
    """An implementation. ``answers`` asks it for strings, in their order; None stands for one that it cannot
    be asked for, such as a line end where strings are lines.

    ``dear`` says that a question takes so long that few further ones should be asked.
    """

    dear = False

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """An answer a string. Raises OSError where the implementation cannot be asked at all."""
        raise NotImplementedError

    def ask(self, text: str) -> Answer | None:
        """The answer for one string."""
        (answer,) = self.answers([text])
        return answer

    def __call__(self, text: str) -> bool:
        """Whether the implementation accepts a string. Raises ValueError for one that it cannot be asked."""
        answer = self.ask(text)
        if answer is None:
            raise ArgumentError(message("judge-unsupported", text=text))
        return answer.yes


class FunctionJudge(Judge):
    """A function of a string: what it gives is taken for true or false, and an exception for no."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def answers(self, texts: Sequence[str]) -> Iterator[Answer]:
        """An answer a string, when it is asked for."""
        for text in texts:
            try:
                answer = Answer(bool(self._function(text)))
            except (Exception, SystemExit) as error:  # what parses a command line ends so
                answer = Answer(False, f"{type(error).__name__}: {error}")
            yield answer


def parses(function: Function) -> Judge:
    """A judge of a function that raises for what is not valid, whatever it gives else: ``int`` gives 0 for
    "0", which would be taken for no.
    """
    if not callable(function):
        raise wrong_type("function", "a function of a string", function)

    def judge(text: str) -> bool:
        function(text)
        return True

    return FunctionJudge(judge)


def named(name: str, *, raises: bool = False) -> Judge:
    """The judge that ``module:function`` names; with ``raises`` it says no by that alone. Raises ValueError,
    which says what is not there.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ArgumentError(message("judge-name", name=name))
    try:
        with importing:
            found: object = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        return parses(found) if raises else as_judge(found)  # type: ignore[arg-type]
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        raise ArgumentError(message("judge-import", name=name, reason=str(error))) from None


def as_judge(judge: Judge | Function | re.Pattern[str]) -> Judge:
    """A judge of what callers pass. A compiled pattern is asked whether it matches the whole.

    Raises TypeError.
    """
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, re.Pattern):
        if not isinstance(judge.pattern, str):
            raise wrong_type("judge", "a pattern of str", judge.pattern)
        return FunctionJudge(judge.fullmatch)
    if not callable(judge):
        raise wrong_type("judge", "a function of a string, or a compiled pattern", judge)
    return FunctionJudge(_answering(judge))


def _answering(function: Function) -> Function:
    """The function, unless what it gives is no answer, and always true."""
    of_its_type = vars(type(function)).get("__call__")  # an object's own
    called = function if isfunction(function) or ismethod(function) else of_its_type
    if any(kind(function) or kind(called) for kind in _NO_ANSWERS):
        raise ArgumentTypeError(message("judge-async"))
    return function
