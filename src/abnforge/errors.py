"""The exceptions of the project, in three families.

* :class:`GrammarError` reports a fault of a grammar, with the file, line and column.
* :class:`Rejected` reports an input that does not match, with the explanation.
* ``TypeError``, ``ValueError``, ``KeyError`` and ``OSError`` report a wrong argument to the caller.

Each is a :class:`CodedError`: a stable ``code``, its ``data``, and the message made from both. Only abnforge
creates them, so that their constructors check nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from abnforge._lazy import lazy
from abnforge.catalog import ArgumentError, ArgumentTypeError, CodedError
from abnforge.records import dataclass
from abnforge.rejection import Edit, Rejection
from abnforge.text import UTF8, Source, Span, draw

with lazy:
    import copy

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "CodedError",
    "GrammarError",
    "LimitExceeded",
    "Rejected",
    "UnknownNameError",
]

NOWHERE = "<grammar>"  # the path of an error without a source


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """A related place of an error, such as the first definition of a rule."""

    path: str
    line: int
    column: int
    note: str


class GrammarError(CodedError, ValueError):
    """A grammar that cannot be parsed, bound or compiled.

    ``code`` is a stable name, such as ``undefined-rule``. ``path`` is the name of the source. ``line`` and
    ``column`` start at 1, and are 0 without a place. ``rule`` is a rule name or None. ``related`` lists other
    places. ``edits`` fix all occurrences of the mistake: disjoint and in
    order, with offsets in code points of the grammar's text; empty without an unambiguous fix.
    ``errors`` lists all errors of the grammar, this one first.
    """

    line: int
    column: int

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
        super().__init__(message)
        self.code = code
        self.rule = rule
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
        """Return the first of several errors in source order, with all of them in its ``errors``."""
        ordered = tuple(sorted(errors, key=lambda e: (e.line, e.column)))
        first = ordered[0]
        first._others = ordered[1:]
        return first

    @property
    def errors(self) -> tuple[GrammarError, ...]:
        """All errors of the grammar, this one first."""
        return self, *self._others

    @property
    def location(self) -> str:
        """``path:line:column``, or the path if the error has no place."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def describe(self) -> str:
        """Return this error alone: location, message, the line with a caret, and related places."""
        return described(self)

    def __str__(self) -> str:
        return "\n".join(error.describe() for error in self.errors)


def described(error: GrammarError, encoding: str = UTF8) -> str:
    """Return ``error.describe()`` with the characters escaped that an output encoding lacks."""
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
    """Return the grammar text of an error, or None if unknown."""
    return error._source


def span_of(error: GrammarError) -> Span | None:
    """Return the span of an error in its grammar text, or None if unknown."""
    return error._span


def moved(error: GrammarError, source: Source, move: Callable[[Span], Span]) -> GrammarError:
    """Return the error for another text, to which ``move`` maps the spans."""
    spans = [(move(span), note) for span, note in error._related]
    placed = GrammarError(
        error.message, source=source, span=error._span and move(error._span), related=spans, path=source.name
    )
    result = copy.copy(error)
    names = ("path", "line", "column", "end_column", "related", "_related", "_source", "_span")
    result.__dict__.update({name: placed.__dict__[name] for name in names})
    return result


class LimitExceeded(GrammarError):  # noqa: N818 (a result, not a fault of the caller)
    """An operation exceeds a named limit. This is not a verdict: the result is unknown.

    ``operation`` is the name of the operation, ``used`` the amount at which it stopped, and ``limit`` the
    allowed amount. ``setting`` is the name of that limit: a field of the budget (``budget.steps``), or a
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
        self.operation = operation
        self.used = used
        self.limit = limit
        self.setting = setting
        super().__init__(message, code=code, source=source, span=span, rule=rule, path=path)


class Rejected(CodedError, ValueError):  # noqa: N818 (a result, not a fault of the caller)
    """An input that the rule does not match; ``rejection`` has the offset and the reason."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message_with_position)
        self.rejection = rejection
        self.code = rejection.code

    def __reduce__(self) -> tuple[type[Rejected], tuple[Rejection], dict[str, object]]:
        # When it unpickles an exception, Python passes the message to the constructor, which expects another
        # argument.
        return type(self), (self.rejection,), self.__dict__


class UnknownNameError(CodedError, KeyError):
    """A rule or grammar name that does not exist; the message lists similar names."""

    code = "unknown-name"

    def __str__(self) -> str:
        return str(self.message)
