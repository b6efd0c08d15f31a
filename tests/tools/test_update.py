"""One command regenerates all quoted output, including examples with elisions on pages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_configure
from tests.law import each_row
from tests.pages import Block, Command, Pages, agrees, blocks, updated
from tests.places import ROOT
from tools import update

PAGE = "Text.\n\n```console\n$ a\none\n$ b\n$ c\ntwo\n```\n"


def commands(page: str) -> list[Command]:
    return [command for block in blocks(page) for command in block.commands()]


def test_output_is_found_where_it_is() -> None:
    result = commands(PAGE)
    assert [(each.text, each.output) for each in result] == [("a", "one\n"), ("b", ""), ("c", "two\n")]
    assert all(PAGE.startswith(each.output, each.place) for each in result)
    assert [block.place for block in blocks(PAGE)] == [PAGE.index("```")]
    assert isinstance(next(blocks(PAGE)), Block)


@pytest.mark.parametrize("printed", [["1\n", "2\n2\n", "3\n"], ["", "", ""], ["one\n", "", "longer\nthan\n"]])
def test_pages_are_written(printed: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE, "utf-8")
    pages = Pages(updating=True)
    for command, output in zip(commands(PAGE), printed, strict=True):
        assert pages.expected("a.md", command.place, command.output, output) == output
    pages.write(tmp_path)
    assert [each.output for each in commands((tmp_path / "a.md").read_text("utf-8"))] == printed


def test_nothing_is_written_without_the_option(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE, "utf-8")
    pages = Pages()
    assert pages.expected("a.md", commands(PAGE)[0].place, "one\n", "other\n") == "one\n"
    pages.write(tmp_path)
    assert (tmp_path / "a.md").read_text("utf-8") == PAGE


@each_row(
    ("shown", "printed", "new"),
    [
        ("a\nin ... s\n", "b\nin 3 s\n", "b\nin ... s\n"),
        ("a\n...\n", "b\nc\nd\n", "b\n...\n"),
        ("a\n...\nz\n", "b\nc\nd\nz\n", "b\n...\nz\n"),
        ("...\na\n", "x\ny\nb\n", "...\nb\n"),
        ("a\n...\nb\n", "c\nx\ny\nd\n", "c\n...\nd\n"),
        ("a\nin ... s\nb\n", "new\na\nin 3 s\n", "new\na\nin ... s\n"),
        ("a\n", "b\nc\n", "b\nc\n"),
    ],
)
def test_elisions_stay(shown: str, printed: str, new: str) -> None:
    assert updated(shown, printed) == new
    assert agrees(printed, new)
    assert updated(new, printed) == new


def test_only_the_author_knows_a_new_elision() -> None:
    """If a line with an elision changes, the test fails and shows the new output."""
    pages = Pages(updating=True)
    assert pages.expected("a.md", 0, "in ... s\n", "after 3 s\n", elided=True) == "in ... s\n"
    assert not pages.changes
    assert pages.expected("a.md", 0, "in ... s\n", "in 3 s\n", elided=True) == "in ... s\n"
    assert not pages.changes
    assert pages.expected("a.md", 0, "a\nin ... s\n", "b\nin 3 s\n", elided=True) == "b\nin ... s\n"
    assert pages.changes


def test_examples_are_run_by_one_process() -> None:
    """Several processes would write their changes at positions that other processes have moved."""
    options = SimpleNamespace(update_docs=True, numprocesses=1, fuzz=0.0)
    with pytest.raises(pytest.UsageError, match="-n 0"):
        pytest_configure(SimpleNamespace(option=options))  # type: ignore[arg-type]


def test_all_files_are_there() -> None:
    files = [*update.GENERATORS, *(page for pages in update.PAGES for page in pages)]
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert "tests/test_catalog.py" in update.snapshot_tests()
    snapshots = {path.stem: path.parent.parent for path in (ROOT / "tests").rglob("*.ambr")}
    assert {(folder / f"{name}.py").relative_to(ROOT).as_posix() for name, folder in snapshots.items()} <= {
        *update.snapshot_tests()
    }
