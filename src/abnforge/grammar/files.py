"""Grammar files: ABNF, or a document that has ABNF in it, which is extracted."""

from __future__ import annotations

import re
from pathlib import Path

from abnforge._lazy import importing, lazy_pattern
from abnforge.errors import GrammarError
from abnforge.grammar.messages import message
from abnforge.grammar.parser import parse
from abnforge.grammar.reader import read_file
from abnforge.grammar.source_map import ExtractedSource

# What is always a document, and what may be a grammar, too.
_DOCUMENTS = (".xml", ".md", ".markdown", ".mkd", ".mkdn", ".mdown", ".html", ".htm", ".xhtml")
_EITHER = (".txt", ".text")

# What RFCs and Internet-Drafts have and grammars have not.
_MARKS = lazy_pattern(
    r"\[Page\s+[0-9ivxlc]+\]\s*$|^\s*(Request for Comments: *\d+|Internet-Draft\b|Network Working Group\b)"
    r"|^(Status of This Memo|Abstract|Table of Contents)\s*$"
    r"|^(\d{1,2}|Appendix [A-Z]|[A-Z]\.\d)(\.\d{1,2}){0,6}\.?[ \t]+[A-Z]\w+[^=\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


def is_document_name(name: str) -> bool:
    """Return whether the end of a name says that it is a document's, or that it may be."""
    return name.lower().endswith((*_DOCUMENTS, *_EITHER))


def read_grammar(path: Path) -> str | ExtractedSource:
    """Return the text of a grammar file; of a document, the ABNF in it, each rule once.

    Raises OSError, and GrammarError for a file that is too large, not UTF-8, or a document without ABNF.
    """
    return grammar_in(read_file(path), path)


def grammar_in(text: str, path: Path) -> str | ExtractedSource:
    """Return the grammar in the text of a file: all of it, or, if that is a document, the ABNF in it.

    Raises GrammarError for a document without ABNF, one that cannot be read, and one whose ABNF includes a
    file that cannot be.
    """
    name = path.name.lower()
    if not name.endswith(_DOCUMENTS) and not (name.endswith(_EITHER) and is_document(text)):
        return text
    with importing:
        from abnforge.grammar.extract import extract
    extraction = extract(text, str(path), collected=True, folder=path.parent)
    if extraction.errors:
        raise GrammarError.combine(extraction.errors)
    if not extraction.rules:
        raise GrammarError(
            message("document-without-abnf", form=extraction.form),
            path=str(path),
        )
    return extraction.source


def is_document(text: str) -> bool:
    """Whether a plain text is an RFC, a draft or the like: it does not read as a grammar and has what those
    have and grammars have not. Cost: linear.
    """
    return _MARKS.search(text) is not None and bool(parse(text)[1])
