"""Find built-in grammars, grammars of the package ``abnf``, and grammars in files and documents.

A grammar is selected by name or by path, and so are its imports. The ABNF of a document is extracted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from abnforge._arguments import choice_argument, names_argument, plain_argument, sequence_argument
from abnforge._lazy import lazy, lazy_pattern
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

with lazy:
    from abnforge.grammar import abnf_package, extract

if TYPE_CHECKING:
    from abnforge.grammar.source_map import ExtractedSource

# Patterns for names of documents, and for names of documents or grammars.
_DOCUMENTS = (".xml", ".md", ".markdown", ".mkd", ".mkdn", ".mdown", ".html", ".htm", ".xhtml")
_EITHER = (".txt", ".text")

# Patterns for lines that occur in RFCs and Internet-Drafts and not in grammars.
_MARKS = lazy_pattern(
    r"\[Page\s+[0-9ivxlc]+\]\s*$|^\s*(Request for Comments: *\d+|Internet-Draft\b|Network Working Group\b)"
    r"|^(Status of This Memo|Abstract|Table of Contents)\s*$"
    r"|^(\d{1,2}|Appendix [A-Z]|[A-Z]\.\d)(\.\d{1,2}){0,6}\.?[ \t]+[A-Z]\w+[^=\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


def is_document_name(name: str) -> bool:
    """Return whether a file name is or may be the name of a document."""
    return name.lower().endswith((*_DOCUMENTS, *_EITHER))


def read_grammar(path: Path) -> str | ExtractedSource:
    """Return the content of a grammar file, or the ABNF of a document without duplicate rules.

    Raises OSError, and GrammarError if a file is too large or not UTF-8, or a document has no ABNF.
    """
    return grammar_in(read_file(path), path)


def grammar_in(text: str, path: Path) -> str | ExtractedSource:
    """Return the grammar in the content of a file: the whole content, or the ABNF of a document.

    Raises GrammarError if a document is malformed, has no ABNF, or includes an unreadable file in its ABNF.
    """
    name = path.name.lower()
    if not name.endswith(_DOCUMENTS) and not (name.endswith(_EITHER) and is_document(text)):
        return text
    extraction = extract.extract(text, str(path), collected=True, folder=path.parent)
    if extraction.errors:
        raise GrammarError.combine(extraction.errors)
    if not extraction.rules:
        raise GrammarError(message("document-without-abnf", form=extraction.form), path=str(path))
    return extraction.source


def is_document(text: str) -> bool:
    """Return whether plain text is an RFC or a draft: it has typical lines of one and is not valid ABNF.

    Cost: linear.
    """
    return _MARKS.search(text) is not None and bool(parse(text)[1])


MAX_IMPORT_DEPTH = 20
"""Maximum nesting depth of imports; specifications need about two levels."""


def grammar_at(
    source: str | os.PathLike[str], folder: Path | None = None, under: tuple[str, ...] = ()
) -> BoundGrammar:
    """Return a grammar by its built-in name, as ``abnf:NAME``, or by its path relative to ``folder``.

    The grammar may use undefined names, since other grammars import its rules. ``under`` contains the files
    whose imports led to the grammar. Raises UnknownNameError, OSError, GrammarError.
    """
    if isinstance(source, str):
        if source in bundled_names():
            return bundled_grammar(source)
        if source.startswith(PACKAGE_PREFIX):
            return abnf_package.load_package(source.removeprefix(PACKAGE_PREFIX))
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
        chain = " > ".join(
            Path(file).name for file in (*under[under.index(real) if real in under else 0 :], real)
        )
        problem = (
            message("import-cycle", chain=chain)
            if real in under
            else message("import-limit", limit=MAX_IMPORT_DEPTH, chain=chain)
        )
        raise GrammarError(problem, code="import-directive", path=str(path))
    rulelist = read(read_grammar(path), str(path))
    linking = resolve_imports(rulelist, LinkOptions(allow_undefined=True), path.parent, (*under, real))
    return link(rulelist, path.stem, linking)


def _near(name: str) -> tuple[str, ...]:
    """Return the names of grammars that are similar to an unknown name."""
    if name in abnf_package.package_names():
        return (PACKAGE_PREFIX + name,)
    return tuple(near_misses(name, bundled_names()))


def resolve_imports(
    rulelist: Rulelist, linking: LinkOptions, folder: Path, under: tuple[str, ...] = ()
) -> LinkOptions:
    """Return the options, with the imports that the grammar itself names inserted at the front.

    Raises GrammarError at the place of an import that fails.
    """
    own = tuple(_resolve(directive, folder, under) for directive in import_directives(rulelist))
    return replace(linking, imports=(*own, *linking.imports)) if own else linking


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
    """An object with a bound grammar, such as the compilation of a loaded grammar."""

    bound: BoundGrammar


class HasBoundGrammar(Protocol):
    """A loaded grammar of the public API."""

    compilation: _HasBound


GrammarSource = HasBoundGrammar | str | os.PathLike[str]
"""A source of imported rules: a grammar, its name, or a file."""


def linked(
    imports: Sequence[GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
    alphabet: str | None = None,
) -> LinkOptions:
    """Return the linking options for a caller's arguments.

    Raises TypeError and ValueError for invalid arguments, and the errors of :func:`grammar_at`.
    """
    sequence_argument(imports, "imports", object, "grammar, name or path")
    texts = names_argument(define, "define", "texts of rules")
    form = choice_argument(lists, "lists", LISTS)
    return LinkOptions(tuple(map(_import, imports)), texts, bool(allow_undefined), form, alphabet)


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
    """Return whether a string that does not name a grammar looks like a path."""
    return (
        os.path.exists(source)
        or os.sep in source
        or source.lower().endswith(".abnf")
        or is_document_name(source)
    )
