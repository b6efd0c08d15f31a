"""Rules as ABNF."""

from __future__ import annotations

import abnforge
from abnforge.cli.reports.rules import definition, rule_text


def test_a_rule_and_what_is_known_of_it() -> None:
    rule = abnforge.load("rfc3986")["host"]
    assert definition(rule).endswith("\n")
    assert rule_text(rule) == definition(rule) + (
        "  from     RFC 3986, section 3.2.2\n"
        "  uses     IP-literal, IPv4address, reg-name\n"
        "  used by  authority\n"
    )


def test_core_rules_say_where_they_are_from() -> None:
    assert "  from     core rule, RFC 5234, " in rule_text(abnforge.load("rfc3986")["DIGIT"])
