"""``abnforge exercise export``: a file for students, and the commands that use it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from tests.cli.command import run


def test_a_file_for_students(tmp_path: Path) -> None:
    path = tmp_path / "students.toml"
    path.write_text(run("exercise", "export", "pin", "balanced").stdout)
    own = ("--file", str(path))
    assert run("exercise", "list", *own).exit_code == 0
    assert run("exercise", "show", "pin", *own).exit_code == 0
    assert run("exercise", "check", "-e", "pin", "-", *own, stdin="pin = 4*6DIGIT\n").exit_code == 0
    assert run("exercise", "check", "-e", "pin", "-", *own, stdin="pin = 4*7DIGIT\n").exit_code == 1
    for arguments, part in (
        (("show", "pin", "--solution"), "sealed"),
        (("export",), "sealed"),
        (("check", "-e", "balanced", "-"), "recursive"),
    ):
        result = run("exercise", *arguments, *own, stdin='balanced = ""\n')
        assert result.exit_code == 2
        assert part in result.stdout + result.stderr


def test_questions_for_moodle() -> None:
    result = run("exercise", "export", "pin", "--to", "moodle", "--playground", "https://example.org/")
    quiz = ElementTree.fromstring(result.stdout)
    assert [each.get("type") for each in quiz] == ["category", "essay", "multichoice"]
    assert "https://example.org/#s=" in result.stdout


def test_wrong_usage() -> None:
    for arguments in (["nip"], ["--to", "gift"], ["--playground", "https://example.org/"]):
        assert run("exercise", "export", *arguments).exit_code == 2
