"""Prose-vals that are understood, and prose-vals that are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.grammar.prose import MAX_DEPTH, PHRASES, importable_for, named_rule
from tests.law import each_row
from tests.raising import raises

# RFC 2616, section 2.2, without comments.
RFC_2616 = """\
OCTET          = <any 8-bit sequence of data>
CHAR           = <any US-ASCII character (octets 0 - 127)>
UPALPHA        = <any US-ASCII uppercase letter "A".."Z">
LOALPHA        = <any US-ASCII lowercase letter "a".."z">
ALPHA          = UPALPHA / LOALPHA
DIGIT          = <any US-ASCII digit "0".."9">
CTL            = <any US-ASCII control character (octets 0 - 31) and DEL (127)>
CR             = <US-ASCII CR, carriage return (13)>
LF             = <US-ASCII LF, linefeed (10)>
SP             = <US-ASCII SP, space (32)>
HT             = <US-ASCII HT, horizontal-tab (9)>
QUOTE          = <US-ASCII double-quote mark (34)>
CRLF           = CR LF
LWS            = [CRLF] 1*( SP / HT )
TEXT           = <any OCTET except CTLs, but including LWS>
token          = 1*<any CHAR except CTLs or separators>
separators     = "(" / ")" / "<" / ">" / "@" / "," / ";" / ":" / "\\" / QUOTE
               / "/" / "[" / "]" / "?" / "=" / "{" / "}" / SP / HT
comment        = "(" *( ctext / quoted-pair / comment ) ")"
ctext          = <any TEXT excluding "(" and ")">
quoted-pair    = "\\" CHAR
"""


@pytest.fixture(scope="module")
def http() -> abnforge.Grammar:
    return abnforge.loads(RFC_2616)


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [
        ("OCTET", ["\x00", "\xff"], ["", "\u0100", "ab"]),
        ("CHAR", ["\x00", "\x7f"], ["\x80"]),
        ("UPALPHA", ["A", "Z"], ["a", "@", "["]),
        ("LOALPHA", ["a", "z"], ["A", "`", "{"]),
        ("DIGIT", ["0", "9"], ["/", ":"]),
        ("CTL", ["\x00", "\x1f", "\x7f"], [" ", "\x80"]),
        ("QUOTE", ['"'], ["'"]),
        ("TEXT", ["a", "\xff", " ", "\t", "\r\n \t"], ["\x00", "\r\n", "\x7f"]),
        ("token", ["abc", "a!b", "\x21~"], ["", "a b", "a(", 'a"', "a\x7f", "\x80"]),
        ("comment", ["()", "(a (b) \\) c)", "(\r\n x)"], ["(", "((", "(a\x01)"]),
        ("ctext", ["a", " ", "\r\n "], ["(", ")", ""]),
    ],
)
def test_rfc_2616(http: abnforge.Grammar, name: str, valid: list[str], invalid: list[str]) -> None:
    assert [text for text in valid if not http[name].matches(text)] == []
    assert [text for text in invalid if http[name].matches(text)] == []


@each_row(
    ("prose", "name"),
    [
        ("host, see [RFC3986], Section 3.2.2", "host"),
        ("URI-reference, see [RFC3986], Section 4.1", "URI-reference"),
        ("date-time as defined in RFC 3339", "date-time"),
        ("comment defined in Section 3.2.6", "comment"),
        ("mailbox, as specified in [RFC5322]", "mailbox"),
        ("token, see Section 5.6.2", "token"),
        ("host as in [RFC3986]", "host"),
        ("host, as in RFC 3986", "host"),
        ("host (RFC 3986)", "host"),
        ("host ([RFC3986], Section 3.2.2)", "host"),
        ("host as in other documents", None),
        ("host (see below)", None),
        ("as in [RFC3986]", None),
        ("any CHAR except CTLs", None),
        ("see the next section", None),
        ("host, or whatever is seen", None),
        ("host", None),
        ("the host, see RFC 3986", None),
        ("", None),
    ],
)
def test_rules_that_prose_names(prose: str, name: str | None) -> None:
    assert named_rule(prose) == name


@each_row(
    "prose",
    [
        "any character that is printable",
        "any x except what is not",
        'any y except "ab"',
        "any missing except CTLs",
        "any y except missing",
        "any word except y",
        "y except CTLs",
        "any a, see RFC 1",
    ],
)
def test_ambiguous_prose_stays_prose(prose: str) -> None:
    grammar = abnforge.loads(f'a = <{prose}>\ny = "1" / "2"\nword = 1*y\n')
    with raises(abnforge.GrammarError, "prose-val"):
        grammar["a"].matches("1")


def test_an_alternative_that_could_be_what_is_excepted() -> None:
    """``1*"("`` could match "(", but removing it would only be a guess."""
    grammar = abnforge.loads('a = <any t except "(">\nt = "x" / 1*"("\n')
    with raises(abnforge.GrammarError, "prose-val"):
        grammar["a"].matches("x")


def test_prose_that_names_a_rule_of_the_grammar() -> None:
    grammar = abnforge.loads("a = <b, see Section 2>\nb = <any CHAR except CTLs>\n")
    assert grammar["a"].matches("x")
    assert grammar["a"].uses == ("b",)


@each_row("text", ["a = <any a except CTLs>\n", "a = <any b>\nb = <any a>\n", "a = <a, see RFC 1>\n"])
def test_prose_in_a_circle(text: str) -> None:
    with raises(abnforge.GrammarError, "prose-val"):
        abnforge.loads(text)["a"].matches("x")


def test_how_deep_rules_are_gone_into() -> None:
    def chained(depth: int) -> abnforge.Grammar:
        rules = "".join(f"r{at} = r{at + 1} / r{at + 1}\n" for at in range(depth))
        return abnforge.loads(f'a = <any r0 except "b">\n{rules}r{depth} = "a" / "b"\n')

    assert chained(MAX_DEPTH - 1)["a"].matches("a")
    assert not chained(MAX_DEPTH - 1)["a"].matches("b")
    with raises(abnforge.GrammarError, "prose-val"):
        chained(5_000)["a"].matches("a")


def test_phrases_are_written_as_they_are_looked_up() -> None:
    assert all(phrase == " ".join(phrase.lower().split()) for phrase in PHRASES)


HOST = 'Host = uri-host [ ":" 1*DIGIT ]\nuri-host = <host, see [URI], Section 3.2.2>\n'


def test_prose_that_cites_another_document_is_no_rule_of_the_grammar() -> None:
    grammar = abnforge.loads(HOST)
    with raises(abnforge.GrammarError, "prose-val") as raised:
        grammar["Host"].matches("example.com")
    assert raised.value.rule == "uri-host"
    assert {finding.name for finding in grammar.lint()} == {"prose-val"}
    assert abnforge.loads(HOST, imports=["rfc3986"])["Host"].matches("example.com:80")
    named = abnforge.loads(";@ import rfc3986: host\n" + HOST)
    assert named["Host"].matches("example.com:80")


@each_row(
    ("name", "prose"),
    [
        ("x", "port"),
        ("x", "port, see Section 3.2.3"),
        ("x", "port, see [Section 3.2.3]"),
        ("rfc3986", "port, see [RFC3986], Section 3.2.3"),
        ("my_rfc3986", "port as defined in RFC 3986"),
    ],
)
def test_prose_that_means_a_rule_of_the_grammar(name: str, prose: str) -> None:
    assert abnforge.loads(f"a = <{prose}>\nport = *DIGIT\n", name=name)["a"].matches("80")


def test_a_rule_under_the_heading_of_the_cited_document_is_meant() -> None:
    text = "a = <port, see [RFC3986], Section 3.2.3>\n; RFC 3986, section 3.2.3\nport = *DIGIT\n"
    assert abnforge.loads(text)["a"].matches("80")


CORE = [
    "as defined in RFC 5234",
    "Defined in RFC 5234",
    "defined in [ABNF]",
    "SP, see [RFC5234], Appendix B.1",
    "see RFC4234",
    "as in RFC 5234",
    "SP (RFC 5234)",
]


@pytest.mark.parametrize("prose", CORE)
def test_core_rules_in_prose(prose: str, tmp_path: Path) -> None:
    """This also works in an imported grammar, and in set differences."""
    text = f"SP = <{prose}>\nx = SP y\ny = <any CHAR except SP>\nCHAR = <defined in [ABNF]>\n"
    grammar = abnforge.loads(text)
    assert [grammar["x"].matches(each) for each in (" a", "  ", "a")] == [True, False, False]
    assert grammar["SP"].origin == "core"
    assert abnforge.lint(text) == []
    (tmp_path / "common.abnf").write_text(text)
    taken = abnforge.loads("a = x SP\n", imports=[tmp_path / "common.abnf"])
    assert [taken["a"].matches(each) for each in (" a ", "   ")] == [True, False]


@each_row(
    "prose", ["as defined in RFC 822", "CHAR, see RFC 5234", "CHAR (RFC 5234)", "a space", "see RFC 52341"]
)
def test_other_prose_is_no_core_rule(prose: str) -> None:
    with raises(abnforge.GrammarError, "prose-val"):
        abnforge.loads(f"SP = <{prose}>\nCHAR = <none>\nx = SP\n")["x"].matches(" ")


@each_row(
    ("prose", "grammars"),
    [
        ("port, see [RFC3986], Section 3.2.3", ["rfc3986"]),
        ("defined in RFC 3986", ["rfc3986"]),
        ("port, see Section 3.2.3", []),
        ("as you like", []),
    ],
)
def test_grammars_that_can_be_imported_for_prose(prose: str, grammars: list[str]) -> None:
    assert importable_for(prose, "port") == grammars
    with pytest.raises(abnforge.GrammarError) as raised:
        abnforge.loads(f"port = <{prose}>\n")["port"].matches("80")
    assert all(each in raised.value.message for each in grammars)
    assert "needs port" not in raised.value.message  # the rule already has this name


@pytest.mark.parametrize("prose", ["host as in [RFC3986]", "host (RFC 3986)"])
def test_short_references_can_be_imported(prose: str) -> None:
    grammar = abnforge.loads(f"a = <{prose}>\n", imports=["rfc3986"])
    assert abnforge.compare(grammar["a"], abnforge.load("rfc3986")["host"]).relation == "equal"
