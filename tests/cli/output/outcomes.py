"""Outcomes of every kind, with strings that need escapes in some format, and their reports."""

from __future__ import annotations

from typing import Any

from abnforge.cli.common.grammar_results import FAILED, ExampleOutcome
from abnforge.cli.common.inputs import StringRecord, Unreadable, decode
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.output.formats import ResultReport, report_class
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion

TARGET = Target("rfc3986", "URI")

EVIL = 'a<&"]]>\x01\u202e::{0}%\r\né'

REJECTION = Rejection(
    "rfc3986",
    "URI",
    EVIL,
    1,
    "<",
    (),
    ("URI",),
    "3",
    f"not a URI: {EVIL}",
    (Hypothesis(("URI",), 1, 3, (), "because", "odd-sign"),),
    Suggestion("a:", (Edit(1, len(EVIL), ":"),), 1.0),
    code="odd-sign",
)

VALID = Outcome(StringRecord("dir/a b:c,d.txt", 1, "a:é"), TARGET)

REJECTED = Outcome(StringRecord("dir/a b:c,d.txt", 2, EVIL), TARGET, REJECTION)

UNDECODABLE = Outcome(decode(b"\xc3\xa9\xff", "<stdin>", 3), TARGET)

TOO_LONG = Outcome(Unreadable("f", 4, "line-too-long", "too long", 9), TARGET)

NOT_DECIDED = Outcome(Unreadable("f", 5, "limit-exceeded", "not decided: too much", 0, "abc"), TARGET)

ALL = (VALID, REJECTED, UNDECODABLE, TOO_LONG)


def run(kind: type[ResultReport[Any]], *values: Any, full: bool = False) -> str:
    """Return the complete output of a report on these values."""
    pieces: list[str] = []
    kind(pieces.append, full=full).feed(values)
    return "".join(pieces)


def written(kind: str, name: str, *values: Any, full: bool = False) -> str:
    """Return the report on values of a kind in a format."""
    pieces: list[str] = []
    report_class(kind, name)(pieces.append, full=full, kind=kind).feed(values)
    return "".join(pieces)


SEVERAL_LINES = Outcome(
    StringRecord("dir/a b:c,d.txt", 5, "漢\n{b}\nc"),
    TARGET,
    Rejection(
        "rfc3986",
        "URI",
        "漢\n{b}\nc",
        4,
        "}",
        (),
        ("URI",),
        None,
        "not a URI",
        (Hypothesis(("URI",), 4, 6, (), "because"),),
        Suggestion("漢\n{bc", (Edit(4, 6, ""),), 1.0),
        code="odd-sign",
    ),
)


TEXT = "[1,\r\n  tru,\r\n 3]"

WHOLE = Outcome(
    StringRecord("dir/a b:c,d.txt", 1, TEXT, whole=True, newline="crlf"),
    TARGET,
    Rejection(
        "rfc3986",
        "URI",
        TEXT,
        10,
        ",",
        (),
        ("URI",),
        None,
        "not a URI",
        suggestion=Suggestion("[1,\r\n  true,\r\n 3]", (Edit(10, 10, "e"),), 1.0),
        code="half-word",
    ),
    TEXT,
)


def rejected(source: str, text: str, start: int, end: int) -> Outcome:
    """Return a rejected string with a hypothesis and an edit, whose messages contain hostile text."""
    start, end = min(start, len(text)), min(start + end, len(text))
    hypothesis = Hypothesis(("URI",), start, end, (), f"wrong: {text}")
    suggestion = Suggestion(text[:start] + text[end:], (Edit(start, end, ""),), 1.0)
    results = f"wrong: {text}"
    result = Rejection(
        "g", "r", text, start, None, (), ("r",), None, results, (hypothesis,), suggestion, code="wrong"
    )
    return Outcome(StringRecord(source, 1, text), Target("g", "r"), result)


def example(
    status: str, text: str | None = "8\x1b", valid: bool | None = True, line: int = 2
) -> ExampleOutcome:
    """Return an example for a rule, with its result."""
    return ExampleOutcome(
        path="a\x1b.abnf",
        line=line,
        column=3,
        end_column=5,
        excerpt="0123456",
        is_file=True,
        rule="port",
        status=status,
        message="said \x1b",
        text=text,
        valid=valid,
        note="a \x1b note",
        code="a-code" if status == FAILED else None,
    )
