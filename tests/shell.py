"""Command lines on pages: the programs that they call, and whether those have the options."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import pairwise

import click

from abnforge.cli.app import cli
from tests.places import ROOT

# Other programs that pages may call.
OTHERS = {"apt-get", "cc", "eval", "jq", "mutmut", "nox", "pygmentize", "sort", "source", "uniq"}

_TOOL_OPTION = re.compile(r"--[a-z][a-z-]*|-[a-z]")
_EXTRAS = re.compile(r"\.\[([a-z,-]+)\]")
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def calls(text: str) -> Iterator[list[str]]:
    """Yield the words of each program call, without redirections and comments."""
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        call: list[str] = []
        to_file = False
        for word in lexer:
            if set(word) <= set("|&;"):
                yield call
                call = []
            elif set(word) <= set("<>"):
                to_file = True
            elif to_file:
                to_file = False
            elif call or not re.fullmatch(r"\w+=\S*", word):  # not NAME=value before a call
                call.append(word)
        if call:
            yield call


def complaint(call: list[str]) -> str | None:
    """Return the error in a program call, or None if the call is right."""
    program, *words = call
    match program.removeprefix(".venv/bin/"):
        case "abnforge":
            return _wrong_option(words)
        case "python" | "python3":
            return None if words[:2] in (["-m", "venv"], ["-m", "pyperf"]) else _wrong_tool(words)
        case "pip":
            extras = {
                name for word in words for result in _EXTRAS.findall(word) for name in result.split(",")
            }
            groups = {name for option, name in pairwise(words) if option == "--group"}
            if any(re.match(r"abnforge\b", word) for word in words):
                return "abnforge is not on PyPI; install it from a clone"
            unknown = extras - _PROJECT["project"]["optional-dependencies"].keys()
            unknown |= groups - _PROJECT["dependency-groups"].keys()
            return f"unknown extra or group: {', '.join(sorted(unknown))}" if unknown else None
        case "pytest":
            return None
        case other if other in OTHERS or (ROOT / other).is_file():
            return None
    return f"what {program} is nobody knows (tests/shell.py, OTHERS)"


def _wrong_option(words: list[str]) -> str | None:
    """Return the error in a call of ``abnforge``: an unknown command, or an unknown option of the command."""
    result: click.Command = cli
    place = 0
    while isinstance(result, click.Group):
        if place == len(words):  # a group without a command lists its commands
            return None
        verb = result.get_command(click.Context(result), words[place])
        if verb is None:
            return None if words[place:] == ["--version"] else f"there is no verb {words[place]}"
        result, place = verb, place + 1
    results = {name for option in result.params for name in (*option.opts, *option.secondary_opts)}
    inputs = {word.partition("=")[0] for word in words[place:] if re.match("-[a-z]|--[a-z]", word)}
    unknown = inputs - results - {"--help"}
    return f"{result.name} has no option {', '.join(sorted(unknown))}" if unknown else None


def _wrong_tool(words: list[str]) -> str | None:
    """Return the error in a call of a tool: a missing file, or an option that the file does not contain."""
    path = ROOT / words[0]
    if not path.is_file():
        return f"there is no file {words[0]}"
    folder = path.parent
    texts = [each.read_text("utf-8") for each in [path, *folder.rglob("*.py")]]
    inputs = {word for word in words[1:] if _TOOL_OPTION.fullmatch(word)}
    unknown = {option for option in inputs if not any(f'"{option}"' in text for text in texts)}
    return f"{words[0]} has no option {', '.join(sorted(unknown))}" if unknown else None
