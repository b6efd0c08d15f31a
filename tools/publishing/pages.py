"""The repository's pages as sources of Sphinx: as they are, in the folders where they are.

Three things differ: the README is the start page, so its name is ``index.md``; a block that is a file
(``python file=why.py``) has the file's name as its caption; and pages that list others have a table of
contents, in the order of their links, since Sphinx wants one.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

from publishing import code_pages

START = "README.md"
INDEX = "docs/index.md"
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "grammars/SOURCES.md")
MADE = ("api/index", "grammars/index")  # what other modules of this folder write

_LINK = re.compile(r"(?<!\\)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
_BLOCK = re.compile(r"^(`{3,}|~{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)[^\n]*?\1")
_START_LINK = re.compile(r"(\]\((?:\.\./)*)README\.md(?=[)#])")
_FILE = re.compile(r"^```(\w+) file=(\S+)$", re.MULTILINE)
_LAST_LINE = re.compile(r"(?<=\n)\n(?=```$)", re.MULTILINE)  # empty ones end what doctest expects
_HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)


def pages(root: Path) -> list[str]:
    """The pages of the site, as paths below the repository's root."""
    found = [path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*.md"))]
    return [START, *BESIDE, *found]


def links(page: str, text: str) -> list[str]:
    """The files of the repository that a page links to, in its order, as paths below the root; pictures, too.
    Code is no link.
    """
    folder = PurePosixPath(page).parent
    found = (match[1] for match in _LINK.finditer(_CODE.sub("", _BLOCK.sub("", text))))
    local = (normpath(str(folder / target)) for target in found if "://" not in target)
    return list(dict.fromkeys(local))


def groups(index: str) -> Iterator[tuple[str, list[str]]]:
    """The headings of docs/index.md, and the pages that each is the first to link to."""
    met = {START}
    _, *parts = _HEADING.split(index)
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        found = [page for page in links(INDEX, body) if page.endswith(".md") and page not in met]
        met.update(found)
        yield heading, found


def below(texts: dict[str, str]) -> dict[str, list[str]]:
    """Of each folder's ``index.md`` the pages of that folder: those it links to first, in its order."""
    found = {}
    for page in texts:
        if PurePosixPath(page).name == "index.md" and page != INDEX:
            folder = PurePosixPath(page).parent
            own = [each for each in texts if each != page and PurePosixPath(each).is_relative_to(folder)]
            first = [each for each in links(page, texts[page]) if each in own]
            found[page] = list(dict.fromkeys([*first, *own]))
    return found


def contents(caption: str, names: Iterable[str]) -> str:
    """A table of contents, which the side bar shows and the page does not."""
    head = f":caption: {caption}\n" if caption else ""
    listed = "".join(f"/{name.removesuffix('.md')}\n" for name in names)
    return f"\n```{{toctree}}\n:hidden:\n{head}\n{listed}```\n"


def source(text: str) -> str:
    """A page's text as Sphinx reads it."""
    text = _LAST_LINE.sub("", _START_LINK.sub(r"\1index.md", text))
    return _FILE.sub(r"```{code-block} \1\n:caption: \2\n", text)


def tables(texts: dict[str, str]) -> dict[str, str]:
    """What is written behind pages: their tables of contents. Every page has a place in one."""
    nested = below(texts)
    children = {child for found in nested.values() for child in found}
    sections = {
        heading: [page for page in found if page in texts and page not in children]
        for heading, found in groups(texts[INDEX])
    }
    listed = {START, INDEX, *children, *(page for found in sections.values() for page in found)}
    sections = {"": [INDEX], **sections, "Reference": list(MADE)}
    if rest := [page for page in texts if page not in listed]:
        sections["More"] = rest
    made = {page: contents("", found) for page, found in nested.items() if found}
    return made | {START: "".join(contents(*each) for each in sections.items())}


def write(root: Path, folder: Path) -> None:
    """Write the sources of all pages, and the files that they link to. Cost: linear."""
    texts = {page: (root / page).read_text("utf-8") for page in pages(root)} | code_pages.pages(root)
    behind = tables(texts)
    for page, text in texts.items():
        target = folder / ("index.md" if page == START else page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source(text) + behind.get(page, ""), "utf-8")
        for name in links(page, text):
            if name not in texts and (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / name, folder / name)
