"""The lessons in docs/tutorial/: their parts, their exercises, and their grammars.

``test_readme`` runs their examples, together with those of all other pages.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import abnforge
from abnforge.teaching.exercises import LESSONS, exercises
from abnforge.teaching.exercises import PAGES as EXERCISE_PAGES
from tests.law import each_row
from tests.pages import Block, Pages, blocks, files_above
from tests.places import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"
INDEX = (TUTORIAL / "index.md").read_text("utf-8")
PATHS = sorted(TUTORIAL.glob("[0-9]*.md"))
PAGES = {path.name: path.read_text("utf-8") for path in PATHS}
WRONG = "## Common mistakes"
lesson = pytest.mark.parametrize("name", PAGES)


def section(page: str, heading: str) -> str:
    """Return a section of a page, from its heading to the next one of the same level."""
    return page[page.index(f"\n{heading}\n") + 1 :].partition("\n## ")[0]


def grammars() -> list[tuple[str, Block]]:
    pages = {"index.md": INDEX} | PAGES
    return [(name, each) for name, page in pages.items() for each in blocks(page) if each.language == "abnf"]


def in_section(page: str, heading: str, block: Block) -> bool:
    start = page.find(f"\n{heading}\n")
    return 0 <= start < block.place < start + len(section(page, heading)) + 1


def test_there_is_a_page_for_each_lesson() -> None:
    titles = [re.match(r"# Lesson (\d): (.*)\n", page) for page in PAGES.values()]
    assert [(title[1], title[2]) for title in titles if title] == [
        (str(number), name) for number, name in enumerate(LESSONS, 1)
    ]
    assert [path.stem for path in PATHS] == [EXERCISE_PAGES[name] for name in LESSONS]
    assert re.findall(r"^\| \[(\d)\. (.*)\]\((.*)\) \|", INDEX, re.MULTILINE) == [
        (str(number), name.capitalize(), path.name)
        for number, (name, path) in enumerate(zip(LESSONS, PATHS, strict=True), 1)
    ]


@lesson
def test_a_lesson_has_its_parts(name: str, docs: Pages) -> None:
    """A lesson has a short summary, mistakes with messages, a table of exercises, and a link to the next."""
    page = PAGES[name]
    number = int(name[0])
    summary = page.split("\n\n")[1]
    assert 2 <= len(re.findall(r"[.!?](?:\s|$)", summary)) <= 4
    assert len(re.findall(r"^\*\*.+", section(page, WRONG), re.MULTILINE)) >= 4
    assert re.search(r"RFC (5234|7405|3986)|\(section \d", page)
    table = re.search(r"(?:^\| `.*\n)+", section(page, "## Exercises"), re.MULTILINE)
    assert table
    rows = "".join(
        f"| `{each.id}` | {each.level} | {each.task} |\n".replace("<", "\\<")
        for each in exercises()
        if each.lesson == LESSONS[number - 1]
    )
    assert rows == docs.expected(f"docs/tutorial/{name}", page.index(table[0]), table[0], rows)
    if number < len(PATHS):
        assert page.endswith(f"Next: [lesson {number + 1}, {LESSONS[number]}]({PATHS[number].name}).\n")


@each_row("path", sorted((ROOT / "docs").rglob("*.md")))
def test_angle_brackets_are_shown(path: Path) -> None:
    """Outside of code, Markdown turns ``<http://a/>`` into a link without its brackets."""
    prose = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"(`+)[^`].*?\1", "", prose)
    assert re.findall(r"(?<!\\)<(?:[A-Za-z][A-Za-z0-9+.-]+:|[A-Za-z0-9.]+@)[^\s<>]*>", prose) == []


@lesson
def test_an_exercise_is_worked_through(name: str) -> None:
    """The lesson shows a wrong or poor answer with its grade, and then a good answer."""
    checks = re.findall(
        r"^\$ abnforge exercise check (\S+)\.abnf\n\1\.abnf: (\S+)(.*)\n(  .*)?",
        section(PAGES[name], "## Exercises"),
        re.MULTILINE,
    )
    first, last = checks[0], checks[-1]
    assert len(checks) >= 2
    assert first[0] in {each.id for each in exercises() if each.lesson == LESSONS[int(name[0]) - 1]}
    assert first[1] == "wrong" or "style" in first[3]
    assert (last[1], last[3]) == ("right", "")


@each_row(("name", "block"), grammars())
def test_a_grammar_is_in_order_or_its_mistakes_are_reported(
    name: str, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lint finds no errors in the grammars of a page, except errors whose codes the page shows.

    An exercise imports the grammars that it names.
    """
    page = PAGES.get(name, INDEX)
    assert block.file, "whoever copies it needs a name for it"
    monkeypatch.chdir(tmp_path)
    for file, text in files_above(page, block.place).items():
        (tmp_path / file).write_text(text, "utf-8")
    results = {each.id: each.imports for each in exercises()}
    imports = results.get(block.file.removesuffix(".abnf"), ())
    errors = [each for each in abnforge.lint(block.text, imports=imports) if each.severity == "error"]
    if in_section(page, WRONG, block):
        shown = page[block.place :]
        diff = f"$ abnforge lint --diff {block.file}\n"
        result = diff in shown and all(each.edits for each in errors)
        assert result or all(f"[{each.code} {each.name}]" in shown for each in errors)
    else:
        assert errors == []
