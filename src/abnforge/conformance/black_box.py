"""An implementation as a black box: asked each string once, and some of them again to see if it is steady.

Kept is the answer, not the string's way to it: what is learnt is a set of strings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from abnforge._arguments import choice_argument
from abnforge.budget import Meter
from abnforge.catalog import CodedError
from abnforge.conformance.judges import Function, Judge, JudgeError, as_judge
from abnforge.conformance.messages import message
from abnforge.errors import LimitExceeded

UNASKED = "no question"
"""What is told in the place of an exception of a string that a program cannot be asked for."""

ERRORS = ("no", "yes", "raise")
"""What an exception is: a refusal, an acceptance, or the end of it all."""

MAX_REPEATS = 1_000
"""Strings that are asked a second time, spread over all that were asked."""

# What a question costs in steps, beside its characters, and one whose answer is known; and in octets, about.
_QUESTION_COST = 50
_KNOWN_COST = 2
_OCTETS = 150


class UnsteadyError(CodedError, ValueError):
    """An implementation that answered one string in two ways. ``text`` is the string, ``first`` what it said
    first. What it accepts is no set of strings, and cannot be learnt.
    """

    def __init__(self, text: str, first: bool) -> None:
        self.text = text
        self.first = first
        super().__init__(message("judge-unsteady" if first else "judge-unsteady-reject", text=text))

    def __reduce__(self) -> tuple[type[UnsteadyError], tuple[str, bool]]:
        return type(self), (self.text, self.first)


@dataclass(frozen=True)
class Raised:
    """A kind of exception that an implementation raised for ``count`` strings, of which ``text`` is the
    shortest.
    """

    kind: str
    count: int
    text: str


class BlackBox:
    """The questions asked, and their answers. ``most`` is how many strings may be asked."""

    def __init__(
        self, judge: Judge | Function | re.Pattern[str], errors: str, most: int, meter: Meter
    ) -> None:
        as_judge(judge)  # which tells what is none
        self._judge = judge.fullmatch if isinstance(judge, re.Pattern) else judge
        self._errors = choice_argument(errors, "errors", ERRORS)
        self._most = most
        self._meter = meter
        self._answers: dict[str, bool] = {}
        self._raised: dict[str, Raised] = {}

    @property
    def asked(self) -> int:
        """How many strings were asked."""
        return len(self._answers)

    @property
    def texts(self) -> list[str]:
        """The strings, in the order in which they were asked."""
        return list(self._answers)

    @property
    def raised(self) -> tuple[Raised, ...]:
        """The kinds of exceptions, by name."""
        return tuple(self._raised[kind] for kind in sorted(self._raised))

    def accepts(self, text: str) -> bool:
        """What the implementation says of a string. Raises LimitExceeded, and what it raises itself where
        that was asked for.
        """
        known = self._answers.get(text)
        if known is not None:
            self._meter.charge(_KNOWN_COST)
            return known
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
            return self._errors == "yes", error.partition(":")[0]  # of exceptions the name comes first
        try:
            return bool(self._judge(text)), None
        except (Exception, SystemExit) as error:
            if self._errors == "raise":
                error.add_note(message("judge-note", text=text))
                raise
            return self._errors == "yes", type(error).__name__

    def confirm(self, text: str) -> None:
        """Ask a string again if all other answers contradict its answer. Raises UnsteadyError."""
        if self._ask(text)[0] is not self._answers[text]:
            raise UnsteadyError(text, self._answers[text])

    def repeat(self) -> None:
        """Ask some strings again, the same ones in every run. Raises UnsteadyError."""
        texts = self.texts
        for text in texts[:: 1 + len(texts) // MAX_REPEATS]:
            self.confirm(text)
