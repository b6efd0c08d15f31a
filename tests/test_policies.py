"""Policies: accepted strings, messages about rejected strings, and equal results for columns."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta
from pathlib import Path
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


# Addresses and leap seconds

MAILBOX = policy(address_limits=True).rule("rfc5321:Mailbox")
ADDRESSES: list[tuple[str, str | None, tuple[int, int] | None]] = [
    (f"{'a' * 64}@b.example", None, None),
    (f"{'a' * 65}@b.example", "policy-local-part", (0, 65)),
    (f"a.{'a' * 63}@b.example", "policy-local-part", (0, 65)),
    (f'"{"a" * 62}"@b', None, None),
    (f'"{"a" * 63}"@b', "policy-local-part", (0, 65)),
    (f'"{"@" * 62}"@b', None, None),
    ('"' + 31 * "\\@" + '"@b', None, None),
    ('"' + 31 * "\\@" + '@"@b', "policy-local-part", (0, 65)),
    (f"a@b.{'c' * 63}.d", None, None),
    (f"a@b.{'c' * 64}.d", "policy-label", (4, 68)),
    (f"a@{'c-' * 32}0", "policy-label", (2, 67)),
    (f"a@{'b.' * 125}bc", None, None),
    (f"a@{'b.' * 126}b", "policy-address", (254, 255)),
    ("a@[IPv6:::1]", None, None),
    ("a@-b", "hyphen-before-sub-domain", (2, 3)),
]


@each_row(("text", "code", "span"), ADDRESSES)
def test_limits_of_addresses(text: str, code: str | None, span: tuple[int, int] | None) -> None:
    rejection = MAILBOX.explain(text)
    assert MAILBOX.matches(text) is (code is None)
    assert (rejection and rejection.code, rejection and rejection.span) == (code, span)


WORDS = st.text("a.-", max_size=70)
QUOTED = st.lists(st.sampled_from(["a", " ", "@", '\\"', "\\\\"]), max_size=70).map(
    lambda each: f'"{"".join(each)}"'
)


@law(
    st.one_of(WORDS, QUOTED), st.lists(st.text("ab-", min_size=1, max_size=70), max_size=5), few=60, many=600
)
def test_limits_of_addresses_are_lengths(local: str, labels: list[str]) -> None:
    text = f"{local}@{'.'.join(labels)}"
    within = len(local) <= 64 and all(len(each) <= 63 for each in labels) and len(text) <= 254
    assert MAILBOX.matches(text) is (within and abnforge.rule("rfc5321:Mailbox").matches(text))


STRICT = abnforge.rule("rfc3339:date-time-strict")
UTC = policy(leap_seconds="utc").rule(STRICT)
LISTED = policy(leap_seconds=["2016-12-31", "1972-06-30"]).rule("rfc3339:date-time")
TIMES: list[tuple[str, bool, bool]] = [
    ("1990-12-31T23:59:60Z", True, False),
    ("2016-12-31t23:59:60.25z", True, True),
    ("2016-12-31T23:59:60-00:00", True, True),
    ("2016-12-31T15:59:60-08:00", True, True),
    ("2016-12-31T16:59:60-08:00", False, False),
    ("2017-01-01T05:29:60+05:30", True, True),
    ("2017-01-01T05:28:60+05:30", False, False),
    ("2017-01-01T23:58:60+23:59", True, True),
    ("2016-12-31T00:00:60-23:59", True, True),
    ("1972-07-01T00:59:60+01:00", True, True),
    ("1972-07-01T23:59:60Z", False, False),
    ("2016-12-30T23:59:60Z", False, False),
    ("2024-02-29T23:59:59Z", True, True),
    ("2023-02-29T23:59:59Z", False, True),  # a matter of the rule: the other is not date-time-strict
]


@each_row(("text", "utc", "listed"), TIMES)
def test_leap_seconds(text: str, utc: bool, listed: bool) -> None:
    assert (UTC.matches(text), LISTED.matches(text)) == (utc, listed)
    rejection = UTC.explain(text)
    if rejection is not None and STRICT.matches(text):
        assert (rejection.code, rejection.span) == ("policy-leap-second", (11, len(text)))


@law(
    st.datetimes(datetime(1971, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["06-30T23:59", "12-31T23:59"]),
    st.integers(-1439, 1439),
    st.integers(-1, 1),
    few=100,
    many=2_000,
)
def test_leap_seconds_are_at_the_end_of_days_in_utc(day: datetime, end: str, offset: int, error: int) -> None:
    moment = datetime.fromisoformat(f"{day.year}-{end}") + timedelta(minutes=error)
    local = moment + timedelta(minutes=offset)
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    assert UTC.matches(f"{local:%Y-%m-%dT%H:%M}:60{zone}") is (error == 0)
    assert UTC.matches(f"{day:%Y-%m-%dT%H:%M:%S}{zone}")


def test_columns_of_addresses_and_times() -> None:
    pa = pytest.importorskip("pyarrow")
    from abnforge import columns

    for rule, texts in ((MAILBOX, [text for text, *_ in ADDRESSES]), (UTC, [text for text, *_ in TIMES])):
        assert columns.matches(rule, pa.array(texts)).to_pylist() == list(map(rule.matches, texts))
        found = columns.rejections(rule, pa.array(texts)).field("code").to_pylist()
        assert found == [each.code for each in map(rule.explain, texts) if each is not None]


LIST = """\
#$ 3676924800
2272060800 10 # 1 Jan 1972
2287785600 11 # 1 Jul 1972
3692217600\t37\t# 1 Jan 2017
4000000000 36 # a negative leap second
"""


def test_a_list_of_leap_seconds(tmp_path: Path) -> None:
    path = tmp_path / "leap-seconds.list"
    path.write_text(LIST)
    assert policy(leap_seconds=path) == policy(leap_seconds=["1972-06-30", "2016-12-31"])
    for text in ("", "x\n", "1 2\n1 2 3\n", "1 2\n" + 30 * "9" + " 3", "# \xff", "1 2\n"):
        path.write_text(text, "latin-1")
        with raises(ValueError, "leap-list-malformed"):
            policy(leap_seconds=path)
    path.write_bytes(bytes(2**20 + 1))
    with raises(ValueError, "leap-list-too-large"):
        policy(leap_seconds=path)


@each_row(
    ("value", "error", "code"),
    [
        ("june", TypeError, "argument-type"),
        ([], ValueError, "argument-empty"),
        (["2023-02-29"], ValueError, "argument-value"),
        ([2016], TypeError, "argument-type"),
    ],
)
def test_invalid_days(value: Any, error: type[Exception], code: str) -> None:
    with raises(error, code):
        policy(leap_seconds=value)
