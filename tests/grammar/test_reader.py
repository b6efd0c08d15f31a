"""The ABNF parser, with tables of well-formed and malformed grammars.

The error for a malformed grammar has a code, and the line and column of the wrong character.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.lexer import detect_dialect, section_of
from abnforge.grammar.parser import MAX_NESTING
from abnforge.grammar.reader import read, read_partial
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Comment,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    RuleName,
)
from abnforge.grammar.syntax_errors import MAX_ERRORS
from tests.law import each_row
from tests.raising import raises
from tests.work import steps


def alternation(*alternatives: list[Element | Repetition]) -> Alternation:
    return Alternation(
        tuple(
            Concatenation(tuple(e if isinstance(e, Repetition) else Repetition(e) for e in items))
            for items in alternatives
        )
    )


A, B, C = RuleName("a"), RuleName("b"), RuleName("c")
X = CharVal("x")

ELEMENTS: list[tuple[str, Alternation]] = [
    ("a", alternation([A])),
    ("a b", alternation([A, B])),
    ("a / b", alternation([A], [B])),
    ("a/b", alternation([A], [B])),
    ("a b / c", alternation([A, B], [C])),
    ("(a / b) c", alternation([Group(alternation([A], [B])), C])),
    ("[a b]", alternation([Option(alternation([A, B]))])),
    ("*a", alternation([Repetition(A, 0, None)])),
    ("1*a", alternation([Repetition(A, 1, None)])),
    ("*2a", alternation([Repetition(A, 0, 2)])),
    ("2*3a", alternation([Repetition(A, 2, 3)])),
    ("3a", alternation([Repetition(A, 3, 3)])),
    ("0003*007a", alternation([Repetition(A, 3, 7)])),
    ('2( a "x" )', alternation([Repetition(Group(alternation([A, X])), 2, 2)])),
    ('*["x"]', alternation([Repetition(Option(alternation([X])), 0, None)])),
    ("0<a>", alternation([Repetition(RuleName("a", in_prose=True), 0, 0)])),
    ("<a>", alternation([RuleName("a", in_prose=True)])),
    ("<any a>", alternation([ProseVal("any a")])),
    ("<>", alternation([ProseVal("")])),
    ('<">', alternation([ProseVal('"')])),
    ('"x"', alternation([X])),
    ('""', alternation([CharVal("")])),
    ('"a;b" ; not "this"', Alternation((Concatenation((Repetition(CharVal("a;b")),), (' not "this"',)),))),
    ('%s"x" %I"y"', alternation([CharVal("x", "%s"), CharVal("y", "%i")])),
    ("%x41 %X5a", alternation([NumVal("x", (0x41,)), NumVal("x", (0x5A,))])),
    ("%d13.10", alternation([NumVal("d", (13, 10))])),
    ("%b1000001-1011010", alternation([NumVal("b", (0x41, 0x5A), is_range=True)])),
    ("%x41-41", alternation([NumVal("x", (0x41, 0x41), is_range=True)])),
    ("%x10FFFF", alternation([NumVal("x", (0x10FFFF,))])),
    ("%x000000000000000000000000000041", alternation([NumVal("x", (0x41,))])),
    ("\ta\t/\tb\t", alternation([A], [B])),
    ("a\n  b", alternation([A, B])),
    ("a /\r\n  b", alternation([A], [B])),
    ("a\n\n\n  / b", alternation([A], [B])),
    ("(\n a\n )", alternation([Group(alternation([A]))])),
]


@each_row(("text", "expected"), ELEMENTS)
@each_row("end", ["", "\n", "\r\n"])
def test_elements(text: str, expected: Alternation, end: str) -> None:
    assert read(f"r = {text}{end}").items == (RuleDefinition("r", expected),)


RFC822_ELEMENTS: list[tuple[str, Alternation]] = [
    ("a | b", alternation([A], [B])),
    ("a / b", alternation([A], [B])),
    ("a_b", alternation([RuleName("a_b")])),
    ('<"> "\\"', alternation([NumVal("x", (0x22,)), CharVal("\\")])),
    ('"x"a', alternation([X, A])),
    ("<US-ASCII coded character 20 hexadecimal>", alternation([NumVal("x", (0x20,))])),
    (
        "<US-ASCII coded characters 00-1F and 7F hexadecimal>",
        alternation([Group(alternation([NumVal("x", (0, 0x1F), is_range=True)], [NumVal("x", (0x7F,))]))]),
    ),
    ("<any CHAR except CTLs>", alternation([ProseVal("any CHAR except CTLs")])),
    ("<US-ASCII coded by hand hexadecimal>", alternation([ProseVal("US-ASCII coded by hand hexadecimal")])),
]


@each_row(("text", "expected"), RFC822_ELEMENTS)
def test_rfc822_elements(text: str, expected: Alternation) -> None:
    assert read(f"r_1 = {text}", dialect="rfc822").items == (RuleDefinition("r_1", expected),)


@each_row(
    ("text", "dialect"),
    [
        ("a = b | c", "rfc822"),
        ("a_b = c", "rfc822"),
        ("  a_b  =c", "rfc822"),
        ('a = "|" ; or | \n b = <|>', "abnf"),
        ("a = b_c", "abnf"),
        ('a = "_"', "abnf"),
        ("", "abnf"),
    ],
)
def test_detect_dialect(text: str, dialect: str) -> None:
    assert detect_dialect(text) == dialect


MALFORMED: list[tuple[str, int, int, str, str]] = [
    # Source, line, column, code, code of the message.
    ("a = b | c", 1, 7, "syntax-error", "bar"),
    ("a = b_c", 1, 5, "syntax-error", "rule-name-underscore"),
    ("a_b = c", 1, 1, "syntax-error", "rule-name-underscore"),
    ("a = (b", 1, 7, "syntax-error", "closer-missing"),
    ("a = [b)", 1, 7, "syntax-error", "closer-missing"),
    ("a = b)", 1, 6, "syntax-error", "opener-missing"),
    ("a = ()", 1, 6, "syntax-error", "element-missing-or-empty"),
    ("a = b\n  / (c\n  / d\ne = f", 3, 6, "syntax-error", "closer-missing"),
    ("a =", 1, 4, "syntax-error", "element-missing-or-empty"),
    ("a = b /", 1, 8, "syntax-error", "element-missing"),
    ("a = b / / c", 1, 9, "syntax-error", "alternative-empty"),
    ("a", 1, 2, "syntax-error", "equals-missing"),
    ("a b", 1, 3, "syntax-error", "rule-name-space"),
    ("a ::= b", 1, 3, "syntax-error", "definition-sign"),
    ("3a = b", 1, 1, "syntax-error", "rule-name-start"),
    ("# c\na = b", 1, 1, "syntax-error", "comment-sign"),
    ("a = b\n/ c", 2, 1, "syntax-error", "line-not-indented"),
    (" a = b\n  b = c", 2, 3, "syntax-error", "rule-indented"),
    ('a = "x', 1, 5, "syntax-error", "string-unclosed"),
    ('a = "x\n  y"', 1, 5, "syntax-error", "string-unclosed"),
    ('a = "x\u00e9"', 1, 7, "syntax-error", "string-not-ascii"),
    ("a = <x", 1, 5, "syntax-error", "prose-unclosed"),
    ("a = 'x'", 1, 5, "syntax-error", "string-in-single-quotes"),
    ("a = 1 #b", 1, 5, "syntax-error", "repeat-spaced"),
    ('a = "x"b', 1, 8, "syntax-error", "string-with-quote"),
    ("a = 2 b", 1, 5, "syntax-error", "repeat-spaced"),
    ("a = 2", 1, 6, "syntax-error", "repeat-of-nothing"),
    ("a = **b", 1, 6, "syntax-error", "star-repeated"),
    ("a = *5*8b", 1, 7, "syntax-error", "star-repeated"),
    ("a = %x", 1, 7, "syntax-error", "digits-missing"),
    ("a = %xG", 1, 7, "syntax-error", "digits-missing"),
    ("a = %b2", 1, 7, "syntax-error", "digits-missing"),
    ("a = %x41-", 1, 10, "syntax-error", "digits-missing"),
    ("a = %x41-5A-60", 1, 12, "syntax-error", "value-forms-mixed"),
    ("a = %x41.42-43", 1, 12, "syntax-error", "value-forms-mixed"),
    ("a = %d65x", 1, 9, "syntax-error", "digit-invalid"),
    ("a = %z", 1, 5, "syntax-error", "percent-misplaced"),
    ("a = b\u00a0c", 1, 6, "syntax-error", "space-character"),
    ("a = b\rc = d", 1, 6, "syntax-error", "line-break-misplaced"),
    ("a = %x5A-41", 1, 5, "empty-range", "range-reversed"),
    ("a = %x30-7", 1, 5, "empty-range", "range-short"),
    ("a = %x39-7", 1, 5, "empty-range", "range-reversed"),
    ("a = %x110000", 1, 7, "value-out-of-range", "value-too-large"),
    ("a = %x41-110000", 1, 10, "value-out-of-range", "value-too-large"),
    ("a = %d" + "9" * 5000, 1, 7, "value-out-of-range", "value-too-large"),
    ("a = 5*3b", 1, 5, "repetition-out-of-order", "repeat-reversed"),
    ("a = " + "9" * 5000 + "b", 1, 5, "value-out-of-range", "repeat-limit"),
]


@each_row(("text", "line", "column", "code", "message"), MALFORMED)
def test_malformed(text: str, line: int, column: int, code: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        read(text, "g.abnf", dialect="abnf")
    error = caught.value
    assert (error.path, error.line, error.column, error.code) == ("g.abnf", line, column, code)
    assert error.message.code == message


def test_unbalanced_bracket_names_both_places() -> None:
    with pytest.raises(GrammarError) as caught:
        read("a = b\n  / ( c ]\n", "g.abnf")
    error = caught.value
    assert (error.message.code, error.line, error.column, error.data) == (
        "closer-missing",
        2,
        9,
        {"closer": ")", "found": "]"},
    )
    [place] = error.related
    assert (place.note.code, place.line, place.column) == ("opened-here", 2, 5)
    lines = str(error).split("\n")
    assert [line for line in lines if not line.startswith("g.abnf")] == (
        ["      / ( c ]", "            ^", "      / ( c ]", "        ^"]
    )


@pytest.mark.parametrize("brackets", ["()", "[]"])
def test_nesting_has_a_limit(brackets: str) -> None:
    def nested(depth: int) -> str:
        return "a = " + brackets[0] * depth + "b" + brackets[1] * depth

    assert read(nested(MAX_NESTING)) == read(nested(MAX_NESTING))
    for depth in (MAX_NESTING + 1, 10_000):
        with raises(LimitExceeded, "nesting-limit", limit=MAX_NESTING) as caught:
            read(nested(depth))
        assert caught.value.column == 5 + MAX_NESTING


def test_one_malformed_rule_hides_no_other() -> None:
    text = "a = (\nb = c\nd = )\n  e\nf = %x5A-41\n"
    rulelist, errors = read_partial(text)
    assert [rule.name for rule in rulelist.rules] == ["b", "f"]
    assert [(error.line, error.rule) for error in errors] == [(1, "a"), (3, "d"), (5, "f")]
    with pytest.raises(GrammarError) as caught:
        read(text)
    assert [error.line for error in caught.value.errors] == [1, 3, 5]


def test_collected_errors_have_a_limit() -> None:
    rulelist, errors = read_partial("a = )\n" * (2 * MAX_ERRORS) + "b = c\n")
    assert len(errors) == MAX_ERRORS
    assert [rule.name for rule in rulelist.rules] == ["b"]


PASTED = """\

      URI         = scheme ":" hier-part

      hier-part   = "//" authority
                  / path  ; empty or not
\t\t  / rootless
      ; Section 3.1
      scheme      = ALPHA"""


def test_common_indentation() -> None:
    rulelist = read(PASTED)
    assert [rule.name for rule in rulelist.rules] == ["URI", "hier-part", "scheme"]
    assert rulelist.rules[1].elements.alternatives[1].comments == (" empty or not",)
    assert len(rulelist.rules[1].elements.alternatives) == 3
    assert [rule.section for rule in rulelist.rules] == [None, None, "3.1"]


def test_comments_stay_with_their_alternative() -> None:
    text = "; top\n\n;\na = ; first\n b ; b\n / ; still b\n ( c ; c\n ) ; group\n ; more\n; after\n"
    rulelist = read(text)
    top, blank, semicolon, rule, after = rulelist.items
    assert (top, blank, semicolon, after) == (Comment(" top"), Comment(""), Comment(" "), Comment(" after"))
    assert isinstance(rule, RuleDefinition)
    first, second = rule.elements.alternatives
    assert first.comments == (" first", " b", " still b")
    assert second.comments == (" group", " more")
    group = second.items[0].element
    assert isinstance(group, Group)
    assert group.alternation.alternatives[0].comments == (" c",)


@each_row(
    ("comment", "section"),
    [
        (" Section 3.2.2", "3.2.2"),
        (" section 4", "4"),
        (" RFC 3986, section 3.2.2: host", "RFC 3986, section 3.2.2"),
        (" rfc5234 Appendix B.1", "RFC 5234, appendix B.1"),
        (";;; 3.2.2. Server-based Naming Authority", "3.2.2"),
        (" 3.2.2.  Host", "3.2.2"),
        (" 4. URI References", "4"),
        (" Appendix B.1", "B.1"),
        (" see section 3", None),
        (" 3.2", None),
        (" 10-99", None),
        (" sections differ", None),
        ("", None),
    ],
)
def test_section_of(comment: str, section: str | None) -> None:
    assert section_of(comment) == section


def test_spans_are_those_of_the_text() -> None:
    text = "; é\nfoo =/ 2( bar ) / %x41-5A ; x\n"
    (rule,) = read(text).rules
    first, second = rule.elements.alternatives

    def written(node: RuleDefinition | Concatenation | Repetition | Element) -> str:
        return text[node.span.start : node.span.end]

    assert text[rule.name_span.start : rule.name_span.end] == "foo"
    assert written(rule) == "foo =/ 2( bar ) / %x41-5A"
    assert written(first.items[0]) == "2( bar )"
    assert written(first.items[0].element) == "( bar )"
    assert written(second.items[0].element) == "%x41-5A"


def test_unknown_dialect() -> None:
    with raises(ValueError, "argument-choice", name="dialect", value="bnf"):
        read("a = b", dialect="bnf")


@pytest.mark.parametrize(
    "unit", ["<", '"', "%", "(", "a ", "a/", "a_", "|", "; \r", " ", "\n", "a=b\n", "%x41-", "\r"]
)
@pytest.mark.parametrize("size", [150, pytest.param(4_000, marks=pytest.mark.slow)])
def test_work_is_linear(unit: str, size: int) -> None:
    """Four times the input takes four times the work. Backtracking would take sixteen times."""
    short, long = ("a = " + unit * (length // len(unit)) for length in (size, 4 * size))
    assert steps(read_partial, long) < 5 * steps(read_partial, short)


@given(
    st.lists(st.sampled_from([*'ab=/|()[]*19;<>%x"- \t\n\r_#é\0', "\na = ", "%x4", "=/", "\n "]), max_size=40)
)
def test_any_text_reads_or_is_refused_with_a_place(parts: list[str]) -> None:
    text = "a = " + "".join(parts)
    rulelist, errors = read_partial(text)
    for error in errors:
        assert 1 <= error.line <= text.count("\n") + 1
        assert 1 <= error.column <= len(text.split("\n")[error.line - 1]) + 1
    assert rulelist.rules or errors


@each_row(
    ("elements", "column", "code"),
    [
        ("[01][0-9]", 5, "set-or-option"),
        (".*", 6, "dot-any"),
        ("%x3O", 8, "digit-looks-like-letter"),
        ("(VCHAR - DQUOTE)", 12, "hyphen-between-rules"),
        ('%s "GET"', 5, "prefix-spaced"),
        ("1*%d61-7A", 13, "digit-hexadecimal"),
        ("%x30 - 37", 10, "hyphen-spaced"),
        ("4DIGIT - 2DIGIT", 12, "hyphen-between-counts"),
        ("4 * 6 DIGIT", 5, "repeat-ambiguous-range"),
        ("%x0-%x7", 5, "value-or-digits"),
        ("LEVEL / INFO", 13, "rule-undefined"),
    ],
)
def test_what_would_be_right_is_named_and_not_applied(elements: str, column: int, code: str) -> None:
    results = [each for each in abnforge.lint(f"x = {elements}\n") if each.severity == "error"]
    assert any(each.message.code == code and each.column >= column - 1 for each in results)
    assert not any(each.edits for each in results)


@pytest.mark.parametrize(
    ("head", "code"), [("other.rule = DIGIT", "rule-name-dot"), ("month", "equals-missing")]
)
def test_heads_of_rules_have_hints(head: str, code: str) -> None:
    [finding] = [each for each in abnforge.lint(f"a = DIGIT\n{head}\n") if each.severity == "error"]
    assert finding.message.code == code
