"""Output for terminals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abnforge.cli.common.grammar_results import FAILED, LISTED, MISSING, PASSED, UNDECIDED, numbered
from abnforge.cli.common.inputs import StringRecord, decode
from abnforge.cli.common.outcome import Outcome
from tests.cli.command import Seen
from tests.cli.output.outcomes import (
    TARGET,
    UNDECODABLE,
    VALID,
    WHOLE,
    example,
    written,
)


def test_text(seen: Seen) -> None:
    text = written("outcome", "text", VALID, UNDECODABLE)
    seen(text)


def test_text_escapes_names_of_files() -> None:
    outcome = Outcome(StringRecord("a\x1bb", 1, "a:"), TARGET)
    assert written("outcome", "text", outcome).startswith("a\\x1bb:1: ")


def test_a_whole_file_has_lines_of_its_own(seen: Seen) -> None:
    seen(written("outcome", "text", WHOLE))
    assert written("outcome", "text", replace(WHOLE, rejection=None)) == (
        "dir/a b:c,d.txt: valid: URI (RFC 3986)\n    [1,\\r\\n  tru,\\r\\n 3]\n"
    )


def test_explanations_of_whole_files_tell_which(seen: Seen) -> None:
    broken = Outcome(decode(b"a\n\xff", "f", 1, whole=True), TARGET)
    first, second = written("explanation", "text", broken, WHOLE).split("\n\n")
    seen(first.splitlines()[0])
    seen(second.splitlines()[0])
    assert "  rule          URI (RFC 3986)" in second


def test_counts_by_rule(seen: Seen) -> None:
    assert (
        written("example", "text", example(PASSED), example(PASSED, valid=False))
        == "port  1 match, 1 non-match\n"
    )
    text = written(
        "example", "text", example(FAILED), example(UNDECIDED, valid=False), example(MISSING, None, None)
    )
    seen(text)
    assert written("example", "text") == ""


def test_a_list(seen: Seen) -> None:
    seen(written("example", "text", example(LISTED)))


@pytest.mark.parametrize(("number", "text"), [(0, "0 matches"), (1, "1 match"), (1234, "1,234 matches")])
def test_numbered(number: int, text: str) -> None:
    assert numbered(number, "match", "matches") == text
