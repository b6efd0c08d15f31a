"""The grammar files: their content, and differences from the grammars of another implementation.

The matcher of the other implementation validates strings with these grammar files.
"""

from __future__ import annotations

import itertools
import re
from importlib import import_module

import pytest

import abnforge
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import RuleDefinition
from tests.grammars.texts import NAMES, bare, differing, matches, model, rules_of, text_of
from tests.law import each_row

# The files


# Specifications without numbers.
WITHOUT_SECTIONS = {"toml-1.0.0", "toml-1.1.0", "semver-2.0.0"}


@each_row("name", NAMES)
def test_binds_and_names_a_section_for_every_rule(name: str) -> None:
    bound = abnforge.load(name).compilation.bound
    assert [rule.name for rule in model(name).rules if rule.name.lower() not in bound.rules] == []
    sections = {rule.section for rule in model(name).rules}
    assert (sections == {None}) if name in WITHOUT_SECTIONS else (None not in sections)


SECTIONS = {
    "rfc2396": """
        4: URI-reference | 3: absoluteURI | 5: relativeURI
        3: hier-part opaque-part uric-no-slash net-path abs-path | 5: rel-path rel-segment
        3.1: scheme | 3.2: authority | 3.2.1: reg-name
        3.2.2: server userinfo hostport host hostname domainlabel toplabel IPv4address port
        3.3: path path-segments segment param pchar | 3.4: query | 4.1: fragment
        2: uric | 2.2: reserved | 2.3: unreserved mark | 2.4.1: escaped hex
        1.6: alphanum alpha lowalpha upalpha digit | 2.4.3: control space delims unwise""",
    "rfc3339": """
        5.6: date-fullyear date-month date-mday time-hour time-minute time-second time-secfrac
        5.6: time-numoffset time-offset partial-time full-date full-time date-time
        5.7: date-month-31 date-month-30 date-february date-mday-28 date-mday-29 date-mday-30
        5.7: date-mday-31 date-leap-year multiple-of-4 full-date-strict time-hour-strict
        5.7: time-minute-strict time-second-strict partial-time-strict time-numoffset-strict
        5.7: time-offset-strict leap-date leap-date-east offset-hour offset-minute minute-below-59
        5.7: leap-time leap-time-west leap-time-east full-time-strict date-time-strict""",
    "rfc3986": """
        3: URI hier-part | 4.1: URI-reference | 4.3: absolute-URI | 4.2: relative-ref relative-part
        3.1: scheme | 3.2: authority | 3.2.1: userinfo | 3.2.2: host | 3.2.3: port
        3.2.2: IP-literal IPvFuture IPv6address h16 ls32 IPv4address dec-octet reg-name
        3.3: path path-abempty path-absolute path-noscheme path-rootless path-empty
        3.3: segment segment-nz segment-nz-nc pchar | 3.4: query | 3.5: fragment
        2.1: pct-encoded | 2.3: unreserved | 2.2: reserved gen-delims sub-delims""",
    "rfc3987": """
        2.2: IRI ihier-part IRI-reference absolute-IRI irelative-ref irelative-part
        2.2: iauthority iuserinfo ihost ireg-name
        2.2: ipath ipath-abempty ipath-absolute ipath-noscheme ipath-rootless ipath-empty
        2.2: isegment isegment-nz isegment-nz-nc ipchar iquery ifragment iunreserved ucschar iprivate
        RFC 3986, section 3.1: scheme | RFC 3986, section 3.2.3: port
        RFC 3986, section 3.2.2: IP-literal IPvFuture IPv6address h16 ls32 IPv4address dec-octet
        RFC 3986, section 2.1: pct-encoded | RFC 3986, section 2.3: unreserved
        RFC 3986, section 2.2: reserved gen-delims sub-delims""",
    "rfc5234": """
        4: rulelist rule rulename defined-as elements c-wsp c-nl comment alternation concatenation
        4: repetition repeat element group option char-val num-val bin-val dec-val hex-val prose-val
        B.1: ALPHA BIT CHAR CR CRLF CTL DIGIT DQUOTE HEXDIG HTAB LF LWSP OCTET SP VCHAR WSP""",
    "rfc5321": """
        4.1.2: Domain sub-domain Let-dig Ldh-str address-literal Mailbox Local-part Dot-string Atom
        4.1.2: Quoted-string QcontentSMTP quoted-pairSMTP qtextSMTP
        4.1.3: IPv4-address-literal IPv6-address-literal General-address-literal Standardized-tag dcontent
        4.1.3: Snum IPv6-addr IPv6-hex IPv6-full IPv6-comp IPv6v4-full IPv6v4-comp
        RFC 5322, section 3.2.3: atext""",
}
SECTIONS["rfc2396bis-07"] = SECTIONS["rfc3986"]
SECTIONS["rfc6874"] = re.sub(r"(\S+):", r"RFC 3986, section \1:", SECTIONS["rfc3986"]).replace(
    "RFC 3986, section 3.2.2: IP-literal IPvFuture",
    "2: IP-literal ZoneID IPv6addrz | RFC 3986, section 3.2.2: IPvFuture",
)


@each_row("name", SECTIONS)
def test_rules_have_the_specifications_names_order_and_sections(name: str) -> None:
    expected = []
    for part in re.split(r"[|\n]", SECTIONS[name].strip()):
        section, names = part.rsplit(":", 1)
        expected += [(rule, section.strip()) for rule in names.split()]
    assert [(rule.name, rule.section) for rule in model(name).rules] == expected


# Most of these take seconds in the other implementation.
QUICK = ("rfc2396bis-07", "rfc5234")
# The other implementation does not support lists or the strings of RFC 7405.
BEYOND = ("rfc8288", "rfc9110", "rfc9111", "rfc9112")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
        for name in NAMES
        if name not in BEYOND
    ],
)
def test_is_abnf_by_rfc5234(name: str) -> None:
    assert matches("rfc5234", "rulelist", text_of(name).replace("\n", "\r\n"))


def test_draft_and_rfc3986_have_the_same_rules() -> None:
    assert model("rfc2396bis-07").rules == model("rfc3986").rules


def test_rfc6874_replaces_one_rule_of_rfc3986_and_adds_two() -> None:
    zoned, uri = rules_of(model("rfc6874")), rules_of(model("rfc3986"))
    assert zoned.keys() - uri.keys() == {"zoneid", "ipv6addrz"}
    assert differing(zoned, uri) == {"ip-literal"}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("http://[fe80::a%25en1]/", True),  # RFC 6874, section 2
        ("http://[fe80::a%25ee1%2F]/", True),
        ("http://[fe80::a]/", True),
        ("http://[fe80::a%en1]/", False),  # section 3 allows it in user interfaces
        ("http://[fe80::a%25]/", False),
        ("http://[%25en1]/", False),
        ("http://[v1.a%25en1]/", False),
        ("http://[fe80::a%25en1%25en2]/", True),  # "%25" is also a pct-encoded of ZoneID
    ],
)
def test_zone_identifiers(text: str, valid: bool) -> None:
    assert matches("rfc6874", "URI", text) is valid
    assert not valid or matches("rfc3986", "URI", text) is ("%" not in text)


def test_rfc3987_restates_rules_of_rfc3986() -> None:
    iri, uri = rules_of(model("rfc3987")), rules_of(model("rfc3986"))
    assert len(iri.keys() & uri.keys()) == 14
    assert differing(iri, uri) == set()


def test_iri_rules_are_uri_rules_but_for_the_characters() -> None:
    """If i* is renamed to *, RFC 3987 equals RFC 3986, except for rules that allow more characters."""
    renamed = re.sub(
        r"\bi(?=(hier|rel|auth|user|host|reg-|path|seg|pchar|query|frag|unres))", "", text_of("rfc3987")
    )
    renamed = renamed.replace("IRI", "URI")
    iri: dict[str, RuleDefinition] = {}
    for rule in read(renamed).rules:
        iri.setdefault(rule.name.lower(), rule)  # only the first definition is from RFC 3987
    uri = rules_of(model("rfc3986"))
    assert uri.keys() - iri.keys() == set()
    assert differing(iri, uri) == {"query", "unreserved"}


TIMES = [
    ("1985-04-12T23:20:50.52Z", True),  # section 5.8
    ("1996-12-19T16:39:57-08:00", True),
    ("1990-12-31T23:59:60Z", True),
    ("1937-01-01T12:00:27.87+00:20", True),
    ("1985-04-12t23:20:50z", True),  # section 5.6: "T" and "Z" may be lower case
    ("2024-13-01T25:00:00Z", True),  # the rules lack the restrictions of the comments
    ("1985-04-12T23:20:50", False),  # section 4.4: no offset
    ("1985-04-12 23:20:50Z", False),  # section 5.6: forms that applications may display
    ("1985-04-12T23:20:50,52Z", False),  # appendix A, which is ISO 8601
]


@pytest.mark.parametrize(("text", "valid"), TIMES)
def test_date_times(text: str, valid: bool) -> None:
    assert matches("rfc3339", "date-time", text) is valid


MAILBOXES = [
    ("local@domain", True),
    ("john.q.public+tag@example.com", True),
    ('"Joe\\\\Blow" @example.com', False),
    ('"Joe\\ Blow"@example.com', True),
    ('""@example.com', True),
    ("a@[127.0.0.1]", True),
    ("a@[127.0.0.999]", True),  # the rule lacks the restriction of the comment
    ("a@[IPv6:::1]", True),
    ("a@[ipv6:fe80::1:192.0.2.1]", True),
    ("a@[::1]", False),
    ("a@b_c.org", False),
    ("a@b.org.", False),
    ("a(home)@b.org", False),  # RFC 5322 has comments
    (" a@b.org", False),
]


@each_row(("text", "valid"), MAILBOXES)
def test_mailboxes(text: str, valid: bool) -> None:
    assert matches("rfc5321", "Mailbox", text) is valid


def test_core_rules_of_rfc5234_are_the_built_in_ones() -> None:
    rules = rules_of(model("rfc5234"))
    assert core_rules().keys() <= rules.keys()
    assert differing(rules, core_rules()) == set()


# The grammars of another implementation.


def package_rules(name: str) -> dict[str, RuleDefinition]:
    """Return the rules that a module of the ``abnf`` package contains as text."""
    grammar = import_module(f"abnf.grammars.{name}").Rule.grammar  # importing it is slow
    if isinstance(grammar, list):
        # Some rules have their comments on the same line. Consecutive spaces mark the start of a line.
        rules = [re.sub(r";(?!\")[^\[]*?(?=\s*$|\s{8,}\[)", " ", rule) for rule in grammar]
        grammar = "\n".join(rules)
    return rules_of(read(grammar))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rfc3339", set()),
        # dec-octet has another order of alternatives; path-empty is 0pchar instead of 0<pchar>.
        ("rfc3986", {"dec-octet", "path-empty"}),
        ("rfc3987", set()),
        # As published, without the errata.
        ("rfc5234", {"rulelist", "elements"}),
    ],
)
def test_differences_from_the_abnf_package(name: str, expected: set[str]) -> None:
    theirs, ours = package_rules(name), rules_of(model(name))
    assert len(theirs) >= 13
    assert theirs.keys() - ours.keys() == set()
    assert differing(theirs, ours) == expected


@pytest.mark.slow  # the grammar of the package loads slowly
def test_atext_is_that_of_rfc5322() -> None:
    theirs = package_rules("rfc5322")
    assert bare(theirs["atext"].elements) == bare(rules_of(model("rfc5321"))["atext"].elements)


ERRATUM_3076 = ("1*( rule / (*WSP c-nl) )", "1*( rule / (*c-wsp c-nl) )")
ERRATUM_2968 = ("alternation *WSP", "alternation *c-wsp")


def published_rfc5234() -> str:
    text = text_of("rfc5234")
    for corrected, published in (ERRATUM_3076, ERRATUM_2968):
        assert text.count(corrected) == 1
        text = text.replace(corrected, published)
    return text


@pytest.mark.parametrize("longest", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_errata_change_no_grammar(longest: int) -> None:
    published, seen = published_rfc5234(), set()
    pieces = ("a=b", " ", "\r\n", ";")
    for count in range(longest + 1):
        for parts in itertools.product(pieces, repeat=count):
            text = "".join(parts)
            verdict = matches("rfc5234", "rulelist", text)
            assert verdict is matches(published, "rulelist", text), text
            seen.add(verdict)
    assert seen == {False, True}


@pytest.mark.parametrize(("rule", "text"), [("rule", "a=b\r\n \r\n"), ("elements", "b\r\n ")])
def test_errata_end_a_rule_at_its_line(rule: str, text: str) -> None:
    assert matches(published_rfc5234(), rule, text)
    assert not matches("rfc5234", rule, text)
