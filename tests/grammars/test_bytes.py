"""Examples of protocols as bytes: HTTP with obs-text, SMTP and IMAP, mostly from their RFCs."""

from __future__ import annotations

from hypothesis import strategies as st

import abnforge
from tests.cli.command import run
from tests.law import each_row, law
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


_UNNAMED = dict.fromkeys(range(0x80, 0x100), "\U0010ffff")

# Rule of RFC 3986 or ABNF, bytes, and the suggestion.
SUGGESTIONS = [
    ("URI", b"http://a/\xe9", b"http://a/%E9"),
    ("URI", b"http://a/\xa0b", b"http://a/%A0b"),
    ("URI", b"http://a/\xff\xbfb c", b"http://a/%FF%BFb%20c"),
    ("path-absolute", b"/a\xff\xfe", b"/a%FF%FE"),
    ("path-absolute", b"/a\xff\xfe b", b"/a%FF%FE%20b"),
    ("URI", b"http://a/\xc2\xa0", b"http://a/%C2%A0"),
    ("URI", b"http://a/ ", b"http://a/"),
]

# Grammar, rule, bytes, and the code of the rejection. The mistakes of these grammars are about characters.
CODES = [
    ("rfc3986", "URI", b"http://a/\xc2\xa0", "non-ascii-in-path"),
    ("rfc3986", "URI", b"http://a/\xa0", "non-ascii-in-path"),
    ("rfc3986", "URI", b"http://a/\x85\xad", "non-ascii-in-path"),
    ("rfc3986", "URI", b"http://caf\xc3\xa9/", "non-ascii-in-host"),
    ("rfc3986", "URI", b"\xabhttp://a/\xbb", "scheme-first-character"),
    ("rfc3986", "URI", b"http://a b/", "space-in-host"),
    ("rfc3339", "date-time", b"2020-01-01T00:00:00Z\xa0", "text-after"),
    ("rfc3339", "date-time", b"2020-01-01T00:00:00Z ", "space-after"),
    ("rfc6265", "cookie-string", b"a=\xa0", "non-ascii-in-cookie-value"),
    ("rfc6265", "cookie-string", b"a=\x80", "non-ascii-in-cookie-value"),
    ("rfc6265", "cookie-string", b"\xa0a=b", "first-character-in-token"),
]


@each_row("grammar, rule, octets, code", CODES)
def test_bytes_are_not_characters(grammar: str, rule: str, octets: bytes, code: str) -> None:
    """A byte from 0x80 on is not a space, a control character, or a letter of misread UTF-8."""
    rejection = abnforge.load(grammar, alphabet="bytes")[rule].explain(octets)
    assert rejection is not None
    assert rejection.code == code


@law(st.sampled_from([b"http://a", b"http:", b""]), st.binary(max_size=6), few=40, many=300)
def test_stored_mistakes_agree_with_the_engines(start: bytes, octets: bytes) -> None:
    """The place of a rejection does not depend on the mistakes, and no code is about a kind of character."""
    string = start + octets
    text, of_bytes = abnforge.load("rfc3986"), abnforge.load("rfc3986", alphabet="bytes")
    rejection = of_bytes["URI"].explain(string)
    other = text["URI"].explain(string.decode("latin-1").translate(_UNNAMED))
    assert (rejection is None) is (other is None)
    if rejection is not None and other is not None:
        assert (rejection.offset, rejection.code) == (other.offset, other.code)


@each_row("rule, octets, expected", SUGGESTIONS)
def test_suggestions_for_bytes(rule: str, octets: bytes, expected: bytes) -> None:
    """Bytes from 0x80 on are percent-encoded one by one: they are not characters of Latin-1."""
    rejection = abnforge.load("rfc3986", alphabet="bytes")[rule].explain(octets)
    assert rejection is not None
    assert rejection.suggestion is not None
    assert bytes(rejection.suggestion.text) == expected


@law(st.binary(max_size=6), few=40, many=300)
def test_suggestions_keep_bytes(octets: bytes) -> None:
    """No suggestion adds a byte from 0x80 on, such as the other case of a letter of Latin-1."""
    grammar = abnforge.loads('a = "caf" 1*( ALPHA / %xE0-EF ) [ ";" ]\n', alphabet="bytes")
    rejection = grammar["a"].explain(b"caf" + octets)
    if rejection is not None and rejection.suggestion is not None:
        assert grammar["a"].matches(rejection.suggestion.text)
        assert not any(bytes(edit.text).strip(bytes(range(0x80))) for edit in rejection.suggestion.edits)


def test_findings_and_differences_show_bytes() -> None:
    text = ";@ alphabet bytes\na = *%x80-90 *%x85 %xC3\n"
    [finding] = abnforge.lint(text)
    assert finding.witness is not None
    assert bytes(finding.witness) == b"\x85\xc3"
    assert r'"\x85\xc3"' in finding.message
    compared = abnforge.compare(abnforge.loads(text)["a"], abnforge.loads(text.replace("C3", "C4"))["a"])
    assert (bytes(compared.only_left), bytes(compared.only_right)) == (b"\xc3", b"\xc4")
