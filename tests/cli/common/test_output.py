"""Output streams, and readers that fail."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from hypothesis import strategies as st

from abnforge.cli.common.output import (
    PLAIN,
    Style,
    Write,
    aligned,
    dumps,
    note,
    print_error,
    print_stderr,
    reads_escapes,
    replace_text,
    stderr_style,
    unified_diff,
    warn,
    write,
)
from abnforge.cli.output.rejection import drawing
from abnforge.text import width
from tests.cli.command import Seen
from tests.law import law

WORDS = st.lists(
    st.sampled_from(["a", '"é"', "warning", Style(color=True).error("invalid:"), "x" * 70, "漢字"]),
    min_size=1,
)


def test_characters_outside_the_encoding_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    write("a\u20ac")
    sys.stdout.flush()
    assert raw.getvalue() == b"a\\u20ac"


@pytest.mark.parametrize(("stream", "say"), [("stdout", write), ("stderr", print_stderr)])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "utf-8"])
@pytest.mark.parametrize("text", ["http://\xe9\u20ac\u2514e\u0301/ b", "\u6f22\n\u6f22\u6f22/ b"])
def test_carets_stand_below_what_is_written(
    stream: str, say: Write, encoding: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, stream, io.TextIOWrapper(raw, encoding=encoding))
    style = stderr_style() if stream == "stderr" else Style.detect()
    place = text.index(" ")
    say("\n".join(drawing(text, place, place + 1, style)))
    getattr(sys, stream).flush()
    *_, shown, carets = raw.getvalue().decode(encoding).splitlines()
    assert carets.strip() == "^"
    assert width(shown[: shown.index("/ ") + 1]) == carets.index("^")


def test_json_is_printable_ascii() -> None:
    text = dumps({"a": "\x7f\x1b\u202e\u20ac"})
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text) == {"a": "\x7f\x1b\u202e\u20ac"}


def test_complaints_are_one_safe_line(capsys: pytest.CaptureFixture[str], seen: Seen) -> None:
    print_error("a\x1b\nb")
    seen(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("encoding", "plain"), [("utf-8", False), ("UTF-8", False), ("ascii", True), ("cp1252", True)]
)
def test_drawings_are_in_ascii_where_the_encoding_lacks_lines(
    encoding: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert Style.detect() == Style(color=False, ascii=plain, encoding=encoding)


def test_without_standard_output_there_is_a_style(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert Style.detect() == Style(color=False, ascii=True, encoding="ascii")


def test_color_is_all_that_style_adds() -> None:
    assert [PLAIN.error("a"), PLAIN.good("a"), PLAIN.strong("a"), PLAIN.faint("a")] == ["a"] * 4
    assert Style(color=True).error("a") != "a"
    assert Style(color=True).error("") == ""


@pytest.mark.parametrize(
    ("terminal", "variables", "color"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": ""}, False),
        (False, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_there_is_color(
    terminal: bool, variables: dict[str, str], color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stdout", stream)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Style.detect().color is color


@pytest.mark.parametrize(
    ("write_message", "start"), [(print_error, "\x1b[31m"), (warn, "\x1b[33m"), (note, "\x1b[2m")]
)
def test_messages_begin_in_the_color_of_their_severity(
    write_message: Callable[[str], None],
    start: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    write_message("x")
    monkeypatch.setenv("FORCE_COLOR", "1")
    write_message("x")
    plain, colored = capsys.readouterr().err.splitlines()
    assert colored.startswith(start)
    assert re.sub(r"\x1b\[\d*m", "", colored) == plain


def test_colors_are_legible_on_both_backgrounds() -> None:
    """Only red, green, bold and dim are used, which are readable on light and dark backgrounds."""
    style = Style(color=True)
    for paint in (style.error, style.good, style.strong, style.faint):
        codes = re.findall(r"\x1b\[(\d+)m", paint("a"))
        assert set(codes) <= {"0", "1", "2", "31", "32"}


@pytest.mark.parametrize(("known", "set_", "reads"), [(1, 1, True), (0, 1, False), (1, 0, False)])
def test_a_console_of_windows_is_reported_to_read_escapes(
    known: int, set_: int, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctypes

    calls: list[tuple[int, int]] = []

    def set_mode(handle: int, mode: int) -> int:
        calls.append((handle, mode))
        return set_

    console = SimpleNamespace(
        GetStdHandle=lambda which: which, GetConsoleMode=lambda handle, mode: known, SetConsoleMode=set_mode
    )
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=console), raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert reads_escapes() is reads
    assert calls == ([(-11, 4)] if known else [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\nb", "a\nc"),
        ("a\x0cb\u2028c\n", "a\x0cb\u2028d\n"),
    ],
)
def test_git_applies_the_diff(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "x.abnf"
    path.write_bytes(before.encode())
    diff = unified_diff("x.abnf", before, after)
    (tmp_path / "x.diff").write_bytes(diff.encode())
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    try:
        subprocess.run(["git", "apply", "x.diff"], cwd=tmp_path, check=True, env=environment, timeout=60)
    except FileNotFoundError:
        pytest.skip("no git")
    assert path.read_bytes() == after.encode()


def test_no_difference_is_nothing() -> None:
    assert unified_diff("x", "a\n", "a\n") == ""


def test_a_path_from_the_root_is_shown_once() -> None:
    assert unified_diff("/tmp/x", "a\n", "b\n").startswith("--- a/tmp/x\n+++ b/tmp/x\n")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_replaced_whole(tmp_path: Path, mark: bytes) -> None:
    path, link = tmp_path / "x.abnf", tmp_path / "link"
    path.write_bytes(mark + b"old\r\n")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_text(link, "new é\r\n")
    assert path.read_bytes() == mark + "new é\r\n".encode()
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "x.abnf"]


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.abnf"
    path.write_text("old\n")

    def refuse(source: str, target: Path) -> None:
        raise PermissionError("refused")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        replace_text(path, "new\n")
    assert path.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["x.abnf"]


@law(WORDS, st.integers(20, 60), st.integers(0, 16), st.integers(0, 4), few=50, many=2_000)
def test_wrapped_lines_fit_the_terminal(words: list[str], columns: int, before: int, indent: int) -> None:
    line = " ".join(words)
    pieces = Style(columns=columns).wrap(line, before, indent)
    assert " ".join(each.lstrip(" ") for each in pieces).split() == line.split()
    for number, each in enumerate(pieces):
        assert number == 0 or each[:indent] == " " * indent
        assert width(click.unstyle(each)) <= columns - before or len(click.unstyle(each).split()) == 1
    for each, following in pairwise(pieces):  # another word does not fit
        word = click.unstyle(following).split()[0]
        assert width(f"{click.unstyle(each)} {word}") > columns - before
    assert Style().wrap(line, before, indent) == [line]


def test_columns_of_tables() -> None:
    assert [*aligned([("a", "b"), ("long", "c")])] == ["a     b", "long  c"]
    assert [*aligned([["", "a"], ["bc", "10"]], numbers=True)] == ["     a", "bc  10"]
