"""Blocks of Markdown: fenced code and indented code, as CommonMark and kramdown have it.

A block is ABNF by its info string (three backquotes or tildes, then ``abnf``), or by the attributes that
kramdown-rfc has below it or above: ``{: type="abnf"}``, ``{:.language-abnf}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from abnforge.abnf.draft import Draft
from abnforge.abnf.extract_blocks import NO_HEADING, Block, Found, Heading, numbered
from abnforge.abnf.extract_includes import Includes
from abnforge.rejection import Edit
from abnforge.source import Source

_OPENS = re.compile(r"([ \t>]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_CLOSES = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*")
_INFO = re.compile(r"""\{?[:.\s]*(?:language-|lang-)?abnf[0-9]*(?=[\s}{"'.,:;]|$)""", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"[ \t]*\{:(?!:)([^\n]*)\}")
_IS_ABNF = re.compile(
    r"""(?:(?:^|\s)(?:sourcecode-|artwork-)?type\s*=\s*["']?|\.(?:language-|lang-)?)abnf[0-9]*(?=["'\s.}]|$)""",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6})[ \t]+([^\n]*)")
_ANCHOR = re.compile(r"\s*\{[:#][^}\n]{0,200}\}|\s*#+\s*$")
_UNNUMBERED = re.compile(r"numbered\s*=\s*[\"']?false|\.unnumbered|\{-\}", re.IGNORECASE)
_PART = re.compile(r"--- (middle|back)\s*")


def found(document: Source, folder: Path | None = None) -> Found:
    """The blocks of code in a document; a fence that nothing closes reaches to its end.

    ``folder`` has the files that it includes. Cost: linear.
    """
    result = Found()
    includes = Includes(document.text, folder, document.name)
    for block in _blocks(includes.draft, includes, result):
        draft, missing = includes.without(block.draft)
        result.blocks.append(replace(block, draft=draft))
        (result.missing if block.named else result.broken).extend(missing)
    return result


def _lines(text: str) -> list[tuple[int, str]]:
    """Where each line starts, and the line without its end."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append((start, line.removesuffix("\r")))
        start += len(line) + 1
    return found


def _blocks(whole: Draft, includes: Includes, result: Found) -> Iterator[Block]:
    text = whole.text
    lines = _lines(text)
    heading = NO_HEADING
    numbers = _Numbers()
    index = 0
    while index < len(lines):
        line = lines[index][1]
        opening = _OPENS.fullmatch(line)
        if opening is None or (opening[2][0] == "`" and "`" in opening[3]):
            last = _indented(lines, index)
            if last > index:
                yield Block(whole.part(lines[index][0], lines[last][0]), _marked(lines, index, last), heading)
                index = last
                continue
            following = lines[index + 1][1] if index + 1 < len(lines) else ""
            heading = numbers.heading(line, following) or heading
            start = lines[index][0]
            result.broken.extend(includes.without(whole.part(start, start + len(line)))[1])
            index += 1
            continue
        last = index + 1
        while last < len(lines) and not _ends(lines[last][1], opening[2]):
            last += 1
        info = opening[3].strip()
        named = bool(_INFO.match(info)) or _marked(lines, index, last + 1)
        if named or not info:
            begin = lines[index + 1][0] if index + 1 < len(lines) else len(text)
            end = lines[last][0] if last < len(lines) else len(text)
            if begin < end:
                yield Block(_unquoted(whole, begin, end, opening[1]), named, heading)
        index = last + 1


def _marked(lines: list[tuple[int, str]], first: int, end: int) -> bool:
    """Return whether attributes above or below a block, between two lines, say that it is ABNF."""
    beside = [lines[place][1] for place in (first - 1, end) if 0 <= place < len(lines)]
    attributes = [match[1] for match in map(_ATTRIBUTES.fullmatch, beside) if match is not None]
    return any(_IS_ABNF.search(each) for each in attributes)


def _indented(lines: list[tuple[int, str]], first: int) -> int:
    """Return the line after the block of indented code that begins in a line. Return that line itself if no
    block begins there: within a paragraph, an indented line is text.
    """
    if not lines[first][1].strip():
        return first
    above = lines[first - 1][1] if first else ""
    if above.strip() and not _ATTRIBUTES.fullmatch(above) and not _HEADING.fullmatch(above):
        return first
    end = index = first
    while index < len(lines) and not _OPENS.fullmatch(line := lines[index][1]):
        if line.strip():
            if not _INDENTED.match(line):
                break
            end = index + 1
        index += 1
    return min(end, len(lines) - 1)


def _ends(line: str, fence: str) -> bool:
    closing = _CLOSES.fullmatch(line)
    return closing is not None and closing[1].startswith(fence)


def _unquoted(whole: Draft, start: int, end: int, before: str) -> Draft:
    """What stands in a block, without the ">" of a quotation around it."""
    part = whole.part(start, end)
    depth = before.count(">")
    if depth:
        from_line = re.compile(rf"^[ \t]*(?:>[ \t]?){{1,{depth}}}", re.MULTILINE)
        part.apply(Edit(*match.span(), "") for match in from_line.finditer(part.text))
    return part


class _Numbers:
    """The numbers of sections: those that headings have, or, in kramdown-rfc, those that they will have."""

    def __init__(self) -> None:
        self.part = ""
        self.counts: list[int] = []

    def heading(self, line: str, following: str) -> Heading | None:
        """The heading that a line is; the line below it may say more about it."""
        part = _PART.fullmatch(line)
        if part:
            self.part, self.counts = part[1], []
            return NO_HEADING
        match = _HEADING.fullmatch(line)
        if match is None:
            return None
        title = _ANCHOR.sub("", match[2]).strip()
        if not self.part:
            return numbered(title) or Heading(None, title)
        if _UNNUMBERED.search(match[2]) or (
            _ATTRIBUTES.fullmatch(following) and _UNNUMBERED.search(following)
        ):
            return Heading(None, title)
        level = len(match[1])
        self.counts = [*self.counts[:level], *[0] * (level - len(self.counts))]
        self.counts[level - 1] += 1
        first, *others = self.counts
        begin = chr(ord("A") + max(0, min(first, 26) - 1)) if self.part == "back" else str(first)
        return Heading(".".join([begin, *map(str, others)]), title)
