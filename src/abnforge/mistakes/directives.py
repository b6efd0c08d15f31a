"""The directives of mistakes: ``;@ of port; blame junk; fix digits``, cut up by ``grammar.annotations``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.grammar.annotations import Arguments as AnyArguments
from abnforge.grammar.annotations import Directive, DirectiveError
from abnforge.grammar.annotations import directives as any_directives
from abnforge.grammar.messages import message
from abnforge.near_misses import near_misses
from abnforge.source import Source, Span

CODE = "mistake-directive"
"""What errors about these directives are called."""

PLACES = ("of", "before", "after")

MEANINGS = {
    "of": 'of RULE... or of RULE "literal"',
    "before": "before RULE...",
    "after": "after RULE...",
    "each": 'each T: member... (each may carry a "text")',
    "blame": "blame SLOT... (or all, start, end)",
    "fix": "fix SLOT, text or map...; or fix none",
    "cost": "cost NUMBER",
    "code": "code NAME",
    "inner": "inner RULE...",
    "about": "about RULE",
    "unwanted": "unwanted",
    "say": 'say "sentence"',
    "section": "section 3.2.3, or section RFC 5952, section 4",
    "example": 'example [RULE] "wrong" -> "right" (or none)',
    "near": 'near [RULE] "valid"',
    "seen": 'seen "where"',
    "adopt": "adopt GRAMMAR",
    "without": "without MISTAKE...",
    "only": "only MISTAKE...",
    "without-example": 'without-example "wrong"',
    "as": "as RULE NAME... (a rule there, and its name here)",
    "complete": "complete",
}
"""Every directive of a mistake, with how it is written."""

SEVERAL = frozenset({"example", "near", "seen", "inner"})
"""Directives that may stand more than once above one rule."""

ADOPTING = ("adopt", "without", "without-example", "only", "as")
"""Directives about another grammar's mistakes: they stand at the head of a file, above a blank line."""

COMPLETE = "complete"
"""The directive at the head of a file that no further mistakes are derived."""

ELSEWHERE = frozenset({"allow", "import", "except", "match", "no-match"})
"""Structured comments of the same form that are for other readers."""

MAY_DECLARE = re.compile(
    r"^[ \t]*;@(?:[^\n]*;)?[ \t]*(?:(?:of|before|after|each)[ \t]|complete[ \t\r]*(?:;|$))", re.MULTILINE
)
"""What a text that declares mistakes has in it."""


def directives(source: Source, start: int, end: int) -> Iterator[Directive]:
    """The directives of one line, ``start`` being the offset behind its ``;@``.

    Those that are for other readers are left out. Raises DirectiveError.
    """
    for directive in any_directives(source, start, end, CODE, ELSEWHERE):
        if directive.word not in MEANINGS:
            near = near_misses(directive.word, MEANINGS)
            start = directive.span.start
            span = Span(start, start + len(directive.word))
            raise error(source, span, message("directive-misspelled", word=directive.word, near=near))
        yield directive


class Arguments(AnyArguments):
    """What stands behind the word of a directive of mistakes."""

    def __init__(self, source: Source, directive: Directive) -> None:
        super().__init__(source, directive, MEANINGS[directive.word], CODE)


def error(source: Source, span: Span, message: str) -> DirectiveError:
    """An error about a place in the directives."""
    return DirectiveError(message, code=CODE, source=source, span=span)
