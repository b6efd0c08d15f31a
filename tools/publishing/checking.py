"""A look at a site that was built: do links lead somewhere, and does anything come from other hosts?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, and the attributes that say from where.
FETCHED = {
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("iframe", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("object", "data"),
    ("embed", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("image", "href"),
    ("use", "href"),
}
_FROM_STYLE = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """The places in a page, what it links to, and what it fetches."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self._style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag's places and addresses."""
        self._style = tag == "style"
        for name, value in attrs:
            plain = name.removeprefix("xlink:")
            if plain == "id" or (tag, plain) == ("a", "name"):
                self.places.add(value or "")
            elif (tag, plain) in FETCHED:
                self.fetched.append(value or "")
            elif plain in ("href", "action"):
                self.links.append(value or "")
            elif plain == "style":
                self.handle_style(value or "")

    def handle_data(self, data: str) -> None:
        """What a style within the page fetches."""
        if self._style:
            self.handle_style(data)

    def handle_style(self, text: str) -> None:
        """What a style fetches."""
        self.fetched += style_fetches(text)

    def handle_endtag(self, tag: str) -> None:
        """The end of a style."""
        self._style = False


def style_fetches(text: str) -> list[str]:
    """The addresses that a style asks for; what it holds itself (``data:``) is none."""
    found = (match[1] or match[2] for match in _FROM_STYLE.finditer(text))
    return [each for each in found if not each.startswith(("data:", "#"))]


def problems(folder: Path) -> Iterator[str]:
    """What is wrong with a site: a page, and why. Cost: linear."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {
        name: Page((folder / name).read_text("utf-8")) for name in sorted(files) if name.endswith(".html")
    }
    if not pages:
        yield f"{folder}: there is no page"
    for name, page in pages.items():
        for address in page.fetched:
            if foreign(address):
                yield f"{name}: fetches {address} from another host"
        for address in dict.fromkeys([*page.links, *page.fetched]):
            said = missing(name, address, files, pages)
            if said:
                yield f"{name}: {address}: {said}"
    for name in sorted(files):
        if name.endswith(".css"):
            for address in style_fetches((folder / name).read_text("utf-8")):
                if foreign(address):
                    yield f"{name}: fetches {address} from another host"


def foreign(address: str) -> bool:
    """Whether an address names a host."""
    return bool(urlsplit(address).netloc)


def missing(page: str, address: str, files: set[str], pages: dict[str, Page]) -> str | None:
    """Why an address leads nowhere; None if it leads somewhere, or to another host."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if parts.path.startswith("/"):
        return "it is no path from this page, and works at the root of a host alone"
    path = unquote(parts.path)
    target = normpath(f"{page}/../{path}") if path else page
    if target not in files:
        return "there is no such file"
    place = unquote(parts.fragment)
    if place and target in pages and place not in pages[target].places:
        return "there is no such place in the page"
    return None
