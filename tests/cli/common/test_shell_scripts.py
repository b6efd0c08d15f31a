"""Completion in real shells: lines typed into bash and zsh on a terminal, and asked of fish."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from abnforge.cli.common.installing import install
from abnforge.cli.common.shells import script

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="terminals as POSIX has them"),
]

SECONDS = 60  # only lest a shell is waited for for ever

# A line up to the cursor, and what stands there behind TAB.
LINES = [
    ("abnforge exer", "abnforge exercise "),
    ("abnforge ser", "abnforge server "),
    ("abnforge check --gra", "abnforge check --grammar "),
    ("abnforge check --grammar rfc398", "abnforge check --grammar rfc398"),
    ("abnforge check --grammar rfc3987", "abnforge check --grammar rfc3987 "),
    ("abnforge check --grammar=rfc3987", "abnforge check --grammar=rfc3987 "),
    ("abnforge check --grammar rfc-", "abnforge check --grammar rfc-own.abnf "),
    ("abnforge check --grammar=own.", "abnforge check --grammar=own.abnf "),
    ("abnforge check -g abnf:rfc3987", "abnforge check -g abnf:rfc3987 "),
    ("abnforge check -g own.abnf -r wo", "abnforge check -g own.abnf -r word "),
    ("abnforge check --format=jun", "abnforge check --format=junit "),
    ("abnforge check 'my gr", "abnforge check 'my grammar.abnf' "),
    ("abnforge check my\\ gr", "abnforge check my\\ grammar.abnf "),
    ("abnforge lint 'my gr", "abnforge lint 'my grammar.abnf' "),
    ("abnforge diff rfc3986:IPv4", "abnforge diff rfc3986:IPv4address "),
    ("abnforge diff 'rfc3986:IPv4", "abnforge diff 'rfc3986:IPv4address' "),
    ('abnforge check --rule "URI & host', 'abnforge check --rule "URI & host" '),
    ("abnforge split a.csv -c url:rfc3987:IRI-", "abnforge split a.csv -c url:rfc3987:IRI-reference "),
    ("abnforge diff rfc3986 rfc2396 --translate schem", "abnforge diff rfc3986 rfc2396 --translate scheme="),
    ("abnforge chekc x", "abnforge chekc x"),
    ("abnforge check < own.", "abnforge check < own.abnf "),
    ("echo a | abnforge expl", "echo a | abnforge explain "),
    ("abnforge code scheme-miss", "abnforge code scheme-missing "),
    ("abnforge exercise show time-", "abnforge exercise show time-24 "),
    ("abnforge exercise check --all fold", "abnforge exercise check --all folder/"),
    ("A=1 abnforge expl", "A=1 abnforge explain "),
]

# Ctrl+G shows the line.
SETTINGS = {
    "bash": "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; "
    'bind -x \'"\\C-g": printf "<<%s>>\\n" "$READLINE_LINE"\'; ',
    "zsh": "show() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^G' show; unsetopt beep; ",
}
READY = "echo rea''dy\n"
BARE = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where shells are: files to complete, and the command itself."""
    path = tmp_path_factory.mktemp("shell")
    for name in ("own.abnf", "my grammar.abnf", "rfc-own.abnf"):
        (path / name).write_text("start = word\nword = 1*ALPHA\n", "utf-8")
    (path / "folder").mkdir()
    (path / "bin").mkdir()
    command = path / "bin" / "abnforge"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m abnforge "$@"\n', "utf-8")
    command.chmod(0o755)
    return path


def environment(folder: Path, home: Path) -> dict[str, str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    others = ("COMP_", "XDG_", "ZDOTDIR", "_ABNFORGE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return {**kept, "PATH": path, "HOME": str(home), "TERM": "dumb", "PS1": "> ", "INPUTRC": "/dev/null"}


Typed = Callable[[str], str]


@contextmanager
def started(shell: str, folder: Path, home: Path, arguments: list[str], begin: str) -> Iterator[Typed]:
    """A shell on a terminal: what stands in its line when a text and TAB were typed."""
    pty = pytest.importorskip("pty")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not there")
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [shell, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=folder,
        env=environment(folder, home),
        start_new_session=True,
    )
    os.close(child)

    def until(wanted: bytes) -> bytes:
        shown, last = b"", monotonic() + SECONDS
        while monotonic() < last:
            if select.select([parent], [], [], 1)[0]:
                shown += os.read(parent, 65536)
                if re.search(wanted, shown, re.DOTALL):
                    return shown
        raise AssertionError(shown)

    def line(text: str) -> str:
        os.write(parent, b"\x15" + text.encode() + b"\t\x07")
        return re.findall(rb"<<(.*?)>>", until(rb"<<.*?>>"), re.DOTALL)[-1].decode()

    try:
        os.write(parent, begin.encode())
        until(rb"ready\r")
        yield line
    finally:
        process.kill()
        process.wait()
        os.close(parent)


@pytest.fixture(scope="module", params=list(SETTINGS))
def typed(request: pytest.FixtureRequest, folder: Path) -> Iterator[Typed]:
    """A shell that was given the script, and nothing else of anybody's."""
    shell = request.param
    (folder / "script").write_text(script(shell), "utf-8")
    with started(shell, folder, folder, BARE[shell], f"{SETTINGS[shell]}. ./script; {READY}") as line:
        yield line


@pytest.mark.parametrize(("text", "wanted"), LINES)
def test_a_line_is_completed(text: str, wanted: str, typed: Typed) -> None:
    assert typed(text) == wanted


@pytest.mark.parametrize("shell", SETTINGS)
def test_what_is_installed_is_read(shell: str, folder: Path, tmp_path: Path) -> None:
    """By a shell that starts as any does."""
    home = tmp_path / "my home"
    home.mkdir()
    install(shell, home)
    with started(shell, folder, home, ["-i"], SETTINGS[shell] + READY) as line:
        assert line("abnforge exer") == "abnforge exercise "


FISH = [
    ("abnforge gramm", ["grammar"]),
    ("abnforge check --gra", ["--grammar"]),
    ("abnforge check --grammar rfc398", ["rfc3986", "rfc3987"]),
    ("abnforge check --grammar=rfc398", ["--grammar=rfc3986", "--grammar=rfc3987"]),
    ("abnforge check --grammar rfc-", ["rfc-own.abnf"]),
    ("abnforge check --grammar=own.", ["--grammar=own.abnf"]),
    ("abnforge check -g own.abnf -r wo", ["word"]),
    ("abnforge check 'my gr", ["my grammar.abnf"]),
    ("abnforge check my\\ gr", ["my grammar.abnf"]),
    ("abnforge diff rfc3986:IPv4", ["rfc3986:IPv4address"]),
    ('abnforge check --rule "URI & host', ["URI & host"]),
    ("abnforge chekc x", []),
    ("abnforge check < own.", ["own.abnf"]),
    ("echo a | abnforge expl", ["explain"]),
    ("abnforge exercise check --all ", ["folder/", "bin/"]),
]


@pytest.fixture(scope="module")
def fish(folder: Path) -> list[list[str]]:
    """What fish offers for each line of ``FISH``."""
    if shutil.which("fish") is None:
        pytest.skip("fish is not there")
    (folder / "script").write_text(script("fish"), "utf-8")
    asked = "".join(f"complete -C {_quoted(line)}; echo END\n" for line, _ in FISH)
    result = subprocess.run(
        ["fish", "--no-config", "-c", f"source script\n{asked}"],
        cwd=folder,
        env=environment(folder, folder),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert result.stderr == ""
    return [
        [line.split("\t")[0] for line in part.split("\n") if line]
        for part in result.stdout.split("END\n")[: len(FISH)]
    ]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@pytest.mark.parametrize("number", range(len(FISH)))
def test_fish(number: int, fish: list[list[str]]) -> None:
    assert sorted(fish[number]) == sorted(FISH[number][1])


def test_fish_reads_what_is_installed(folder: Path, tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not there")
    install("fish", tmp_path)
    result = subprocess.run(
        ["fish", "-c", "complete -C 'abnforge gramm'"],
        cwd=folder,
        env=environment(folder, tmp_path),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert result.stdout.split("\t")[0] == "grammar"
