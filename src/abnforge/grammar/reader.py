"""Read grammars: decode bytes, and parse a string into a syntax tree with every error and its fix.

Only ``grammar.parser`` defines ABNF. For any other input, ``grammar.repair`` finds and fixes other notations.
Rules that parse after these fixes are checked along with the other rules, so applying the edits reveals no
new errors. Structured comments are parsed here once and stored in the tree (``grammar.annotations``). Cost:
linear.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from abnforge._lazy import lazy, lazy_pattern
from abnforge.errors import GrammarError
from abnforge.grammar.messages import message
from abnforge.grammar.parser import parse
from abnforge.grammar.syntax import Rulelist
from abnforge.records import replace
from abnforge.text import Source, Span

with lazy:
    from abnforge.grammar import annotations as grammar_annotations
    from abnforge.grammar import repair

if TYPE_CHECKING:
    from pathlib import Path

MAX_GRAMMAR_BYTES = 4 * 1024 * 1024
"""The largest size of a grammar file; grammars in RFCs have some tens of kilobytes."""

_ANNOTATED = lazy_pattern(r";@|abnforge:[ \t]*allow", re.IGNORECASE)


def read_file(path: Path) -> str:
    """Return the decoded content of a grammar file without a byte order mark.

    Raises OSError, and GrammarError if the file is too large or not UTF-8.
    """
    with path.open("rb") as file:
        return decoded(file, str(path))


def decoded(file: IO[bytes], name: str) -> str:
    """Decode an open file, called ``name`` in messages. Raises the same errors as :func:`read_file`."""
    return grammar_text(file.read(MAX_GRAMMAR_BYTES + 1), name)


def grammar_text(data: bytes, name: str) -> str:
    """Decode the bytes of a grammar, called ``name`` in errors, and remove the byte order mark.

    Raises GrammarError if the data is too large or not UTF-8.
    """
    if len(data) > MAX_GRAMMAR_BYTES:
        raise GrammarError(message("file-limit", limit=MAX_GRAMMAR_BYTES), code="file-too-large", path=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(errors="replace")
        source = Source(before, name)
        raise GrammarError(
            message("file-encoding", offset=error.start, byte=f"0x{data[error.start]:02X}"),
            source=source,
            span=Span(len(before), len(before)),
        ) from None


def read(text: str | Source, name: str = "<string>", dialect: str | None = None) -> Rulelist:
    """Read a grammar; the tree of a grammar without rules is empty.

    ``name`` is the name of the grammar in messages; a Source has its own name and positions. ``dialect`` is
    ``"abnf"``, ``"rfc822"`` or None. With None, a ``|`` between elements, or a ``_`` in the name of a defined
    rule, selects ``"rfc822"``.

    Raises :class:`GrammarError` with every error (``.errors``, at most
    :data:`~abnforge.grammar.syntax_errors.MAX_ERRORS`); :class:`LimitExceeded` if the first error is an
    exceeded limit. Cost: linear.
    """
    rulelist, errors = read_partial(text, name, dialect)
    if errors:
        raise GrammarError.combine(errors)
    return rulelist


def read_partial(
    text: str | Source, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """Read a grammar that may have errors; return the rules that parse and the errors.

    The result includes rules that parse only after the fixes for their errors are applied.

    The errors are in source order. A rule that RFC 5234 forbids but whose meaning is clear (``5*3ALPHA``,
    ``%x5A-41``) is in the tree *and* has an error. If the same mistake from another notation occurs in
    several places, one error has the edits for all of them.
    """
    rulelist, errors = parse(text, name, dialect)
    if errors:
        rulelist, errors = repair.repaired(rulelist)
    if rulelist.items and _ANNOTATED.search(rulelist.source.text):
        rulelist = replace(rulelist, annotations=tuple(grammar_annotations.read_annotations(rulelist)))
    return rulelist, errors
