"""GitHub workflow commands, parsed as in the runner.

A line is a command if it starts with ``::``. The name of the command follows and, after a space, its
properties. Properties are separated by commas; each has a name, ``=`` and a value. After a second ``::``, the
line has the data. ``%25``, ``%0D`` and ``%0A`` are escapes in data and values; ``%3A`` and ``%2C`` are
escapes only in values.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}
_VALUE = _DATA | {"%3A": ":", "%2C": ","}


class Command(NamedTuple):
    """A command: its name, properties and data."""

    name: str
    properties: dict[str, str]
    data: str


def read(output: str) -> list[Command]:
    """Return all commands in an output. Fails if a line is not a correct command."""
    assert output == "" or output.endswith("\n")
    return [_command(line) for line in output.split("\n")[:-1]]


def _command(line: str) -> Command:
    assert line.startswith("::"), line
    assert "\r" not in line
    head, colons, data = line[2:].partition("::")
    assert colons, line
    name, _, rest = head.partition(" ")
    assert name in ("error", "warning", "notice", "debug", "group", "endgroup"), line
    properties = {}
    for pair in rest.split(",") if rest else []:
        key, equals, value = pair.partition("=")
        assert equals, pair
        assert key in ("file", "line", "endLine", "col", "endColumn", "title"), pair
        assert key not in properties, pair
        properties[key] = _unescape(value, _VALUE)
    return Command(name, properties, _unescape(data, _DATA))


def _unescape(text: str, escapes: dict[str, str]) -> str:
    assert all(escape in escapes for escape in re.findall("%.{0,2}", text)), text
    return re.sub("%..", lambda match: escapes[match[0]], text)
