"""Rules in words, as text."""

from __future__ import annotations

import abnforge
from abnforge.cli.reports.words import RuleWords
from tests.cli.command import Seen
from tests.cli.reports.outcomes import run


def test_a_paragraph_for_each_rule(seen: Seen) -> None:
    rfc3986 = abnforge.load("rfc3986")
    first, second = run(RuleWords, rfc3986["port"], rfc3986["dec-octet"]).split("\n\n")
    seen(first)
    seen(second)


def test_what_is_not_known_is_not_told(seen: Seen) -> None:
    text = run(RuleWords, abnforge.loads("a = <\x1b>\n")["a"])
    assert "\x1b" not in text
    assert "sentences" not in text
    value = run(RuleWords, abnforge.load("rfc8259")["value"])
    assert "  short        " in value
    seen(value)


def test_sentences_may_all_be_longer(seen: Seen) -> None:
    seen(run(RuleWords, abnforge.loads('a = "a long text"\n')["a"]))
