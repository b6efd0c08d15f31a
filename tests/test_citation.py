"""How specifications and sections are cited, and that rules taken over cite their own."""

from __future__ import annotations

import re

import pytest

import abnforge
from abnforge.text import citation, specification, within


@pytest.mark.parametrize(
    ("grammar", "expected"),
    [("rfc3986", "RFC 3986"), ("abnf:rfc9110", "RFC 9110"), ("rfc2396bis-07", "rfc2396bis-07"), ("my", "my")],
)
def test_specification(grammar: str, expected: str) -> None:
    assert specification(grammar) == expected


@pytest.mark.parametrize(
    ("grammar", "section", "cited"),
    [
        ("rfc3986", "3.2.2", "RFC 3986, section 3.2.2"),
        ("rfc6874", "RFC 3986, section 3.2.2", "RFC 3986, section 3.2.2"),
        ("rfc3986", "RFC 5234, appendix B.1", "RFC 5234, appendix B.1"),
        ("my", "2", "my, section 2"),
    ],
)
def test_citation(grammar: str, section: str, cited: str) -> None:
    assert citation(grammar, section) == cited
    assert within(grammar, cited) == section


def test_rules_taken_over_cite_the_section_that_their_own_grammar_gives() -> None:
    cited = 0
    elsewhere = set()
    for grammar in map(abnforge.load, abnforge.grammar_names()):
        for rule in grammar.rules.values():
            found = re.fullmatch(r"RFC (\d+), (?:section|appendix) (.*)", rule.section or "")
            if found is None:
                continue
            if (name := f"rfc{found[1]}") in abnforge.grammar_names():
                assert abnforge.load(name)[rule.name.removesuffix(f"-{name}")].section == found[2]
                cited += 1
            else:
                elsewhere.add((rule.name, name))
    assert cited > 100
    # Specifications that are not shipped.
    assert {name for _, name in elsewhere} == {"rfc1034", "rfc2616", "rfc2806", "rfc3629"}


@pytest.mark.parametrize(
    ("grammar", "rule", "text", "section"),
    [
        ("rfc6874", "URI", "http://h:x/", "RFC 3986, section 3.2.3"),
        ("rfc6874", "ZoneID", "", "2"),
        ("rfc6874", "IP-literal", "[fe80::1%25", "2"),  # it is not RFC 3986's
        ("rfc3987", "IRI", "http://h:x/", "RFC 3986, section 3.2.3"),
        ("rfc3986", "ALPHA", "1", "RFC 5234, appendix B.1"),
        ("rfc5234", "ALPHA", "1", "B.1"),
    ],
)
def test_a_rejection_cites_the_section_of_the_rule(grammar: str, rule: str, text: str, section: str) -> None:
    rejection = abnforge.load(grammar)[rule].explain(text)
    assert rejection is not None
    assert rejection.section == section
