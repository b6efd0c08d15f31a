"""Rules in words, as text."""

from __future__ import annotations

import abnforge
from abnforge.cli.reports.words import RuleWords
from tests.cli.reports.outcomes import run

DIGITS = """\
port = *DIGIT
port is any number of DIGITs.
  shortest     ""  "1"
  near misses  "a"
  empty        can be empty
  begins with  [0-9]
  sentences    111,111,111 of at most 8 characters, and no end of longer ones
  kind         regular, 1 state
"""


def test_a_paragraph_for_each_rule() -> None:
    rfc3986 = abnforge.load("rfc3986")
    first, second = run(RuleWords, rfc3986["port"], rfc3986["dec-octet"]).split("\n\n")
    assert first + "\n" == DIGITS
    assert "256 of at most 8 characters, finitely many in all" in second


def test_what_is_not_known_is_not_told() -> None:
    text = run(RuleWords, abnforge.loads("a = <\x1b>\n")["a"])
    assert "\x1b" not in text
    assert "sentences" not in text
    value = run(RuleWords, abnforge.load("rfc8259")["value"])
    assert "  short        " in value
    assert "recursive: not known to be regular" in value


def test_sentences_may_all_be_longer() -> None:
    assert "none of at most 8 characters, finitely many in all" in run(
        RuleWords, abnforge.loads('a = "a long text"\n')["a"]
    )
