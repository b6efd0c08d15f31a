"""The components of strings, according to RFC 3986 and its grammar.

Laws: ``str(parse(s)) == s``; every component is a slice of the input; equal strings give equal objects.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import URI, HostKind, PathKind, RelativeRef
from tests.law import each_row

FIELDS = ("scheme", "userinfo", "host", "host_kind", "port", "path", "path_kind", "query", "fragment")

IP4, IP6, IPF, REG = HostKind.IPV4ADDRESS, HostKind.IPV6ADDRESS, HostKind.IPVFUTURE, HostKind.REG_NAME
ABE, ABS, NOS, ROO, EMP = PathKind

CASES = {
    # Section 3: the two examples in the figure.
    "foo://example.com:8042/over/there?name=ferret#nose": (
        ("foo", None, "example.com", REG, "8042", "/over/there", ABE, "name=ferret", "nose"),
        ("over", "there"),
    ),
    "urn:example:animal:ferret:nose": (
        ("urn", None, None, None, None, "example:animal:ferret:nose", ROO, None, None),
        ("example:animal:ferret:nose",),
    ),
    # section 1.1.2
    "ldap://[2001:db8::7]/c=GB?objectClass?one": (
        ("ldap", None, "[2001:db8::7]", IP6, None, "/c=GB", ABE, "objectClass?one", None),
        ("c=GB",),
    ),
    "mailto:John.Doe@example.com": (
        ("mailto", None, None, None, None, "John.Doe@example.com", ROO, None, None),
        ("John.Doe@example.com",),
    ),
    "tel:+1-816-555-1212": (
        ("tel", None, None, None, None, "+1-816-555-1212", ROO, None, None),
        ("+1-816-555-1212",),
    ),
    "telnet://192.0.2.16:80/": (("telnet", None, "192.0.2.16", IP4, "80", "/", ABE, None, None), ("",)),
    # Hosts: the first alternative that leads to a derivation of the whole string.
    "http://1.2.3.4": (("http", None, "1.2.3.4", IP4, None, "", ABE, None, None), ()),
    "http://1.2.3.4.5": (("http", None, "1.2.3.4.5", REG, None, "", ABE, None, None), ()),
    "http://1.2.3.04": (("http", None, "1.2.3.04", REG, None, "", ABE, None, None), ()),
    "http://256.2.3.4": (("http", None, "256.2.3.4", REG, None, "", ABE, None, None), ()),
    "http://0x7f.1": (("http", None, "0x7f.1", REG, None, "", ABE, None, None), ()),
    "http://[::ffff:1.2.3.4]:0080": (
        ("http", None, "[::ffff:1.2.3.4]", IP6, "0080", "", ABE, None, None),
        (),
    ),
    "http://[V1f.a:b]": (("http", None, "[V1f.a:b]", IPF, None, "", ABE, None, None), ()),
    "http://%31.2.3.4": (("http", None, "%31.2.3.4", REG, None, "", ABE, None, None), ()),
    "file:///": (("file", None, "", REG, None, "/", ABE, None, None), ("",)),
    "http://@:": (("http", "", "", REG, "", "", ABE, None, None), ()),
    "http://u:p:q@h:/": (("http", "u:p:q", "h", REG, "", "/", ABE, None, None), ("",)),
    "http://google.com#@evil.com/": (
        ("http", None, "google.com", REG, None, "", ABE, None, "@evil.com/"),
        (),
    ),
    # paths
    "a:": (("a", None, None, None, None, "", EMP, None, None), ()),
    "a:/": (("a", None, None, None, None, "/", ABS, None, None), ("",)),
    "a:/b/": (("a", None, None, None, None, "/b/", ABS, None, None), ("b", "")),
    "a:b//c": (("a", None, None, None, None, "b//c", ROO, None, None), ("b", "", "c")),
    "//h//": ((None, None, "h", REG, None, "//", ABE, None, None), ("", "")),
    "/": ((None, None, None, None, None, "/", ABS, None, None), ("",)),
    "/a;x=1/b%2Fc": ((None, None, None, None, None, "/a;x=1/b%2Fc", ABS, None, None), ("a;x=1", "b%2Fc")),
    "a/b:c": ((None, None, None, None, None, "a/b:c", NOS, None, None), ("a", "b:c")),
    "./b:c": ((None, None, None, None, None, "./b:c", NOS, None, None), (".", "b:c")),
    "//": ((None, None, "", REG, None, "", ABE, None, None), ()),
    # Components that are undefined, and components that are empty.
    "": ((None, None, None, None, None, "", EMP, None, None), ()),
    "?": ((None, None, None, None, None, "", EMP, "", None), ()),
    "#": ((None, None, None, None, None, "", EMP, None, ""), ()),
    "?#": ((None, None, None, None, None, "", EMP, "", ""), ()),
    "a:?x?/#y?/": (("a", None, None, None, None, "", EMP, "x?/", "y?/"), ()),
}


@each_row("text", CASES)
def test_components(text: str) -> None:
    expected, segments = CASES[text]
    reference = uri.parse(text)
    assert tuple(getattr(reference, field) for field in FIELDS) == expected
    assert reference.segments == segments
    assert type(reference) is (RelativeRef if reference.scheme is None else URI)
    assert str(reference) == text
    assert (reference.authority is None) is (reference.host is None)


@each_row(
    ("text", "authority", "user", "password"),
    [
        ("http://h", "h", None, None),
        ("http://@h", "@h", "", None),
        ("http://u@h", "u@h", "u", None),
        ("http://u:@h:1", "u:@h:1", "u", ""),
        ("http://:p@h", ":p@h", "", "p"),
        ("http://u:p:q@h", "u:p:q@h", "u", "p:q"),
        ("mailto:u:p@h", None, None, None),
    ],
)
def test_authority(text: str, authority: str | None, user: str | None, password: str | None) -> None:
    u = uri.parse(text)
    assert (u.authority, u.user, u.password) == (authority, user, password)
    if authority is not None:
        assert uri.parse(authority, "authority") == u.authority_parts
        assert str(u.authority_parts) == authority


def test_different_strings_differ() -> None:
    texts = [
        *CASES,
        "http://h",
        "http://h/",
        "http://h?",
        "http://h#",
        "HTTP://h",
        "http://h:80",
        "http://%68",
    ]
    objects = {uri.parse(text) for text in texts}
    assert len(objects) == len(set(texts))


@each_row("text", CASES)
def test_plain_data(text: str) -> None:
    u = uri.parse(text)
    data = json.loads(json.dumps(u.to_dict()))
    assert data["text"] == text
    assert data["segments"] == list(u.segments)
    assert {key: data[key] for key in FIELDS} == {key: getattr(u, key) for key in FIELDS}
    assert type(u.to_dict()["path_kind"]) is str
    assert pickle.loads(pickle.dumps(u)) == u


def test_frozen_and_without_room_for_more() -> None:
    u = uri.parse("http://h/")
    with pytest.raises(FrozenInstanceError):
        u.scheme = "ftp"  # type: ignore[misc]
    assert not hasattr(u, "__dict__")
    assert not hasattr(u.authority_parts, "__dict__")


@pytest.mark.parametrize(
    ("text", "rule", "shown"),
    [
        ("http://h/p", "URI", "URI('http://h/p')"),
        ("a'b", "relative-ref", 'RelativeRef("a\'b")'),
        ("http://u:secret@h/p", "URI", "URI('http://u:***@h/p')"),
        ("u:secret@h:1", "authority", "Authority('u:***@h:1')"),
        ("u:@h", "authority", "Authority('u:@h')"),
    ],
)
def test_repr_hides_the_password(text: str, rule: str, shown: str) -> None:
    assert repr(uri.parse(text, rule)) == shown


_PCHAR = st.sampled_from([*"aZ0-._~!$&'()*+,;=:@", "%41", "%ff"])
_PART = st.lists(_PCHAR, max_size=4).map("".join)
_HOST = _PART.map(lambda s: s.replace(":", "").replace("@", "")) | st.sampled_from(
    ["1.2.3.4", "1.2.3.4.5", "[::1]", "[1:2:3:4:5:6:7:8]", "[v1.a:b]", "[::1.2.3.4]"]
)
_USERINFO = _PART.map(lambda s: s.replace("@", "") + "@") | st.just("")
_PORT = st.sampled_from(["", ":", ":80", ":" + "9" * 30])
_AUTHORITY = st.builds("//{}{}{}".format, _USERINFO, _HOST, _PORT)
_ABEMPTY = st.lists(_PART.map("/".__add__), max_size=3).map("".join)
_HIER = (
    st.builds("{}{}".format, _AUTHORITY, _ABEMPTY) | st.builds("a{}{}".format, _PART, _ABEMPTY) | st.just("")
)
_TAIL = st.builds(
    "{}{}".format,
    st.just("") | _PART.map("?/?{}".format) | st.just("?"),
    st.just("") | _PART.map("#?{}".format) | st.just("#"),
)
URIS = st.builds("{}:{}{}".format, st.sampled_from(["a", "HTTP", "x-1.+"]), _HIER, _TAIL)


@settings(max_examples=30, deadline=None)
@given(URIS)
def test_recomposition_gives_the_text_back(text: str) -> None:
    u = uri.parse(text, "URI")
    assert str(u) == text
    for part in (u.scheme, u.authority, u.path, u.query, u.fragment, u.userinfo, u.host, u.port, *u.segments):
        assert part is None or part in text
    assert "/".join(u.segments) == u.path.removeprefix("/")
