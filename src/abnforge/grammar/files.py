"""Find grammars by name or by path: bundled, of the package ``abnf``, or in a file of ABNF or a document.

The ABNF of a document is extracted. The imports of a grammar are grammars by name or by path, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from abnforge._arguments import choice_argument, names_argument, plain_argument, sequence_argument
from abnforge._lazy import importing, lazy_pattern
from abnforge.catalog import ArgumentTypeError
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar.annotations import ImportDirective, import_directives
from abnforge.grammar.imports import Import, LinkOptions, bundled_grammar, link
from abnforge.grammar.messages import message
from abnforge.grammar.parser import parse
from abnforge.grammar.reader import read, read_file
from abnforge.grammar.shipped import PACKAGE_PREFIX, bundled_names
from abnforge.grammar.syntax import LISTS, RECIPIENT, BoundGrammar, Rulelist
from abnforge.messages import message as _message
from abnforge.records import replace
from abnforge.text import near_misses

if TYPE_CHECKING:
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
        raise GrammarError(message("document-without-abnf", form=extraction.form), path=str(path))
    return extraction.source


def is_document(text: str) -> bool:
    """Whether a plain text is an RFC, a draft or the like: it does not read as a grammar and has what those
    have and grammars have not. Cost: linear.
    """
    return _MARKS.search(text) is not None and bool(parse(text)[1])


MAX_IMPORT_DEPTH = 20
"""Files that import files: a specification takes rules from two or three others, and these from one."""


def grammar_at(
    source: str | os.PathLike[str], folder: Path | None = None, under: tuple[str, ...] = ()
) -> BoundGrammar:
    """A grammar by its bundled name, as ``abnf:NAME``, or by its path from a folder, for others to take rules
    from: names that it does not define are no error there. ``under`` are the files that lead to it.

    Raises UnknownNameError, OSError, GrammarError.
    """
    if isinstance(source, str):
        if source in bundled_names():
            return bundled_grammar(source)
        if source.startswith(PACKAGE_PREFIX):
            with importing:
                from abnforge.grammar.abnf_package import load_package

            return load_package(source.removeprefix(PACKAGE_PREFIX))
    path = (folder or Path()) / source
    if isinstance(source, str) and not path.exists() and not looks_like_path(source):
        head, *more = source.split(maxsplit=1)
        if more:
            problem = message("import-colon-missing", found=source, grammar=head, rules=more[0])
        elif near := _near(source):
            problem = message("import-unknown-near", grammar=source, near=near)
        else:
            problem = message("import-unknown", grammar=source)
        raise UnknownNameError(problem)
    real = os.path.realpath(path)
    if real in under or len(under) >= MAX_IMPORT_DEPTH:
        way = " > ".join(
            Path(each).name for each in (*under[under.index(real) if real in under else 0 :], real)
        )
        problem = (
            message("import-cycle", chain=way)
            if real in under
            else message("import-limit", limit=MAX_IMPORT_DEPTH, chain=way)
        )
        raise GrammarError(problem, code="import-directive", path=str(path))
    rulelist = read(read_grammar(path), str(path))
    linking = resolve_imports(rulelist, LinkOptions(allow_undefined=True), path.parent, (*under, real))
    return link(rulelist, path.stem, linking)


def _near(name: str) -> tuple[str, ...]:
    """Return the grammars whose names are close to a name that no bundled grammar has."""
    with importing:
        from abnforge.grammar.abnf_package import package_names

    if name in package_names():
        return (PACKAGE_PREFIX + name,)
    return tuple(near_misses(name, bundled_names()))


def resolve_imports(
    rulelist: Rulelist, linking: LinkOptions, folder: Path, under: tuple[str, ...] = ()
) -> LinkOptions:
    """The linking with what the text itself imports, which comes first. Raises GrammarError, which says where
    an import stands that cannot be had.
    """
    found = tuple(_resolve(directive, folder, under) for directive in import_directives(rulelist))
    return replace(linking, imports=(*found, *linking.imports)) if found else linking


def _resolve(directive: ImportDirective, folder: Path, under: tuple[str, ...]) -> Import:
    try:
        return Import(grammar_at(directive.grammar, folder, under), directive.rules, directive)
    except (UnknownNameError, OSError) as error:
        problem = (
            error.message
            if isinstance(error, UnknownNameError)
            else message("import-unreadable", file=directive.grammar, reason=error.strerror or str(error))
        )
        raise GrammarError(
            problem, code="import-directive", source=directive.source, span=directive.span
        ) from None


class _HasBound(Protocol):
    """What a loaded grammar was made of."""

    bound: BoundGrammar


class HasBoundGrammar(Protocol):
    """A grammar that is loaded, as callers have it."""

    compilation: _HasBound


GrammarSource = HasBoundGrammar | str | os.PathLike[str]
"""What rules can be taken from: a grammar, its name, or a file."""


def linked(
    imports: Sequence[GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
) -> LinkOptions:
    """What a grammar is put together with, out of a caller's arguments. Raises TypeError and ValueError for
    what is none, and what :func:`grammar_at` raises.
    """
    sequence_argument(imports, "imports", object, "grammar, name or path")
    texts = names_argument(define, "define", "texts of rules")
    form = choice_argument(lists, "lists", LISTS)
    return LinkOptions(tuple(map(_import, imports)), texts, bool(allow_undefined), form)


def _import(source: GrammarSource) -> Import:
    if isinstance(source, str):
        return Import(grammar_at(plain_argument(source, "imports")))
    if isinstance(source, os.PathLike):
        return Import(grammar_at(source))
    bound = getattr(getattr(source, "compilation", None), "bound", None)
    if not isinstance(bound, BoundGrammar):
        expected = "a sequence of Grammar, str or Path"
        raise ArgumentTypeError(
            _message("argument-type", name="imports", expected=expected, type=type(source).__name__)
        )
    return Import(bound)


def looks_like_path(source: str) -> bool:
    """Return whether a text that is not a grammar's name is meant as a file's."""
    return (
        os.path.exists(source)
        or os.sep in source
        or source.lower().endswith(".abnf")
        or is_document_name(source)
    )
