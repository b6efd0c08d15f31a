"""Binding of names: merged rules, precedence, errors, and lists (RFC 9110, section 5.6.1)."""

from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.errors import GrammarError
from abnforge.grammar.binding import MAX_LISTS, bind, binding_errors
from abnforge.grammar.parser import core_rules
from abnforge.grammar.printer import print_alternation, print_rulelist
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import LISTS, BoundGrammar, BoundRule, ProseVal
from abnforge.grammar.syntax_errors import MAX_ERRORS
from tests.law import each_row, law
from tests.raising import raises


def bound(text: str, imports: dict[str, BoundRule] | None = None) -> BoundGrammar:
    return bind(read(text, "g.abnf"), name="g", imports=imports)


def test_core_rules_are_those_of_appendix_b1() -> None:
    names = "ALPHA BIT CHAR CR CRLF CTL DIGIT DQUOTE HEXDIG HTAB LF LWSP OCTET SP VCHAR WSP"
    assert [rule.name for rule in core_rules().values()] == names.split()


def test_order_spelling_and_origin() -> None:
    other = bound('Helper = "h"').rules["helper"]
    grammar = bound('b = A Digit help\nA = "x"\nDIGIT = %x30-39\n', {"help": other})
    assert list(grammar.rules)[:4] == ["b", "a", "digit", "help"]
    assert [rule.origin for rule in grammar.rules.values()][:5] == ["file", "file", "file", "import", "core"]
    assert grammar.rules["a"].name == "A"
    assert len(grammar.rules) == 4 + 15


def test_incremental_alternatives_are_merged_in_order() -> None:
    grammar = bound('a = "1" / "2"\nb = a\nA =/ "3"\na =/ ( "4" / b )\n')
    assert print_alternation(grammar.rules["a"].elements) == '"1" / "2" / "3" / ( "4" / b )'
    assert grammar.rules["a"].name == "a"
    assert grammar.warnings == ()


def test_section_comes_with_the_rule() -> None:
    assert bound('; Section 3.2\na = "x"\n').rules["a"].section == "3.2"


REFUSED: list[tuple[str, list[tuple[int, int, str, str]]]] = [
    ("", [(1, 1, "syntax-error", "grammar-empty")]),
    ("; nothing\n", [(1, 1, "syntax-error", "grammar-empty")]),
    ("a = b", [(1, 5, "undefined-rule", "rule-undefined")]),
    (
        'path-empty = "x"\na = "y" pathempty',
        [(2, 9, "undefined-rule", "rule-undefined")],
    ),
    ("a = DIGTI", [(1, 5, "undefined-rule", "rule-undefined")]),
    (
        'a = "x"\na = "y"',
        [(2, 1, "duplicate-rule", "rule-redefined")],
    ),
    ('Foo = "x"\nfOO = "y"', [(2, 1, "duplicate-rule", "rule-redefined")]),
    ('a =/ "x"', [(1, 1, "incremental-without-base", "extension-without-definition")]),
    ('a =/ "x"\na = "y"', [(1, 1, "incremental-without-base", "extension-before-definition")]),
    (
        'a = b\nc =/ "x"\na = "y"\n',
        [
            (1, 5, "undefined-rule", "rule-undefined"),
            (2, 1, "incremental-without-base", "extension-without-definition"),
            (3, 1, "duplicate-rule", "rule-redefined"),
        ],
    ),
]


@each_row(("text", "expected"), REFUSED)
def test_rejected(text: str, expected: list[tuple[int, int, str, str]]) -> None:
    with pytest.raises(GrammarError) as caught:
        bound(text)
    errors = caught.value.errors
    assert [(e.path, e.line, e.column, e.code) for e in errors] == [("g.abnf", *e[:3]) for e in expected]
    assert [error.message.code for error in errors] == [message for *_, message in expected]
    assert [e.message for e in binding_errors(read(text, "g.abnf"))] == [e.message for e in errors]


def test_no_errors() -> None:
    assert binding_errors(read('a = "x"')) == []


def test_duplicate_names_both_places() -> None:
    with pytest.raises(GrammarError) as caught:
        bound('a = "x"\n\n a = b\n a = "y"\n'.replace("\n ", "\n"))
    (place,) = caught.value.errors[0].related
    assert (place.line, place.column, place.note.code) == (1, 1, "defined-first-here")


def test_one_error_for_an_undefined_name() -> None:
    (error,) = binding_errors(read("a = b / B\nc = b\n"))
    assert (error.rule, [(place.line, place.column) for place in error.related]) == ("a", [(1, 9), (2, 5)])


def test_undefined_names_have_a_limit() -> None:
    text = "a = " + " / ".join(f"undefined-{number}" for number in range(3 * MAX_ERRORS))
    assert len(binding_errors(read(text))) == MAX_ERRORS


NOTICES = [
    ("DIGIT = %x30-39", None),
    ('digit = "0" / %x31-38 / %d57', None),
    ("ALPHA = %x61-7A / %x41-5A ; the other way round", None),
    ("ALPHA = (%x61-7A) / (%x41-5A)", None),
    ("CRLF = %x0D.0A", None),
    ("LWSP = *( WSP / (CR LF WSP) )", "core-rule-replaced"),
    ("WSP = %x20 / HTAB", None),
    ('ALPHA = "a"', "core-rule-replaced"),
    ('alpha =/ "_"', "core-rule-extended"),
    ("HEXDIG = DIGIT / %x41-46", "core-rule-replaced"),
]


@each_row(("text", "message"), NOTICES)
def test_restated_core_rules(text: str, message: str | None) -> None:
    warnings = bound(text).warnings
    assert [warning.code for warning in warnings] == (["core-rule-redefined"] if message else [])
    if message:
        assert warnings[0].message.code == message
        assert (warnings[0].line, warnings[0].column) == (1, 1)


def test_a_core_rule_can_be_extended() -> None:
    rule = bound('ALPHA =/ "_"').rules["alpha"]
    assert print_alternation(rule.elements) == '%x41-5A / %x61-7A / "_"'
    assert rule.origin == "file"


IMPORTED = {"token": bound('token = "t"').rules["token"]}


@each_row(
    ("text", "elements", "origin"),
    [
        ("token = <token, see RFC 9110>\na = token", '"t"', "import"),
        ("token = <token>\na = token", '"t"', "import"),
        ("a = token", '"t"', "import"),
        ('Token = "own"\na = token', '"own"', "file"),
        ("token = 1*<some CHAR>", "1*<some CHAR>", "file"),
        ('token =/ "more"', '"t" / "more"', "file"),
    ],
)
def test_imports(text: str, elements: str, origin: str) -> None:
    rule = bound(text, IMPORTED).rules["token"]
    assert (print_alternation(rule.elements), rule.origin) == (elements, origin)


def test_an_import_must_be_complete() -> None:
    incomplete = bound('a = b\nb = "x"').rules["a"]
    with raises(ValueError, "imported-rule-incomplete", name="a", reference="b"):
        bound('c = "x"', {"a": incomplete})


def test_prose_binds() -> None:
    grammar = bound('a = <subdomain> / 0<b>\nb = <any "x">\n')
    assert print_alternation(grammar.rules["a"].elements) == "<subdomain> / 0<b>"
    assert grammar.rules["a"].elements.alternatives[0].items[0].element == ProseVal("subdomain")


def test_what_an_addition_adds_to_can_be_imported() -> None:
    [finding] = [each for each in abnforge.lint('capability =/ "X"\n') if each.severity == "error"]
    assert (finding.name, finding.edits) == ("incremental-without-base", ())
    [hint] = finding.message.data["hints"]
    assert (hint.code, hint.data) == ("import-possible", {"grammars": ("rfc9051",)})
    assert abnforge.loads('capability =/ "X"\n', imports=["rfc9051"])["capability"].matches("X")


def rule(written: str, form: str = "recipient", more: str = "") -> abnforge.Rule:
    return abnforge.loads(f"x = {written}\ny = 1*ALPHA\n{more}", lists=form)["x"]


# RFC 9110, section 5.6.1.2: example-list = 1#example-list-elmt
@each_row("text", ["foo,bar", "foo ,bar,", "foo , ,bar,charlie", "foo,,bar", ",foo", " , foo"])
def test_lists_for_recipients(text: str) -> None:
    assert rule("1#y").matches(text)


@each_row("text", ["", ",", ",   ,", "foo bar", " foo", "foo "])
def test_what_no_list_of_one_is(text: str) -> None:
    assert not rule("1#y").matches(text)


@each_row(
    ("written", "sender"),
    [
        ("#y", '[ y *( OWS "," OWS y ) ]'),
        ("1#y", 'y *( OWS "," OWS y )'),
        ("1#1y", "y"),
        ("2#4y", 'y 1*3( OWS "," OWS y )'),
        ("#2y", '[ y *1( OWS "," OWS y ) ]'),
        ("3#y", 'y 2*( OWS "," OWS y )'),
        ("0#0y", '""'),
        ('1#( y / "1" )', '( y / "1" ) *( OWS "," OWS ( y / "1" ) )'),
        ("1#( 2#y )", '( y 1*( OWS "," OWS y ) ) *( OWS "," OWS ( y 1*( OWS "," OWS y ) ) )'),
    ],
)
def test_lists_for_senders(written: str, sender: str) -> None:
    ows = "OWS = *( SP / HTAB )\n"
    assert abnforge.compare(rule(written, "sender"), rule(sender, more=ows)).relation == "equal"


def test_any_number_by_a_recipient_is_the_form_of_the_rfc() -> None:
    """A recipient accepts any number of empty elements (RFC 9110, section 5.6.1.2)."""
    form = rule('[ y ] *( OWS "," OWS [ y ] )', more="OWS = *( SP / HTAB )\n")
    assert abnforge.compare(rule("#y"), form).relation == "equal"


@law(st.integers(0, 3), st.integers(0, 4), st.text("ab ,", max_size=14), few=25, many=600)
def test_elements_are_counted_and_empty_ones_are_not(least: int, more: int, text: str) -> None:
    written = f"{least}#{least + more}y"
    parts = [part.strip(" ") for part in text.split(",")]
    good = all(re.fullmatch("[ab]*", part) for part in parts)
    outer = (text[:1] == " " and parts[0] != "") or (text[-1:] == " " and parts[-1] != "")
    blank = text != "" and not text.strip(" ")
    filled = [part for part in parts if part]
    expected = good and not outer and not blank and least <= len(filled) <= least + more
    assert rule(written).matches(text) == expected
    if "" not in parts:
        assert rule(written, "sender").matches(text) == expected


@pytest.mark.parametrize("form", LISTS)
def test_trees_have_no_rule_for_a_list(form: str) -> None:
    tree = rule("1#y", form).parse("a, b")
    assert {str(each.data) for each in tree.iter_subtrees()} == {"x", "y", "ows", "sp", "alpha"}


def test_a_grammar_has_its_own_white_space() -> None:
    assert rule("1#y", more='OWS = "_"\n').matches("a_,_b")
    assert not rule("1#y", more='OWS = "_"\n').matches("a,b")


def test_rfc_2616_has_lws() -> None:
    read_by = rule("1#y", more="LWS = [CRLF] 1*( SP / HTAB )\n")
    assert read_by.matches("a \r\n\t, b")
    assert not rule("1#y").matches("a \r\n\t, b")


def test_what_is_wrong_within_a_list_is_reported_once() -> None:
    findings = abnforge.lint('a = 1#( b / "x\\n" / %x61-7A / <what> )\n')
    assert [each.name for each in findings if each.severity == "error"] == ["undefined-rule"]
    assert [each.edits for each in abnforge.lint("a = #[a-z]\n") if each.name == "undefined-rule"] == [
        (abnforge.Edit(5, 10, "%x61-7A"),)
    ]
    findings = abnforge.lint('a = 1#( "x\\n" / <what> / b )\nb = "ab" / "ab"\n')
    names = [(each.name, each.line, each.column) for each in findings]
    assert len(names) == len(set(names))


def test_printed_and_read_again() -> None:
    text = 'a = 1#b / #( b / "c" ) / 2#4"x" / 1#1b / #<b>\nb = ALPHA\n'
    assert print_rulelist(read(text)) == text
    assert read(print_rulelist(read(text))) == read(text)


def test_lists_in_lists_have_a_limit() -> None:
    written = "1#( " * (MAX_LISTS + 1) + "y" + " )" * (MAX_LISTS + 1)
    with raises(abnforge.LimitExceeded, "list-limit", limit=MAX_LISTS):
        rule(written)
    inner = "1#( " * MAX_LISTS + "y" + " )" * MAX_LISTS
    assert rule(inner).matches("a,b")


@pytest.mark.parametrize("lists", ["", "senders", None, 3])
def test_other_forms_are_rejected(lists: object) -> None:
    code = "argument-choice" if isinstance(lists, str) else "argument-type"
    with raises((ValueError, TypeError), code, name="lists"):
        abnforge.loads('a = "b"\n', lists=lists)  # type: ignore[arg-type]
