"""Blocks of HTML: ``pre`` elements, as those of RFCs at the RFC Editor's, of drafts, and of web pages.

A block is ABNF by a class of its own, of an element around it or of the ``code`` in it: ``abnf``,
``lang-abnf``, ``language-abnf``, ``highlight-source-abnf``. Pages of an RFC that was made HTML from its plain
text are one running text.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from abnforge.abnf.draft import Draft, joined, written
from abnforge.abnf.extract_blocks import NO_HEADING, Block, Found, Heading, numbered
from abnforge.abnf.messages import message
from abnforge.catalog import Message
from abnforge.source import Source

MAX_OPEN = 1_000
"""Elements within one another of which it is known whether they are ABNF: web pages have some tens."""

MAX_ROUNDS = 100
"""Times that reading begins anew: the parser stops at a reference such as ``&#x;``, and goes on if asked."""

_ABNF = re.compile(r"(?:[a-z-]*-)?abnf[0-9]*")
_PAGE = "newpage"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_AROUND = ("div", "figure", "section", "td", "li")


def found(document: Source) -> Found:
    """The preformatted blocks of a document. What follows a tag or comment that never ends is not read, and
    told. Cost: linear.
    """
    reader = _Reader(document)
    broken = reader.broken
    rest = ""
    try:
        for _ in range(MAX_ROUNDS):
            reader.feed("" if rest else document.text)
            if len(reader.rawdata) in (0, len(rest)):
                break
            rest = reader.rawdata
    except AssertionError:  # what older Pythons make of "<![" with no name behind it
        broken.append((reader.at(), message("markup-unknown")))
    else:
        # close() would look for the ends of what has none again and again; all else has been handled.
        rest = reader.rawdata
        if len(rest) > 1:
            broken.append((len(document.text) - len(rest), message("markup-unclosed")))
    reader.finish()
    return Found(reader.blocks, broken)


class _Reader(HTMLParser):
    def __init__(self, document: Source) -> None:
        super().__init__(convert_charrefs=False)
        self.document = document
        self.blocks: list[Block] = []
        self.broken: list[tuple[int, Message]] = []  # where something was not read, and why
        self.pages: list[Draft] = []
        self.open: list[tuple[str, bool]] = []  # elements around, and whether they are called ABNF
        self.parts: list[Draft] | None = None
        self.named = False
        self.page = False
        self.title: list[str] | None = None
        self.heading = NO_HEADING

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = next((value or "" for name, value in attrs if name == "class"), "").lower().split()
        named = any(_ABNF.fullmatch(each) for each in classes)
        if self.parts is not None:
            self.named = self.named or (tag == "code" and named)
        elif tag == "pre":
            self.parts, self.page = [], _PAGE in classes
            self.named = named or any(is_named for _, is_named in self.open)
        elif tag in _AROUND and len(self.open) < MAX_OPEN:
            self.open.append((tag, named))
        elif tag in _HEADINGS:
            self.title = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self.parts is not None:
            self.finish()
        elif tag in _AROUND and self.open and self.parts is None:
            # An element that is not closed ends with the one around it; a stray end tag ends nothing.
            index = len(self.open) - 1
            while index >= 0 and self.open[index][0] != tag:
                index -= 1
            if index >= 0:
                del self.open[index:]
        elif tag in _HEADINGS and self.title is not None:
            title = " ".join("".join(self.title).replace("\u00b6", "").split())
            self.heading, self.title = numbered(title) or Heading(None, title), None

    def handle_comment(self, data: str) -> None:
        # "<!" and "</" before what names nothing begin a comment that ends at the next ">" (HTML, 13.2.5.41).
        if "<" in data and not self.document.text.startswith("<!--", self.at()):
            self.broken.append((self.at(), message("markup-as-comment")))

    def finish(self) -> None:
        """The block that is open ends here, and with it, if it is the last one, those of pages."""
        if self.parts is not None:
            draft, self.parts = joined(self.parts), None
            if self.page and not self.named:
                self.pages += [draft, written("\n", draft.at[-1])]
                return
            self.blocks.append(Block(draft, self.named, self.heading))
        if self.pages:
            self.blocks.append(Block(joined(self.pages), named=False, flowing=True))
            self.pages = []

    def at(self) -> int:
        """Where the parser is."""
        line, column = self.getpos()
        return self.document.offset(line, column + 1)

    def handle_data(self, data: str) -> None:
        if self.title is not None:
            self.title.append(data)
        if self.parts is not None:
            self.parts.append(Draft(data, self.at()))

    def handle_entityref(self, name: str) -> None:
        self.reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.reference(f"&#{name};")

    def reference(self, text: str) -> None:
        if self.title is not None:
            self.title.append(unescape(text))
        if self.parts is not None:
            meant = unescape(text)
            at = self.at()
            self.parts.append(Draft(text, at) if meant == text else written(meant, at))
