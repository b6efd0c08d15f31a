"""Compiled rules: the pattern of a regular rule matches the language of its automaton."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import pytest

import abnforge
from abnforge.engine.compilation import MAX_TAGGED_TABLES
from abnforge.regex.dialects import DIALECTS
from tests.law import each_row

REWRITTEN = [
    ("hostname", "a1-.", 7),
    ("host", "a1-.", 7),
    ("hostport", "a1-.:", 6),
    ("domainlabel", "a1-", 8),
]


@pytest.mark.parametrize(("name", "alphabet", "length"), REWRITTEN)
def test_rewritten_expressions_on_all_short_strings(name: str, alphabet: str, length: int) -> None:
    """The rules have definitions that are unsafe to match; with and without possessive quantifiers."""
    rule = abnforge.load("rfc2396")[name]
    accepts = rule.automaton.accepts
    patterns = [rule.export("python", anchored=False), rule.export("ecmascript", anchored=False)]
    matchers = [re.compile(pattern).fullmatch for pattern in patterns]
    for size in range(length + 1):
        for chars in itertools.product(alphabet, repeat=size):
            text = "".join(chars)
            assert {match(text) is not None for match in matchers} == {accepts(text)}, text


def test_every_regular_rule_of_the_uri_grammars_has_a_pattern() -> None:
    for name in ("rfc2396", "rfc2396bis-07", "rfc3986", "rfc3987", "rfc6874"):
        assert [rule.name for rule in abnforge.load(name).values() if rule.pattern is None] == []


WITHOUT_PROOF = """
import sys, abnforge
from abnforge import uri
rule = abnforge.load("rfc3986")["URI"]
assert rule.matches("urn:a") and rule.pattern and not rule.matches("urn")
assert uri.parse("http://a/b").host == "a"
print(sorted(name for name in sys.modules if name.startswith("abnforge.regex")))
"""


def test_a_bundled_rule_asks_for_no_proof() -> None:
    """The build proved the pattern. Loading it requires neither the pattern writer nor the pattern parser."""
    run = subprocess.run([sys.executable, "-c", WITHOUT_PROOF], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")


# Patterns without a proof: only a build may construct such large automata, or the proof exceeds its limit.
UNPROVED = {
    ("rfc3261", "sip-uri"): set(DIALECTS),
    ("rfc3261", "sips-uri"): set(DIALECTS),
    ("rfc9051", "body-fld-dsp"): {"re2", "rust", "sql"},
}


def test_every_dialect_of_a_bundled_grammar_was_proved() -> None:
    for name in abnforge.grammar_names():
        result = abnforge.load(name).compilation
        stored = [
            key for key in result.bound.rules if result.is_regular(key) and key not in result.store.omitted
        ]
        assert stored
        for key in stored:
            assert DIALECTS.keys() - result.exports_proved(key) == UNPROVED.get((name, key), set()), (
                name,
                key,
            )


# Rules that are not start rules, and whose automata are large or exceed the budget.
LEFT_OUT = {
    "rfc3261": {  # a URI of RFC 2396 within whitespace, nested twice
        *("absoluteuri", "addr-spec", "alert-info", "alert-param", "authority"),
        *("authorization", "call-info", "challenge", "contact", "contact-param"),
        *("credentials", "dig-resp", "digest-cln", "digest-response", "digest-uri"),
        *("digest-uri-value", "domain", "error-info", "error-uri", "from", "from-spec"),
        *("hier-part", "info", "name-addr", "net-path", "proxy-authenticate"),
        *("proxy-authorization", "rec-route", "record-route", "reply-to", "request-line"),
        *("request-uri", "route", "route-param", "rplyto-spec", "rquest-uri", "srvr", "to"),
        *("uri", "www-authenticate"),
    },
    "rfc9051": {
        *("address", "body-fields", "body-type-basic", "body-type-text", "envelope", "fetch", "namespace"),
        *("env-bcc", "env-cc", "env-from", "env-reply-to", "env-sender", "env-to"),
        *("namespace-descr", "namespace-response"),
    },
    "rfc9112": {"start-line"},
}


def test_missing_tables_are_built_on_demand() -> None:
    for name in abnforge.grammar_names():
        result = abnforge.load(name).compilation
        own = {key for key in result.store.omitted if result.bound.rules[key].origin != "import"}
        assert own == LEFT_OUT.get(name, set())
    rule = abnforge.load("rfc9112")["start-line"]
    assert rule.matches("GET / HTTP/1.1")
    assert not rule.matches("GET /")
    assert rule.regular
    assert rule.export("re2")
    imported = abnforge.load("rfc9110")["URI-reference"]
    assert imported.pattern == abnforge.load("rfc3986")["URI-reference"].pattern


LISTS = [
    (" / ".join(f'"word{number}"' for number in range(20)), True),
    (" / ".join(f'"word{number}"' for number in range(100)), False),
    ('"x" ( ' + " / ".join(f'"word{number}"' for number in range(100)) + " )", True),
]


@each_row(("body", "by_pattern"), LISTS)
def test_a_long_list_of_words_is_read_by_its_table(body: str, by_pattern: bool) -> None:
    """A regex engine would try the words one by one, so verdicts do not use a pattern."""
    rule = abnforge.loads(f"r = {body}\n")["r"]
    x = "x" if body.startswith('"x"') else ""
    assert rule.matches(f"{x}word7")
    assert not rule.matches(f"{x}word")
    if abnforge.KERNEL == "python":
        assert ("r" in rule.grammar.compilation._patterns) is by_pattern
    assert rule.pattern is not None
    assert re.fullmatch(rule.pattern, f"{x}word7")


def test_tables_with_parts_are_bounded() -> None:
    """Calls for many rules do not fill the memory, and a repeated call returns the same result."""
    rule = abnforge.load("rfc3339")["date-time"]
    names = [each.name for each in rule.grammar.own_rules][:8]
    first = rule.components("2026-11-22T10:00:00Z", ["full-date"])
    for one in names:
        for other in names:
            rule.components("2026-11-22T10:00:00Z", [one, other])
    assert len(rule.grammar.compilation._walked_with_tags) <= MAX_TAGGED_TABLES
    assert rule.components("2026-11-22T10:00:00Z", ["full-date"]) == first == {"full-date": (0, 10)}


SHORT = ';@ of x; blame all; fix none\nshort = "1"\n'


@each_row(
    ("text", "mistakes", "derived"),
    [
        ('x = "12"\n', None, True),
        ('x = "12"\n', SHORT, True),
        ('x = "12"\n', ";@ complete\n\n" + SHORT, False),
        ('x = "12"\n' + SHORT, ";@ complete\n", False),
        (';@ complete\n\nx = "12"\n' + SHORT, None, False),
        (';@ complete\r\n\r\nx = "12"\r\n', None, False),
        ('x = "12"\n\n;@ complete', None, False),
    ],
)
def test_complete_mistakes_are_all(text: str, mistakes: str | None, derived: bool) -> None:
    """A file that declares ``complete`` lists all mistakes, with or without rules: none are derived."""
    grammar = abnforge.loads(text, mistakes=mistakes)
    assert any(code.derived for code in grammar.codes.values()) is derived
    assert ("short" in grammar.codes) is (SHORT in (text + (mistakes or "")))
    rejection = grammar["x"].explain(" 12")
    assert rejection
    assert rejection.code == ("space-before" if derived else "unreadable-x")
