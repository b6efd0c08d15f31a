"""Output on terminals without Unicode: Windows consoles with a code page, and ASCII.

Text output is in the encoding of the terminal, with escapes for missing characters. JSON output is ASCII.
Files, and input for other programs, are UTF-8.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from abnforge.cli.app import cli
from abnforge.cli.common.output import print_stderr, write_file
from tests.cli.command_tree import VERBS
from tests.law import one_in

ENCODINGS = ["ascii", "cp1252", "cp437", "utf-8"]

# An "e" with an accent (in all code pages), the euro sign (in some), and a character that is in none of them.
GRAMMAR = '; größe €日\n;@ match %xE9, "a"\ns = %xE9 / %x20AC / %x65E5 / "a"\nx = <prosé€日>\n'
TEXT = "é€日"

OWN = ["--grammar", "own.abnf"]
# Commands with output as text, JSON, or other ASCII data.
SHOWN = {
    "check text.txt",
    "check --format jsonl text.txt",
    "check --format json text.txt",
    "check --format github text.txt",
    "check --format sarif text.txt",
    "check --format junit text.txt",
    "check é€日.txt",
    "check --é€日",
    "check --grammar é€日",
    "check --format é€日",
    "uri compare é€日 http://h/",
    "uri compare --between rfc2396 rfc3986 é€日",
    "exercise list",
    "exercise show é€日",
    "explain http://é€日/",
    "explain --format json http://é€日/",
    "explain --teach http://é€日/",
    "diff own.abnf rfc3986",
    "grammar é€日",
    "export OWN --rule s --to python",
    "export OWN --rule s --to ecmascript",
    "format é€日.abnf",
    "generate OWN --rule s --format jsonl -n 9 --seed 1",
    "lint own.abnf",
    "lint --format sarif own.abnf",
    "list",
    "code --list -g own.abnf",
    "new é€日",
    "show OWN",
    "show OWN --format words s",
    "show OWN --format json",
    "test own.abnf",
    "conform OWN --rule s --pattern é|€",
    "uri normalize http://é€日/",
    "parse OWN --rule s 日",
    "parse OWN --rule s --format json 日",
    "parse OWN --rule s --ascii --format trace 日x",
    "parse OWN --rule s --format derivation 日",
    "parse OWN --rule s --format derivations --count 2 日",
    "uri resolve http://h/ é€日",
    "code é€日",
    "uri scan text.txt",
    "é€日",
    "",
}
# Commands that write a file, and a part of the expected content.
FILES = {
    "export --to lark -g own.abnf --allow-undefined": "",
    "coverage OWN --rule s --format html text.txt": "größe €日",
    "extract draft.md": TEXT,
    "format --diff uneven.abnf": TEXT,
    "generate OWN --rule s --how alternatives": "日",
    "railroad OWN --rule s": "日",
    "railroad OWN --rule s --format html": "日",
    "show OWN s --format svg": "",
    "parse OWN --rule s --format svg 日": "日",
    "parse OWN --rule s --format dot 日": "日",
    "parse OWN --rule s --format html 日": "日",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.abnf").write_text(GRAMMAR, "utf-8")
    Path("uneven.abnf").write_text(f"a=b ;{TEXT}\n", "utf-8")
    Path("draft.md").write_text(f"~~~ abnf\na = b ; {TEXT}\nb = %x61\n~~~\n", "utf-8")
    Path("text.txt").write_text(f"http://h/{TEXT}\nurn:a\n", "utf-8")


def called(line: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, bytes, bytes]:
    """Run a command with streams in an encoding; return its status and the bytes that it writes to them."""
    streams = [io.BytesIO(), io.BytesIO()]
    for name, stream in zip(("stdout", "stderr"), streams, strict=True):
        errors = "backslashreplace" if name == "stderr" else "strict"  # like Python's streams
        monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, encoding, errors, newline="\n"))
    words = [word for part in line.split() for word in (OWN if part == "OWN" else [part])]
    with pytest.raises(SystemExit) as caught:
        cli.main(words, prog_name="abnforge")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return caught.value.code, streams[0].getvalue(), streams[1].getvalue()


def shown_in(text: str, encoding: str) -> str:
    """Return a string as a terminal with this encoding would show it."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


def bare(text: str) -> str:
    """Return output without the positions of carets, which tests/test_text.py checks."""
    return re.sub(r"^ *\^+$", "^", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("line", "encoding"), one_in(5, product(sorted(SHOWN), ENCODINGS)))
def test_terminal_output(line: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output is in the terminal's encoding, and equals the UTF-8 output except for escapes."""
    status, out, err = called(line, encoding, monkeypatch)
    assert status in (0, 1, 2)
    unicode_status, unicode_out, unicode_err = called(line, "utf-8", monkeypatch)
    assert status == unicode_status
    for result, expected in ((out, unicode_out), (err, unicode_err)):
        assert bare(result.decode(encoding)) == bare(shown_in(expected.decode("utf-8"), encoding))
    assert b"Traceback" not in out + err


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_trees_use_the_characters_of_the_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, _ = called("parse OWN --rule s --format tree 日", encoding, monkeypatch)
    assert status == 0
    assert shown_in("日", encoding) in out.decode(encoding)


@pytest.mark.parametrize("encoding", one_in(3, ENCODINGS))
@pytest.mark.parametrize("line", FILES)
def test_what_becomes_a_file(line: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "coverage" in line:
        pytest.importorskip("jinja2")
    if "railroad" in line:
        pytest.importorskip("railroad")
    status, out, err = called(line, encoding, monkeypatch)
    assert status in (0, 1)
    assert FILES[line] in out.decode("utf-8")
    err.decode(encoding)


def test_every_command_that_shows_text_is_here() -> None:
    """Commands without such output are listed with the reason."""
    others = {
        ("split",): "it writes files, and UTF-8 into them",
        ("playground",): "it writes an address",
        ("completion",): "its scripts are ASCII",
        ("exercise", "check"): "see exercise show",
        ("exercise", "export"): "its output is a file of UTF-8",
        ("exercise", "new"): "its output is a file of UTF-8",
        ("server",): "it speaks UTF-8",
    }
    here = {
        tuple(line.replace("OWN ", "").split()[:number]) for line in {*SHOWN, *FILES} for number in (1, 2)
    }
    leaves = {words for words, verb in VERBS.items() if not hasattr(verb, "places")}
    assert leaves - others.keys() <= here
    assert others.keys() <= leaves


@pytest.mark.parametrize("words", VERBS)
def test_help_is_ascii(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err = called(" ".join((*words, "--help")), "ascii", monkeypatch)
    assert (status, err) == (0, b"")
    assert out.isascii()


def test_a_terminal_gets_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "cp1252")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", stream)
    write_file(TEXT)
    stream.flush()
    assert raw.getvalue() == b"\xe9\x80\\u65e5"


def test_missing_standard_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard streams can be missing, as in pythonw or after they are closed."""
    monkeypatch.setattr(sys, "stderr", None)
    print_stderr("a")


@pytest.mark.parametrize("encoding", one_in(2, ["ascii", "cp1252"]))
def test_processes(encoding: str) -> None:
    """Environment variables set the encoding. Python warns if other code uses the encoding of the locale."""
    pytest.importorskip("jinja2")
    script = (
        "import sys\n"
        "from abnforge.cli.app import cli\n"
        "for line in sys.argv[1:]:\n"
        "    try: cli.main(line.split(), prog_name='abnforge')\n"
        "    except SystemExit as end: assert end.code in (0, 1, 2), end.code\n"
    )
    lines = [
        "check text.txt",
        "lint own.abnf",
        "test own.abnf",
        "new a",
        "exercise list",
    ]
    lines += ["coverage --grammar own.abnf --rule s --format html -o page.html text.txt", "check -"]
    result = subprocess.run(
        [
            sys.executable,
            "-X",
            "warn_default_encoding",
            "-W",
            "error::EncodingWarning:abnforge",
            "-c",
            script,
            *lines,
        ],
        input=f"http://h/{TEXT}\n".encode(),
        capture_output=True,
        timeout=100,
        env={
            **os.environ,
            "PYTHONIOENCODING": encoding,
            "PYTHONUTF8": "0",
            "LC_ALL": "C",
            "PYTHONCOERCECLOCALE": "0",
        },
    )
    assert result.returncode == 0, result.stderr
    assert f"    http://h/{shown_in(TEXT, encoding)}" in result.stdout.decode(encoding)
    assert "größe €日" in Path("page.html").read_text("utf-8")
    result.stderr.decode(encoding)
