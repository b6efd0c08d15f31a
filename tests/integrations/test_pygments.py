"""Pygments: the tokens of ABNF, and the names of the lexer."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import EntryPoint

import pytest
from hypothesis import strategies as st

from abnforge.grammar.parser import CORE_RULES, core_rules
from tests.law import each_row, law, one_in
from tests.places import ROOT

pygments = pytest.importorskip("pygments")

from pygments import lexers  # noqa: E402
from pygments.lexers.grammar_notation import AbnfLexer as OfPygments  # noqa: E402
from pygments.token import Error, Name, string_to_tokentype  # noqa: E402

from abnforge.integrations.pygments import AbnfLexer  # noqa: E402

GRAMMARS = sorted([*(ROOT / "grammars").glob("*.abnf"), *(ROOT / "src").rglob("*.abnf")])


def tokens(text: str) -> list[tuple[object, str]]:
    """Return the kind and the characters of each token, without whitespace."""
    results = list(AbnfLexer().get_tokens_unprocessed(text))
    assert "".join(result for _, _, result in results) == text
    assert [start for start, _, _ in results] == [text.index(result, start) for start, _, result in results]
    assert all(result for _, _, result in results)
    return [(kind, result) for _, kind, result in results if result.strip(" \t\r\n")]


# An input, and its tokens: the kind of each, and its text if it does not end at the next space.
CASES = [
    ("a = b", "Name.Function a|Operator =|Name b"),
    ("a =/ b", "Name.Function a|Operator =/|Name b"),
    ("a_b=c / d", "Name.Function a_b|Operator =|Name c|Operator /|Name d"),
    ("a\r\n\t=", "Name.Function a|Operator ="),
    ("a\n ; x = y\n =", "Name.Function a|Comment.Single ; x = y|Operator ="),
    (
        "a\n; x = y\n=",
        "Name a|Comment.Single ; x = y|Operator =",
    ),  # a line without indentation is another rule
    ("DIGIT digit digits", "Name.Builtin DIGIT|Name.Builtin digit|Name digits"),
    ("digit = DIGIT / SP", "Name.Function digit|Operator =|Name DIGIT|Operator /|Name.Builtin SP"),
    ('"a;<%x1>"', 'String.Double "a;<%x1>"'),
    ('%s"Ab" %I""', 'String.Affix %s|String.Double "Ab"|String.Affix %I|String.Double ""'),
    ('<a "b"; c>', 'String.Doc <a "b"; c>'),
    ("%x41-5a", "Number.Hex %x41|Operator -|Number.Hex 5a"),
    ("%X0D.0A.0d", "Number.Hex %X0D|Punctuation .|Number.Hex 0A|Punctuation .|Number.Hex 0d"),
    ("%d13.10", "Number.Integer %d13|Punctuation .|Number.Integer 10"),
    ("%b0-1", "Number.Bin %b0|Operator -|Number.Bin 1"),
    ("1*5a", "Operator 1*5|Name a"),
    ("*a 3( *2[", "Operator *|Name a|Operator 3|Punctuation (|Operator *2|Punctuation ["),
    ('1#2a #"a"', 'Operator 1#2|Name a|Operator #|String.Double "a"'),
    (
        ';@ match "80", ""(RFC 3986 (x), a) "b"%x0D.0A',
        'Comment.Preproc ;@|Keyword match|String.Double "80"|Punctuation ,|String.Double ""|'
        'Comment.Special (RFC 3986 (x), a)|String.Double "b"|Number.Hex %x0D|Punctuation .|Number.Hex 0A',
    ),
    (
        'a = b ;@ of T; fix encode(all) -> c\nd = "e"',
        "Name.Function a|Operator =|Name b|Comment.Preproc ;@|Keyword of|Name T|Punctuation ;|Keyword fix|"
        "Name encode|Punctuation (|Name all|Punctuation )|Punctuation ->|Name c|"
        'Name.Function d|Operator =|String.Double "e"',
    ),
    (
        "; abnforge: allow ambiguous (why; a)\na",
        "Comment.Single ; |Comment.Preproc abnforge:|Keyword allow|Keyword ambiguous|"
        "Comment.Special (why; a)|Name a",
    ),
    ("; abnforgery", "Comment.Single ; abnforgery"),
    # Text that is not ABNF is an error up to the end of the line, at most.
    ('"a = b\nc', 'Error "a = b|Name c'),
    ("<a = b\nc", "Error <a = b|Name c"),
    ("%x4G %x %q %x1-", "Error %x4G|Error %x|Error %q|Error %x1-"),
    ("%x1-2-3 %b2", "Error %x1-2-3|Error %b2"),
    ("a ::= 'b'", "Name a|Error :|Error :|Operator =|Error '|Name b|Error '"),
    ("3 a", "Error 3|Name a"),
]


@each_row(("text", "expected"), CASES)
def test_tokens(text: str, expected: str) -> None:
    results = [
        f"{str(kind)[6:].removeprefix('Literal.')} {message.rstrip()}" for kind, message in tokens(text)
    ]
    assert results == [each.rstrip() for each in expected.split("|")]


@pytest.mark.parametrize("path", one_in(4, GRAMMARS), ids=lambda path: path.name)
def test_grammars_that_ship_have_no_errors(path) -> None:
    result = tokens(path.read_text("utf-8"))
    assert [results for kind, results in result if kind is Error] == []
    assert [kind for kind, _ in result if kind is Name.Function] or path.name.endswith(".mistakes.abnf")


def test_core_rules_are_built_in_but_where_they_are_defined() -> None:
    assert [result for kind, result in tokens(CORE_RULES) if kind is Name.Builtin] == []
    names = [rule.name for rule in core_rules().values()]
    assert tokens(" / ".join(names))[::2] == [(Name.Builtin, name) for name in names]


PIECES = st.sampled_from(
    [
        *'ab=/|"<>%;@*#()[]\n\r\t .-',
        "%x4",
        "%d1",
        "%s",
        ";@ match",
        ";@ of",
        "; abnforge:",
        "\r\n ",
        "é",
        "\0",
        "1",
        "'",
    ]
)


@law(st.one_of(st.text(), st.lists(PIECES).map("".join)), few=5, many=1_500)
def test_the_tokens_are_the_text(text: str) -> None:
    tokens(text)


@pytest.mark.parametrize(
    "text", one_in(3, ["a ; b\r\n ", '%x1."', "(", "a(b)", "a ", "%x1.1", ";@ match (a", "<", "1*"])
)
def test_long_texts(text: str) -> None:
    """The lexer reads each position only a few times. With quadratic work, the test would not end."""
    assert tokens(text * 3_000 + ";@ match (" + text.replace("\n", "") * 3_000)


def test_which_lexer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The alias and file names in docs/editors.md select this lexer, and not the ABNF lexer of Pygments."""
    result = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    results = [EntryPoint(*each, "pygments.lexers") for each in result["pygments.lexers"].items()]
    monkeypatch.setattr("pygments.plugin.iter_entry_points", lambda group: results)
    assert type(lexers.get_lexer_by_name("abnforge")) is AbnfLexer
    assert type(lexers.get_lexer_by_name("abnf")) is OfPygments
    assert type(lexers.get_lexer_for_filename("own.abnf")) is AbnfLexer
    assert type(lexers.guess_lexer_for_filename("own.abnf", "a = b\n")) is AbnfLexer


def test_kinds_are_those_that_styles_know() -> None:
    """A kind that Pygments does not define would have no color."""
    for expected in (expected for _, expected in CASES):
        for kind in (each.partition(" ")[0] for each in expected.split("|")):
            name = re.sub("^(String|Number)", r"Literal.\1", kind)
            assert string_to_tokentype(name) in pygments.token.STANDARD_TYPES
