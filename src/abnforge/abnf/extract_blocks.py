"""What is extracted from a document: blocks that may hold ABNF, and the rules in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from abnforge.abnf import lexing
from abnforge.abnf.draft import Draft, joined, written
from abnforge.abnf.model import Comment, Rule
from abnforge.abnf.parsing import parse
from abnforge.abnf.syntax_errors import UnfinishedRuleError
from abnforge.catalog import Message
from abnforge.errors import GrammarError
from abnforge.rejection import Edit

_NUMBERED = re.compile(
    r"(?:(?P<appendix>Appendix)\s+)?"
    r"(?P<number>(?:[0-9]{1,3}|[A-Z](?=\.|(?<=Appendix .)))(?:\.[0-9]{1,3}){0,8})"
    r"[.:]?(?:\s+(?P<title>\S.*))?$"
)


MAX_PROSE_LINES = 5
"""Lines of one prose-val. RFC 2616 has one of three."""

# A line of a definition with prose that it does not close, or that contains <">.
_PROSE = re.compile(
    r"""^[ \t]*(?:[A-Za-z][A-Za-z0-9_-]*[ \t]*=/?(?!=)|[/|])(?:[^\n;<"]|"[^"\n]*"|<[^<>\n]*>)*+"""
    r"""(?P<prose><(?![ \t">])(?:[^<>\n]|<">){1,200}+"""
    rf"""(?:\n[ \t]+(?:[^<>\n]|<">){{1,200}}+){{0,{MAX_PROSE_LINES - 1}}}+(?<![ \t])>)""",
    re.MULTILINE,
)
_LINE_END = re.compile(r"[ \t\r]*\n[ \t]*")


@dataclass(frozen=True, slots=True)
class Heading:
    """A section: ``3.2`` or ``A.1``, and its title."""

    number: str | None
    title: str

    @property
    def comment(self) -> str:
        """What says in a grammar that its rules are of this section."""
        kind = "Appendix" if self.number and self.number[0].isalpha() else "Section"
        return f"; {kind} {self.number}\n" if self.number else ""


NO_HEADING = Heading(None, "")


def numbered(line: str) -> Heading | None:
    """The heading that begins with a section's number: ``3.2.  Authority``, ``Appendix A. ABNF``, ``B.1``."""
    match = _NUMBERED.match(line.strip())
    if match is None or (match["title"] is None and not match["appendix"] and "." not in match["number"]):
        return None
    return Heading(match["number"], match["title"] or "")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document that may hold ABNF.

    ``draft`` is its text, and where each character stands in the document. ``named`` tells whether the
    document itself says that it is ABNF. ``flowing`` is a text with prose, page breaks and headings of its
    own.
    """

    draft: Draft
    named: bool
    heading: Heading = NO_HEADING
    flowing: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule, or comments and blank lines, in the layout that it is to have; it ends with a line feed."""

    draft: Draft
    heading: Heading
    rule: Rule | None = None
    unread: GrammarError | None = None
    apart: bool = True
    """Whether its layout is not that of the document, where something stands directly before it."""


@dataclass(frozen=True, slots=True)
class Found:
    """The blocks of a document, and places (offset, message) that cannot be read; those of ``missing`` are
    within a block that is ABNF.
    """

    blocks: list[Block] = field(default_factory=list)
    broken: list[tuple[int, Message]] = field(default_factory=list)
    missing: list[tuple[int, Message]] = field(default_factory=list)


def with_whole_prose(draft: Draft) -> Draft:
    """Write each prose-val of a definition as ABNF has it: on one line, and without ">" in it.

    Cost: linear.
    """
    edits: list[Edit] = []
    for match in _PROSE.finditer(draft.text):
        start, text = match.start("prose"), match["prose"]
        edits += (Edit(start + each.start(), start + each.end(), " ") for each in _LINE_END.finditer(text))
        edits += (
            Edit(start + each.start(), start + each.end(), "DQUOTE") for each in re.finditer('<">', text)
        )
    if edits:
        draft.apply(edits)
    return draft


def laid_out(draft: Draft, lines: Iterable[tuple[int, int, int]]) -> Draft:
    """Lines of a draft as a draft of their own. Each is given by where it starts and ends, without white
    space around it, and by how deep it is to be indented.
    """
    parts: list[Draft] = []
    for start, end, indent in lines:
        parts += [
            written(" " * indent, draft.at[start]),
            draft.part(start, end),
            written("\n", draft.at[end]),
        ]
    return joined(parts)


def listed(block: Block) -> list[Entry]:
    """All that stands in a block that is ABNF, in its order, with the first column where its rules begin."""
    entries = list(_listed(block))
    while entries and not entries[-1].draft.text.strip():
        entries.pop()
    first = next((index for index, entry in enumerate(entries) if entry.draft.text.strip()), 0)
    return [replace(entry, apart=entry is entries[first]) for entry in entries[first:]]


def _listed(block: Block) -> Iterator[Entry]:
    draft = block.draft
    lines = [_stripped(draft.text, *line) for line in lexing.lines(draft.text)]
    base = min((indent for _, _, indent, kind in lines if kind == "content"), default=0)
    index = 0
    for part in lexing.parts(draft.text):
        rule: Rule | None = None
        error: GrammarError | None = None
        first, index = index, index + 1
        if not isinstance(part, Comment):
            rule, error = rule_or_error(draft.text[part.start : part.end])
            while index < len(lines) and lines[index][1] <= part.end:
                index += 1
        laid = ((start, end, max(0, indent - base)) for start, end, indent, _ in lines[first:index])
        yield Entry(laid_out(draft, laid), block.heading, rule, error)


def _stripped(text: str, start: int, end: int, indent: int, kind: str) -> tuple[int, int, int, str]:
    while end > start and text[end - 1] in " \t\r":
        end -= 1
    while start < end and text[start] in " \t":
        start += 1
    return start, end, indent if end > start else 0, kind


def rule_or_error(text: str) -> tuple[Rule | None, GrammarError | None]:
    """The rule that a text is in one of the two notations; otherwise why it is none."""
    first: GrammarError | None = None
    for dialect in ("abnf", "rfc822"):
        rulelist, errors = parse(text, dialect=dialect)
        if not errors and len(rulelist.items) == 1 and rulelist.rules:
            return rulelist.rules[0], None
        found = next((each for each in errors if isinstance(each, UnfinishedRuleError)), None)
        if found is not None:
            return None, found
        first = first or next(iter(errors), None)
    return None, first
