"""The grammar files: what they say, where they depart from what circulates, and the RFCs' own examples.

Verdicts come from another implementation's matcher, run on our grammar text.
"""

from __future__ import annotations

import itertools
import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from abnf.grammars import rfc3986 as abnf_rfc3986
from abnf.grammars import rfc3987 as abnf_rfc3987
from abnf.grammars import rfc5234 as abnf_rfc5234

from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.lexing import section_of
from abnforge.abnf.model import Alternation, CharVal, Concatenation, Group, Option, ProseVal, Rule, Rulelist
from abnforge.abnf.names import bind
from abnforge.abnf.names import references as references_in
from abnforge.abnf.reader import read
from abnforge.errors import GrammarError
from tests.places import DATA, ROOT
from tests.reference import abnf_package

NAMES = ("rfc2396", "rfc2396bis-07", "rfc3986", "rfc3987", "rfc5234", "rfc6874")


@cache
def text_of(name: str) -> str:
    return (ROOT / "grammars" / f"{name}.abnf").read_text(encoding="ascii")


@cache
def model(name: str) -> Rulelist:
    return read(text_of(name), name)


def rules_of(rulelist: Rulelist) -> dict[str, Rule]:
    return {rule.name.lower(): rule for rule in rulelist.rules}


def matches(grammar: str, rule: str, text: str) -> bool:
    """Whether a rule of a bundled grammar (by its name) or of a grammar text derives a text."""
    return abnf_package.matches(text_of(grammar) if grammar in NAMES else grammar, rule, text)


def bare(node: Any) -> Any:
    """A definition as nested tuples, without comments: what two spellings of one rule have in common."""
    if isinstance(node, Alternation):
        return tuple(bare(item) for item in node.alternatives)
    if isinstance(node, Concatenation):
        return tuple((item.min, item.max, bare(item.element)) for item in node.items)
    if isinstance(node, Group | Option):
        return (type(node).__name__, bare(node.alternation))
    return node


def differing(left: Mapping[str, Rule], right: Mapping[str, Rule]) -> set[str]:
    """The names defined on both sides, but differently."""
    return {
        name for name in left.keys() & right.keys() if bare(left[name].elements) != bare(right[name].elements)
    }


# The files


@pytest.mark.parametrize("name", NAMES)
def test_binds_and_names_a_section_for_every_rule(name: str) -> None:
    bind(model(name), name=name)
    assert [rule.name for rule in model(name).rules if rule.section is None] == []


SECTIONS = {
    "rfc2396": """
        4: URI-reference | 3: absoluteURI | 5: relativeURI
        3: hier-part opaque-part uric-no-slash net-path abs-path | 5: rel-path rel-segment
        3.1: scheme | 3.2: authority | 3.2.1: reg-name
        3.2.2: server userinfo hostport host hostname domainlabel toplabel IPv4address port
        3.3: path path-segments segment param pchar | 3.4: query | 4.1: fragment
        2: uric | 2.2: reserved | 2.3: unreserved mark | 2.4.1: escaped hex
        1.6: alphanum alpha lowalpha upalpha digit | 2.4.3: control space delims unwise""",
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
}
SECTIONS["rfc2396bis-07"] = SECTIONS["rfc3986"]
SECTIONS["rfc6874"] = re.sub(r"(\S+):", r"RFC 3986, section \1:", SECTIONS["rfc3986"]).replace(
    "RFC 3986, section 3.2.2: IP-literal IPvFuture",
    "2: IP-literal ZoneID IPv6addrz | RFC 3986, section 3.2.2: IPvFuture",
)


@pytest.mark.parametrize("name", NAMES)
def test_rules_have_the_specifications_names_order_and_sections(name: str) -> None:
    expected = []
    for part in re.split(r"[|\n]", SECTIONS[name].strip()):
        section, names = part.rsplit(":", 1)
        expected += [(rule, section.strip()) for rule in names.split()]
    assert [(rule.name, rule.section) for rule in model(name).rules] == expected


@pytest.mark.parametrize("name", NAMES)
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
        ("http://[fe80::a%25en1%25en2]/", True),  # "%25" is a pct-encoded of ZoneID, too
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
    """Renaming i* to * in RFC 3987 gives RFC 3986 apart from the rules that admit more characters."""
    renamed = re.sub(
        r"\bi(?=(hier|rel|auth|user|host|reg-|path|seg|pchar|query|frag|unres))", "", text_of("rfc3987")
    )
    renamed = renamed.replace("IRI", "URI")
    iri: dict[str, Rule] = {}
    for rule in read(renamed).rules:
        iri.setdefault(rule.name.lower(), rule)  # the first definition is RFC 3987's own
    uri = rules_of(model("rfc3986"))
    assert uri.keys() - iri.keys() == set()
    assert differing(iri, uri) == {"query", "unreserved"}


def test_core_rules_of_rfc5234_are_the_built_in_ones() -> None:
    rules = rules_of(model("rfc5234"))
    assert core_rules().keys() <= rules.keys()
    assert differing(rules, core_rules()) == set()


# Errata of RFC 5234

ERRATUM_3076 = ("1*( rule / (*WSP c-nl) )", "1*( rule / (*c-wsp c-nl) )")
ERRATUM_2968 = ("alternation *WSP", "alternation *c-wsp")


def published_rfc5234() -> str:
    text = text_of("rfc5234")
    for corrected, published in (ERRATUM_3076, ERRATUM_2968):
        assert text.count(corrected) == 1
        text = text.replace(corrected, published)
    return text


def test_errata_change_no_grammar() -> None:
    published, seen = published_rfc5234(), set()
    pieces = ("a=b", " ", "\r\n", ";")
    for count in range(6):
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


# What the circulating renderings of RFC 2396 got wrong: one test a defect


def quoted(characters: str) -> str:
    return " / ".join(f'"{char}"' for char in characters)


CIRCULATING = f"""
alpha = lowalpha / upalpha
lowalpha = {quoted(string.ascii_lowercase)}
upalpha = {quoted(string.ascii_uppercase)}
digit = {quoted(string.digits)}
hex = digit / {quoted("ABCDEFabcdef")}
unwise = {quoted("{}/" + chr(92) + "^[]`")}
"""
"""The rules of the ABNF rewriting that differ from ours, with the line ends it has lost put back."""


@pytest.mark.parametrize(
    ("rule", "theirs_only", "ours_only"),
    [
        ("lowalpha", string.ascii_uppercase, ""),  # a quoted string matches both cases: RFC 5234, 2.3
        ("upalpha", string.ascii_lowercase, ""),
        ("unwise", "/", "|"),  # the quoted "|" was replaced along with the notation's own
        ("alpha", "", ""),  # the union hides it
        ("digit", "", ""),
        ("hex", "", ""),  # the same characters, but see the next test
    ],
)
def test_rewriting_matches_other_characters(rule: str, theirs_only: str, ours_only: str) -> None:
    characters = [chr(code) for code in range(0x80)]
    theirs = {char for char in characters if matches(CIRCULATING, rule, char)}
    ours = {char for char in characters if matches("rfc2396", rule, char)}
    assert theirs - ours == set(theirs_only)
    assert ours - theirs == set(ours_only)


def test_rewriting_gives_every_hexadecimal_letter_twice() -> None:
    def letters(rule: Rule) -> list[str]:
        elements = [alternative.items[0].element for alternative in rule.elements.alternatives]
        return [element.value.lower() for element in elements if isinstance(element, CharVal)]

    assert sorted(letters(rules_of(read(CIRCULATING))["hex"])) == sorted("abcdef" * 2)
    assert letters(rules_of(model("rfc2396"))["hex"]) == []


def test_rewriting_on_one_line_is_one_comment() -> None:
    lines = ["; FIXME: DQUOTE= %x22", ";;;; 1.6. Syntax Notation", *CIRCULATING.strip().splitlines()]
    assert len(read("\n".join(lines)).rules) == 6
    assert read(" ".join(lines)).rules == ()


def test_rewriting_has_the_definition_of_dquote_in_a_comment() -> None:
    delims = '; FIXME: DQUOTE= %x22 ; " (Double Quote)\ndelims = "<" / ">" / "#" / "%" / DQUOTE\n'
    assert [rule.name for rule in read(delims).rules] == ["delims"]
    assert bind(read(delims), name="delims").rules["dquote"].origin == "core"
    assert matches("rfc2396", "delims", '"')


def test_rewriting_renames_uric() -> None:
    rewriting = "opaque-part = urlc-no-slash *urlc\nuric = ALPHA\nuric-no-slash = ALPHA\n"
    with pytest.raises(GrammarError) as caught:
        bind(read(rewriting), name="rewriting")
    assert [error.code for error in caught.value.errors] == ["undefined-rule"] * 2
    assert {"uric", "uric-no-slash"} <= rules_of(model("rfc2396")).keys()


def test_rewriting_has_lost_a_section_number() -> None:
    headings = ";;;; 3.2. Authority Component\nauthority = ALPHA\n;;;; Registry-based Naming Authority\n"
    assert read(headings + "reg-name = ALPHA\n").rules[1].section == "3.2"
    assert section_of(" Section 3.2.1") == "3.2.1"
    assert rules_of(model("rfc2396"))["reg-name"].section == "3.2.1"


def test_requirements_list_leaves_rules_undefined() -> None:
    requirements = "URI-reference = [ absoluteURI | relativeURI ]\nabsoluteURI = alpha *uric\nuric = alpha\n"
    with pytest.raises(GrammarError) as caught:
        bind(read(requirements), name="requirements")
    assert [(error.code, error.rule) for error in caught.value.errors] == [
        ("undefined-rule", "URI-reference")
    ]
    assert "relativeuri" in rules_of(model("rfc2396"))


@pytest.mark.parametrize(
    ("rule", "member"),
    [
        ("space = <US-ASCII coded character 20 hexadecimal>", " "),
        ('delims = "<" / ">" / "#" / "%" / <">', '"'),
        ("control = <US-ASCII coded characters 00-1F and 7F hexadecimal>", chr(0x7F)),
    ],
)
def test_requirements_list_has_prose_where_abnf_needs_characters(rule: str, member: str) -> None:
    definition = read(rule, dialect="abnf").rules[0]
    assert any(
        isinstance(item.element, ProseVal)
        for alternative in definition.elements.alternatives
        for item in alternative.items
    )
    assert matches("rfc2396", definition.name, member)


def test_requirements_list_asks_for_a_lower_case_letter() -> None:
    lower = 'scheme = %x61-7A *( %x61-7A / DIGIT / "+" / "-" / "." )\n'
    assert not matches(lower, "scheme", "HTTP")
    assert matches("rfc2396", "scheme", "HTTP")


PAGE = """\
toplabel = alpha | alpha *( alphanum | "-" ) alphanum
{header}IPv4address = 1*digit "." 1*digit "." 1*digit "." 1*digit
pchar = unreserved | escaped |
{indent}":" | "@" | "&" | "=" | "+" | "$" | ","
"""


@pytest.mark.parametrize(
    ("header", "indent"),
    [("RFC 2396 URI Generic Syntax August 1998\n", "    "), ("", "")],
    ids=["page header between rules", "continuation line not indented"],
)
def test_page_from_the_web_is_not_a_grammar(header: str, indent: str) -> None:
    with pytest.raises(GrammarError, match="expected"):
        read(PAGE.format(header=header, indent=indent), dialect="rfc822")
    repaired = rules_of(read(PAGE.format(header="", indent="    "), dialect="rfc822"))
    assert differing(repaired, rules_of(model("rfc2396"))) == set()


# What RFC 2396's grammar does and does not generate (docs/grammars.md)


@pytest.mark.parametrize(
    ("text", "rfc2396", "rfc3986"),
    [
        ("?y", False, True),  # appendix C.1 resolves it; relativeURI has no empty path
        ("?", False, True),
        ("?y=1#s", False, True),
        ("dav:", False, True),  # neither hier_part nor opaque_part is empty
        ("about:", False, True),
        ("HTTP:x", True, True),
        ("1http:x", False, False),
        ("//", True, True),
        ("///", True, True),
        ("file:///etc", True, True),
        ("http://a..b/", True, True),
        ("http://a_b/", True, True),
        ("http:?q", True, True),  # opaque: uric_no_slash has "?"
        ("", True, True),
        ("#s", True, True),
        ("http://[::1]/", False, True),
        ("http://1.2.3.4.5/", True, True),
        ("http://host:80x/", True, False),  # reg_name has ":"
        ("http://a@b:80:80", True, False),
        ("//a@b@c", True, False),  # reg_name has "@"
        ("http://h/a|b", False, False),
        ("://h", False, False),
    ],
)
def test_uri_reference_of_both_editions(text: str, rfc2396: bool, rfc3986: bool) -> None:
    assert matches("rfc2396", "URI-reference", text) is rfc2396
    assert matches("rfc3986", "URI-reference", text) is rfc3986


@pytest.mark.parametrize(
    ("text", "host", "reg_name"),
    [
        ("1.2.3.4", True, True),
        ("1.2.3.4.5", False, True),  # toplabel starts with a letter, IPv4address has four groups
        ("a.1", False, True),
        ("1.a", True, True),
        ("999.1.1.1", True, True),  # 1*digit
        ("a_b", False, True),
        ("a..b", False, True),
        ("a-", False, True),
        ("", False, False),
    ],
)
def test_host_of_rfc2396(text: str, host: bool, reg_name: bool) -> None:
    assert matches("rfc2396", "host", text) is host
    assert matches("rfc2396", "reg-name", text) is reg_name
    assert matches("rfc2396", "authority", text)


def test_path_of_rfc2396_is_used_by_no_rule() -> None:
    references = {
        reference.name.lower()
        for rule in bind(model("rfc2396"), name="rfc2396").rules.values()
        for reference in references_in(rule.elements)
    }
    unused = {rule.name for rule in model("rfc2396").rules} - {"URI-reference"}
    assert {name for name in unused if name.lower() not in references} == {
        "path",
        "control",
        "space",
        "delims",
        "unwise",
    }


def test_two_slashes_are_a_net_path_and_an_abs_path_in_rfc2396() -> None:
    assert matches("rfc2396", "net-path", "//g")
    assert matches("rfc2396", "abs-path", "//g")
    assert not matches("rfc3986", "path-absolute", "//g")


# Another implementation's grammars


def package_rules(module: Any) -> dict[str, Rule]:
    """The rules that a module of the ``abnf`` package holds as text."""
    grammar = module.Rule.grammar
    if isinstance(grammar, list):
        # It keeps some rules with their comments on one line; a run of spaces marks where a line began.
        rules = [re.sub(r";(?!\")[^\[]*?(?=\s*$|\s{8,}\[)", " ", rule) for rule in grammar]
        grammar = "\n".join(rules)
    return rules_of(read(grammar))


@pytest.mark.parametrize(
    ("name", "module", "expected"),
    [
        # dec-octet's alternatives in another order; 0pchar for 0<pchar>
        ("rfc3986", abnf_rfc3986, {"dec-octet", "path-empty"}),
        ("rfc3987", abnf_rfc3987, set()),
        # as published, without the errata
        ("rfc5234", abnf_rfc5234, {"rulelist", "elements"}),
    ],
)
def test_differences_from_the_abnf_package(name: str, module: Any, expected: set[str]) -> None:
    theirs, ours = package_rules(module), rules_of(model(name))
    assert len(theirs) >= 20
    assert theirs.keys() - ours.keys() == set()
    assert differing(theirs, ours) == expected


# The RFCs' own examples

CASES = {
    name: tomllib.loads((DATA / f"examples_{name}.toml").read_text(encoding="utf-8"))["case"]
    for name in ("rfc2396", "rfc3986")
}
EXAMPLES = [pytest.param(name, case, id=f"{name}-{case['name']}") for name in CASES for case in CASES[name]]
assert len(EXAMPLES) > 200, "the tables of examples are empty or lost"

FIVE = ("scheme", "authority", "path", "query", "fragment")
# RFC 3986, appendix B; RFC 2396, appendix B.
SPLIT = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?")


@pytest.mark.parametrize("name", CASES)
def test_names_of_examples_are_unique(name: str) -> None:
    names = [case["name"] for case in CASES[name]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "case"), EXAMPLES)
def test_example(name: str, case: dict[str, Any]) -> None:
    assert matches(name, case["rule"], case["text"]) is case["valid"]
    for key in ("target", "target_nonstrict"):
        if key in case:
            assert matches(name, "URI-reference", case[key])
    if "equivalent" in case:
        assert matches(name, case["rule"], case["equivalent"])


@pytest.mark.parametrize(
    ("name", "case"), [e for e in EXAMPLES if isinstance(e.values[1], dict) and "components" in e.values[1]]
)
def test_components_of_example(name: str, case: dict[str, Any]) -> None:
    stated = case["components"] | dict.fromkeys(case.get("undefined", ()))
    assert case["valid"]
    assert not case["components"].keys() & set(case.get("undefined", ()))
    split = SPLIT.match(case["text"])
    assert split
    for key, part in zip(FIVE, split.group(2, 4, 5, 7, 9), strict=True):
        assert stated.get(key, part) == part
    if isinstance(stated.get("authority"), str) and "host" in stated:
        userinfo, port = stated["userinfo"], stated["port"]
        assert stated["authority"] == (
            (f"{userinfo}@" if userinfo is not None else "")
            + stated["host"]
            + (f":{port}" if port is not None else "")
        )
    for rule in ("scheme", "authority", "userinfo", "host", "port", "query", "fragment"):
        if stated.get(rule) is not None:
            assert matches(name, rule, stated[rule])
