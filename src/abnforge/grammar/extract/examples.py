"""Find the examples of a document: strings in its code blocks of one type.

A document cannot show some details of a string. So examples are read in this way:

* Indentation that all lines of a block share is removed, and so is a line end directly after the start tag in
  XML and HTML.

* Folded lines are unfolded if the block begins with the note of RFC 8792 ("line wrapping per RFC 8792").

* Lines end with LF, or with CRLF on request, since protocols use CRLF and documents do not.

* The end of the last line may belong to the string or not (:attr:`DocumentExample.texts`).

Read first: :func:`find_examples`. Offsets in an example map to the document, so reports have its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from abnforge.catalog import ArgumentError
from abnforge.errors import GrammarError
from abnforge.grammar.extract import form_of, markup
from abnforge.grammar.messages import message
from abnforge.grammar.source_map import SourceMap
from abnforge.rejection import Edit
from abnforge.text import Source, Span

LineEnd = Literal["lf", "crlf"]

_ENDS: dict[LineEnd, str] = {"lf": "\n", "crlf": "\r\n"}
_LINE_END = re.compile(r"\r?\n")
_LAST_END = re.compile(r"\r?\n[ \t]*\Z")
_INDENTATION = re.compile(r"^[ \t]*(?=[^ \t\r\n])", re.MULTILINE)
_FOLDED = re.compile(r"[= \t]*NOTE: '(\\{1,2})' line wrapping per RFC 8792[= \t]*\r?\n(?:[ \t]*\r?\n)?")
_FOLDS = {"\\": re.compile(r"\\\r?\n[ \t]*"), "\\\\": re.compile(r"\\\r?\n[ \t]*\\")}


@dataclass(frozen=True, slots=True)
class DocumentExample:
    """An example in a document. ``draft`` has its text, with the end of its last line, and its place."""

    draft: SourceMap
    end: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The string without the end of its last line and, if that differs, with it."""
        text = self.draft.text
        return (text,) if self.end == len(text) else (text[: self.end], text)


def find_examples(
    document: Source,
    kind: str,
    *,
    form: str | None = None,
    folder: Path | None = None,
    line_end: LineEnd = "lf",
    by_line: bool = False,
) -> list[DocumentExample]:
    """Return the examples in the blocks of a type, in the order of the document.

    ``form`` is one of :data:`~abnforge.grammar.extract.FORMS`, or None to detect it; ``folder`` is the
    directory of included files, or None. With ``by_line``, each line that is not empty is one example. Raises
    GrammarError for XML that is not well-formed and for files that cannot be included, and ValueError for
    plain text, whose blocks have no types. Cost: linear.
    """
    form = form_of(document.name, document.text) if form is None else form
    pattern = re.escape(kind)
    if form == "xml":
        blocks = markup.find_in_xml(document, pattern)
    elif form == "html":
        blocks = markup.find_in_html(document, pattern)
    elif form == "markdown":
        blocks = markup.find_in_markdown(document, folder, pattern)
    else:
        raise ArgumentError(message("examples-in-text", document=document.name))
    if blocks.missing:
        raise GrammarError.combine(
            [
                GrammarError(problem, source=document, span=Span(offset, offset))
                for offset, problem in blocks.missing
            ]
        )
    examples: list[DocumentExample] = []
    for block in blocks.blocks:
        if block.named:
            _clean(block.draft, line_end, tagged=form != "markdown")
            examples += _by_line(block.draft, line_end) if by_line else [_whole(block.draft)]
    return examples


def _clean(draft: SourceMap, line_end: LineEnd, *, tagged: bool) -> None:
    """Remove what belongs to the document, and give all lines the same end."""
    if tagged:
        start = _LINE_END.match(draft.text)
        last = _LAST_END.search(draft.text)
        after = [] if last is None else [Edit(last.end() - len(last[0].lstrip("\r\n")), last.end(), "")]
        draft.apply([*([] if start is None else [Edit(*start.span(), "")]), *after])
    indents = [match[0] for match in _INDENTATION.finditer(draft.text)]
    shared = min(map(len, indents), default=0)
    if shared:
        draft.apply(
            Edit(match.start(), match.start() + min(shared, len(match[0])), "")
            for match in re.finditer(r"^[ \t]*", draft.text, re.MULTILINE)
        )
    note = _FOLDED.match(draft.text)
    if note is not None:
        draft.apply([Edit(*note.span(), "")])
        draft.apply([Edit(*match.span(), "") for match in _FOLDS[note[1]].finditer(draft.text)])
    end = _ENDS[line_end]
    draft.apply([Edit(*match.span(), end) for match in _LINE_END.finditer(draft.text) if match[0] != end])


def _whole(draft: SourceMap) -> DocumentExample:
    last = re.search(r"\r?\n\Z", draft.text)
    return DocumentExample(draft, len(draft.text) if last is None else last.start())


def _by_line(draft: SourceMap, line_end: LineEnd) -> Iterator[DocumentExample]:
    start = 0
    for line in draft.text.split(_ENDS[line_end]):
        if line:
            yield DocumentExample(draft.part(start, start + len(line)), len(line))
        start += len(line) + len(_ENDS[line_end])
