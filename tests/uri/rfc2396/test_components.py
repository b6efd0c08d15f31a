"""The components of strings, according to the grammar of RFC 2396."""

from __future__ import annotations

import json

from abnforge.uri import rfc2396
from abnforge.uri.rfc2396 import HostKind, PathKind, RegName, Segment, Server
from tests.law import each_row

FIELDS = ("scheme", "authority", "path", "path_kind", "query", "fragment")
ABS, REL, OPAQUE = PathKind
NAME, IP4 = HostKind

REFERENCES = [
    # section 1.3
    (
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        ("ftp", "ftp.is.co.za", "/rfc/rfc1808.txt", ABS, None, None),
    ),
    (
        "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
        ("gopher", "spinaltap.micro.umn.edu", "/00/Weather/California/Los%20Angeles", ABS, None, None),
    ),
    ("mailto:mduerst@ifi.unizh.ch", ("mailto", None, "mduerst@ifi.unizh.ch", OPAQUE, None, None)),
    (
        "news:comp.infosystems.www.servers.unix",
        ("news", None, "comp.infosystems.www.servers.unix", OPAQUE, None, None),
    ),
    ("telnet://melvyl.ucop.edu/", ("telnet", "melvyl.ucop.edu", "/", ABS, None, None)),
    # appendix B
    (
        "http://www.ics.uci.edu/pub/ietf/uri/#Related",
        ("http", "www.ics.uci.edu", "/pub/ietf/uri/", ABS, None, "Related"),
    ),
    # An opaque part can contain characters that are delimiters elsewhere.
    ("a:b/c?d", ("a", None, "b/c?d", OPAQUE, None, None)),
    ("a:b#c", ("a", None, "b", OPAQUE, None, "c")),
    ("a:?", ("a", None, "?", OPAQUE, None, None)),
    ("a:/b?c", ("a", None, "/b", ABS, "c", None)),
    # relative
    ("//h", (None, "h", "", None, None, None)),
    ("//h?", (None, "h", "", None, "", None)),
    ("///a", (None, "", "/a", ABS, None, None)),
    ("////", (None, "", "//", ABS, None, None)),
    ("/a/b", (None, None, "/a/b", ABS, None, None)),
    ("a/b?c#d", (None, None, "a/b", REL, "c", "d")),
    ("../a", (None, None, "../a", REL, None, None)),
    # A reference to the same document (section 4.2).
    ("", (None, None, "", None, None, None)),
    ("#", (None, None, "", None, None, "")),
    ("#a", (None, None, "", None, None, "a")),
]


@each_row(("text", "expected"), REFERENCES)
def test_reference(text: str, expected: tuple[object, ...]) -> None:
    u = rfc2396.parse(text)
    assert tuple(getattr(u, field) for field in FIELDS) == expected
    assert str(u) == text
    assert u.is_absolute is (u.scheme is not None)
    assert u.is_opaque is (u.path_kind is OPAQUE)
    assert u.opaque_part == (u.path if u.is_opaque else None)
    assert u.is_same_document is (text.partition("#")[0] == "")
    data = json.loads(json.dumps(u.to_dict()))
    assert data["text"] == text
    assert {field: data[field] for field in FIELDS} == dict(zip(FIELDS, expected, strict=True))


AUTHORITIES = [
    ("", Server(), ()),
    ("h", Server(None, "h", NAME, None), ("h",)),
    ("www.W3.org.", Server(None, "www.W3.org.", NAME, None), ("www", "W3", "org")),
    ("3com.a-b", Server(None, "3com.a-b", NAME, None), ("3com", "a-b")),
    ("u:p@h:80", Server("u:p", "h", NAME, "80"), ("h",)),
    ("@h:", Server("", "h", NAME, ""), ("h",)),
    ("127.0.0.1", Server(None, "127.0.0.1", IP4, None), ()),
    ("999.0.0.1:1", Server(None, "999.0.0.1", IP4, "1"), ()),  # 1*digit: no upper limit in RFC 2396
    # Not a server: the last label starts with a digit, has an invalid character, or the port is invalid.
    ("1.2.3.4.5", RegName("1.2.3.4.5"), ()),
    ("a_b", RegName("a_b"), ()),
    ("h:80x", RegName("h:80x"), ()),
    ("u@", RegName("u@"), ()),
    ("$,;:@&=+%20", RegName("$,;:@&=+%20"), ()),
]


@each_row(("text", "authority", "labels"), AUTHORITIES)
def test_authority(text: str, authority: Server | RegName, labels: tuple[str, ...]) -> None:
    u = rfc2396.parse(f"x://{text}/p")
    assert u.authority_parts == authority
    assert u.authority == text
    assert u.labels == labels
    assert rfc2396.parse(text, "authority") == authority
    if isinstance(authority, Server):
        assert u.reg_name is None
        assert (u.userinfo, u.host, u.host_kind, u.port) == (
            authority.userinfo,
            authority.host,
            authority.host_kind,
            authority.port,
        )
    else:
        assert u.reg_name == text
        assert (u.userinfo, u.host, u.host_kind, u.port) == (None, None, None, None)


@each_row(
    ("text", "segments"),
    [
        ("/", [("", ())]),
        ("/a", [("a", ())]),
        ("/a/b;x;y=1/", [("a", ()), ("b", ("x", "y=1")), ("", ())]),
        ("/;", [("", ("",))]),
        ("/a;/;b", [("a", ("",)), ("", ("b",))]),
        ("x://h/a;b", [("a", ("b",))]),
        ("a;x/b;y", [("a;x", ()), ("b", ("y",))]),  # rel-segment does not include param
        ("x:a;b/c", []),
        ("", []),
        ("//h", []),
    ],
)
def test_segments(text: str, segments: list[tuple[str, tuple[str, ...]]]) -> None:
    u = rfc2396.parse(text)
    assert list(u.segments) == [Segment(*segment) for segment in segments]
    if not u.is_opaque:
        assert "/".join(map(str, u.segments)) == u.path.removeprefix("/")


def test_repr_hides_the_password() -> None:
    assert repr(rfc2396.parse("http://u:p@h/")) == "Reference('http://u:***@h/')"
    assert repr(rfc2396.parse("u:p@h", "authority")) == "Server('u:***@h')"
    assert repr(rfc2396.parse("u:p@h_", "authority")) == "RegName('u:***@h_')"
