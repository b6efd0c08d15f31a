"""Blocks of Markdown: fenced code, as CommonMark and kramdown have it.

A block is ABNF by its info string (three backquotes or tildes, then ``abnf``), or by the attributes that
kramdown-rfc has below it or above: ``{: type="abnf"}``, ``{:.language-abnf}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.draft import Draft
from abnforge.abnf.extract_blocks import NO_HEADING, Block, Found, Heading, numbered
from abnforge.rejection import Edit
from abnforge.source import Source

_OPENS = re.compile(r"([ \t>]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
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


def found(document: Source) -> Found:
    """The fenced blocks of a document; one that nothing closes reaches to its end. Cost: linear."""
    return Found(list(_blocks(document.text)))


def _lines(text: str) -> list[tuple[int, str]]:
    """Where each line starts, and the line without its end."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append((start, line.removesuffix("\r")))
        start += len(line) + 1
    return found


def _blocks(text: str) -> Iterator[Block]:
    lines = _lines(text)
    whole = Draft(text)
    heading = NO_HEADING
    numbers = _Numbers()
    index = 0
    while index < len(lines):
        line = lines[index][1]
        opening = _OPENS.fullmatch(line)
        if opening is None or (opening[2][0] == "`" and "`" in opening[3]):
            following = lines[index + 1][1] if index + 1 < len(lines) else ""
            heading = numbers.heading(line, following) or heading
            index += 1
            continue
        last = index + 1
        while last < len(lines) and not _ends(lines[last][1], opening[2]):
            last += 1
        info = opening[3].strip()
        above = _ATTRIBUTES.fullmatch(lines[index - 1][1]) if index else None
        below = _ATTRIBUTES.fullmatch(lines[last + 1][1]) if last + 1 < len(lines) else None
        named = bool(_INFO.match(info)) or any(
            _IS_ABNF.search(each[1]) for each in (above, below) if each is not None
        )
        if named or not info:
            begin = lines[index + 1][0] if index + 1 < len(lines) else len(text)
            end = lines[last][0] if last < len(lines) else len(text)
            if begin < end:
                yield Block(_unquoted(whole, begin, end, opening[1]), named, heading)
        index = last + 1


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
