"""The requirements of RFC 2396, one by one, under their identifiers (see docs/requirements.md)."""

from __future__ import annotations

import pytest

from abnforge import load, uri
from abnforge.uri import rfc2396
from abnforge.uri.rfc2396 import PathKind, RegName, Server
from tests.law import each_row

requirement = pytest.mark.requirement

GRAMMAR = load("rfc2396")
RESERVED = frozenset(";/?:@&=+$,")
MARKS = frozenset("-_.!~*'()")
ALPHANUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
BASE = "http://a/b;p/c;q?r"

# Rule, matching strings, other strings.
RULES = [
    pytest.param(
        "absoluteURI",
        [
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
            "http://www.math.uio.no/faq/compression-faq/part1.html",
            "telnet://melvyl.ucop.edu/",
        ],
        [],
        marks=requirement("1.3-1"),
    ),
    pytest.param(
        "absoluteURI",
        ["mailto:mduerst@ifi.unizh.ch", "news:comp.infosystems.www.servers.unix"],
        [],
        marks=requirement("1.3-2"),
    ),
    pytest.param(
        "escaped", ["%20", "%fF", "%Ff"], ["%", "%2", "20", "%2G", "%200"], marks=requirement("2.4.1-1")
    ),
    pytest.param("absoluteURI", ["http://h/%20"], ["http://h/ ", "ht tp:a"], marks=requirement("2.4.3-1")),
    pytest.param(
        "absoluteURI",
        ["a:/%3C%3E%22%23%25"],
        ["a:/<", "a:/>", 'a:/"', "a:/#", "a:/%"],
        marks=requirement("2.4.3-2"),
    ),
    pytest.param(
        "absoluteURI",
        ["a:/%7B%5B"],
        ["a:/{", "a:/}", "a:/|", "a:/\\", "a:/^", "a:/[", "a:/]", "a:/`"],
        marks=requirement("2.4.3-3"),
    ),
    pytest.param(
        "absoluteURI",
        ["a:/", "a:/b/c?d", "a://h", "a://h/b?", "a:b/c", "a:?"],
        ["/b", "//h", "b", "", "a:"],
        marks=requirement("3-2"),
    ),
    pytest.param("opaque-part", ["b", "b/c?d", "@", "?"], ["", "/b", "b#c"], marks=requirement("3-3")),
    pytest.param(
        "scheme", ["a", "z39.50r", "a+-.9", "HTTP"], ["", "1a", "+a", "a_", "a:"], marks=requirement("3.1-1")
    ),
    pytest.param(
        "relativeURI", ["b", "./b:c", "/b:c", "//h", "b?c:d"], ["a:b", "b:"], marks=requirement("3.1-2")
    ),
    pytest.param(
        "reg-name",
        ["a", "$,;:@&=+", "%20", "a_b"],
        ["", "a/b", "a?b", "a#b", "[a]"],
        marks=requirement("3.2.1-1"),
    ),
    pytest.param(
        "server",
        ["", "h", "u@h", "u:p;&=+$,@h:80", "@h:", "h:80"],
        ["u@", ":80", "u@h@i", "h:80x", "h:1:2"],
        marks=requirement("3.2.2-1"),
    ),
    pytest.param(
        "hostport",
        ["a.b-c.d", "1.2.3.4", "a:80", "3com.net"],
        ["::1", "[::1]", "a_b", "-a", "a-", "a..b", "1.2.3", "1.2.3.4.5"],
        marks=requirement("3.2.2-3"),
    ),
    pytest.param("toplabel", ["a", "a1", "a-1"], ["1", "1a", "a-", ""], marks=requirement("3.2.2-4")),
    pytest.param("hostname", ["a.b", "a.b.", "a."], [".", "a..", "a.b.."], marks=requirement("3.2.2-5")),
    pytest.param("host", ["www.example.com", "localhost"], [""], marks=requirement("3.2.2-6")),
    pytest.param("port", ["", "80", "0080", "9" * 50], ["8x", "-1", "0x50"], marks=requirement("3.2.2-7")),
    pytest.param("path", ["/a/b;p", "a?b", "/"], ["a#b"], marks=requirement("3.3-1")),
    pytest.param("query", ["", "a?b/c:@&=+,$", "%20"], ["#", " ", "["], marks=requirement("3.4-1")),
    pytest.param(
        "fragment", ["", "a?b/c:@&=+,$", "%20"], ["#", " ", "["], marks=requirement("4.1-1", "4.1-2")
    ),
]


@each_row(("rule", "valid", "invalid"), RULES)
def test_rule(rule: str, valid: list[str], invalid: list[str]) -> None:
    matches = GRAMMAR[rule].matches
    assert [text for text in valid if not matches(text)] == []
    assert [text for text in invalid if matches(text)] == []


@requirement("2.2-1")
def test_reserved_characters() -> None:
    assert rfc2396.percent.characters("reserved") == RESERVED
    # A "/" in data becomes part of a segment, and does not delimit anything.
    u = rfc2396.parse(f"http://h/{rfc2396.percent.encode('a/b')}/c")
    assert [segment.name for segment in u.segments] == ["a%2Fb", "c"]


@requirement("2.2-2", "2.2-3")
def test_each_component_has_its_own_reserved_characters() -> None:
    admitted = {
        rule: RESERVED & rfc2396.percent.characters(rule)
        for rule in ("query", "userinfo", "pchar", "reg-name")
    }
    assert admitted["query"] == RESERVED
    assert RESERVED - admitted["userinfo"] == set("/?@")
    assert RESERVED - admitted["pchar"] == set(";/?")
    assert RESERVED - admitted["reg-name"] == set("/?")


@requirement("2.3-1")
def test_unreserved_characters_are_not_escaped() -> None:
    unreserved = MARKS | ALPHANUM
    assert rfc2396.percent.characters("unreserved") == unreserved
    assert rfc2396.percent.characters("mark") == MARKS
    assert rfc2396.percent.encode("".join(sorted(unreserved))) == "".join(sorted(unreserved))


@requirement("2.4-1")
def test_everything_else_is_escaped() -> None:
    others = bytes(octet for octet in range(256) if chr(octet) not in MARKS | ALPHANUM)
    assert rfc2396.percent.encode(others) == "".join(f"%{octet:02X}" for octet in others)


@requirement("2.4.2-1")
def test_components_are_escaped_before_and_decoded_after() -> None:
    name = "a/b?c"
    u = rfc2396.parse(f"http://h/{rfc2396.percent.encode(name)}?{rfc2396.percent.encode('x&y')}=1")
    assert u.path == "/a%2Fb%3Fc"  # as in the URI
    assert rfc2396.percent.decode(u.segments[0].name) == name


@requirement("2.4.2-2")
def test_a_canonical_form_without_escapes() -> None:
    assert str(uri.normalize("http://h/%7euser")) == "http://h/~user"


@requirement("2.4.2-3")
def test_a_percent_sign_is_data_once() -> None:
    assert rfc2396.percent.encode("100%") == "100%25"
    assert rfc2396.percent.decode("%2541") == "%41"
    assert rfc2396.percent.decode(rfc2396.percent.encode("%41")) == "%41"


@requirement("3-1")
def test_components_can_be_absent() -> None:
    components = ("scheme", "authority", "path", "query")
    for text, expected in {
        "a://h/p?q": ("a", "h", "/p", "q"),
        "a:/p": ("a", None, "/p", None),
        "a://h": ("a", "h", "", None),
        "a:p": ("a", None, "p", None),
    }.items():
        u = rfc2396.parse(text)
        assert tuple(getattr(u, name) for name in components) == expected


@requirement("3-3")
def test_the_opaque_part_is_the_path() -> None:
    u = rfc2396.parse("mailto:a@b?c")
    assert u.path_kind is PathKind.OPAQUE_PART
    assert u.path == u.opaque_part == "a@b?c"


@requirement("3.1-1", "6-1", "6-3")
def test_case_of_scheme_and_host_is_ignored() -> None:
    assert uri.equivalent("HTTP://www.XEROX.com/", "http://www.xerox.com/", "case")
    assert not uri.equivalent("http://a/B", "http://a/b")


@requirement("3.1-2")
def test_the_scheme_is_inherited() -> None:
    assert rfc2396.parse("g").scheme is None
    assert rfc2396.resolve("foo://h/a", "g").scheme == "foo"


@requirement("3.2-1")
@pytest.mark.parametrize(
    ("text", "authority"),
    [
        ("//h/a", Server(None, "h", rfc2396.HostKind.HOSTNAME)),
        ("//h?a", Server(None, "h", rfc2396.HostKind.HOSTNAME)),
        ("//h", Server(None, "h", rfc2396.HostKind.HOSTNAME)),
        ("//a;b/c", RegName("a;b")),
    ],
)
def test_authority(text: str, authority: object) -> None:
    assert rfc2396.parse(text).authority_parts == authority


@requirement("3.2-2")
def test_no_authority_comes_from_a_base_without_one() -> None:
    target = rfc2396.resolve("foo:/a/b", "c")
    assert target.authority is None
    assert str(target) == "foo:/a/c"


@requirement("3.2.2-2")
def test_a_password_is_reported() -> None:
    assert [f.code for f in uri.security("ftp://user:password@h/")] == ["password"]


@requirement("3.2.2-4")
def test_an_address_is_not_a_name() -> None:
    assert rfc2396.parse("//1.2.3.4").host_kind is rfc2396.HostKind.IPV4ADDRESS
    assert rfc2396.parse("//1.2.3.d").host_kind is rfc2396.HostKind.HOSTNAME


@requirement("3.2.2-7", "6-3")
def test_the_default_port_is_no_port() -> None:
    assert uri.equivalent("http://h:80/", "http://h/")
    assert not uri.equivalent("http://h:81/", "http://h/")


@requirement("3.3-2", "3.3-4")
def test_segments_and_parameters() -> None:
    segments = rfc2396.parse("a:/b;p;q//c").segments
    assert segments == (("b", ("p", "q")), ("", ()), ("c", ()))


@requirement("3.3-3", "3.4-2")
def test_what_is_reserved_is_escaped_as_data() -> None:
    assert rfc2396.percent.encode(";/?:@&=+,$") == "%3B%2F%3F%3A%40%26%3D%2B%2C%24"


@requirement("3.3-5")
def test_parameters_play_no_part_in_resolution() -> None:
    assert str(rfc2396.resolve(BASE, "d;s")) == "http://a/b;p/d;s"
    assert str(rfc2396.resolve(BASE, "../d;s")) == "http://a/d;s"


@requirement("4-1")
def test_the_uri_is_resolved_and_without_the_fragment() -> None:
    assert rfc2396.is_valid("a#b", "URI-reference")
    assert not rfc2396.is_valid("a:b#c", "absoluteURI")
    target = rfc2396.resolve(BASE, "d#e")
    assert (str(target), target.fragment) == ("http://a/b;p/d#e", "e")


@requirement("4-2")
def test_dots_are_special_in_relative_paths_alone() -> None:
    assert str(rfc2396.resolve(BASE, "./../d")) == "http://a/d"
    assert str(rfc2396.resolve(BASE, "/./d")) == "http://a/./d"
    assert str(rfc2396.resolve(BASE, "d?./e/../f")) == "http://a/b;p/d?./e/../f"


@requirement("4.3-1")
def test_components_first_and_then_their_parts() -> None:
    u = rfc2396.parse("a://u@h:1/b;c/d?e#f")
    assert (u.scheme, u.authority, u.path, u.query, u.fragment) == ("a", "u@h:1", "/b;c/d", "e", "f")
    assert (u.userinfo, u.host, u.port, u.segments[0].params) == ("u", "h", "1", ("c",))


@requirement("4.3-2")
def test_the_authority_wins() -> None:
    u = rfc2396.parse("//g/h")
    assert (u.authority, u.path) == ("g", "/h")


@requirement("6-2")
def test_a_scheme_can_have_its_own_normal_form() -> None:
    schemes = {**uri.SCHEMES, "foo": uri.Scheme(path=str.lower)}
    assert uri.equivalent("foo:A", "foo:a", schemes=schemes)
    assert not uri.equivalent("foo:A", "foo:a")
