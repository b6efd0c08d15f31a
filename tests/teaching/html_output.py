"""The HTML output of a notebook, read by a parser that is independent of the code that writes it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

ALLOWED = {
    *("div", "span", "strong", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    "img",
}
ATTRIBUTES = {"style", "open", "alt", "src"}
STYLES = re.compile(r"(?:[\w-]+: [\w ().,%#'\"-]+;\s*)+")


class Reader(HTMLParser):
    """The content of HTML: text, open elements, and forbidden parts."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.alternatives: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ALLOWED:
            self.wrong.append(tag)
        if tag != "img":
            self.open.append(tag)
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.wrong.append(name)
            if name == "style" and not STYLES.fullmatch(value or ""):
                self.wrong.append(f"style {value}")
            if name == "src" and not (value or "").startswith("data:image/svg+xml;base64,"):
                self.wrong.append(f"src {value}")
            if name == "alt":
                self.alternatives.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append("comment")


def read(html: str | None) -> Reader:
    """Return the content of well-formed HTML without scripts, style sheets, ids or addresses."""
    assert html is not None
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.wrong == []
    assert reader.open == []
    assert html.count("\x00") == html.count("\u202e") == html.count("\x1b") == 0
    return reader
