"""ABNF out of documents: RFC plain text, RFC XML, Markdown (kramdown-rfc too) and HTML.

Where a document says which of its blocks are ABNF, those are taken as they stand, and others are told that
read as rules. Where it does not, rules are looked for in all its preformatted text. A definition that the
document repeats, as in its collected grammar, comes out once.

The text is an :class:`~abnforge.grammar.source_map.ExtractedSource`: all later messages have places of the
document. Blanks instead of all other text would keep offsets, but not where a document has ``&lt;`` for "<";
and rules in blocks of different indentation must begin in one column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from abnforge._arguments import choice_argument
from abnforge._lazy import importing
from abnforge.catalog import Message
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.binding import COLLECTED, SPACE, canonical, expand_lists, lists, optional_space
from abnforge.grammar.extract.text import (
    DocumentBlock,
    DocumentBlocks,
    ExtractedEntry,
    Heading,
    listed,
    searched,
    with_whole_prose,
)
from abnforge.grammar.messages import message
from abnforge.grammar.source_map import ExtractedSource, SourceMap, joined, written
from abnforge.grammar.syntax import LISTS, RuleDefinition, references
from abnforge.text import Source, Span

FORMS = ("text", "xml", "markdown", "html")
"""What a document can be written in."""

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
_HEAD = 2_000  # characters of a document in which its kind is looked for

_COLLECTED = re.compile(
    r"\b(collected|complete|consolidated|combined|full|formal|summary)\b.*\b(A?BNF|grammar|syntax)\b"
    r"|\b(A?BNF|grammar|syntax)\b.*\b(summary|collected)\b",
    re.IGNORECASE,
)


class ExtractionRemark(NamedTuple):
    """What was left out, or looks doubtful. ``first`` and ``last`` are lines of the document; ``counts`` is
    whether it looks like ABNF that is wanted.
    """

    first: int
    last: int
    message: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Extraction:
    """The ABNF of a document; ``form`` is what that is written in.

    ``rules`` counts the definitions that came out, ``repeated`` those that were left out since they say the
    same as an earlier one. ``remarks`` are in the document's order. ``errors`` are those among them by which
    rules of the document are missing: files that a block of ABNF includes, and that cannot be read.
    """

    source: ExtractedSource
    form: str
    rules: int
    repeated: int
    remarks: tuple[ExtractionRemark, ...]
    errors: tuple[GrammarError, ...] = ()


def form_of(name: str, text: str) -> str:
    """What a document is written in, by the end of its name, else by how its text begins: one of FORMS."""
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

    ``name`` stands for it in messages; ``form`` is one of :data:`FORMS`, or None to recognize it by name and
    text. With ``collected``, each rule comes out once: as the section that collects the grammar has it, if
    there is one, with what its rules need from the others. Otherwise definitions of the same name that differ
    all come out. ``folder`` is the directory of the document, with the files that it includes; without it,
    none is read.

    Raises ValueError for an unknown form, GrammarError for XML that is not well-formed. Cost: linear, but
    quadratic within a rule of running text, whose length has a limit.
    """
    form = form_of(name, text) if form is None else choice_argument(form, "form", FORMS)
    document = Source(text, name)
    found = _blocks(document, form, folder)
    extracting = _Extracting(document, found, collected)
    draft, rules = extracting.result()
    source = ExtractedSource(draft.text, name, draft, document, form in ("text", "markdown"))
    remarks = tuple(sorted(extracting.remarks))
    errors = tuple(
        GrammarError(problem, source=document, span=Span(offset, offset)) for offset, problem in found.missing
    )
    return Extraction(source, form, rules, extracting.repeated, remarks, errors)


def _blocks(document: Source, form: str, folder: Path | None) -> DocumentBlocks:
    with importing:
        if form == "xml":
            from abnforge.grammar.extract.markup import find_in_xml

            return find_in_xml(document)
        if form == "html":
            from abnforge.grammar.extract.markup import find_in_html

            return find_in_html(document)
        if form == "markdown":
            from abnforge.grammar.extract.markup import find_in_markdown

            return find_in_markdown(document, folder)
    return DocumentBlocks([DocumentBlock(SourceMap(document.text), named=False, flowing=True)])


class _Extracting:
    """The choice of what comes out of one document."""

    def __init__(self, document: Source, found: DocumentBlocks, collected: bool) -> None:
        self.document = document
        self.remarks: list[ExtractionRemark] = []
        self.repeated = 0
        for offset, problem in (*found.broken, *found.missing):
            line = document.position(offset)[0]
            self.remarks.append(ExtractionRemark(line, line, problem))
        named = any(block.named for block in found.blocks)
        entries: list[ExtractedEntry] = []
        for block in found.blocks:
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
        """Say something of the lines that an entry stands in."""
        first, last = _ends(entry.draft, self.document)
        self.remarks.append(ExtractionRemark(first, last, problem, counts))

    def _unnamed(self, block: DocumentBlock) -> None:
        """Return a block that nobody calls ABNF, beside others that are."""
        rules = [entry for entry in searched(block) if entry.rule]
        if rules:
            names = tuple(dict.fromkeys(entry.rule.name for entry in rules if entry.rule))
            first, last = _ends(rules[0].draft, self.document)[0], _ends(rules[-1].draft, self.document)[1]
            self.remarks.append(ExtractionRemark(first, last, message("block-unmarked", rules=names)))

    def _read(self, entries: Iterable[ExtractedEntry]) -> Iterable[ExtractedEntry]:
        """Entries that are rules; the others are told."""
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
        """Entries without definitions that are there already."""
        seen: dict[tuple[str, bool], set[object]] = {}
        kept = []
        for entry in entries:
            if entry.rule is not None:
                forms = _forms(entry.rule)
                known = seen.setdefault((entry.rule.name.lower(), entry.rule.incremental), set())
                if not forms.isdisjoint(known):
                    self.repeated += 1
                    continue
                known |= forms
            kept.append(entry)
        return kept

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
        """Each rule once: from the section that collects them, with what they need; otherwise the first."""
        section = _collecting(entries)
        chosen: dict[str, ExtractedEntry] = {}
        others: dict[str, ExtractedEntry] = {}
        kept: set[int] = set()
        for entry in entries:
            rule = entry.rule
            inside = section is None or _within(entry.heading, section)
            if rule is None:
                if inside or entry.unread is not None:
                    kept.add(id(entry))
            elif rule.incremental:
                if inside:
                    kept.add(id(entry))
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
        kept.update(map(id, chosen.values()))
        for entry in entries:
            if entry.rule is not None and id(entry) not in kept:
                self._passed_over(entry, entry.rule, chosen.get(entry.rule.name.lower()), section)
        return [entry for entry in entries if id(entry) in kept]

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
        """Return all entries in order, with comments that tell their sections, and the number of rules."""
        parts: list[SourceMap] = []
        before: Heading | None = None
        rules = 0
        for entry in self.entries:
            if entry.rule is not None or entry.unread is not None:
                rules += 1
            if entry.heading != before:
                gap = "\n" if parts else ""
                said = entry.heading.comment
                parts.append(written(gap + said if said else gap, entry.draft.at[0]))
                before = entry.heading
            elif parts and entry.apart and not _parted(parts[-1], entry.draft):
                parts.append(written("\n", entry.draft.at[0]))
            parts.append(entry.draft)
        return joined(parts), rules


def _parted(above: SourceMap, below: SourceMap) -> bool:
    """Return whether two entries need no blank line between them."""
    return below.text.count("\n") == 1 == above.text.count("\n") or not above.text.strip()


def _forms(rule: RuleDefinition) -> set[object]:
    """Return forms of a definition; it shares one with each definition that says the same. Collected grammars
    expand lists, in one way or another.
    """
    if not any(lists(rule.elements)):
        return {canonical(rule.elements)}
    space, source = optional_space(SPACE), Source("")
    with suppress(LimitExceeded):
        forms = (expand_lists(rule.elements, form, space, source) for form in (*LISTS, COLLECTED))
        return {rule.elements, *map(canonical, forms)}
    return {rule.elements}


def _ends(draft: SourceMap, document: Source) -> tuple[int, int]:
    """Return the first and the last line of the document that a draft has a part of."""
    own = [index for index, is_own in enumerate(draft.own) if is_own] or [0]
    return document.position(draft.at[own[0]])[0], document.position(draft.at[own[-1]])[0]


def _collecting(entries: Iterable[ExtractedEntry]) -> str | None:
    """Return the section that collects the grammar; of several, the one with the most rules."""
    counts: dict[str, int] = {}
    for entry in entries:
        number = entry.heading.number
        if entry.rule is not None and number and _COLLECTED.search(entry.heading.title):
            counts[number] = counts.get(number, 0) + 1
    return max(counts, key=lambda number: counts[number], default=None)


def _within(heading: Heading, section: str) -> bool:
    return heading.number == section or (heading.number or "").startswith(f"{section}.")
