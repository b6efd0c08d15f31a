"""GitHub's workflow commands."""

from __future__ import annotations

from abnforge.cli.reports.github import OutcomeCommands
from tests.cli.reports.outcomes import (
    ALL,
    run,
)


def test_github_commands_cannot_be_forged() -> None:
    lines = run(OutcomeCommands, *ALL).splitlines()
    assert lines == [
        "::error file=dir/a b%3Ac%2Cd.txt,line=2,col=2,endColumn=3,title=Not valid%3A URI (RFC 3986)::"
        'not a URI: a<&"]]>\\x01\\u202e::{0}%25\\r\\né; did you mean a:',
        "::error line=3,col=2,endColumn=5,title=Not valid%3A URI (RFC 3986)::"
        "byte 0xFF at byte offset 2 is not UTF-8 (invalid start byte)",
        "::error file=f,line=4,col=1,title=Not valid%3A URI (RFC 3986)::too long",
    ]
