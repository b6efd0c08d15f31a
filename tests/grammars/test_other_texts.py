"""Bundled grammars equal other sources of the same specifications, rule by rule, with listed exceptions.

Two rules are equal if their definitions are written the same way; rules that they refer to are compared
separately. Otherwise, their minimal automata must be equal. For recursive rules, all strings up to a size are
compared; if they agree, the result is "undecided". Lists are compared in the form that a sender writes.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import abnforge
from abnforge import Grammar, Rule
from abnforge.grammar.binding import canonical, lists
from abnforge.grammar.syntax import BoundRule
from tests.law import each_row
from tests.places import SHARED

# Rules that others take from the specifications and that bundled grammars define again.
RESTATED = {"rfc6265": ["abnf:rfc2616", "rfc3986"], "rfc9051": ["abnf:rfc3629"]}

TELEPHONE = (
    "rquest-uri telephone-subscriber global-phone-number base-phone-number local-phone-number "
    "isdn-subaddress post-dial area-specifier phone-context-tag phone-context-ident "
    "network-prefix global-network-prefix local-network-prefix private-prefix service-provider "
    "provider-tag provider-hostname future-extension token-char quoted-string-telnum phonedigit "
    "visual-separator pause-character one-second-pause wait-for-dial-tone dtmf-digit"
)
UTF8 = "UTF8-CHAR UTF8-1 UTF8-2 UTF8-3 UTF8-4 UTF8-tail"
WITHOUT_LEFT_RECURSION = dict.fromkeys(("option-val-comp", "tagged-ext-comp"), "undecided")

# Each row has a bundled grammar, another source, the rules that the source lacks, and the rules that differ,
# with their relation. A rule of the source is "wider" if it matches more strings. Sources are in the
# abnf package or next to the project.
TEXTS: list[Any] = [
    # The source was edited for its tool: one of two "@", separators, and rules that the RFC leaves to HTTP.
    # A domain of RFC 1035 is a rule of SIP with that name.
    (
        "rfc3261",
        "cameronelliott__sip-antlr-abnf/sip",
        "separators rquest-uri",
        {"srvr": "overlap", "digest-uri-value": "overlap", "provider-hostname": "disjoint"},
    ),
    # The source has no lower-case digits in LHEX, and the telephone numbers of RFC 3966.
    ("rfc3261", "marcelog__ex_abnf/test__resources__RFC3261", TELEPHONE, {"LHEX": "narrower"}),
    ("rfc4647", "abnf", "", {}),
    ("rfc5322", "abnf", "", {}),
    # Without erratum 1905. The published rule has every string except those with a CR or LF in certain
    # places.
    ("rfc5322", "dontcallmedom__rfcref/abnf__source__rfc5322", "", {"obs-unstruct": "wider"}),
    ("rfc5646", "abnf", "", {}),
    ("rfc5646", "dontcallmedom__rfcref/abnf__source__rfc5646", "", {}),
    # The published rules, without erratum 3444; the next source has the names of RFC 1034.
    (
        "rfc6265",
        "abnf",
        "av-octet token rfc1123-date date1 time wkday month "
        "subdomain label ldh-str let-dig-hyp let-dig letter",
        {"domain-value": "words", "path-value": "narrower", "extension-av": "narrower"},
    ),
    # In the source, a domain may be an IP address, which the RFC does not allow.
    (
        "rfc6265",
        "abnf:LocalRule",
        "OWS obs-fold set-cookie-header set-cookie-string cookie-pair cookie-name cookie-value cookie-octet "
        "cookie-av expires-av sane-cookie-date max-age-av non-zero-digit domain-av path-av secure-av "
        "httponly-av cookie-header cookie-string token rfc1123-date date1 time wkday month",
        {"domain-value": "wider"},
    ),
    ("rfc8259", "q-uint__syntax/abnf__rfc8259", "", {}),
    ("rfc8288", "abnf", "", {}),
    # The source has no left recursion ("C = A / C *( SP C )"), and a set of characters has a name.
    # Comparing all strings up to a size takes two seconds.
    pytest.param("rfc9051", "abnf", UTF8, WITHOUT_LEFT_RECURSION, marks=pytest.mark.slow),
    # The source has "CHAR = <defined in [ABNF]>", and sets of characters that exclude some of it.
    ("rfc9051", "dontcallmedom__rfcref/abnf__source__rfc9051", UTF8, {}),
    ("rfc9110", "abnf", "", {}),
    ("rfc9110", "dontcallmedom__rfcref/abnf__source__rfc9110", "", {}),
    ("rfc9111", "abnf", "", {}),
    ("rfc9111", "cto-af__http-headers/abnf__rfc9111", "", {}),
    # The source lacks the end of %x48.54.54.50.
    ("rfc9112", "dontcallmedom__rfcref/abnf__consolidated__rfc9112", "", {"HTTP-name": "disjoint"}),
    ("rfc9651", "abnf", "", {}),
    # The obsolete RFC 8941: no dates or display strings, another character in base64, and "%"
    # unescaped.
    (
        "rfc9651",
        "dontcallmedom__rfcref/abnf__source__rfc8941",
        "sf-date sf-displaystring bs-escaped pct-encoded lc-hexdig",
        {"bare-item": "overlap", "sf-binary": "wider", "base64": "narrower", "unescaped": "wider"},
    ),
    ("toml-1.0.0", "toml-lang__toml/toml-1.0.0", "", {}),
    ("toml-1.1.0", "toml-lang__toml/toml", "", {}),
]


@cache
def package_text(name: str, of: str = "Rule") -> str:
    """Return the source of a grammar in the ``abnf`` package from its file, since importing takes seconds."""
    spec = find_spec(f"abnf.grammars.{name}")
    assert spec
    assert spec.origin
    [rules] = [
        node
        for node in ast.parse(Path(spec.origin).read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == of
    ]
    [text] = [
        ast.literal_eval(each.value)
        for each in rules.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None
    ]
    return text if isinstance(text, str) else "\n".join(map(str.strip, text)) + "\n"


def theirs(name: str, text: str) -> Grammar:
    if text.startswith("abnf"):
        written = package_text(name, *text.split(":")[1:])
    else:
        path = SHARED / "grammars" / f"{text}.abnf"
        if not path.is_file():
            pytest.skip("the shared grammars are not here")
        # One source has code for a tool between rules, and repeats some rules at the end.
        written = re.sub(r" *!!!\n.*?\n!!!", "", path.read_text("utf-8"), flags=re.DOTALL)
        written = written.split("\nALPHA = ")[0] if "SIP-message" in written else written
    return abnforge.loads(written, name=name, allow_undefined=True, imports=others(name), lists="sender")


def others(name: str) -> list[str]:
    """Return grammars that a source can import. The bundled grammar contains copies of their rules."""
    if name in RESTATED:
        return RESTATED[name]
    return re.findall(r"^;@ import ([\w.-]+)", abnforge.load(name).source.text, re.MULTILINE)


def bound(rule: Rule) -> BoundRule:
    return rule.grammar.compilation.bound.rules[rule.key]


def pairs(name: str, text: str) -> Iterator[tuple[Rule, Rule]]:
    ours = abnforge.load(name, lists="sender", alphabet="unicode")  # as the source
    for rule in theirs(name, text).own_rules:
        if rule.name in ours and ours[rule.name].origin == "file":
            yield rule, ours[rule.name]


def relation_of(there: Rule, here: Rule) -> str:
    try:
        return abnforge.compare(there, here).relation
    except abnforge.GrammarError:
        return "words"  # prose, which cannot be compared


@each_row(("name", "text", "missing", "differing"), TEXTS)
def test_rules_are_the_same(name: str, text: str, missing: str, differing: dict[str, str]) -> None:
    results = {}
    compared = set()
    for there, here in pairs(name, text):
        compared.add(here.name)
        if canonical(bound(there).elements) == canonical(bound(here).elements):
            continue
        relation = relation_of(there, here)
        if relation != "equal":
            results[here.name] = relation
    assert results == differing
    assert [
        rule.name for rule in abnforge.load(name).own_rules if rule.name not in compared
    ] == missing.split()


def test_lists_of_recipients_have_empty_elements_besides() -> None:
    """Lists in other sources (RFC 9110, appendix A) match a subset of our lists (section 5.6.1.2)."""
    sender, recipient = abnforge.load("rfc9110", lists="sender"), abnforge.load("rfc9110")
    with_lists = [rule for rule in recipient.own_rules if next(lists(bound(rule).rule.elements), None)]
    assert len(with_lists) > 20
    for name in [rule.name for rule in with_lists if rule.regular]:
        assert abnforge.compare(sender[name], recipient[name]).relation == "narrower", name


SAME = [
    *[("rfc6570", name, "rfc3986") for name in ("pct-encoded", "unreserved", "reserved", "sub-delims")],
    *[("rfc6570", name, "rfc3987") for name in ("ucschar", "iprivate")],
    ("rfc6265", "token", "rfc9110"),
    ("rfc9535", "true", "rfc8259"),
    ("rfc9535", "HEXDIG", "rfc5234"),
    ("rfc5321", "atext", "rfc5322"),
]


@each_row(("name", "rule", "other"), SAME)
def test_what_is_restated_is_what_it_was(name: str, rule: str, other: str) -> None:
    assert abnforge.load(name)[rule].automaton == abnforge.load(other)[rule].automaton


# Regular expressions as rules: the one that semver.org suggests, and a common one for UUIDs.
EXPRESSIONS = {
    "semver-2.0.0": """
        r = n "." n "." n [ "-" p *( "." p ) ] [ "+" 1*c *( "." 1*c ) ]
        n = "0" / %x31-39 *DIGIT
        p = n / *DIGIT ( ALPHA / "-" ) *c
        c = DIGIT / ALPHA / "-"
        """,
    "rfc9562": 'r = 8x 3( "-" 4x ) "-" 12x\nx = %x30-39 / %x41-46 / %x61-66',
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_in_use_say_the_same(name: str) -> None:
    expression = abnforge.loads(dedent(EXPRESSIONS[name]).strip() + "\n")["r"]
    assert expression.automaton == abnforge.load(name).start.automaton


SUITES = [
    ("rfc8259", "JSON-text", "json", (True, False)),
    # Invalid cases may be invalid for reasons other than syntax.
    ("toml-1.1.0", "toml", "toml", (True,)),
    ("rfc9651", "sf-item", "sf-item", (True,)),
    ("rfc9651", "sf-list", "sf-list", (True,)),
    ("rfc9651", "sf-dictionary", "sf-dictionary", (True,)),
]


@pytest.mark.parametrize(("name", "rule", "suite", "expected"), SUITES)
def test_suites_agree(name: str, rule: str, suite: str, expected: tuple[bool, ...]) -> None:
    path = SHARED / "grammars" / "suites" / suite / "cases.jsonl"
    if not path.is_file():
        pytest.skip("the shared suites are not here")
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    # Bytes that are not UTF-8, and empty fields, which are not lists by section 4.2 of RFC 9651.
    results = [case for case in cases if case["expect"] in expected and case["text"] not in (None, "")]
    matches = abnforge.load(name)[rule].matches
    assert len(results) > 50
    wrong = [case["id"] for case in results if matches(bare(case["text"], suite)) is not case["expect"]]
    assert wrong == []


def bare(text: str, suite: str) -> str:
    """Return the content of rules, without encoding markers, or without the spaces around a field."""
    return (
        text.strip(" ")
        if suite.startswith("sf-")
        else text.removeprefix("\ufeff")
        if suite == "toml"
        else text
    )
