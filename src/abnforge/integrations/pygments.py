"""Pygments: syntax highlighting of ABNF (Sphinx, MkDocs, terminals).

Pygments finds the lexer by its alias ``abnforge``; its own lexer has the alias ``abnf``. The lexer supports
RFC 5234 and RFC 7405, the lists of HTTP, the bars of RFC 822, and structured comments (``;@ match "a"``).
Text that is not ABNF is an Error token, at most to the end of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pygments.lexer import RegexLexer, bygroups, default, include
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from abnforge._lazy import lazy

with lazy:
    from abnforge.grammar import parser

_NAME = r"[A-Za-z][A-Za-z0-9_-]*+"
# Lines may end, and comments may occur, between a name and its "=". The pattern is possessive: it tries each
# position once.
_BEFORE_EQUALS = r"(?=(?:[ \t]|(?:;[^\n]*+)?\r?\n(?=[ \t]))*+=)"
_VALUE_ENDS = r"(?![A-Za-z0-9.-])"


def _values(letter: str, digit: str, token: Any) -> list[tuple[Any, ...]]:
    numbers = f"(%[{letter}{letter.upper()}]{digit}++)"
    return [
        (f"{numbers}(-)({digit}++){_VALUE_ENDS}", bygroups(token, Operator, token)),
        (rf"{numbers}(?=(?:\.{digit}++)*+{_VALUE_ENDS})", token, token[-1]),
    ]


def _more_values(digit: str, token: Any) -> list[Any]:
    return [(rf"(\.)({digit}++)", bygroups(Punctuation, token)), default("#pop")]


class AbnfLexer(RegexLexer):
    """A lexer for ABNF. Cost: linear."""

    name = "ABNF"
    url = "https://www.rfc-editor.org/info/std68"
    aliases = ["abnf", "abnforge"]  # noqa: RUF012
    filenames = ["*.abnf"]  # noqa: RUF012
    mimetypes = ["text/x-abnf"]  # noqa: RUF012
    priority = 0.1  # takes precedence over the lexer of Pygments for file names
    flags = re.MULTILINE

    tokens = {  # noqa: RUF012
        "root": [
            (r"[ \t\r\n]+", Whitespace),
            (r";@", Comment.Preproc, "directive"),
            (r"(;[ \t]*+)(abnforge:)", bygroups(Comment.Single, Comment.Preproc), "allow"),
            (r";[^\n]*+", Comment.Single),
            (_NAME + _BEFORE_EQUALS, Name.Function),
            (_NAME, Name),
            (r'(%[iIsS])("[^"\n]*+")', bygroups(String.Affix, String.Double)),
            (r'"[^"\n]*+"', String.Double),
            (r"<[^>\n]*+>", String.Doc),
            *_values("x", "[0-9A-Fa-f]", Number.Hex),
            *_values("d", "[0-9]", Number.Integer),
            *_values("b", "[01]", Number.Bin),
            (r"%[A-Za-z0-9.-]*+|[\"<][^\n]*+", Error),
            (r'[0-9]*+[*#][0-9]*+|[0-9]++(?=["%<(\[A-Za-z])', Operator),
            (r"=/?|[/|]", Operator),
            (r"[()\[\]]", Punctuation),
            (r".", Error),
        ],
        "Hex": _more_values("[0-9A-Fa-f]", Number.Hex),
        "Integer": _more_values("[0-9]", Number.Integer),
        "Bin": _more_values("[01]", Number.Bin),
        # Directives are parsed with their words; semicolons separate several directives on a line.
        "line-end": [(r"\n", Whitespace, "#pop"), (r"[ \t\r]+", Whitespace)],
        "directive": [
            include("line-end"),
            (r"(?:no-)?match(?![A-Za-z0-9-])", Keyword, ("#pop", "examples")),
            (r"[A-Za-z][A-Za-z0-9-]*+", Keyword, ("#pop", "arguments")),
            (r"[^\n]", Comment.Special, ("#pop", "arguments")),
        ],
        "examples": [
            (r"\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)", Comment.Special),
            include("arguments"),
        ],
        "arguments": [
            include("line-end"),
            (r";", Punctuation, ("#pop", "directive")),
            (r'"[^"\n]*+"', String.Double),
            (r"(%[xX][0-9A-Fa-f]++)", Number.Hex, "Hex"),
            (r"[A-Za-z][A-Za-z0-9-]*+(?:\.[0-9]++)?", Name),
            (r"[0-9]++(?:\.[0-9]++)*+", Number.Integer),
            (r"->|[(),:*]", Punctuation),
            (r".", Comment.Special),
        ],
        "allow": [
            include("line-end"),
            (r"[A-Za-z][A-Za-z0-9-]*+", Keyword),
            (r",", Punctuation),
            (r"[^\n]+", Comment.Special, "#pop"),
        ],
    }

    def get_tokens_unprocessed(self, text: str, stack: Any = ("root",)) -> Iterator[Any]:
        """Yield offsets, token types and strings. A core rule is built in unless the document defines it."""
        tokens = list(super().get_tokens_unprocessed(text, stack))
        built_in = parser.core_rules().keys() - {
            value.lower() for _, token, value in tokens if token is Name.Function
        }
        for start, token, value in tokens:
            yield start, Name.Builtin if token is Name and value.lower() in built_in else token, value
