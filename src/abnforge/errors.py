"""Every exception of the project, in three families for three readers.

* :class:`GrammarError`: for the author of a grammar; carries file, line and column.
* :class:`Rejected`: for whoever sent an input that does not match; carries the explanation.
* ``TypeError``, ``ValueError``, ``KeyError``, ``OSError``: for the programmer who called us wrongly.

All are :class:`CodedError`: a stable ``code``, the facts in ``data``, and the message made from both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from abnforge._arguments import instance_argument, optional_argument, plain_argument, sequence_argument
from abnforge._lazy import importing
from abnforge.catalog import ArgumentError, ArgumentTypeError, CodedError, Message
from abnforge.messages import message as _message
from abnforge.records import dataclass
from abnforge.rejection import Edit, Rejection
from abnforge.text import UTF8, Source, Span, draw

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "CodedError",
    "GrammarError",
    "LimitExceeded",
    "Rejected",
    "UnknownNameError",
]

NOWHERE = "<grammar>"  # the path of an error that is about no text


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """A second place that an error is about, such as the first definition of a rule."""

    path: str
    line: int
    column: int
    note: str


class GrammarError(CodedError, ValueError):
    """A grammar that cannot be read, bound or compiled.

    ``code`` is one of the stable names of findings (``syntax-error``,
    ``undefined-rule``, ``duplicate-rule``, ...), ``path`` the source's name, ``line`` and
    ``column`` 1-based (0 when the error has no place of its own), ``rule`` the rule
    concerned or None, ``related`` other places that matter. ``edits`` correct the text at every place of this
    mistake (disjoint, in its order; offsets are code points of the grammar's text), empty where it cannot be
    known what was meant. ``errors`` lists every error found, this one first; it has one element when there
    was only one.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "syntax-error",
        source: Source | None = None,
        span: Span | None = None,
        rule: str | None = None,
        related: Sequence[tuple[Span, str]] = (),
        path: str | None = None,
        edits: Sequence[Edit] = (),
    ) -> None:
        super().__init__(message if type(message) is Message else plain_argument(message, "message"))
        self.code = plain_argument(code, "code")
        self.rule = optional_argument(rule, "rule")
        path = optional_argument(path, "path")
        instance_argument(source, "source", Source | None, "an abnforge.text.Source or None")
        instance_argument(span, "span", Span | None, "an abnforge.text.Span or None")
        sequence_argument(related, "related", tuple, "pair of a span and a note")
        sequence_argument(edits, "edits", Edit, "Edit")
        self.edits = tuple(edits)
        self.path = path or (source.name if source else NOWHERE)
        self._others: tuple[GrammarError, ...] = ()
        self.line, self.column = source.position(span.start) if source and span else (0, 0)
        self.end_column = self.column + (span.end - span.start) if span else self.column
        self.related = tuple(
            RelatedPlace(self.path, *source.position(other.start), note) for other, note in related if source
        )
        self._related = tuple(related)
        self._source = source
        self._span = span

    @classmethod
    def combine(cls, errors: Sequence[GrammarError]) -> GrammarError:
        """The first of several errors (in source order), carrying all of them in ``errors``.

        Raises TypeError for what is no sequence of them, ValueError for an empty one.
        """
        sequence_argument(errors, "errors", GrammarError, "GrammarError")
        if not errors:
            raise ArgumentError(_message("argument-empty", name="errors"))
        ordered = tuple(sorted(errors, key=lambda e: (e.line, e.column)))
        first = ordered[0]
        first._others = ordered[1:]
        return first

    @property
    def errors(self) -> tuple[GrammarError, ...]:
        """Every error that was found, this one first."""
        return self, *self._others

    @property
    def location(self) -> str:
        """``path:line:column``, or the path alone when the error has no place."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def describe(self) -> str:
        """This error alone: location, message, the line with a caret, and related places."""
        return described(self)

    def __str__(self) -> str:
        return "\n".join(error.describe() for error in self.errors)


def described(error: GrammarError, encoding: str = UTF8) -> str:
    """The same, where an encoding is written: carets stand below the escapes of what it lacks."""
    placed = error.line or error.path != NOWHERE
    lines = [f"{error.location}: {error.message}" if placed else error.message]
    if error._source and error._span and error.line:
        text = error._source.line(error.line)
        start = min(error.column - 1, len(text))
        end = min(len(text), start + error._span.end - error._span.start)
        lines += ["    " + part for part in draw(text, start, end, encoding=encoding)]
    for place in error.related:
        lines.append(f"{place.path}:{place.line}:{place.column}: {place.note}")
        if error._source:
            text = error._source.line(place.line)
            start = min(place.column - 1, len(text))
            lines += ["    " + part for part in draw(text, start, encoding=encoding)]
    return "\n".join(lines)


def source_of(error: GrammarError) -> Source | None:
    """The text that an error is about; None where that is not known."""
    return error._source


def span_of(error: GrammarError) -> Span | None:
    """Where in that text it is, as offsets."""
    return error._span


def moved(error: GrammarError, source: Source, move: Callable[[Span], Span]) -> GrammarError:
    """The same error about another text, in which ``move`` tells where the spans are."""
    spans = [(move(span), note) for span, note in error._related]
    placed = GrammarError(
        error.message, source=source, span=error._span and move(error._span), related=spans, path=source.name
    )
    with importing:
        from copy import copy

    result = copy(error)
    kept = ("path", "line", "column", "end_column", "related", "_related", "_source", "_span")
    result.__dict__.update({name: placed.__dict__[name] for name in kept})
    return result


class LimitExceeded(GrammarError):  # noqa: N818 (a result, not a fault of the caller)
    """Something asks for more than a named limit allows. It is no verdict: the answer is not known.

    ``operation`` tells what was under way, ``used`` how much it had taken when it was stopped, ``limit`` how
    much it may take, and ``setting`` what sets that limit: a field of the budget (``budget.steps``), or a
    constant.
    """

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        used: int = 0,
        limit: int = 0,
        setting: str = "",
        code: str = "limit-exceeded",
        source: Source | None = None,
        span: Span | None = None,
        rule: str | None = None,
        path: str | None = None,
    ) -> None:
        instance_argument(used, "used", int, "an int")
        instance_argument(limit, "limit", int, "an int")
        self.operation = plain_argument(operation, "operation")
        self.used = used
        self.limit = limit
        self.setting = plain_argument(setting, "setting")
        super().__init__(message, code=code, source=source, span=span, rule=rule, path=path)


class Rejected(CodedError, ValueError):  # noqa: N818 (a result, not a fault of the caller)
    """An input that the rule does not derive. ``rejection`` says where and why."""

    def __init__(self, rejection: Rejection) -> None:
        instance_argument(rejection, "rejection", Rejection, "a Rejection")
        super().__init__(rejection.message_with_position)
        self.rejection = rejection
        self.code = rejection.code

    def __reduce__(self) -> tuple[type[Rejected], tuple[Rejection], dict[str, object]]:
        # An exception is made again from what it shows, which is not all that this one is made of.
        return type(self), (self.rejection,), self.__dict__


class UnknownNameError(CodedError, KeyError):
    """A rule or grammar name that does not exist; the message names near misses."""

    code = "unknown-name"

    def __init__(self, message: str) -> None:
        super().__init__(message if type(message) is Message else plain_argument(message, "message"))

    def __str__(self) -> str:
        return str(self.message)
