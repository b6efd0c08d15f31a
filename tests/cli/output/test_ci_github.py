"""Workflow commands for GitHub."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from abnforge.text import escape
from tests.cli.output.outcomes import rejected, written
from tests.law import each_row, law
from tests.reference import workflow_commands


@law(st.text(max_size=8), st.text(max_size=8), few=20, many=2_000)
def test_what_is_read_back_is_what_was_written(source: str, text: str) -> None:
    [command] = workflow_commands.read(written("outcome", "github", rejected(source, text, 0, 1)))
    assert command.name == "error"
    assert command.properties["file"] == escape(source)
    assert command.properties["title"] == "wrong (r, g)"
    assert command.data.startswith(escape(f"wrong: {text}") + "; ")
    assert escape(command.data) == command.data


@each_row(
    "line",
    ["error::x", "::error file=a,file=b::x", "::error file::x", "::error x", "::error ::100%", "::bad ::"],
)
def test_the_reader_rejects_other_lines(line: str) -> None:
    """A reader that accepts everything would make the tests above useless."""
    with pytest.raises(AssertionError):
        workflow_commands.read(line + "\n")
