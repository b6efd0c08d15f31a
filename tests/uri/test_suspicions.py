"""What is valid but suspected: each kind, and what is beside it and is none."""

from __future__ import annotations

from abnforge import uri
from abnforge.uri import security
from abnforge.uri.security import SUSPICIONS
from tests.law import each_row

CODES = {each.code for each in SUSPICIONS}

# text, code, what it is about
TABLE = [
    ("htts://a/", "scheme-typo", "htts"),
    ("htpp://a/", "scheme-typo", "htpp"),
    ("hhtp://a/", "scheme-typo", "hhtp"),
    ("htxp://a/", None, ""),
    ("hhttps://a/", "scheme-typo", "hhttps"),
    ("HTPT://a/", "scheme-typo", "HTPT"),
    ("ttp://a/", "scheme-typo", "ttp"),
    ("http://a/", None, ""),
    ("hxxp://a/", None, ""),
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
    ("https://en.wikipedia.org/wiki/Non-Stop_(film)", None, ""),
    ("http://a/b)c", None, ""),
]


@each_row(("text", "code", "about"), TABLE)
def test_what_is_valid_and_suspected(text: str, code: str | None, about: str) -> None:
    assert uri.is_valid(text, "URI-reference")
    found = {f.code: text[f.start : f.end] for f in security(text) if f.code in CODES}
    assert found == ({code: about} if code else {})


def test_every_kind_has_its_cases() -> None:
    assert {code for _, code, _ in TABLE if code} == CODES
    assert len(CODES) == len(SUSPICIONS)


def test_several_of_a_kind_are_counted() -> None:
    (found,) = security("http://a/?b&amp;c&amp;d")
    assert (found.count, found.severity, found.section) == (2, "note", "2.2")
