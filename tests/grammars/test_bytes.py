"""Examples of protocols as bytes: HTTP with obs-text, SMTP and IMAP, mostly from their RFCs."""

from __future__ import annotations

import abnforge
from tests.cli.command import run
from tests.law import each_row
from tests.raising import raises

# Grammar, rule, bytes, and the offset of the rejection, or None if the rule matches.
CASES = [
    ("rfc9110", "field-value", b'text/html; title="caf\xe9"', None),
    ("rfc9110", "field-value", b"\x80\xff", None),
    ("rfc9110", "field-value", "caf\u00e9".encode(), None),
    ("rfc9110", "field-value", b"a\x00b", 1),
    ("rfc9110", "field-value", b"\xe9\x7f", 1),
    ("rfc9110", "quoted-string", b'"na\xefve \\\xff"', None),
    ("rfc9110", "comment", b"(caf\xe9 (\xff))", None),
    ("rfc9110", "token", b"caf\xe9", 3),
    ("rfc9110", "Host", b"www.example.org:80", None),
    ("rfc9111", "Cache-Control", b'private="Set-Cookie", max-age=60', None),
    ("rfc9112", "HTTP-message", b"GET /where?q=now HTTP/1.1\r\nHost: www.example.org\r\n\r\n", None),
    ("rfc9112", "HTTP-message", b"GET / HTTP/1.1\r\nX-Name: caf\xe9\r\n\r\n\x00\xff\xfe", None),
    ("rfc9112", "HTTP-message", b"HTTP/1.1 200 D\xe9j\xe0 vu\r\n\r\n", None),
    ("rfc9112", "HTTP-message", b"GET /\xe9 HTTP/1.1\r\n\r\n", 5),
    ("rfc9112", "chunked-body", b"4\r\n\x00\xff\xfe\x80\r\n0\r\n\r\n", None),
    ("rfc5321", "Mailbox", b"userx@y.foo.org", None),
    ("rfc5321", "Mailbox", b'"Fred Bloggs"@example.com', None),
    ("rfc5321", "Mailbox", b"JQP@[IPv6:2001:db8::1]", None),
    ("rfc5321", "Mailbox", b"j\xf6rg@example.com", 1),
    ("rfc5321", "Mailbox", "j\u00f6rg@example.com".encode(), 1),
    ("rfc9051", "command", b"a001 login mrc secret\r\n", None),
    ("rfc9051", "command", b"A142 SELECT INBOX\r\n", None),
    ("rfc9051", "command", b"A003 APPEND saved-messages (\\Seen) {4}\r\n\xc3\xa9\xff\x01\r\n", None),
    ("rfc9051", "literal", b"{1}\r\n\x00", 5),
    ("rfc9051", "literal8", b"~{2}\r\n\x00\xff", None),
    ("rfc9051", "quoted", '"Entw\u00fcrfe"'.encode(), None),
    ("rfc9051", "quoted", b'"\xfc"', 1),
    ("rfc9051", "quoted", b'"\xc3"', 2),
]


@each_row("grammar, rule, octets, offset", CASES)
def test_bytes_of_protocols(grammar: str, rule: str, octets: bytes, offset: int | None) -> None:
    of_bytes = abnforge.load(grammar, alphabet="bytes")[rule]
    assert of_bytes.matches(octets) is (offset is None)
    rejection = of_bytes.explain(octets)
    assert (None if rejection is None else rejection.offset) == offset


def test_imap_consists_of_bytes() -> None:
    assert [name for name in abnforge.grammar_names() if abnforge.load(name).alphabet == "bytes"] == [
        "rfc9051"
    ]
    grammar, former = abnforge.load("rfc9051"), abnforge.load("rfc9051", alphabet="unicode")
    assert abnforge.load("rfc9051", alphabet="bytes") is grammar
    assert grammar["tag"].matches(b"a001")
    assert former["tag"].matches("a001")
    assert former["tag"].automaton == grammar["tag"].automaton
    with raises(TypeError, "argument-not-bytes"):
        grammar["tag"].matches("a001")
    result = run(
        "check", "--grammar", "rfc9051", "--rule", "quoted", stdin='"Entw\u00fcrfe"\n'.encode() + b'"\xff"\n'
    )
    assert result.stdout.startswith("<stdin>:2:2: ")
