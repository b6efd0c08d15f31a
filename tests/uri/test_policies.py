"""Policies: what they let through, what they say of the rest, and that columns are judged alike."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge import uri
from abnforge.uri import Policy, policy
from tests.law import law

URI = abnforge.rule("rfc3986:URI")
ASCII = abnforge.loads("seven-bit = *%x00-7F\n", name="mine")["seven-bit"]
ALL = policy(schemes=["http", "HTTPS"], require_host=True, max_length=40, max_port=65535, rules=[ASCII])

# The text, the rejection's code and message, and what is blamed.
CASES = [
    ("http://h/ b", "space-in-path", None, " "),
    ("javascript:alert(1)", "policy-scheme", 'the scheme http or https, and not "javascript"', "javascript"),
    ("https:x", "policy-host", "the policy asks for a host, and there is none", ""),
    ("http:///x", "policy-host", "the policy asks for a host, and this one is empty", ""),
    ("http://u@:80", "policy-host", "the policy asks for a host, and this one is empty", ""),
    ("http://h:65536", "policy-port", 'ports up to 65535, and not "65536"', "65536"),
    ("http://u:99999@h:99999?", "policy-port", 'ports up to 65535, and not "99999"', "99999"),
    ("http://[::1]:065536/", "policy-port", 'ports up to 65535, and not "065536"', "065536"),
    ("http://h/" + 32 * "a", "policy-length", "has 41 characters, and the policy allows 40", "a"),
]
VALID = ["HTTP://h", "https://u:99999@[::1]:0065535/?:#", "http://h:/", "http://h/" + 31 * "a"]


@pytest.mark.parametrize(("text", "code", "message", "blamed"), CASES)
def test_refusals(text: str, code: str, message: str | None, blamed: str) -> None:
    rule = ALL.rule(URI)
    assert not rule.matches(text)
    rejection = rule.explain(text)
    assert rejection is not None
    assert rejection.code == rejection.hypotheses[0].code == code
    if message is not None:
        assert message in rejection.message
        assert rejection.suggestion is None
        assert rejection.section is None
    start, end = rejection.span
    assert text[start:end] == blamed
    assert rejection.code in rule.grammar.codes
    assert rule.explain(text, engine="automaton") == rejection


@pytest.mark.parametrize("text", VALID)
def test_what_is_let_through(text: str) -> None:
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
    assert (lesson.code.code, lesson.code.meaning) == ("policy-scheme", "the scheme is not http or https")
    lesson = ALL.rule(URI).lesson("http://h/ b")
    assert lesson is not None
    assert lesson.rejection == ALL.rule(URI).explain("http://h/ b")
    assert lesson.parts


def test_codes_are_told_in_the_order_in_which_they_are_asked() -> None:
    assert list(ALL.codes) == ["policy-scheme", "policy-host", "policy-port", "policy-rule", "policy-length"]
    own = policy(rules={"ascii": ASCII, "not-empty": ~abnforge.rule("rfc3986:path-empty")})
    assert list(own.codes) == ["policy-ascii", "policy-not-empty"]
    rejection = own.rule(abnforge.rule("rfc3987:IRI")).explain("http://é/")
    assert rejection is not None
    assert rejection.code == "policy-ascii"
    assert rejection.message.startswith('seven-bit does not derive it: "é" (U+00E9')
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
    assert "that a policy lets through" in " ".join(rule.definition.split())
    codes = [rule.explain(text).code for text in ("ftp:", "//h", "http:89abc")]  # type: ignore[union-attr]
    assert codes == ["policy-scheme", "policy-scheme", "policy-length"]
    assert rule.matches("http:")
    assert rule.parse("http:") == URI.parse("http:")


def test_references_need_a_scheme_where_one_is_asked() -> None:
    rule = policy(schemes=["http"]).rule("rfc3986:URI-reference")
    assert rule.matches("http:x")
    rejection = rule.explain("//evil.example/")
    assert rejection is not None
    assert rejection.message == "the policy asks for the scheme http, and there is none"
    assert policy(require_host=True).rule("rfc3986:relative-ref").matches("//h/")


@pytest.mark.parametrize(
    "name", ["rfc2396:absoluteURI", "rfc2396:URI-reference", "rfc3987:IRI", "rfc3987:IRI-reference"]
)
def test_other_grammars_of_uris(name: str) -> None:
    rule = policy(schemes=["http"], require_host=True, max_port=99).rule(name)
    assert rule.matches("http://h:99/")
    codes = [(rule.explain(text) or rule).code for text in ("ftp://h", "http:/x", "http://h:100")]  # type: ignore[union-attr]
    assert codes == ["policy-scheme", "policy-host", "policy-port"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"schemes": ["http://"]}, ValueError, "'http://' is no scheme; a scheme is written as 'https'"),
        ({"schemes": ["é"]}, ValueError, "is no scheme"),
        ({"schemes": []}, ValueError, "schemes names at least one scheme"),
        ({"schemes": "http"}, TypeError, "schemes is an iterable of schemes, not one str"),
        ({"max_port": -1}, ValueError, "max_port is a port number, from 0"),
        ({"max_length": "9"}, TypeError, "max_length is a number of code points, or None, not str"),
        ({"rules": ["rfc3986:UIR"]}, KeyError, "no rule 'UIR' in grammar rfc3986"),
        ({"rules": URI}, TypeError, "rules is an iterable of rules"),
    ],
)
def test_what_is_no_policy(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        policy(**options)


@pytest.mark.parametrize(
    ("wanted", "rule", "message"),
    [
        (
            policy(schemes=["http"]),
            "relative-ref",
            "no text of relative-ref can meet the policy: policy-scheme refuses each .the scheme is not http",
        ),
        (policy(require_host=True), "path-empty", "there is no host"),
        (policy(max_length=1), "URI", "policy-length refuses each .the text is longer than 1 character.$"),
        (policy(rules=[abnforge.rule("rfc3986:port")]), "URI", "what port of rfc3986 derives"),
    ],
)
def test_what_no_text_can_meet(wanted: Policy, rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wanted.rule(f"rfc3986:{rule}")


@law(st.integers(0, 200_000), st.integers(0, 200_000), st.integers(0, 3), few=12, many=200)
def test_ports_are_numbers(highest: int, port: int, zeros: int) -> None:
    rule = policy(max_port=highest).rule("rfc3986:URI")
    for each in (port, highest, highest + 1):
        assert rule.matches(f"http://h:{zeros * '0'}{each}/") is (each <= highest)


def test_columns_are_judged_alike() -> None:
    pa = pytest.importorskip("pyarrow")
    from abnforge import columns

    rule = ALL.rule(URI)
    texts = [*(text for text, *_ in CASES), *VALID, None, "http://h/é", "x" * 100, "http://h:1" + 50 * "0"]
    for kind in (pa.string(), pa.string_view(), pa.large_binary()):
        given = [text and text.encode() if kind == pa.large_binary() else text for text in texts]
        column = pa.array(given, kind)
        verdicts = [None if text is None else rule.matches(text) for text in given]
        assert columns.matches(rule, column).to_pylist() == verdicts
        told = columns.rejections(rule, column).to_pylist()
        wrong = [row for row, verdict in enumerate(verdicts) if verdict is False]
        rejections = [rule.explain(given[row]) for row in wrong]
        assert [each["row"] for each in told] == wrong
        assert [each["code"] for each in told] == [each and each.code for each in rejections]
        offsets = {row: each and each.offset for row, each in zip(wrong, rejections, strict=True)}
        assert columns.offsets(rule, column).to_pylist() == [offsets.get(row) for row in range(len(texts))]
        plain = columns.components(URI, column).to_pylist()
        wanted = [each if verdict else None for each, verdict in zip(plain, verdicts, strict=True)]
        assert columns.components(rule, column).to_pylist() == wanted


def test_without_a_bound_one_walk_tells_all() -> None:
    """The automaton of the policy is as small as that of the rule, or nearly so."""
    rule = policy(schemes=["http", "https"], require_host=True, max_port=65535).rule(URI)
    assert rule.automaton.states < 2 * URI.automaton.states
    assert abnforge.compare(rule, URI).relation == "narrower"
    assert uri.policy(max_length=2048).rule(URI).matches("urn:" + 2044 * "a")
