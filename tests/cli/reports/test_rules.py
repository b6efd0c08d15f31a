"""Rules as ABNF."""

from __future__ import annotations

import abnforge
from abnforge.cli.reports.rules import definition, rule_text
from tests.cli.command import Seen


def test_a_rule_and_what_is_known_of_it(seen: Seen) -> None:
    rule = abnforge.load("rfc3986")["host"]
    assert definition(rule).endswith("\n")
    seen(rule_text(rule))


def test_core_rules_say_where_they_are_from() -> None:
    assert "  from     core rule, RFC 5234, " in rule_text(abnforge.load("rfc3986")["DIGIT"])
