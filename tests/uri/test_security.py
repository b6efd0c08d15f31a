"""Security findings of RFC 3986, section 7, one by one, and valid URIs without findings."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abnforge import Rejected, uri
from abnforge.catalog import Message
from abnforge.errors import UnknownNameError
from abnforge.families import OTHER
from abnforge.uri import WELL_KNOWN_PORTS, SecurityFinding, Severity, ipv4_number, security
from abnforge.uri.rfc3986.components import COMPONENTS
from abnforge.uri.security import SECURITY_CODES, SUSPICIONS, alarming, ports_with, security_codes
from tests.law import each_row
from tests.places import ROOT
from tests.raising import raises

ATTACK = "ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm"
# Input, and (code, subject) of every finding in order.
TABLE: list[Any] = [
    # section 7.6
    (ATTACK, [("misleading-userinfo", "cnn.example.com&story=breaking_news")]),
    ("http://www.google.com:80@evil.com/", [("misleading-userinfo", "www.google.com"), ("password", "80")]),
    ("http://www%2Egoogle.com@evil.com/", [("misleading-userinfo", "www%2Egoogle.com")]),
    ("http://google.com#@evil.com/", [("misleading-at-sign", "@")]),
    ("http://google.com?@evil.com/", [("misleading-at-sign", "@")]),
    ("http://google.com?a=b#x@evil.com/", [("misleading-at-sign", "@")]),
    ("http://google.com?a/@evil.com/", []),
    ("http://google.com/@evil.com/", []),
    ("http://user@h/", []),
    ("mailto:john.doe@h", []),
    # section 7.5
    ("http://u:secret@h/", [("password", "secret")]),
    ("http://:s:t@h/", [("password", "s:t")]),
    ("http://u:@h/", []),
    # section 7.4
    ("http://0x7f.1/", [("rare-ipv4", "0x7f.1")]),
    ("http://127.0.0.1/", []),
    ("http://1.2.3.4.5/", []),
    ("http://%30x7F000001/", [("host-needless-encoding", "%30"), ("rare-ipv4", "%30x7F000001")]),
    # section 7.3
    ("telnet://h/%0d%0A%0A", [("encoded-line-break", "%0d")]),
    ("a:b?%00", [("encoded-nul", "%00")]),
    ("a:b#%1F", [("encoded-control", "%1F")]),
    ("//h/a%2Fb/c%5cd", [("encoded-delimiter", "%2F")]),
    ("//u%40x@h", [("encoded-delimiter", "%40")]),
    ("//h%2f", [("encoded-delimiter", "%2f")]),
    ("//h?%2F#%3f", [("encoded-delimiter", "%2F"), ("encoded-delimiter", "%3f")]),
    ("/a/%2e%2E/b/.%2e/%2e", [("encoded-dot-segment", "%2e%2E")]),
    ("/a/../%2e%2e%2e/a%2e", []),
    ("/%20%26%C3%A9", []),
    # section 7.2
    ("http://h:25/", [("well-known-port", "25")]),
    ("http://h:00025/", [("well-known-port", "00025")]),
    ("http://h:0/", [("well-known-port", "0")]),
    ("foo://h:80/", [("well-known-port", "80")]),
    ("HTTP://h:80/", []),
    ("http://h:1023", [("well-known-port", "1023")]),
    ("http://h:1024", []),
    ("http://h:" + "9" * 5000, [("port-too-large", "9" * 5000)]),
    ("http://h:/", [("port-empty", ":")]),
    ("//h:25/", []),  # an unknown scheme
    # section 3.2.2
    ("//[v1.a]", [("ipvfuture", "[v1.a]")]),
    ("//[::1]", []),
    ("//%ff.x", [("host-not-utf8", "%ff")]),
    ("//%C3%A9.x", [("host-not-idna", "%C3")]),
    ("//%61.x", [("host-needless-encoding", "%61")]),
    ("//%20", [("host-space", "%20")]),
    ("//" + "a" * 255, []),
    ("//" + "%C3%A9" * 128, [("host-not-idna", "%C3"), ("host-too-long", "%C3%A9" * 128)]),
    # Without findings.
    ("", []),
    ("http://example.com:8080/a/b;c?d=e#f", []),
]


@each_row(("text", "expected"), TABLE)
def test_findings(text: str, expected: list[tuple[str, str]]) -> None:
    findings = security(text)
    assert sorted((f.code, text[f.start : f.end]) for f in findings) == sorted(expected)
    assert [f.start for f in findings] == sorted(f.start for f in findings)
    assert json.loads(json.dumps([f.to_dict() for f in findings]))[:1] == [f.to_dict() for f in findings[:1]]


ADDRESSES = [
    ("127.0.0.1", "127.0.0.1"),
    ("127.0.1", "127.0.0.1"),
    ("127.1", "127.0.0.1"),
    ("127.65535", "127.0.255.255"),
    ("2130706433", "127.0.0.1"),
    ("0x7f.0.0.1", "127.0.0.1"),
    ("0177.0.0.01", "127.0.0.1"),
    ("0X7F.0x1", "127.0.0.1"),
    ("017700000001", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("0x0000000000000007f000001", "127.0.0.1"),
    ("4294967295", "255.255.255.255"),
    ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"),  # as some systems parse it
    ("127.0.0.1.", "127.0.0.1"),
    ("1.2.3.256", None),
    ("256.1", None),
    ("1.16777216", None),
    ("4294967296", None),
    ("1.2.3.4.5", None),
    ("08", None),
    ("0xg", None),
    ("1..2", None),
    ("", None),
    (".", None),
    ("a", None),
    ("1" * 5000, None),
    ("0x" + "1" * 5000, None),
    ("1.2.3.a", None),
]


@each_row(("name", "address"), ADDRESSES)
def test_rare_forms_of_ipv4_addresses(name: str, address: str | None) -> None:
    number = ipv4_number(name)
    result = None if number is None else ".".join(map(str, number.to_bytes(4)))
    assert result == address
    by_code = {f.code: f for f in security(f"//{name}/")}
    rare = address is not None and not uri.is_valid(name, "IPv4address")
    assert ("rare-ipv4" in by_code) is rare
    if rare:
        assert by_code["rare-ipv4"].address == address
        assert address in by_code["rare-ipv4"].message


@each_row(
    ("text", "severity", "section"),
    [
        (ATTACK, "warning", "7.6"),
        ("//u:p@h", "error", "7.5"),
        ("//1", "warning", "7.4"),
        ("/%00", "error", "7.3"),
        ("/%2F", "warning", "7.3"),
        ("?%2F", "note", "7.3"),
        ("/%0A", "warning", "7.2"),
        ("http://h:1", "warning", "7.2"),
        ("//[vF.a]", "error", "3.2.2"),
        ("//%ff", "error", "3.2.2"),
        ("//%C3%A9", "note", "3.2.2"),
    ],
)
def test_severity_and_section(text: str, severity: str, section: str) -> None:
    (result,) = security(text)
    assert (result.severity, result.section) == (severity, section)


def test_severities_have_an_order() -> None:
    assert [s for s in Severity if s.at_least(Severity.WARNING)] == [Severity.WARNING, Severity.ERROR]
    assert Severity.ERROR.at_least("error")  # type: ignore[arg-type]
    with raises(ValueError, "argument-choice", name="other", value="bogus"):
        Severity.NOTE.at_least("bogus")  # type: ignore[arg-type]


def test_findings_of_one_kind_in_a_component_are_counted() -> None:
    (result,) = security("/%2F%2F/%2f")
    assert (result.start, result.end, result.count) == (1, 4, 3)


def test_ports_can_be_allowed() -> None:
    assert security("http://h:81/", {**WELL_KNOWN_PORTS, "http": (80, 81)}) == []
    (result,) = security("http://h:25/", {"smtp": (25,)})
    assert isinstance(result.message, Message)
    assert result.message.data == {"port": 25, "scheme": "http", "others": ["smtp"]}


def test_no_message_holds_the_password() -> None:
    for password in ("hunter2", "hun.ter2", "%00hunter2", "hunter2%2F", "hunter2:hunter2"):
        findings = security(f"ftp://www.example.com:{password}@h:25/%2F?hunter")
        assert "password" in {f.code for f in findings}
        assert not [f for f in findings if "ter2" in f.message]


def test_invalid_references_are_rejected() -> None:
    with pytest.raises(Rejected):
        security("a b")
    with raises(TypeError, "argument-bytes", name="value", type="bytes"):
        security(b"a")  # type: ignore[arg-type]
    assert security(uri.parse("//1")) == security("//1")


PARTS = [
    "http:",
    "//",
    "u",
    ":",
    "p",
    "@",
    "1",
    ".",
    "%2F",
    "%00",
    "%2e",
    "/",
    "?",
    "#",
    "[v1.a]",
    "%ff",
    "0x7f",
]


@given(st.lists(st.sampled_from(PARTS), max_size=10))
@example(["//", "u", ":", "p", "@", "1", ":", "1", "/", "%2F", "?", "%2F", "#", "%00"])
def test_every_place_is_in_the_component_it_is_about(parts: list[str]) -> None:
    text = "".join(parts)
    if not uri.is_valid(text, "URI-reference"):
        return
    u = uri.parse(text)

    def component(f: SecurityFinding) -> str:
        return f.message.partition(" in the ")[2].partition(";")[0]

    for f in security(u):
        assert 0 <= f.start < f.end <= len(text)
        name = component(f)
        if f.code.startswith("encoded-") and hasattr(u, name):
            assert text[f.start : f.end] in getattr(u, name)
        if f.code == "password":
            assert text[f.start : f.end] == u.password
        if f.code == "rare-ipv4":
            assert text[f.start : f.end] == u.host


def test_cost_and_number_of_findings_are_bounded() -> None:
    text = "http://" + "%61" * 20_000 + "/" + "%2F%00%0A/%2e/" * 20_000
    assert len(security(text)) == 6


def test_the_page_has_every_code() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([a-z, ]+) \| ([0-9.]+) \|", text, re.MULTILINE)
    result = {(code, severity, section) for code, words, section in rows for severity in words.split(", ")}
    results = {(f.code, f.severity.value, f.section) for reference, _ in TABLE for f in security(reference)}
    suspected = {(each.code, "warning" if each.warns else "note", each.section) for each in SUSPICIONS}
    assert result == results | suspected


def test_ports_can_be_allowed_as_they_are_written() -> None:
    assert ports_with([]) == {scheme: set(ports) for scheme, ports in WELL_KNOWN_PORTS.items()}
    allowed = ports_with(["HTTP:81", "x:1"])
    assert (allowed["http"], allowed["x"]) == ({80, 81}, {1})
    assert security("http://h:81/", allowed) == []
    for text in ("25", ":25", "http:", "http:a", "http:²", "http:" + "9" * 5000):
        with raises(ValueError, "port-of-scheme", most=1023):
            ports_with([text])


@pytest.mark.parametrize(
    ("text", "expected"), [("http://h/", False), ("http://h/?%2F", False), ("http://h:25/", True)]
)
def test_more_than_notes_is_alarming(text: str, expected: bool) -> None:
    assert alarming(security(text)) is expected


CODES = {each.code for each in SUSPICIONS}
# Input, code, subject.
SUSPICIOUS = [
    ("htts://a/", "scheme-typo", "htts"),
    ("htpp://a/", "scheme-typo", "htpp"),
    ("hhtp://a/", "scheme-typo", "hhtp"),
    ("htxp://a/", None, ""),
    ("hhttps://a/", "scheme-typo", "hhttps"),
    ("HTPT://a/", "scheme-typo", "HTPT"),
    ("ttp://a/", "scheme-typo", "ttp"),
    ("http://a/", None, ""),
    ("hxxp://a/", "defanged-scheme", "hxxp"),
    ("htts:a", None, ""),
    ("localhost:8080", "scheme-is-host", "localhost"),
    ("www.example.com:80/a?b", "scheme-is-host", "www.example.com"),
    ("gc-migrate-0-40-1:b40b9540", None, ""),
    ("a.b.c:800a", None, ""),
    ("urn:80", None, ""),
    ("http//abc.com", "scheme-without-colon", "http"),
    ("httpd//a", None, ""),
    ("http/a", None, ""),
    ("http://http://a", "scheme-twice", "http:/"),
    ("http://socks5h://server", "scheme-twice", "socks5h:/"),
    ("http://https:/a", "scheme-twice", "https:/"),
    ("feed://http//www.example.com", "scheme-twice", "http//"),
    ("http://http/a", None, ""),
    ("http://a/http://b", None, ""),
    ("https:/nodejs.org", "one-slash", "/"),
    ("file:/a", None, ""),
    ("http:a", None, ""),
    ("http:///a", "host-empty", ""),
    ("http://", "host-empty", ""),
    ("http://u@/a", "host-empty", ""),
    ("http://:80/", "host-empty", ""),
    ("http://:b@www.example.com/", None, ""),
    ("file:///a", None, ""),
    ("file://C:/Users/a.ts", "drive-as-host", "C"),
    ("file://c%3A/foo", "drive-as-host", "c"),
    ("file:///C:/a", None, ""),
    ("file://c/a", None, ""),
    ("http://fscrawler_rest:8080", "host-underscore", "fscrawler_rest"),
    ("//u@a_b/c", "host-underscore", "a_b"),
    ("http://u_v@a/", None, ""),
    ("http://a/b_c", None, ""),
    ("mailto:a_b@c", None, ""),
    ("https://mysit.com%20/feed.xml", "host-space", "%20"),
    ("http://www.science%20channel.com/", "host-space", "%20"),
    ("https://user%20name:p%40w@example.com", None, ""),
    ("http://a/%20", None, ""),
    ("https://datasets.datalad.org:/dbic/", "port-empty", ":"),
    ("http://[::1]:/", "port-empty", ":"),
    ("http://u:@a/", None, ""),
    ("http://a/:/", None, ""),
    ("http://a:99999/", "port-too-large", "99999"),
    ("http://[::1]:65536", "port-too-large", "65536"),
    ("http://a:0065535/", None, ""),
    ("http://a:00100000", "port-too-large", "00100000"),
    ("http://u:99999@a/", None, ""),
    ("https://github.com%E2%80%8B", "invisible-encoded", "%E2%80%8B"),
    ("https://a/%EF%BB%BFopponents", "invisible-encoded", "%EF%BB%BF"),
    ("https://a/%E2%80%99", None, ""),
    ("http://a/?b=c&amp;d=e", "html-entity", "&amp;"),
    ("http://a/?amp;b", None, ""),
    ("http://a/?b&amp=c", None, ""),
    ("https://github.com/hendrycks/test)", "bracket-at-end", ")"),
    ("http://a/b).", "bracket-at-end", ")."),
    ("https://en.wikipedia.org/wiki/Non-Stop_(film)", None, ""),
    ("http:", "slashes-missing", ":"),
    ("http:example.com", "slashes-missing", ":"),
    ("mailto:example.com", None, ""),
    ("https:://example.com/", "colon-twice", ":"),
    ("urn::a", None, ""),
    ("hxxps://example.com/", "defanged-scheme", "hxxps"),
    ("http://192.168.0.256/", "ipv4-too-large", "192.168.0.256"),
    ("http://u@999.1.1.1:80", "ipv4-too-large", "999.1.1.1"),
    ("http://192.168.0.255/", None, ""),
    ("http://1.2.3.4.256/", None, ""),
    ("a:b,https://b", "second-uri", "https://"),
    ("http://a/bhttp://c/", "second-uri", "http://"),
    ("nttps://a/", "scheme-typo", "nttps"),
    ("https://a.example,b.example:80/c", "several-hosts", ","),
    ("https://u,v@a;b/", "several-hosts", ";"),
    ("mongodb://a,b/c", None, ""),
    ("https://u,v@a/", None, ""),
    ("https://$DOMAIN/a", "template-in-host", "$DOMAIN"),
    ("https://a$b/", None, ""),
    ("https://undefined/api", "no-value", "undefined"),
    ("http://null:80", "no-value", "null"),
    ("http://null.example/", None, ""),
    ("URL:https://a/", "text-before", "URL:"),
    ("view-source:https://a/", None, ""),
    ("https://a/b/pa...", "ellipsis-after", "..."),
    ("https://a/...", None, ""),
    ("https://a/b....", None, ""),
    ("https://a/b&#37;20", "html-entity", "&#37;"),
    ("http://a/http://b/", None, ""),
    ("http://a/?bhttp://c", None, ""),
    ("http://a/b)c", None, ""),
]


@each_row(("text", "code", "about"), SUSPICIOUS)
def test_valid_but_suspicious_references(text: str, code: str | None, about: str) -> None:
    assert uri.is_valid(text, "URI-reference")
    results = {f.code: text[f.start : f.end] for f in security(text) if f.code in CODES}
    assert results == ({code: about} if code else {})


def test_every_kind_has_its_cases() -> None:
    assert {code for _, code, _ in SUSPICIOUS if code} == CODES
    assert len(CODES) == len(SUSPICIONS)


@given(st.lists(st.sampled_from(PARTS), max_size=10), st.sets(st.sampled_from(sorted(SECURITY_CODES))))
def test_some_codes(parts: list[str], codes: set[str]) -> None:
    text = "".join(parts)
    if uri.is_valid(text, "URI-reference"):
        findings = security(text)
        assert security(text, codes=codes) == [each for each in findings if each.code in codes]
        for each in findings:
            assert SECURITY_CODES[each.code].severity.at_least(each.severity)
            assert SECURITY_CODES[each.code].component in {*COMPONENTS, "authority", "URI-reference"}


def test_names_of_codes_and_families() -> None:
    assert security_codes("all") == SECURITY_CODES.keys()
    assert security_codes(["password"]) == {"password"}
    assert "scheme-twice" in security_codes("repetition")
    assert OTHER not in {each.family for each in SECURITY_CODES.values()}
    for name, near in (("pasword", ("password",)), ("escapes", ("escape",))):
        with pytest.raises(UnknownNameError) as error:
            security_codes(["all", name])
        assert error.value.code == "security-code-unknown"
        assert error.value.data["near"] == near


def test_several_of_a_kind_are_counted() -> None:
    (result,) = security("http://a/?b&amp;c&amp;d")
    assert (result.count, result.severity, result.section) == (2, "note", "2.2")
