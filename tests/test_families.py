"""Every code has a family, and in rejections a component."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge.families import FAMILIES, OTHER, component_of, family_of
from abnforge.policies import POLICY_CODES
from abnforge.rejection import ROW_CODES
from tests.law import each_row, one_in
from tests.places import ROOT


@pytest.mark.parametrize("name", one_in(12, abnforge.grammar_names()))
def test_every_code_of_a_built_in_grammar_has_a_family(name: str) -> None:
    codes = abnforge.load(name).codes.values()
    assert [code.code for code in codes if code.family == OTHER] == []
    assert {code.severity for code in codes} == {"error"}


@pytest.mark.parametrize("code", [*ROW_CODES, *POLICY_CODES])
def test_every_other_code_has_a_family(code: str) -> None:
    assert family_of(code) != OTHER


def test_families_of_uris() -> None:
    """The codes have about 20 families, and no family has most of the codes."""
    codes = [code.code for code in abnforge.load("rfc3986").codes.values() if code.definition is not None]
    counts = Counter(map(family_of, codes))
    assert set(counts) <= set(FAMILIES)
    assert 18 <= len(counts) <= 24
    assert max(counts.values()) < len(codes) / 4


def test_table_in_the_documentation() -> None:
    page = (ROOT / "docs" / "rejects.md").read_text("utf-8")
    for name, family in FAMILIES.items():
        assert f"\n| `{name}` | {family.meaning[0].lower()}{family.meaning[1:-1]} |\n" in page


@each_row(
    "code, family",
    [
        ("space-in-host", "whitespace"),
        ("missing-control", "missing"),  # the beginning of the name precedes the name of a rule at its end
        ("missing-pct-encoded", "missing"),
        ("first-character-in-space", "character"),
        ("scheme-missing", "missing"),
        ("month-as-word", "spelling"),
        ("drive-as-host", "file-path"),
        ("fragment-as-other", "restriction"),
        ("too-few-in-day", "count"),
        ("case-of-T-in-time", "spelling"),
        ("unreadable-pct-encoded", "unexplained"),
        ("policy-mine", "restriction"),
        ("my-own", OTHER),
        ("", OTHER),
    ],
)
def test_family(code: str, family: str) -> None:
    assert family_of(code) == family


@given(st.text())
def test_any_code_has_a_family(code: str) -> None:
    assert family_of(code) in FAMILIES


@each_row(
    "code, component",
    [
        ("space-in-host", "host"),
        ("SPACE-IN-HOST", "host"),
        ("text-after-path-Abs", "path-abs"),
        ("host", None),  # the code has the name of a rule, but is not about it
        ("space-in-ghost", None),
        ("bad-host", None),
    ],
)
def test_component_in_the_name_of_a_code(code: str, component: str | None) -> None:
    assert component_of(code, {"host": "host", "abs": "abs", "path-abs": "path-abs"}) == component


@each_row(
    "rule, text, family, component",
    [
        ("rfc3986:URI", "http://exa mple.com/", "whitespace", "host"),
        ("rfc3986:URI", "http://example.com/ x", "whitespace", "path"),
        ("rfc3986:URI", "http://a/ ", "whitespace", "URI"),  # after any rule
        ("rfc3986:URI", "http://[12345::]/", "count", "h16"),
        ("rfc3986:host", "a b", "whitespace", "host"),
        ("rfc3339:full-date", "2026-1-01", "count", "date-month"),
        ("rfc8259:number", "01", "count", "int"),
    ],
)
def test_rejection(rule: str, text: str, family: str, component: str) -> None:
    rejection = abnforge.rule(rule).explain(text)
    assert rejection is not None
    plain = rejection.to_dict()
    assert (plain["family"], plain["component"]) == (rejection.family, rejection.component)
    assert (rejection.family, rejection.component) == (family, component)


def test_rejection_of_bytes_and_of_combined_rules() -> None:
    number = abnforge.rule("rfc8259:number")
    rejection = number.explain(b"1\xff")
    assert rejection is not None
    assert (rejection.code, rejection.family, rejection.component) == ("not-utf-8", "decoding", "number")
    long = number.at_most(2).explain("123")
    assert long is not None
    assert (long.code, long.family) == ("over-length", "restriction")
    assert long.component == long.rule


@pytest.mark.parametrize("name", ["rfc3986", "rfc3339", "rfc5321"])
def test_components_of_codes_are_those_of_rejections(name: str) -> None:
    grammar = abnforge.load(name)
    for code in grammar.codes.values():
        for example in code.examples:
            rule = grammar.start if example.rule is None else grammar[example.rule]
            rejection = rule.explain(example.wrong, suggest=False)
            if rejection is not None and rejection.code == code.code:
                assert rejection.component == (code.component or rule.name), example
