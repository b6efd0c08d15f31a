"""Extract ABNF from documents: RFC plain text, RFC XML, Markdown (including kramdown-rfc) and HTML.

If a document marks some of its blocks as ABNF, these blocks are extracted verbatim, and other blocks with
rules are reported. Otherwise all preformatted text is searched for rules. A definition that the document
repeats, for example in its collected grammar, is extracted once.

Read first: this file, then ``text`` (rules in running text) and ``markup`` (blocks of XML, HTML and
Markdown). The result is an :class:`~abnforge.grammar.source_map.ExtractedSource`: all later messages have
positions in the document. Replacing everything else with spaces would not be enough: ``&lt;`` for "<" changes
offsets, and rules from blocks with different indentation must begin in one column. This package does not
depend on how a grammar is bound or used.

:func:`find_examples` returns the strings in code blocks of one type. A document cannot show some details of a
string. So examples are read in this way:

* Indentation that all lines of a block share is removed, and so is a line end directly after the start tag in
  XML and HTML.

* Folded lines are unfolded if the block begins with the note of RFC 8792 ("line wrapping per RFC 8792").

* Lines end with LF, or with CRLF on request, since protocols use CRLF and documents do not.

* The end of the last line may belong to the string or not (:attr:`DocumentExample.texts`).

Offsets in an example map to the document, so reports have its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from abnforge._arguments import choice_argument
from abnforge._lazy import lazy
from abnforge.catalog import ArgumentError, Message
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.binding import COLLECTED, SPACE, canonical, expand_lists, lists
from abnforge.grammar.extract.text import (
    DocumentBlock,
    DocumentBlocks,
    ExtractedEntry,
    Heading,
    listed,
    searched,
    with_whole_prose,
)
from abnforge.grammar.formatter import formatted
from abnforge.grammar.messages import message
from abnforge.grammar.printer import print_rule
from abnforge.grammar.reader import read
from abnforge.grammar.source_map import ExtractedSource, SourceMap, joined, written
from abnforge.grammar.syntax import LISTS, RuleDefinition, references
from abnforge.rejection import Edit
from abnforge.text import Source, Span

with lazy:
    from abnforge.grammar.extract import markup

FORMS = ("text", "xml", "markdown", "html")  # the formats of documents

_ENDINGS = {
    "text": (".txt", ".text"),
    "xml": (".xml",),
    "markdown": (".md", ".markdown", ".mkd", ".mkdn", ".mdown"),
    "html": (".html", ".htm", ".xhtml"),
}
_XML = re.compile(r"\s*(<\?xml\b|<!DOCTYPE\s+rfc\b|<rfc\b)", re.IGNORECASE)
_HTML = re.compile(r"\s*(<!DOCTYPE\s+html\b|<html\b)", re.IGNORECASE)
_XHTML = re.compile(r"<!DOCTYPE\s+html\b|<html\b", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(```|~~~)|^--- (abstract|middle)\s*$", re.MULTILINE)
_HEAD = 2_000  # number of leading characters that decide the format

_COLLECTED = re.compile(
    r"\b(collected|complete|consolidated|combined|full|formal|summary)\b.*\b(A?BNF|grammar|syntax)\b"
    r"|\b(A?BNF|grammar|syntax)\b.*\b(summary|collected)\b",
    re.IGNORECASE,
)


class ExtractionRemark(NamedTuple):
    """A remark about a skipped or suspicious part of a document: the lines ``first`` to ``last``.

    ``counts`` is True if the lines look like ABNF that belongs to the grammar.
    """

    first: int
    last: int
    message: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Extraction:
    """The ABNF of a document in the format ``form``.

    ``rules`` is the number of extracted definitions, and ``repeated`` the number of definitions that repeat
    an earlier one. ``remarks`` are in source order; ``errors`` concern missing rules: files that cannot be
    included.
    """

    source: ExtractedSource
    form: str
    rules: int
    repeated: int
    remarks: tuple[ExtractionRemark, ...]
    errors: tuple[GrammarError, ...] = ()


def form_of(name: str, text: str) -> str:
    """Return the format of a document, one of FORMS, based on its file extension or first characters."""
    lower = name.lower()
    named = next((form for form, endings in _ENDINGS.items() if lower.endswith(endings)), None)
    head = text[:_HEAD]
    if named in ("markdown", "html"):
        return named
    if _HTML.match(head) or (_XML.match(head) and _XHTML.search(head)):
        return "html"
    if named == "xml" or _XML.match(head):
        return "xml"
    return "markdown" if named is None and _FENCE.search(text) else "text"


def extract(
    text: str,
    name: str = "<string>",
    form: str | None = None,
    *,
    collected: bool = False,
    folder: Path | None = None,
) -> Extraction:
    """Return the ABNF of a document.

    ``name`` is the document's name in messages; ``form`` is one of :data:`FORMS`, or None to detect it from
    the name and content. With ``collected``, each rule is extracted once: from the section that collects the
    grammar, if any, or from other sections if a collected rule needs it. Otherwise, all different definitions
    of a name are extracted. ``folder`` is the directory of the document and its included files; with None, no
    files are included.

    Raises ValueError for an unknown form, and GrammarError for XML that is not well-formed. Cost: linear, but
    quadratic in the length of a rule in running text, which is limited.
    """
    form = form_of(name, text) if form is None else choice_argument(form, "form", FORMS)
    document = Source(text, name)
    blocks = _blocks(document, form, folder)
    selection = _Extracting(document, blocks, collected)
    draft, rules = selection.result()
    source = ExtractedSource(draft.text, name, draft, document, form in ("text", "markdown"))
    remarks = tuple(sorted(selection.remarks))
    errors = tuple(
        GrammarError(problem, source=document, span=Span(offset, offset))
        for offset, problem in blocks.missing
    )
    return Extraction(source, form, rules, selection.repeated, remarks, errors)


def _blocks(document: Source, form: str, folder: Path | None) -> DocumentBlocks:
    if form == "xml":
        return markup.find_in_xml(document)
    if form == "html":
        return markup.find_in_html(document)
    if form == "markdown":
        return markup.find_in_markdown(document, folder)
    return DocumentBlocks([DocumentBlock(SourceMap(document.text), named=False, flowing=True)])


class _Extracting:
    """Selects the rules of a document."""

    def __init__(self, document: Source, blocks: DocumentBlocks, collected: bool) -> None:
        self.document = document
        self.remarks: list[ExtractionRemark] = []
        self.repeated = 0
        for offset, problem in (*blocks.broken, *blocks.missing):
            line = document.position(offset)[0]
            self.remarks.append(ExtractionRemark(line, line, problem))
        named = any(block.named for block in blocks.blocks)
        entries: list[ExtractedEntry] = []
        for block in blocks.blocks:
            block = replace(block, draft=with_whole_prose(block.draft))
            if block.named:
                entries += listed(block)
            elif named:
                self._unnamed(block)
            else:
                entries += self._read(searched(block))
        if collected:
            self.entries = self._each_once(entries)
        else:
            self.entries = self._once(entries)
            self._told_apart()

    def remark(self, entry: ExtractedEntry, problem: Message, counts: bool = True) -> None:
        """Add a remark about the lines of an entry."""
        first, last = _ends(entry.draft, self.document)
        self.remarks.append(ExtractionRemark(first, last, problem, counts))

    def _unnamed(self, block: DocumentBlock) -> None:
        """Report the rules of an unmarked block in a document with marked blocks."""
        rules = [entry for entry in searched(block) if entry.rule]
        if rules:
            names = tuple(dict.fromkeys(entry.rule.name for entry in rules if entry.rule))
            first, last = _ends(rules[0].draft, self.document)[0], _ends(rules[-1].draft, self.document)[1]
            self.remarks.append(ExtractionRemark(first, last, message("block-unmarked", rules=names)))

    def _read(self, entries: Iterable[ExtractedEntry]) -> Iterable[ExtractedEntry]:
        """Yield the rules, and report other entries."""
        for entry in entries:
            if entry.rule is not None:
                yield entry
            else:
                problem = (
                    message("rule-unreadable", problem=entry.unread.message)
                    if entry.unread
                    else message("rule-too-long")
                )
                self.remark(entry, problem)

    def _once(self, entries: Iterable[ExtractedEntry]) -> list[ExtractedEntry]:
        """Return the entries with repeated definitions removed."""
        seen: dict[tuple[str, bool], set[object]] = {}
        entries_kept = []
        for entry in entries:
            if entry.rule is not None:
                forms = _forms(entry.rule)
                earlier = seen.setdefault((entry.rule.name.lower(), entry.rule.incremental), set())
                if not forms.isdisjoint(earlier):
                    self.repeated += 1
                    continue
                earlier |= forms
            entries_kept.append(entry)
        return entries_kept

    def _told_apart(self) -> None:
        first: dict[str, ExtractedEntry] = {}
        for entry in self.entries:
            rule = entry.rule
            if rule is not None and not rule.incremental:
                other = first.setdefault(rule.name.lower(), entry)
                if other is not entry:
                    line = _ends(other.draft, self.document)[0]
                    self.remark(entry, message("rule-differs", name=rule.name, line=line))

    def _each_once(self, entries: Sequence[ExtractedEntry]) -> list[ExtractedEntry]:
        """Return each rule once: from the collecting section, or from elsewhere if a rule there needs it."""
        section = _collecting(entries)
        chosen: dict[str, ExtractedEntry] = {}
        others: dict[str, ExtractedEntry] = {}
        numbers: set[int] = set()
        for entry in entries:
            rule = entry.rule
            inside = section is None or _within(entry.heading, section)
            if rule is None:
                if inside or entry.unread is not None:
                    numbers.add(id(entry))
            elif rule.incremental:
                if inside:
                    numbers.add(id(entry))
            else:
                (chosen if inside else others).setdefault(rule.name.lower(), entry)
        pending = list(chosen.values())
        while pending:
            needs = pending.pop().rule
            for reference in references(needs.elements) if needs else ():
                key = reference.name.lower()
                if key not in chosen and key in others:
                    chosen[key] = others[key]
                    pending.append(others[key])
        numbers.update(map(id, chosen.values()))
        for entry in entries:
            if entry.rule is not None and id(entry) not in numbers:
                self._passed_over(entry, entry.rule, chosen.get(entry.rule.name.lower()), section)
        return [entry for entry in entries if id(entry) in numbers]

    def _passed_over(
        self, entry: ExtractedEntry, rule: RuleDefinition, other: ExtractedEntry | None, section: str | None
    ) -> None:
        if other is None or other.rule is None:
            problem = message("rule-not-collected", name=rule.name, section=section)
            self.remark(entry, problem, False)
        elif not _forms(other.rule).isdisjoint(_forms(rule)):
            self.repeated += 1
        else:
            line = _ends(other.draft, self.document)[0]
            problem = message("rule-differs-skipped", name=rule.name, line=line)
            self.remark(entry, problem, section is None)

    def result(self) -> tuple[SourceMap, int]:
        """Return all entries in order, with comments that name sections, and the number of rules."""
        parts: list[SourceMap] = []
        before: Heading | None = None
        rules = 0
        for entry in self.entries:
            if entry.rule is not None or entry.unread is not None:
                rules += 1
            if entry.heading != before:
                gap = "\n" if parts else ""
                comment = entry.heading.comment
                parts.append(written(gap + comment if comment else gap, entry.draft.at[0]))
                before = entry.heading
            elif parts and entry.apart and not _parted(parts[-1], entry.draft):
                parts.append(written("\n", entry.draft.at[0]))
            parts.append(entry.draft)
        return joined(parts), rules


APPENDIX_COLUMNS = 69  # the width of code in the plain text of an RFC (RFC 7994, section 4.3)


def appendix(extraction: Extraction) -> str:
    """Return the rules as the collected grammar of a document: sorted by name.

    Rules are folded after 69 columns (``APPENDIX_COLUMNS``). An empty line separates initial letters, and a
    comment names the section of the rules below it. Raises GrammarError for a syntax error. Cost: linear.
    """
    parts: list[str] = []
    initial = section = None
    for rule in sorted(read(extraction.source).rules, key=lambda rule: (rule.name.lower(), rule.incremental)):
        if parts and rule.name[0].lower() != initial:
            parts.append("\n")
        if rule.section is not None and rule.section != section:
            parts.append(Heading(rule.section, "").comment)
        initial, section = rule.name[0].lower(), rule.section
        parts.append(print_rule(rule) + "\n")
    return formatted("".join(parts), extraction.source.name, APPENDIX_COLUMNS, align=False)


def _parted(above: SourceMap, below: SourceMap) -> bool:
    """Return whether two entries need no empty line between them."""
    return below.text.count("\n") == 1 == above.text.count("\n") or not above.text.strip()


def _forms(rule: RuleDefinition) -> set[object]:
    """Return a definition's normal forms, one for each form of lists; equal definitions share a form."""
    if not any(lists(rule.elements)):
        return {canonical(rule.elements)}
    with suppress(LimitExceeded):
        forms = (expand_lists(rule.elements, form, SPACE, Source("")) for form in (*LISTS, COLLECTED))
        return {rule.elements, *map(canonical, forms)}
    return {rule.elements}


def _ends(draft: SourceMap, document: Source) -> tuple[int, int]:
    """Return the numbers of the first and last document lines that a draft comes from."""
    own = [index for index, is_own in enumerate(draft.own) if is_own] or [0]
    return document.position(draft.at[own[0]])[0], document.position(draft.at[own[-1]])[0]


def _collecting(entries: Iterable[ExtractedEntry]) -> str | None:
    """Return the section that collects the grammar; of several, the section with the most rules."""
    counts: dict[str, int] = {}
    for entry in entries:
        number = entry.heading.number
        if entry.rule is not None and number and _COLLECTED.search(entry.heading.title):
            counts[number] = counts.get(number, 0) + 1
    return max(counts, key=lambda number: counts[number], default=None)


def _within(heading: Heading, section: str) -> bool:
    return heading.number == section or (heading.number or "").startswith(f"{section}.")


LineEnd = Literal["lf", "crlf"]

_LINE_ENDS: dict[LineEnd, str] = {"lf": "\n", "crlf": "\r\n"}
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
    end = _LINE_ENDS[line_end]
    draft.apply([Edit(*match.span(), end) for match in _LINE_END.finditer(draft.text) if match[0] != end])


def _whole(draft: SourceMap) -> DocumentExample:
    last = re.search(r"\r?\n\Z", draft.text)
    return DocumentExample(draft, len(draft.text) if last is None else last.start())


def _by_line(draft: SourceMap, line_end: LineEnd) -> Iterator[DocumentExample]:
    start = 0
    for line in draft.text.split(_LINE_ENDS[line_end]):
        if line:
            yield DocumentExample(draft.part(start, start + len(line)), len(line))
        start += len(line) + len(_LINE_ENDS[line_end])
