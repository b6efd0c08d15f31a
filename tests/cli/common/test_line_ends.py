"""What is told of whole files whose line ends are not those of the grammar."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.cli.common.inputs import Item, decode
from abnforge.cli.common.judge import judge
from abnforge.cli.common.line_ends import LineEndAdvice
from abnforge.cli.common.masking import always_masking
from abnforge.cli.common.outcome import Outcome, Target
from tests.cli.command import Seen

UNIX = abnforge.loads("doc = 1*( 1*ALPHA LF )\n")["doc"]
NET = abnforge.loads("doc = 1*( 1*ALPHA CRLF )\n")["doc"]


def watched(rule: abnforge.Rule, *texts: str, whole: bool = True, masked: bool = False) -> list[Outcome]:
    records = [Item(f"f{number}", 1, text, whole=whole) for number, text in enumerate(texts)]
    unread = decode(b"\xff\n", "f", 1, whole=whole)
    advice = LineEndAdvice()
    mask = always_masking() if masked else None
    outcomes = list(judge([*records, unread], rule, Target("g", "doc"), suggest=False, mask=mask))
    assert list(advice.watch(outcomes)) == outcomes
    advice.tell()
    return outcomes


@pytest.mark.parametrize("masked", [False, True])
def test_the_option_that_would_help_is_named(
    capsys: pytest.CaptureFixture[str], masked: bool, seen: Seen
) -> None:
    watched(NET, "a\n", masked=masked)
    watched(UNIX, "b\n", "a\r\n", "a\r\nb", "c\r\n", masked=masked)
    seen(capsys.readouterr().err)


def test_nothing_is_told_where_it_would_not_help(capsys: pytest.CaptureFixture[str]) -> None:
    watched(NET, "a\r\n", "a", "\n", "a\r\n1\n")
    watched(UNIX, "a\n", "a\n\r\n", "a\r")
    watched(NET, "a\n", whole=False)  # lines, or strings that NUL ends
    assert capsys.readouterr().err == ""
