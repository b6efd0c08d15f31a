"""Find rules in running text, such as the plain text of an RFC or Internet-Draft, and in blocks of ABNF.

Page breaks are removed. Then, from every line that starts a definition, lines are added as long as they parse
as one rule. Lines that do not parse as a rule are skipped: prose, examples, diagrams. The layout around rules
does not count, since copies of RFCs lose it: continuation lines may lack indentation, and pages may lack
empty lines around them.

A line of pseudocode can look like a rule. One common case is skipped: ``result = ""``, which no grammar would
define. Everything else that parses as ABNF is extracted, and you must check the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from abnforge.catalog import Message
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar import lexer
from abnforge.grammar.messages import message
from abnforge.grammar.parser import parse
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.source_map import SourceMap, joined, written
from abnforge.grammar.syntax import Comment, RuleDefinition
from abnforge.grammar.syntax_errors import UnfinishedRuleError
from abnforge.rejection import Edit

_NUMBERED = re.compile(
    r"(?:(?P<appendix>Appendix)\s+)?"
    r"(?P<number>(?:[0-9]{1,3}|[A-Z](?=\.|(?<=Appendix .)))(?:\.[0-9]{1,3}){0,8})"
    r"[.:]?(?:\s+(?P<title>\S.*))?$"
)


MAX_PROSE_LINES = 5  # lines of a prose-val; RFC 2616 has one of three lines.

# Matches a line of a definition with prose that the line does not close, or that contains <">.
_PROSE = re.compile(
    r"""^[ \t]*(?:[A-Za-z][A-Za-z0-9_-]*[ \t]*=/?(?!=)|[/|])(?:[^\n;<"]|"[^"\n]*"|<[^<>\n]*>)*+"""
    r"""(?P<prose><(?![ \t">])(?:[^<>\n]|<">){1,200}+"""
    rf"""(?:\n[ \t]+(?:[^<>\n]|<">){{1,200}}+){{0,{MAX_PROSE_LINES - 1}}}+(?<![ \t])>)""",
    re.MULTILINE,
)
_LINE_END = re.compile(r"[ \t\r]*\n[ \t]*")


@dataclass(frozen=True, slots=True)
class Heading:
    """A section heading: a number, such as ``3.2`` or ``A.1``, and a title."""

    number: str | None
    title: str

    @property
    def comment(self) -> str:
        """A grammar comment that names the section of the rules below it."""
        kind = "Appendix" if self.number and self.number[0].isalpha() else "Section"
        return f"; {kind} {self.number}\n" if self.number else ""


NO_HEADING = Heading(None, "")


def numbered(line: str) -> Heading | None:
    """Return the heading of a line with a section number: ``3.2. Host``, ``Appendix A. ABNF``, ``B.1``."""
    match = _NUMBERED.match(line.strip())
    if match is None or (match["title"] is None and not match["appendix"] and "." not in match["number"]):
        return None
    return Heading(match["number"], match["title"] or "")


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A part of a document that may contain ABNF.

    ``named`` is True if the document marks it as ABNF. ``flowing`` is True for running text with prose, page
    breaks and headings.
    """

    draft: SourceMap
    named: bool
    heading: Heading = NO_HEADING
    flowing: bool = False


@dataclass(frozen=True, slots=True)
class ExtractedEntry:
    """A rule, or comments and empty lines, in the layout of the result; an entry ends with a line feed."""

    draft: SourceMap
    heading: Heading
    rule: RuleDefinition | None = None
    unread: GrammarError | None = None
    apart: bool = True
    """True if the result may need an empty line before the entry, since the document's layout is not kept."""


@dataclass(frozen=True, slots=True)
class DocumentBlocks:
    """The blocks of a document, and ``broken`` places (offset, message); places in ABNF are ``missing``."""

    blocks: list[DocumentBlock] = field(default_factory=list)
    broken: list[tuple[int, Message]] = field(default_factory=list)
    missing: list[tuple[int, Message]] = field(default_factory=list)


def with_whole_prose(draft: SourceMap) -> SourceMap:
    """Write each prose-val of a definition on one line, and replace ``<">`` in it. Cost: linear."""
    edits: list[Edit] = []
    for match in _PROSE.finditer(draft.text):
        start, text = match.start("prose"), match["prose"]
        edits += (Edit(start + part.start(), start + part.end(), " ") for part in _LINE_END.finditer(text))
        edits += (
            Edit(start + part.start(), start + part.end(), "DQUOTE") for part in re.finditer('<">', text)
        )
    if edits:
        draft.apply(edits)
    return draft


def laid_out(draft: SourceMap, lines: Iterable[tuple[int, int, int]]) -> SourceMap:
    """Return a draft of the specified lines, each with a start, an end and an indentation."""
    parts: list[SourceMap] = []
    for start, end, indent in lines:
        parts += [
            written(" " * indent, draft.at[start]),
            draft.part(start, end),
            written("\n", draft.at[end]),
        ]
    return joined(parts)


def listed(block: DocumentBlock) -> list[ExtractedEntry]:
    """Return the entries of a block of ABNF, with its rules in the first column."""
    entries = list(_listed(block))
    while entries and not entries[-1].draft.text.strip():
        entries.pop()
    first = next((index for index, entry in enumerate(entries) if entry.draft.text.strip()), 0)
    return [replace(entry, apart=entry is entries[first]) for entry in entries[first:]]


def _listed(block: DocumentBlock) -> Iterator[ExtractedEntry]:
    draft = block.draft
    lines = [_stripped(draft.text, *line) for line in lexer.lines(draft.text)]
    base = min((indent for _, _, indent, kind in lines if kind == "content"), default=0)
    index = 0
    for part in lexer.parts(draft.text):
        rule: RuleDefinition | None = None
        error: GrammarError | None = None
        first, index = index, index + 1
        if not isinstance(part, Comment):
            rule, error = rule_or_error(draft.text[part.start : part.end])
            while index < len(lines) and lines[index][1] <= part.end:
                index += 1
        placed = ((start, end, max(0, indent - base)) for start, end, indent, _ in lines[first:index])
        yield ExtractedEntry(laid_out(draft, placed), block.heading, rule, error)


def _stripped(text: str, start: int, end: int, indent: int, kind: str) -> tuple[int, int, int, str]:
    while end > start and text[end - 1] in " \t\r":
        end -= 1
    while start < end and text[start] in " \t":
        start += 1
    return start, end, indent if end > start else 0, kind


def rule_or_error(text: str) -> tuple[RuleDefinition | None, GrammarError | None]:
    """Parse a string as a rule in either of the two notations; return the rule or the error."""
    first: GrammarError | None = None
    for dialect in ("abnf", "rfc822"):
        rulelist, errors = parse(text, dialect=dialect)
        if not errors and len(rulelist.items) == 1 and rulelist.rules:
            return rulelist.rules[0], None
        unfinished = next((error for error in errors if isinstance(error, UnfinishedRuleError)), None)
        if unfinished is not None:
            return None, unfinished
        first = first or next(iter(errors), None)
    return None, first


MAX_RULE_LINES = 200  # maximum lines of one rule: the rule is parsed again for each further line

MAX_READINGS = 5
"""The maximum parsing effort, as a multiple of the document's length; RFCs are parsed once. If rules never
ended, each line would be parsed MAX_RULE_LINES times.
"""

MAX_RULE_CHARACTERS = 20_000
"""The maximum length of one rule in characters; the largest rule in an RFC has about 2,000."""

_FOOTER = re.compile(r"\[Page\s+[0-9ivxlc]+\]$", re.IGNORECASE)
_HEADER = re.compile(r"(RFC\s+\d+|Internet-Draft)\b.*\b(19|20)\d\d$", re.IGNORECASE)
_DEFINITION = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[ \t]*=/?(?!=)")
_CONTINUES = re.compile(r"[/|;)\]]")
_CODE = re.compile(r"<CODE (BEGINS|ENDS)>")
# A line that does not parse looks like a rule if "=" is followed by a sign that prose does not use.
_SEEMS = re.compile(r"""[A-Za-z][A-Za-z0-9_-]*[ \t]+=/?[ \t]+(?=.*["/%*\[(<])[^;]*(?<![.;,:])(;.+)?$""")
_LEADERS = re.compile(r"\.{4}|(\. ){4}")

NOTHING = '""'


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line without surrounding whitespace: its offsets in a draft, and its original indentation."""

    start: int
    end: int
    indent: int
    text: str


def searched(block: DocumentBlock) -> Iterator[ExtractedEntry]:
    """Yield the rules of a block, and the lines that look like a rule but do not parse.

    Cost: linear, but quadratic in the length of a rule.
    """
    lines = _without_page_breaks(block.draft.text) if block.flowing else list(_lines(block.draft.text))
    heading = block.heading
    rules = _Rules(lines, len(block.draft.text))
    index = 0
    while index < len(lines):
        line = lines[index]
        if not _DEFINITION.match(line.text):
            heading = (_heading(line) if block.flowing else None) or heading
            index += 1
            continue
        match, error = rules.at(index)
        if match is None:
            if _SEEMS.match(line.text):
                yield ExtractedEntry(_laid_out(block.draft, [line], line), heading, None, error)
            index += 1
            continue
        if print_alternation(match.rule.elements) != NOTHING:
            yield ExtractedEntry(_laid_out(block.draft, match.lines, line), heading, match.rule)
        index = match.next


@dataclass(frozen=True, slots=True)
class _Found:
    rule: RuleDefinition
    lines: Sequence[DocumentLine]
    next: int


def _lines(text: str) -> Iterator[DocumentLine]:
    for start, end, indent, kind in lexer.lines(text.replace("\f", "\n")):
        stripped = text[start:end].strip() if kind != "blank" else ""
        first = text.index(stripped, start)
        yield DocumentLine(first, first + len(stripped), indent, stripped)


def _without_page_breaks(text: str) -> list[DocumentLine]:
    """Return the lines without page footers, page headers, and the empty lines around them."""
    lines: list[DocumentLine] = []
    after_break = False
    for line in _lines(text):
        if _FOOTER.search(line.text[-80:]):
            while lines and not lines[-1].text:
                lines.pop()
            after_break = True
        elif after_break and (not line.text or _HEADER.match(line.text[:200])):
            continue
        else:
            lines.append(line)
            after_break = False
    return lines


def _heading(line: DocumentLine) -> Heading | None:
    """Return the section that a line begins, or None."""
    section = _announced(line)
    if section is not None:
        return Heading(section if " " not in section else None, "")
    if line.indent or not line.text or len(line.text) > 100:
        return None
    if line.text[0] == "#":
        return numbered(line.text.lstrip("# "))
    heading = numbered(line.text)
    if heading is None or (
        heading.title and not heading.title[0].isupper() and heading.title[0] not in "\"'"
    ):
        return None
    return None if _LEADERS.search(line.text) else heading


class _Rules:
    """The rules in the lines of a block."""

    def __init__(self, lines: Sequence[DocumentLine], characters: int) -> None:
        self.lines = lines
        self.left = self.most = characters * MAX_READINGS + MAX_RULE_CHARACTERS * MAX_RULE_LINES // 2

    def at(self, start: int) -> tuple[_Found | None, GrammarError | None]:
        """Return the longest rule that starts at a line, or the error."""
        first, lines = self.lines[start], self.lines
        run = self._run(start)
        if len(run) > 1:
            # Most rules consist of exactly the lines that belong to them by layout.
            rule, _ = self._read(_text(run))
            if rule is not None:
                return _Found(rule, run, start + len(run)), None
        rule_lines = [first]
        text = first.text
        depth = _depth(first)
        best: _Found | None = None
        error: GrammarError | None = None
        index = start
        while len(text) <= MAX_RULE_CHARACTERS:
            unfinished = depth > 0
            if not unfinished or len(rule_lines) == 1:
                rule, error = self._read(text)
                unfinished = isinstance(error, UnfinishedRuleError)
                if rule is not None:
                    best = _Found(rule, list(rule_lines), index + 1)
                elif not unfinished:
                    break
            index += 1
            after_empty_line = False
            while index < len(lines) and not lines[index].text:
                index, after_empty_line = index + 1, True
            if index == len(lines) or len(rule_lines) == MAX_RULE_LINES or _begins(lines[index]):
                break
            line = lines[index]
            # Prose with any indentation may follow a rule. A line is added if the rule is unfinished, if the
            # line can only continue a rule, or if the line is indented deeper than the rule.
            if not unfinished and not _continues(line, first, after_empty_line):
                break
            rule_lines.append(line)
            depth += _depth(line)
            text += "\n" + " " * _indent(line, first, _column(first)) + line.text
        return best, error

    def _run(self, start: int) -> list[DocumentLine]:
        """Return the lines that belong to a rule if its layout is correct."""
        first = self.lines[start]
        run = [first]
        size = len(first.text)
        for index in range(start + 1, min(len(self.lines), start + MAX_RULE_LINES)):
            line = self.lines[index]
            size += len(line.text)
            if not line.text or _begins(line) or not _continues(line, first, after_empty_line=False):
                break
            if size > MAX_RULE_CHARACTERS:
                break
            run.append(line)
        return run

    def _read(self, text: str) -> tuple[RuleDefinition | None, GrammarError | None]:
        self.left -= len(text)
        if self.left < 0:
            raise LimitExceeded(
                message("document-limit", limit=MAX_READINGS),
                operation="searching a document for rules",
                used=self.most - self.left,
                limit=self.most,
                setting="MAX_READINGS",
            )
        return rule_or_error(text)


def _begins(line: DocumentLine) -> bool:
    """Return whether a line cannot continue a rule."""
    return bool(_DEFINITION.match(line.text) or _CODE.match(line.text)) or _announced(line) is not None


def _announced(line: DocumentLine) -> str | None:
    """Return the section that a comment names."""
    return lexer.section_of(line.text[1:]) if line.text.startswith(";") else None


def _continues(line: DocumentLine, first: DocumentLine, after_empty_line: bool) -> bool:
    """Return whether a line belongs to a rule that may be complete."""
    deeper = line.indent > first.indent
    if line.text[0] == ";" and after_empty_line and not deeper:
        return False  # the comment applies to the next rule
    return bool(_CONTINUES.match(line.text)) or (not after_empty_line and deeper)


def _depth(line: DocumentLine) -> int:
    """Return the number of brackets that a line opens minus the number that it closes."""
    kinds = [token.kind for token in lexer.tokens(line.text, 0, len(line.text), "rfc822")]
    return sum(kind in ("(", "[") for kind in kinds) - sum(kind in (")", "]") for kind in kinds)


def _text(lines: Sequence[DocumentLine]) -> str:
    first, *others = lines
    column = _column(first)
    return "\n".join([first.text, *(" " * _indent(line, first, column) + line.text for line in others)])


def _column(first: DocumentLine) -> int:
    """Return the column of "=" in the first line of a rule."""
    return max(1, first.text.index("="))


def _indent(line: DocumentLine, first: DocumentLine, column: int) -> int:
    deeper = line.indent - first.indent
    return deeper if deeper > 0 else column


def _laid_out(draft: SourceMap, lines: Sequence[DocumentLine], first: DocumentLine) -> SourceMap:
    """Return the lines of a rule, moved so that the rule begins in the first column."""
    column = _column(first)
    indents = [0, *(_indent(line, first, column) for line in lines[1:])]
    return laid_out(draft, ((line.start, line.end, at) for line, at in zip(lines, indents, strict=True)))
