"""``abnforge format``: formatted files, exit statuses, unchanged files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from abnforge.grammar.reader import MAX_GRAMMAR_BYTES
from tests.cli.command import Seen
from tests.cli.command import run as command

run = partial(command, "format")

UGLY, NEAT = "a=b/\n c ;d\n", "a = b\n  / c  ;d\n"
FILES = {
    "ugly.abnf": UGLY,
    "neat.abnf": NEAT,
    "broken.abnf": "a = /\n",
    "bars.abnf": "a_b=x|y\n",
    "unsure.abnf": 'a = x | [^"]\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.abnf").write_bytes(b"a = b ; \xff\n")
    return tmp_path


# Arguments, exit status, written files, output.
CASES = [
    ("ugly.abnf", 0, {"ugly.abnf": NEAT}, "", "ugly.abnf: formatted\n"),
    ("neat.abnf", 0, {}, "", ""),
    ("--check ugly.abnf neat.abnf bars.abnf", 1, {}, "ugly.abnf\nbars.abnf\n", ""),
    ("--check neat.abnf", 0, {}, "", ""),
    ("--diff neat.abnf", 0, {}, "", ""),
    ("--diff ugly.abnf", 1, {}, "-a=b/\n- c ;d\n+a = b\n+  / c  ;d\n", ""),
    ("broken.abnf ugly.abnf", 2, {"ugly.abnf": NEAT}, "", "broken.abnf:1:5: "),
    ("--check broken.abnf ugly.abnf", 2, {}, "ugly.abnf\n", "broken.abnf:1:5: "),
    ("nothing.abnf ugly.abnf", 2, {"ugly.abnf": NEAT}, "", "no such file: nothing.abnf"),
    (". ugly.abnf", 2, {"ugly.abnf": NEAT}, "", ". is a directory"),
    ("bytes.abnf", 2, {}, "", "bytes.abnf:1:9: "),
    ("bars.abnf", 0, {"bars.abnf": "a_b = x | y\n"}, "", ""),
    ("--from bar bars.abnf", 0, {"bars.abnf": "a-b = x / y\n"}, "", ""),
    ("--from ebnf bars.abnf", 0, {"bars.abnf": "a-b = x / y\n"}, "", ""),
    ("--from ebnf unsure.abnf ugly.abnf", 2, {"ugly.abnf": NEAT}, "", "unsure.abnf:1:9: error: "),
    ("", 2, {}, "", "argument-missing"),
    ("--check --diff ugly.abnf", 2, {}, "", "option-excluded"),
    ("--width 19 ugly.abnf", 2, {}, "", "option-number"),
    ("--from what ugly.abnf", 2, {}, "", "choice-unknown"),
]


@pytest.mark.parametrize(("arguments", "status", "written", "output", "complaint"), CASES)
def test_files(
    folder: Path, arguments: str, status: int, written: dict[str, str], output: str, complaint: str
) -> None:
    result = run(*arguments.split())
    assert result.exit_code == status
    assert output in result.stdout
    assert output or not result.stdout
    assert result.code == complaint or complaint in result.stderr
    for name, text in FILES.items():
        assert (folder / name).read_text() == written.get(name, text)
    assert len(list(folder.iterdir())) == len(FILES) + 1  # no temporary file remains


def test_width_and_alignment(folder: Path, seen: Seen) -> None:
    text = "a  = bbbbbbbbbb cccccccccc\nbb = d\n"
    (folder / "x.abnf").write_text(text)
    assert run("--width", "20", "--no-align", "x.abnf").exit_code == 0
    expected = "a = bbbbbbbbbb\n    cccccccccc\nbb = d\n"
    assert (folder / "x.abnf").read_text() == expected
    assert run("--align", "x.abnf").exit_code == 0
    expected = "a  = bbbbbbbbbb\n     cccccccccc\nbb = d\n"
    assert (folder / "x.abnf").read_text() == expected


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_ends_and_a_byte_order_mark_stay(folder: Path, mark: bytes, end: bytes) -> None:
    path = folder / "x.abnf"
    path.write_bytes(mark + UGLY.encode().replace(b"\n", end))
    assert run("x.abnf").exit_code == 0
    expected = mark + NEAT.encode().replace(b"\n", end)
    assert path.read_bytes() == expected
    assert run("-", stdin=mark + UGLY.encode().replace(b"\n", end)).stdout_bytes == expected


def test_standard_input(folder: Path) -> None:
    assert run("-", stdin="a=b ; \u00e9").stdout == "a = b  ; \u00e9\n"
    checked = run("--check", "-", stdin=UGLY)
    assert (checked.exit_code, checked.stdout) == (1, "<stdin>\n")
    broken = run("-", "ugly.abnf", stdin="a = /\n")
    assert (broken.exit_code, broken.stdout) == (2, "")
    assert "<stdin>:1:5: " in broken.stderr
    assert (folder / "ugly.abnf").read_text() == NEAT


def test_a_string_that_is_too_large() -> None:
    result = run("-", stdin="; " + "x" * MAX_GRAMMAR_BYTES)
    assert result.exit_code == 2
    assert "MAX_GRAMMAR_BYTES" in result.stderr


def test_a_link_stays_one_and_the_mode_stays(folder: Path) -> None:
    (folder / "ugly.abnf").chmod(0o640)
    (folder / "link.abnf").symlink_to("ugly.abnf")
    assert run("link.abnf").exit_code == 0
    assert (folder / "link.abnf").is_symlink()
    assert (folder / "ugly.abnf").read_text() == NEAT
    assert (folder / "ugly.abnf").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_is_not_to_be_written(folder: Path) -> None:
    (folder / "ugly.abnf").chmod(0o440)
    result = run("ugly.abnf", "bars.abnf")
    assert result.exit_code == 2
    assert "ugly.abnf: Permission denied" in result.stderr
    assert (folder / "ugly.abnf").read_text() == UGLY
    assert (folder / "bars.abnf").read_text() == "a_b = x | y\n"


def test_a_file_is_replaced_whole(folder: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run("ugly.abnf")
    assert result.exit_code == 2
    expected = "ugly.abnf: No space left on device"
    assert expected in result.stderr
    assert (folder / "ugly.abnf").read_text() == UGLY
    assert len(list(folder.iterdir())) == len(FILES) + 1
