"""Navigation of the site: tables of contents, the list of pages in ``llms.txt``, and the search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath

README, INDEX = "README.md", "docs/index.md"
RELATED = "Related pages"
# Generated pages: their titles, and the labels of their links.
OTHERS = {
    "api/index": ("Python API", "signatures and descriptions of all public names."),
    "grammars/index": ("Grammars as diagrams", "railroad diagrams and ABNF of the built-in grammars."),
}
# Searches, and the page that each must find. All words of a search occur on its page.
SEARCHES = {
    "students": "docs/exercises",
    "jupyter": "docs/visualize",
    "deprecation": "docs/stability",
    "S3": "docs/ingest",
    "PNG": "docs/visualize",
    "limits": "docs/limits",
    "pandas": "docs/columns",
    "IntelliJ": "docs/editors",
    "VS Code": "docs/editors",
    "uri normalize": "docs/uri",
    "regex": "docs/export",
    "email": "docs/recipes/own-grammar",
    "install": "docs/install",
    "semicolon": "docs/ingest",
    "Excel": "docs/ingest",
    "quarantine": "docs/ingest",
    "allowlist": "docs/policies",
    "noqa": "docs/lint",
    "JavaScript regex": "docs/export",
}

LINK = re.compile(r"(?<!\\)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1$|(`+)[^\n]*?\2", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^(##+) (.+)\n((?:(?!##).*\n?)*)", re.MULTILINE)
_ITEM = re.compile(r"^- \[[^]]+\]\(([^)#\s]+)\)(?:: |, )((?:.|\n(?=  ))+)", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\n((?![-#|<!]|`{3}).+(?:\n.+)*)")


def links(page: str, text: str) -> list[str]:
    """Return the files that a page links to, in order, as paths below the root of the repository."""
    targets = (match[1] for match in LINK.finditer(_CODE.sub("", text)))
    folder = PurePosixPath(page).parent
    return list(dict.fromkeys(normpath(str(folder / each)) for each in targets if "://" not in each))


def outline(
    texts: Mapping[str, str], generated: Iterable[str] = ()
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the pages of each part of the landing page, and the pages below a page.

    The parts are the headings of docs/index.md; ``generated`` pages are in "Reference". The links in the
    section "Related pages" of a page are below the page, and the pages of a directory are below its
    ``index.md``.
    """
    listed = {INDEX}

    def new(page: str, text: str, folder: str = "") -> list[str]:
        """Return the linked pages that are not in a table of contents yet."""
        linked = [each for each in links(page, text) if each in texts and each.startswith(folder)]
        linked = [each for each in linked if each not in listed]
        listed.update(linked)
        return linked

    part, parts, below = "", {}, {}
    for level, heading, body in _PART.findall(texts[INDEX]):
        part, caption = (heading, heading) if level == "##" else (part, f"{part}: {heading}")
        parts[caption] = new(INDEX, body)
    for page, text in texts.items():
        own = [each for _, name, body in _PART.findall(text) if name == RELATED for each in new(page, body)]
        if page.endswith("/index.md"):
            own += new(page, text, page.removesuffix("index.md"))
        if own:
            below[page] = own
    parts["Reference"] = [*OTHERS, *(page for page in generated if page not in listed), *parts["Reference"]]
    return {caption: pages for caption, pages in parts.items() if pages}, below


def contents(texts: Mapping[str, str], generated: Iterable[str] = ()) -> dict[str, str]:
    """Return the tables of contents by page. Every page is in one of them."""
    parts, below = outline(texts, generated)
    tables = {page: table("", pages) for page, pages in below.items()}
    return tables | {INDEX: "".join(table(caption, pages) for caption, pages in parts.items())}


def table(caption: str, pages: Iterable[str]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    listed = "".join(f"/{name.removesuffix('.md')}\n" for name in pages)
    return f"\n```{{toctree}}\n:hidden:\n{head}\n{listed}```\n"


def _entries(texts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the title and a summary of each page: the words after a link to it, or its first sentence."""
    about: dict[str, str] = {}
    for page in (INDEX, *texts):
        for target, text in _ITEM.findall(texts[page]):
            about.setdefault(normpath(str(PurePosixPath(page).parent / target)), text)
    entries = dict(OTHERS)
    for page, text in texts.items():
        first = re.match(r"(.+?)[.:](?:\s|$)", (_PARAGRAPH.search(text) or "  ")[1], re.DOTALL)
        sentence = about.get(page) or (f"{first[1]}." if first else "")
        sentence = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", " ".join(sentence.split()))
        entries[page] = text.partition("\n")[0].removeprefix("# "), sentence
    return entries


def landing(texts: Mapping[str, str], generated: Iterable[str] = ()) -> str:
    """Return the landing page, with links to generated pages."""
    entries, (parts, _) = _entries(texts), outline(texts, generated)
    shown = [page for page in parts["Reference"] if page in OTHERS or page in generated]
    items = (
        f"- {{doc}}`{entries[page][0]} </{page.removesuffix('.md')}>`: {entries[page][1]}\n" for page in shown
    )
    return re.sub(r"(?<=\n## Reference\n\n)", lambda _: "".join(items), texts[INDEX])


def overview(texts: Mapping[str, str], generated: Iterable[str] = ()) -> str:
    """Return the list of all pages in the format of https://llmstxt.org."""
    entries, (parts, below) = _entries(texts), outline(texts, generated)

    def lines(pages: Iterable[str]) -> Iterator[str]:
        for page in pages:
            name, (title, sentence) = page.removesuffix(".md"), entries[page]
            yield f"- [{title}]({name}.html)" + (f": {sentence}\n" if sentence else "\n")
            yield from lines(below.get(page, ()))

    summary = " ".join((_PARAGRAPH.search(texts[INDEX]) or "  ")[1].split())
    sections = (f"\n## {caption}\n\n{''.join(lines(pages))}" for caption, pages in parts.items())
    return f"# abnforge\n\n> {summary}\n{''.join(sections)}"


def lost(folder: Path) -> list[str]:
    """Return the searches that do not find their page in the search index of a site."""
    from sphinx.search.en import SearchEnglish

    text = (folder / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    stem = SearchEnglish({}).stem

    def finds(word: str, page: str) -> bool:
        pages = [index[kind].get(stem(word.lower()), []) for kind in ("terms", "titleterms")]
        return any(
            index["docnames"].index(page) in ([each] if isinstance(each, int) else each) for each in pages
        )

    return [words for words, page in SEARCHES.items() if not all(finds(word, page) for word in words.split())]
