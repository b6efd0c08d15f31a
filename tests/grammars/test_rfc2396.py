"""The grammar of RFC 2396: its language, and the errors in other versions."""

from __future__ import annotations

import string

import pytest

from abnforge.errors import GrammarError
from abnforge.grammar.binding import bind
from abnforge.grammar.lexer import section_of
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import CharVal, ProseVal, RuleDefinition
from abnforge.grammar.syntax import references as references_in
from tests.grammars.texts import differing, matches, model, rules_of
from tests.law import each_row, one_in
from tests.raising import raises


@pytest.mark.parametrize(
    ("text", "rfc2396", "rfc3986"),
    one_in(
        3,
        [
            ("?y", False, True),  # appendix C.1 resolves it; relativeURI does not allow an empty path
            ("?", False, True),
            ("?y=1#s", False, True),
            ("dav:", False, True),  # hier_part and opaque_part are not empty
            ("about:", False, True),
            ("HTTP:x", True, True),
            ("1http:x", False, False),
            ("//", True, True),
            ("///", True, True),
            ("file:///etc", True, True),
            ("http://a..b/", True, True),
            ("http://a_b/", True, True),
            ("http:?q", True, True),  # opaque: uric_no_slash includes "?"
            ("", True, True),
            ("#s", True, True),
            ("http://[::1]/", False, True),
            ("http://1.2.3.4.5/", True, True),
            ("http://host:80x/", True, False),  # reg_name allows ":"
            ("http://a@b:80:80", True, False),
            ("//a@b@c", True, False),  # reg_name allows "@"
            ("http://h/a|b", False, False),
            ("://h", False, False),
        ],
    ),
)
def test_uri_reference_of_both_editions(text: str, rfc2396: bool, rfc3986: bool) -> None:
    assert matches("rfc2396", "URI-reference", text) is rfc2396
    assert matches("rfc3986", "URI-reference", text) is rfc3986


@each_row(
    ("text", "host", "reg_name"),
    [
        ("1.2.3.4", True, True),
        ("1.2.3.4.5", False, True),  # toplabel starts with a letter, and IPv4address has four groups
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
"""The rules in a published ABNF version that differ from ours, with its lost line ends restored."""


@pytest.mark.parametrize(
    ("rule", "theirs_only", "ours_only"),
    one_in(
        2,
        [
            (
                "lowalpha",
                string.ascii_uppercase,
                "",
            ),  # a quoted string matches both cases (RFC 5234, section 2.3)
            ("upalpha", string.ascii_lowercase, ""),
            ("unwise", "/", "|"),  # the quoted "|" was replaced together with the operator
            ("alpha", "", ""),  # the union hides the error
            ("digit", "", ""),
            ("hex", "", ""),  # equal characters; see also the next test
        ],
    ),
)
def test_rewriting_matches_other_characters(rule: str, theirs_only: str, ours_only: str) -> None:
    characters = [chr(code) for code in range(0x80)]
    theirs = {char for char in characters if matches(CIRCULATING, rule, char)}
    ours = {char for char in characters if matches("rfc2396", rule, char)}
    assert theirs - ours == set(theirs_only)
    assert ours - theirs == set(ours_only)


def test_rewriting_gives_every_hexadecimal_letter_twice() -> None:
    def letters(rule: RuleDefinition) -> list[str]:
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
    ("header", "indent", "message"),
    [
        (
            "RFC 2396 URI Generic Syntax August 1998\n",
            "    ",
            "equals-missing",
        ),
        ("", "", "line-not-indented"),
    ],
    ids=["page header between rules", "continuation line not indented"],
)
def test_page_from_the_web_is_not_a_grammar(header: str, indent: str, message: str) -> None:
    with raises(GrammarError, message):
        read(PAGE.format(header=header, indent=indent), dialect="rfc822")
    repaired = rules_of(read(PAGE.format(header="", indent="    "), dialect="rfc822"))
    assert differing(repaired, rules_of(model("rfc2396"))) == set()
