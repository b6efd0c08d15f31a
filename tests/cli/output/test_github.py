"""GitHub's workflow commands."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.linting.finding import Linted
from abnforge.text import escape
from tests.cli.command import Seen
from tests.cli.output.outcomes import ALL, NOT_DECIDED, SEVERAL_LINES, rejected, written
from tests.law import each_row, law
from tests.reference import workflow_commands


def test_github_commands_cannot_be_forged(seen: Seen) -> None:
    lines = written("outcome", "github", *ALL).splitlines()
    seen(lines)


def test_what_is_not_decided_is_not_called_invalid(seen: Seen) -> None:
    [command] = workflow_commands.read(written("outcome", "github", NOT_DECIDED))
    assert command.properties["title"] == "limit-exceeded (URI, RFC 3986)"
    seen(command.data)


def test_a_place_in_a_string_of_several_lines() -> None:
    [command] = workflow_commands.read(written("outcome", "github", SEVERAL_LINES))
    assert (command.properties["line"], command.properties["col"]) == ("6", "3")
    assert "endColumn" not in command.properties  # the span reaches into the next line
    [command] = workflow_commands.read(written("outcome", "github", rejected("f", "a\nbcd", 2, 2)))
    assert [command.properties[key] for key in ("line", "col", "endColumn")] == ["2", "1", "2"]


@law(st.text(max_size=8), st.text(max_size=8), few=50, many=2_000)
def test_what_is_read_back_is_what_was_written(source: str, text: str) -> None:
    [command] = workflow_commands.read(written("outcome", "github", rejected(source, text, 0, 1)))
    assert command.name == "error"
    assert command.properties["file"] == escape(source)
    assert command.properties["title"] == "wrong (r, g)"
    assert command.data.startswith(escape(f"wrong: {text}") + "; ")
    assert escape(command.data) == command.data


def test_findings_are_read_back() -> None:
    findings = abnforge.lint("a = *( *DIGIT )\nb = %x41-40\n")
    linted = Linted(findings, is_file=False)
    commands = workflow_commands.read(written("finding", "github", linted))
    assert commands
    assert [command.data for command in commands] == [escape(finding.message) for finding in findings]


@each_row(
    "line",
    ["error::x", "::error file=a,file=b::x", "::error file::x", "::error x", "::error ::100%", "::bad ::"],
)
def test_the_reader_refuses_what_is_no_command(line: str) -> None:
    """Else the tests above could not fail."""
    with pytest.raises(AssertionError):
        workflow_commands.read(line + "\n")
