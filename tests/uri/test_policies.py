"""Policies: accepted URIs, messages about rejected URIs, and equal results for columns."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge import uri
from abnforge.uri import Policy, policy
from tests.law import each_row, law
from tests.raising import raises

URI = abnforge.rule("rfc3986:URI")
ASCII = abnforge.loads("seven-bit = *%x00-7F\n", name="mine")["seven-bit"]
ALL = policy(schemes=["http", "HTTPS"], require_host=True, max_length=40, max_port=65535, rules=[ASCII])

# A string, and the code and span of its rejection.
CASES = [
    ("http://h/ b", "space-in-path", " "),
    ("javascript:alert(1)", "policy-scheme", "javascript"),
    ("https:x", "policy-host", ""),
    ("http:///x", "policy-host", ""),
    ("http://u@:80", "policy-host", ""),
    ("http://h:65536", "policy-port", "65536"),
    ("http://u:99999@h:99999?", "policy-port", "99999"),
    ("http://[::1]:065536/", "policy-port", "065536"),
    ("http://h/" + 32 * "a", "policy-length", "a"),
]
VALID = ["HTTP://h", "https://u:99999@[::1]:0065535/?:#", "http://h:/", "http://h/" + 31 * "a"]


@pytest.mark.parametrize(("text", "code", "blamed"), CASES)
def test_refusals(text: str, code: str, blamed: str, snapshot: SnapshotAssertion) -> None:
    rule = ALL.rule(URI)
    assert not rule.matches(text)
    rejection = rule.explain(text)
    assert rejection is not None
    assert rejection.code == rejection.hypotheses[0].code == code
    assert rejection.message == snapshot
    if code.startswith("policy-"):
        assert rejection.suggestion is None
        assert rejection.section is None
    start, end = rejection.span
    assert text[start:end] == blamed
    assert rejection.code in rule.grammar.codes
    assert rule.explain(text, engine="automaton") == rejection


@pytest.mark.parametrize("text", VALID)
def test_allowed_references(text: str) -> None:
    rule = ALL.rule("rfc3986:URI")
    assert rule.matches(text)
    assert rule.explain(text) is None
    assert rule.parse(text) == URI.parse(text)


def test_a_rejection_is_about_the_rule_by_policy() -> None:
    rejection = ALL.rule(URI).explain("javascript:x")
    assert rejection is not None
    assert (rejection.grammar, rejection.rule, rejection.offset) == ("rfc3986", "URI by policy", 0)
    assert rejection.rule_path == ("URI", "scheme")
    assert rejection.expected == (abnforge.Expected("ALPHA", "Hh"),)
    octets = ALL.rule(URI).explain(b"javascript:x")
    assert octets is not None
    assert octets.offset_unit == "bytes"


def test_lessons_and_their_codes() -> None:
    lesson = ALL.rule(URI).lesson("ftp://h/")
    assert lesson is not None
    assert lesson.code is not None
    assert lesson.code.code == "policy-scheme"
    lesson = ALL.rule(URI).lesson("http://h/ b")
    assert lesson is not None
    assert lesson.rejection == ALL.rule(URI).explain("http://h/ b")
    assert lesson.parts


def test_codes_are_reported_in_the_order_in_which_they_are_asked() -> None:
    assert list(ALL.codes) == ["policy-scheme", "policy-host", "policy-port", "policy-rule", "policy-length"]
    own = policy(rules={"ascii": ASCII, "not-empty": ~abnforge.rule("rfc3986:path-empty")})
    assert list(own.codes) == ["policy-ascii", "policy-not-empty"]
    rejection = own.rule(abnforge.rule("rfc3987:IRI")).explain("http://é/")
    assert rejection is not None
    assert rejection.code == "policy-ascii"
    assert rejection.span == (7, 8)


def test_a_policy_is_a_value() -> None:
    assert policy(schemes=["HTTP", "http"]) == policy(schemes=("http",)) == Policy(("http",))
    assert pickle.loads(pickle.dumps(ALL)) == ALL
    assert ALL.rule(URI) is ALL.rule(URI)
    assert pickle.loads(pickle.dumps(ALL.rule(URI))) == ALL.rule(URI)
    assert policy().rule(URI) is URI
    assert policy().codes == {}


def test_rules_that_are_made_of_others_are_narrowed_too() -> None:
    rule = policy(schemes=["http"], max_length=9).rule(URI | abnforge.rule("rfc3986:relative-ref"))
    assert rule.name == "(URI | relative-ref) by policy"
    assert "policy" in rule.definition
    codes = [rule.explain(text).code for text in ("ftp:", "//h", "http:89abc")]  # type: ignore[union-attr]
    assert codes == ["policy-scheme", "policy-scheme", "policy-length"]
    assert rule.matches("http:")
    assert rule.parse("http:") == URI.parse("http:")


def test_references_need_a_scheme_where_one_is_asked() -> None:
    rule = policy(schemes=["http"]).rule("rfc3986:URI-reference")
    assert rule.matches("http:x")
    rejection = rule.explain("//evil.example/")
    assert rejection is not None
    assert (rejection.code, rejection.span) == ("policy-scheme", (0, 0))
    assert policy(require_host=True).rule("rfc3986:relative-ref").matches("//h/")


@pytest.mark.parametrize(
    "name", ["rfc2396:absoluteURI", "rfc2396:URI-reference", "rfc3987:IRI", "rfc3987:IRI-reference"]
)
def test_other_grammars_of_uris(name: str) -> None:
    rule = policy(schemes=["http"], require_host=True, max_port=99).rule(name)
    assert rule.matches("http://h:99/")
    codes = [(rule.explain(text) or rule).code for text in ("ftp://h", "http:/x", "http://h:100")]  # type: ignore[union-attr]
    assert codes == ["policy-scheme", "policy-host", "policy-port"]


@each_row(
    ("options", "error", "code"),
    [
        ({"schemes": ["http://"]}, ValueError, "argument-value"),
        ({"schemes": ["é"]}, ValueError, "argument-value"),
        ({"schemes": []}, ValueError, "argument-empty"),
        ({"schemes": "http"}, TypeError, "argument-type"),
        ({"max_port": -1}, ValueError, "argument-value"),
        ({"max_length": "9"}, TypeError, "argument-type"),
        ({"rules": ["rfc3986:UIR"]}, KeyError, "rule-name-unknown"),
        ({"rules": URI}, TypeError, "argument-type"),
    ],
)
def test_invalid_policies(options: dict[str, Any], error: type[Exception], code: str) -> None:
    with raises(error, code):
        policy(**options)


@pytest.mark.parametrize(
    ("expected", "rule", "code"),
    [
        (
            policy(schemes=["http"]),
            "relative-ref",
            "policy-empty",
        ),
        (policy(require_host=True), "path-empty", "policy-empty"),
        (policy(max_length=1), "URI", "policy-empty"),
        (policy(rules=[abnforge.rule("rfc3986:port")]), "URI", "policy-empty"),
    ],
)
def test_unsatisfiable_policies(expected: Policy, rule: str, code: str) -> None:
    with raises(ValueError, code):
        expected.rule(f"rfc3986:{rule}")


@law(st.integers(0, 200_000), st.integers(0, 200_000), st.integers(0, 3), few=12, many=200)
def test_ports_are_numbers(highest: int, port: int, zeros: int) -> None:
    rule = policy(max_port=highest).rule("rfc3986:URI")
    for each in (port, highest, highest + 1):
        assert rule.matches(f"http://h:{zeros * '0'}{each}/") is (each <= highest)


def test_columns_are_validated_alike() -> None:
    pa = pytest.importorskip("pyarrow")
    from abnforge import columns

    rule = ALL.rule(URI)
    texts = [*(text for text, *_ in CASES), *VALID, None, "http://h/é", "x" * 100, "http://h:1" + 50 * "0"]
    for kind in (pa.string(), pa.string_view(), pa.large_binary()):
        inputs = [text and text.encode() if kind == pa.large_binary() else text for text in texts]
        column = pa.array(inputs, kind)
        verdicts = [None if text is None else rule.matches(text) for text in inputs]
        assert columns.matches(rule, column).to_pylist() == verdicts
        values = columns.rejections(rule, column).to_pylist()
        wrong = [row for row, verdict in enumerate(verdicts) if verdict is False]
        rejections = [rule.explain(inputs[row]) for row in wrong]
        assert [each["row"] for each in values] == wrong
        assert [each["code"] for each in values] == [each and each.code for each in rejections]
        offsets = {row: each and each.offset for row, each in zip(wrong, rejections, strict=True)}
        assert columns.offsets(rule, column).to_pylist() == [offsets.get(row) for row in range(len(texts))]
        plain = columns.components(URI, column).to_pylist()
        expected = [each if verdict else None for each, verdict in zip(plain, verdicts, strict=True)]
        assert columns.components(rule, column).to_pylist() == expected


def test_without_a_bound_one_walk_reports_all() -> None:
    """The automaton of a policy is about as small as that of the rule."""
    rule = policy(schemes=["http", "https"], require_host=True, max_port=65535).rule(URI)
    assert rule.automaton.states < 2 * URI.automaton.states
    assert abnforge.compare(rule, URI).relation == "narrower"
    assert uri.policy(max_length=2048).rule(URI).matches("urn:" + 2044 * "a")
