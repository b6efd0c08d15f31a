"""Rules as ABNF."""

from __future__ import annotations

import abnforge
from abnforge.cli.output.rules import RuleWords, definition, rule_lines
from tests.cli.command import Seen
from tests.cli.output.outcomes import run


def test_a_rule_and_what_is_known_of_it(seen: Seen) -> None:
    rule = abnforge.load("rfc3986")["host"]
    assert definition(rule)
    seen("".join(f"{line}\n" for line in rule_lines(rule)))


def test_core_rules_say_where_they_are_from() -> None:
    assert "  from     core rule, RFC 5234, " in "\n".join(rule_lines(abnforge.load("rfc3986")["DIGIT"]))


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
