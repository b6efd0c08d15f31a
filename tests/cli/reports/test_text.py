"""Text for people."""

from __future__ import annotations

from dataclasses import replace

from abnforge.cli.common.inputs import Item, decode
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.reports.text import ExplanationText, OutcomeText
from tests.cli.reports.outcomes import (
    TARGET,
    UNDECODABLE,
    VALID,
    WHOLE,
    run,
)


def test_text() -> None:
    text = run(OutcomeText, VALID, UNDECODABLE)
    assert text == (
        "dir/a b:c,d.txt:1: valid: URI (RFC 3986)\n    a:é\n"
        "<stdin>:3:2: byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte) [not-utf-8]\n"
        "    é\\xff\n     ^^^^\n"
    )


def test_text_escapes_names_of_files() -> None:
    outcome = Outcome(Item("a\x1bb", 1, "a:"), TARGET)
    assert run(OutcomeText, outcome).startswith("a\\x1bb:1: ")


def test_a_whole_file_has_lines_of_its_own() -> None:
    assert run(OutcomeText, WHOLE) == (
        "dir/a b:c,d.txt:2:6: not a URI [half-word] (exact offset 10, line 2, column 6)\n"
        "    1 | [1,\n"
        "    2 |   tru,\n"
        "             ^\n"
        "    3 |  3]\n"
        "  suggestion    line 2:   true,\n"
    )
    assert run(OutcomeText, replace(WHOLE, rejection=None)) == (
        "dir/a b:c,d.txt: valid: URI (RFC 3986)\n    [1,\\r\\n  tru,\\r\\n 3]\n"
    )


def test_explanations_of_whole_files_tell_which() -> None:
    broken = Outcome(decode(b"a\n\xff", "f", 1, whole=True), TARGET)
    first, second = run(ExplanationText, broken, WHOLE).split("\n\n")
    assert first.splitlines()[0] == "f: byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte)"
    assert second.splitlines()[0] == "dir/a b:c,d.txt: not valid: line 2, column 6: not a URI [half-word]"
    assert "  rule          URI (RFC 3986)" in second
