"""Text that is almost ABNF: the position, code and edits of each mistake, and the fixed text.

The cases are in ``tests/data/notation_slips.jsonl``, one per line: the source; its findings that are errors
or have edits; and the source after all edits, or null. A finding has the line, column, name, code of the
message, and edits.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
import abnforge.grammar.reader
from abnforge import Finding
from abnforge.grammar.parser import core_rules
from abnforge.grammar.source_map import apply, disjoint, edits_in_order
from abnforge.linting.finding import fix, together
from tests.law import each_row, law, one_in
from tests.places import ROOT
from tests.work import steps

CASES = [
    json.loads(line)
    for line in (ROOT / "tests" / "data" / "notation_slips.jsonl").read_text("utf-8").splitlines()
]
FEW = abnforge.Budget(steps=20_000)


def errors(text: str) -> list[Finding]:
    return [finding for finding in abnforge.lint(text, budget=FEW) if finding.severity == "error"]


def told(finding: Finding) -> list[Any]:
    edits = [[edit.start, edit.end, edit.text] for edit in finding.edits]
    return [finding.line, finding.column, finding.name, finding.message.code, edits]


@each_row("case", one_in(3, CASES))
def test_cases(case: dict[str, Any]) -> None:
    text = case["text"]
    findings = abnforge.lint(text)
    assert [told(each) for each in findings if each.severity == "error" or each.edits] == case["findings"]
    fixed = fix(text, abnforge.lint)
    assert (fixed.text if fixed.text != text else None) == case["fixed"]
    if case["fixed"] is not None and all(edits for *_, edits in case["findings"]):
        assert abnforge.loads(fixed.text)


def test_messages(snapshot: SnapshotAssertion) -> None:
    """The snapshot has the source and the message of the first case for each code."""
    messages: dict[str, list[str]] = {}
    for case in CASES:
        for finding in errors(case["text"]):
            messages.setdefault(finding.message.code, [case["text"], finding.message])
    assert dict(sorted(messages.items())) == snapshot


# Realistic lines in ABNF and other notations. Combined lines are sources with several mistakes.
LINES = [
    *("a = ALPHA\n", 'b = "x" / a\n', "w =/ a\n", "; a comment\n", "\n", "u = 2 a\n", "hh = <prose> _ \n"),
    *("a = 'x'\n", "b = a*\n", "c = {a}\n", 'd = "x", a\n', "e = [0-9]+\n", "f = a | b\n", "g_h = a\n"),
    *("i = g_h 'y'\n", 'j ::= "x"\n', "k := a b\n", "// c\n", "# c\n", 'l = "\\""\n', "m = %41-5A\n"),
    *("n = %x41-%x5A\n", "o = undefined-one\n", "p = (\n", 'q = "x" /\n"y"\n', "r = a\n/ b\n", "  s = a\n"),
    *(
        "t = !a\n",
        'v = a"x"\n',
        "```\n",
        "x = a-z\n",
        "y = any thing that is\n",
        'a = "other"\n',
        "z = DIGT\n",
    ),
    *("aa = a{2,3}\n", "bb = (a b)? c?\n", "(* c *)\n", "/* c\n d */\n", "cc = “x”\n", "dd = 5*3a\n"),
    *(
        "ee = %x5A-41\n",
        "ff = a .\n",
        "gg: a\n",
        "ii = ( a / _ )\n",
        'kk = "a".."f" / "0"-"9"\n',
        "<ll> = a\n",
    ),
    *(
        "mm = 0x41\n",
        "nn = a\\*\n",
        "oo = 1\\*a\n",
        'pp = a   "unclosed\n',
        "rr = DIGIT\u00a0a\n",
        "ss = 1#a\n",
    ),
    *('ra = %a-f / "x"\n', 'rb = "0" to "9"\n', "rc = 4 x a\n", 'rd = "x" // "y"\n', 'rd = "x" // a\n'),
    *("re = %x47,45\n", "rf = 80\n", "rg = epsilon\n", "rh = ()\n", "ri = a^4\n", 'rj = a 1 "."\n'),
    *('tt = "a""b"\n', 'uu = """\n', "vv = a b_c\n", "ww = '|'\n", "xx = a || b\n", "yy = a [a]* [a]+\n"),
]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=6).map("".join)


@law(TEXTS, few=12, many=700)
def test_edits_leave_fewer_errors_and_no_other_ones(text: str) -> None:
    """The edits of each finding are applied separately, and then all compatible edits together."""
    findings = abnforge.lint(text, budget=FEW)
    before = [finding for finding in findings if finding.severity == "error"]
    for finding in findings:
        if finding.edits:
            assert list(finding.edits) == edits_in_order(finding.edits)
            assert disjoint(finding.edits)
            # The lack of rules is reported only without a worse error.
            after = [
                each for each in errors(apply(text, finding.edits)) if each.message.code != "grammar-empty"
            ]
            assert len(after) <= len(before) - (finding.severity == "error")
            assert {each.name for each in after} <= {each.name for each in before}
    edits, count = together(findings)
    if count:
        assert len(errors(apply(text, edits))) <= len(before)


@law(TEXTS, few=12, many=1_000)
def test_fixing_comes_to_an_end_and_keeps_comments(text: str) -> None:
    fixed = fix(text, lambda each: abnforge.lint(each, budget=FEW))
    assert not any(finding.edits and finding.accepted is None for finding in fixed.findings)
    assert fixed.text.count("comment") == text.count("comment")


@law(TEXTS, few=12, many=1_000)
def test_a_text_is_loaded_or_refused_as_it_is_linted(text: str) -> None:
    """A source without findings may still fail to load."""
    names = {finding.name for finding in errors(text)} - {"never-terminates"}
    try:
        abnforge.loads(text)
    except abnforge.GrammarError:
        assert names
    else:
        assert not names


PIECES = [
    *(
        "a",
        "foo",
        "_",
        "-",
        "=",
        "=/",
        "/",
        "|",
        "||",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{2}",
        "{1,3}",
        "*",
        "+",
        "?",
    ),
    *(
        "1*",
        "2",
        '"x"',
        "'x'",
        "'",
        '"',
        "\\",
        '\\"',
        '"""',
        "“",
        "”",
        "`",
        "%x41",
        "%41",
        "%x41-%x5A",
        "0x41",
        "U+0041",
    ),
    *(
        "[a-z]",
        "[^x]",
        "[0-9]",
        "a-z",
        "0-9",
        "..",
        "–",
        ",",
        ";c",
        "//",
        "#",
        "--",
        "(*",
        "*)",
        "/*",
        "*/",
        "<!--",
    ),
    *(
        "<",
        "<x>",
        ">",
        "::=",
        ":=",
        ":",
        "->",
        "&lt;",
        "\u00a0",
        "\n",
        "\n  ",
        "\r\n",
        " ",
        "```\n",
        "the",
        "is",
    ),
    *("\na = ", "\nb =/ ", "\n<c> ::= ", "\nd_e = ", "\x00", "é", "!", "&", "^", "~", "$", "@", "."),
]


@law(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), few=25, many=2_000)
def test_any_text_has_edits_that_can_be_made(text: str) -> None:
    for finding in abnforge.lint(text, budget=FEW):
        assert list(finding.edits) == edits_in_order(finding.edits)
        assert disjoint(finding.edits)
        assert all(0 <= edit.start <= edit.end <= len(text) for edit in finding.edits)
    fixed = fix(text, lambda each: abnforge.lint(each, budget=FEW))
    assert not any(finding.edits for finding in fixed.findings)


# Mistakes that do not contain names, so that every name in a source is the name of a rule.
SLIPS = (
    *("[0-9]", "[a-z]", "[1-3]", r"\d", r"\w", "'#'", '"#"', '""', "“#”", '"""', r'"\""', "..", "–", "."),
    *("*", "+", "?", "{2}", "{1,3}", "{,2}", "2", "1*", "*2", "/", "|", "||", ",", "-", "!", "^"),
    *("(", ")", "[", "]", "{", "}", "(3)", "[3]", "%41", "%x41-%x5A", "%x{41}", "&nbsp;", "&lt;"),
    *("\\*", "\\-", "\u200b", "`#`", "`foo`", "` bar `", "'a'..'z'", '"a"-"z"', "0-9", "/[0-9]+/"),
)
WORDS = re.compile("[A-Za-z][A-Za-z0-9_-]*")
FOREIGN = re.compile(
    r"""'[^'\n]'|"[^"\n]*"|\[a-z\]|\\[dw]|&[a-z]+;|%(?:x|x\{)?[0-9A-F]+(?:-(?:%?x)?[0-9A-F]+)?\}?"""
)
TEXTS_OF_SLIPS = st.lists(
    st.sampled_from(("foo", "bar", "DIGIT", "foo", "bar", " ", " ", *SLIPS)), min_size=2, max_size=7
).map(lambda pieces: f'm = {"".join(pieces)}\nfoo = "k"\nbar = "l"\n')


def named(text: str) -> list[str]:
    """Return the names in a source: all words, except in quotes, values and HTML entities."""
    return WORDS.findall(FOREIGN.sub(" ", text))


@law(TEXTS_OF_SLIPS, few=25, many=2_000)
def test_edits_keep_each_name_and_make_no_other(text: str) -> None:
    """Text next to a mistake stays, and does not become a part of another name."""
    fixed = fix(text, lambda each: abnforge.lint(each, budget=FEW)).text
    written = Counter(named(text))
    assert all(Counter(named(fixed))[name] >= written[name] for name in ("foo", "bar"))
    assert {each.lower() for each in named(fixed)} - core_rules().keys() <= {
        each.lower() for each in named(text)
    }


HOSTILE = [
    "'",
    "'a",
    "(*",
    "(* ",
    "<!--",
    "{",
    "{1",
    "a*",
    "[a-z",
    "%x41-",
    '"""',
    "“a",
    "&lt;",
    "// ",
    "\n / b",
]


@pytest.mark.parametrize(
    "unit", one_in(4, [*HOSTILE, "\n  b = c", "a = 'x'\n", "a_b ", "a,b,", "a..b", "[^", "a = (\n"])
)
def test_work_is_linear(unit: str) -> None:
    """For each search, four times the input takes four times the work."""
    short, long = ("a = " + unit * (length // len(unit)) for length in (100, 400))
    assert steps(abnforge.grammar.reader.read_partial, long) < 6 * steps(
        abnforge.grammar.reader.read_partial, short
    )


@each_row("line", ['"-" month', "month", "[ month ]", '"-"', "2DIGIT", "<month>"])
def test_a_line_at_the_margin_continues_the_rule_before(line: str) -> None:
    text = f"date = year\n{line}\nyear = 4DIGIT\nmonth = 2DIGIT\n"
    [finding] = errors(text)
    assert (finding.line, finding.column) == (2, 1)
    assert fix(text, abnforge.lint).text == text.replace(line, "    " + line, 1)


@pytest.mark.parametrize("line", ["moon", "the month", '"month" = DIGIT', "month year moon"])
def test_other_lines_at_the_margin_stay(line: str) -> None:
    text = f"date = year\n{line}\nyear = 4DIGIT\nmonth = 2DIGIT\n"
    assert fix(text, abnforge.lint).text == text


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a ::= ( ' ' ) * '||'\nb ::= 'x'\n", 1, 15), ("a ::= 'x' ! 'y'\n", 1, 11)]
)
def test_the_reason_that_a_rule_is_not_corrected(text: str, line: int, column: int) -> None:
    assert (line, column) in [(each.line, each.column) for each in errors(text) if not each.edits]
