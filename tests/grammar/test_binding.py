"""Names bound: what is merged, what wins, and what is refused where."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.grammar.binding import bind, binding_errors
from abnforge.grammar.parser import core_rules
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import BoundGrammar, BoundRule, ProseVal
from abnforge.grammar.syntax_errors import MAX_ERRORS
from tests.law import each_row
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
def test_refused(text: str, expected: list[tuple[int, int, str, str]]) -> None:
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
