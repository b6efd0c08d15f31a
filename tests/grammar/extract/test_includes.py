"""Files that a kramdown-rfc document includes, and messages about unavailable files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import abnforge
import abnforge.grammar.extract.markup as markup
from abnforge.grammar.extract import extract
from abnforge.grammar.reader import read

BLOCK = "# 1. Syntax\n\n~~~ abnf\na = b\n{{::include{flags} {name}}}\n~~~\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a directory with a document and other files."""
    folder = tmp_path / "draft"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.abnf").write_text('b = "x"\n')
    (folder / "sub" / "1.abnf").write_text('b = "y"\r\n', newline="")
    (folder / "sub" / "2.abnf").write_text('c = "z"\n')
    (folder / "nested.abnf").write_text("b = c\n{::include sub/2.abnf}\n")
    (folder / "self.abnf").write_text("{::include-nested self.abnf}\n")
    (folder / "ping.abnf").write_text("p = a\n{::include-nested pong.abnf}\n")
    (folder / "pong.abnf").write_text("{::include-nested sub/../ping.abnf}\n")
    (folder / "document.abnf").write_text("{::include x.md}\n")
    (folder / "x.md").write_text(BLOCK.format(flags="", name="x.md"))
    (folder / "bytes.abnf").write_bytes(b"\xff\n")
    (tmp_path / "secret.abnf").write_text('b = "secret"\n')
    (folder / "link.abnf").symlink_to(tmp_path / "secret.abnf")
    (folder / "inner.abnf").symlink_to(folder / "b.abnf")
    (folder / "circle.abnf").symlink_to(folder / "circle.abnf")
    os.mkfifo(folder / "fifo.abnf")
    return folder


FOLLOWED = [
    ("", "b.abnf", 'a = b\nb = "x"\n'),
    ("", "./b.abnf", 'a = b\nb = "x"\n'),
    ("", "sub/../b.abnf", 'a = b\nb = "x"\n'),
    ("", "inner.abnf", 'a = b\nb = "x"\n'),
    ("-dedent", "sub/1.abnf", 'a = b\nb = "y"\n'),
    ("-fold69left4dry", "b.abnf", 'a = b\nb = "x"\n'),
    ("-nested", "nested.abnf", 'a = b\nb = c\nc = "z"\n'),
    ("-all", "sub/*.abnf", 'a = b\nb = "y"\nc = "z"\n'),
    ("-last", "sub/*.abnf", 'a = b\nc = "z"\n'),
]


@pytest.mark.parametrize(("flags", "name", "text"), FOLLOWED)
def test_followed(flags: str, name: str, text: str, folder: Path) -> None:
    extraction = extract(BLOCK.format(flags=flags, name=name), "x.md", folder=folder)
    assert extraction.source.text == f"; Section 1\n{text}"
    assert (extraction.remarks, extraction.errors) == ((), ())
    assert {extraction.source.position(rule.span.start)[0] for rule in read(extraction.source).rules[1:]} == {
        5
    }


NOT_FOLLOWED = [
    ("", "none.abnf"),
    ("", "sub"),
    ("", "../secret.abnf"),
    ("", "link.abnf"),
    ("", "circle.abnf"),
    ("", "fifo.abnf"),
    ("", "bytes.abnf"),
    ("", "a\0b"),
    ("-nested", "self.abnf"),
    ("-nested", "ping.abnf"),
    ("-nested", "document.abnf"),
    ("", "x.md"),
    ("", "sub/../x.md"),
    ("-all", "*.none"),
    ("-all", "../*.abnf"),
    ("-all", "*link.abnf"),
]


@pytest.mark.parametrize(("flags", "name"), NOT_FOLLOWED)
def test_not_followed(flags: str, name: str, folder: Path) -> None:
    extraction = extract(BLOCK.format(flags=flags, name=name), "x.md", folder=folder)
    assert extraction.source.text == "; Section 1\na = b\n"
    [error] = extraction.errors
    assert (error.line, error.column) == (5, 1)
    assert [(remark.first, remark.counts) for remark in extraction.remarks] == [(5, True)]


def test_an_absolute_path(folder: Path) -> None:
    name = str(folder / "b.abnf")
    assert len(extract(BLOCK.format(flags="", name=name), "x.md", folder=folder).errors) == 1


def test_without_a_directory_none_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    extraction = extract(BLOCK.format(flags="", name="b.abnf"), "x.md")
    assert (extraction.rules, len(extraction.errors)) == (1, 1)


def test_a_document_in_the_place_of_a_grammar(folder: Path) -> None:
    path = folder / "x.md"
    path.write_text(BLOCK.format(flags="", name="b.abnf"))
    assert abnforge.load(path)["a"].matches("x")
    path.write_text(BLOCK.format(flags="", name="none.abnf"))
    with pytest.raises(abnforge.GrammarError) as caught:
        abnforge.load(path)
    assert caught.value.location == f"{path}:5:1"
    assert [(each.line, each.code) for each in abnforge.lint(path)] == [(5, "ABNF001")]


def test_what_is_around_blocks(folder: Path) -> None:
    (folder / "part.md").write_text('# 2. More\n\n~~~abnf\nb = "x"\n~~~\n')
    text = "~~~abnf\na = b\n~~~\n\n{::include part.md}\n"
    expected = 'a = b\n\n; Section 2\nb = "x"\n'
    assert extract(text, "x.md", folder=folder).source.text == expected
    extraction = extract(text.replace("part", "none"), "x.md", folder=folder)
    assert (extraction.rules, extraction.errors, [each.first for each in extraction.remarks]) == (1, (), [5])
    extraction = extract(
        "~~~abnf\na = b\n~~~\n\n~~~json\n{::include none.json}\n~~~\n", "x.md", folder=folder
    )
    assert (extraction.errors, extraction.remarks) == ((), ())


def test_a_directive_within_a_line_is_not_copied(folder: Path) -> None:
    extraction = extract("~~~abnf\na = b\n  {::include b.abnf}\n~~~\n", "x.md", folder=folder)
    assert (extraction.source.text.strip(), [each.line for each in extraction.errors]) == ("a = b", [3])


@pytest.mark.parametrize(("limit", "value"), [("MAX_INCLUDES", 1), ("MAX_GRAMMAR_BYTES", 10)])
def test_limits(limit: str, value: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, limit, value)
    extraction = extract("~~~abnf\n{::include b.abnf}\n{::include sub/2.abnf}\n~~~\n", "x.md", folder=folder)
    assert extraction.source.text == 'b = "x"\n'
    [error] = extraction.errors
    codes = {"MAX_INCLUDES": "include-files-limit", "MAX_GRAMMAR_BYTES": "include-bytes-limit"}
    assert (error.message.code, error.reason.code, error.line) == ("include-failed", codes[limit], 3)
    assert error.reason.data == {"limit": value}


@pytest.mark.parametrize(
    ("flags", "name"),
    [("-nested", "self.abnf"), ("-nested", "ping.abnf"), ("-nested", "document.abnf"), ("", "x.md")],
)
def test_a_cycle_is_named(flags: str, name: str, folder: Path) -> None:
    [error] = extract(BLOCK.format(flags=flags, name=name), str(folder / "x.md"), folder=folder).errors
    assert (error.message.code, error.reason.code) == ("include-failed", "include-cycle")


def test_too_many_files_within_one_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_INCLUDE_DEPTH", 1)
    text = BLOCK.format(flags="-nested", name="nested.abnf")
    assert extract(text, "x.md", folder=folder).errors == ()
    (folder / "deep.abnf").write_text("{::include-nested nested.abnf}\n")
    [error] = extract(text.replace("nested.abnf", "deep.abnf"), "x.md", folder=folder).errors
    assert error.reason.code == "include-depth-limit"


@pytest.mark.parametrize(
    ("inner", "nested"),
    [
        ("{::include b.abnf}\nc = a\n", True),
        ("c = a\n{::include b.abnf}\n", True),
        ("  {::include b.abnf}\n", False),
    ],
)
def test_why_an_include_within_an_included_file_is_not_followed(
    inner: str, nested: bool, folder: Path
) -> None:
    (folder / "outer.abnf").write_text(inner)
    extraction = extract(BLOCK.format(flags="", name="outer.abnf"), "x.md", folder=folder)
    assert "{::" not in extraction.source.text
    [error] = extraction.errors
    assert (error.line, error.column) == (5, 1)
    assert error.message.code == ("include-not-nested" if nested else "include-misplaced-inside")
