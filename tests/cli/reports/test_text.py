"""Text for people."""

from __future__ import annotations

from dataclasses import replace

from abnforge.cli.common.inputs import Item, decode
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.reports.text import ExplanationText, OutcomeText
from tests.cli.command import Seen
from tests.cli.reports.outcomes import (
    TARGET,
    UNDECODABLE,
    VALID,
    WHOLE,
    run,
)


def test_text(seen: Seen) -> None:
    text = run(OutcomeText, VALID, UNDECODABLE)
    seen(text)


def test_text_escapes_names_of_files() -> None:
    outcome = Outcome(Item("a\x1bb", 1, "a:"), TARGET)
    assert run(OutcomeText, outcome).startswith("a\\x1bb:1: ")


def test_a_whole_file_has_lines_of_its_own(seen: Seen) -> None:
    seen(run(OutcomeText, WHOLE))
    assert run(OutcomeText, replace(WHOLE, rejection=None)) == (
        "dir/a b:c,d.txt: valid: URI (RFC 3986)\n    [1,\\r\\n  tru,\\r\\n 3]\n"
    )


def test_explanations_of_whole_files_tell_which(seen: Seen) -> None:
    broken = Outcome(decode(b"a\n\xff", "f", 1, whole=True), TARGET)
    first, second = run(ExplanationText, broken, WHOLE).split("\n\n")
    seen(first.splitlines()[0])
    seen(second.splitlines()[0])
    assert "  rule          URI (RFC 3986)" in second
