"""Examples drawn for a terminal."""

from __future__ import annotations

import pytest

from abnforge.cli.common.examples import FAILED, LISTED, MISSING, PASSED, UNDECIDED, Told, numbered
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.examples import ExampleText, example_lines, place
from tests.cli.command import Seen


def told(status: str, text: str | None = "8\x1b", valid: bool | None = True, line: int = 2) -> Told:
    return Told(
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


def report(*values: Told) -> str:
    written: list[str] = []
    ExampleText(written.append).feed(values)
    return "".join(written)


@pytest.mark.parametrize(
    ("status", "head"),
    [
        (FAILED, "a\\x1b.abnf:2:3: error: said \\x1b [a-code]"),
        (UNDECIDED, "a\\x1b.abnf:2:3: not decided: said \\x1b"),
        (MISSING, "a\\x1b.abnf:2:3: error: said \\x1b"),
    ],
)
def test_lines(status: str, head: str) -> None:
    lines = example_lines(told(status), PLAIN)
    assert lines == [head, "    0123456", "      ^^", "  from     a \\x1b note"]


def test_what_has_no_place() -> None:
    assert place(told(MISSING, line=0)) == "a\\x1b.abnf"
    assert len(example_lines(told(MISSING, line=0), PLAIN)) == 2


def test_counts_by_rule(seen: Seen) -> None:
    assert report(told(PASSED), told(PASSED, valid=False)) == "port  1 match, 1 non-match\n"
    text = report(told(FAILED), told(UNDECIDED, valid=False), told(MISSING, None, None))
    seen(text)
    assert report() == ""


def test_a_list(seen: Seen) -> None:
    seen(report(told(LISTED)))


@pytest.mark.parametrize(("number", "text"), [(0, "0 matches"), (1, "1 match"), (1234, "1,234 matches")])
def test_numbered(number: int, text: str) -> None:
    assert numbered(number, "match", "matches") == text
