"""Text for people."""

from __future__ import annotations

from abnforge.cli.common.inputs import Item
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.reports.text import OutcomeText
from tests.cli.reports.outcomes import (
    TARGET,
    UNDECODABLE,
    VALID,
    run,
)


def test_text() -> None:
    text = run(OutcomeText, VALID, UNDECODABLE)
    assert text == (
        "dir/a b:c,d.txt:1: valid: URI (RFC 3986)\n    a:é\n"
        "<stdin>:3:2: byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte)\n    é\\xff\n     ^^^^\n"
    )


def test_text_escapes_names_of_files() -> None:
    outcome = Outcome(Item("a\x1bb", 1, "a:"), TARGET)
    assert run(OutcomeText, outcome).startswith("a\\x1bb:1: ")
