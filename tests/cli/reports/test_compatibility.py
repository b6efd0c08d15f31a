"""Compatibility for people, for programs and for GitHub."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.cli.reports.formats import report_class
from abnforge.comparison.grammars import Compatibility, compatibility, differences
from tests.cli.command import Seen
from tests.reference.workflow_commands import read

OLD = 'a = "x" / "|"\nb = <words>\nc = "z"\n; all\nd = "e"\ngone = "g"\n'
NEW = 'c = "z" / "%"\na = "x"\n  / "y"\nb = "b"\nd = "e"\n'


def found(tmp_path: Path | None = None) -> Compatibility:
    if tmp_path is None:
        return compatibility(abnforge.loads(OLD, name="old"), abnforge.loads(NEW, name="new"))
    for name, text in (("old", OLD), ("new", NEW)):
        (tmp_path / f"{name}.abnf").write_text(text, "utf-8")
    return compatibility(*(abnforge.load(str(tmp_path / f"{name}.abnf")) for name in ("old", "new")))


def written(kind: str, report_format: str, value: object) -> str:
    text: list[str] = []
    report_class(kind, report_format)(text.append).feed([value])
    return "".join(text)


def test_text(seen: Seen) -> None:
    lines = written("compatibility", "text", found()).splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        *("broken", "broken", "not-shown", "compatible", "compatible", "not"),
    ]
    assert lines[0] == "broken     overlap        a"
    assert lines[1] == '    only old  "|"'
    seen(lines[-1])
    same = abnforge.loads('a = "x"\n')
    assert written("compatibility", "text", compatibility(same, same)).endswith("\nbackward compatible\n")


def test_markdown(seen: Seen) -> None:
    lines = written("compatibility", "markdown", found()).splitlines()
    seen(lines[0])
    assert {line.replace("\\|", "").count("|") for line in lines[2:]} == {7}
    assert "<code>&#124;</code>" in lines[4]


def test_workflow_commands(tmp_path: Path) -> None:
    commands = read(written("compatibility", "github", found(tmp_path)))
    assert [(each.name, each.properties["title"]) for each in commands] == [
        ("error", "broken: a"),
        ("error", "broken: gone"),
        ("warning", "not-shown: b"),
        ("notice", "compatible: c"),
    ]
    path = str(tmp_path / "new.abnf")
    assert [(each.properties["file"], each.properties.get("line")) for each in commands] == [
        (path, "2"),
        (path, None),
        (path, "4"),
        (path, "1"),
    ]
    assert "%" in commands[3].data


def test_a_grammar_that_is_no_file_has_no_place() -> None:
    commands = read(written("compatibility", "github", found()))
    assert all("file" not in each.properties for each in commands)


@pytest.mark.parametrize("level", ["warning"])
def test_differences_as_workflow_commands(level: str, tmp_path: Path) -> None:
    both = found(tmp_path).diff
    old, new = both.rules[0].left, both.rules[0].right
    assert old is not None
    assert new is not None
    commands = read(written("difference", "github", differences(old.grammar, new.grammar)))  # type: ignore[arg-type]
    assert [(each.name, each.properties["title"]) for each in commands] == [
        (level, "overlap: a"),
        (level, "narrower: c"),
        (level, "only-left: gone"),
        (level, "not-comparable: b"),
    ]
