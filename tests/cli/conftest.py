"""Fixtures for several commands: grammars, and comparison with snapshots."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.command import Seen


@pytest.fixture
def seen(snapshot: SnapshotAssertion, tmp_path: Path) -> Seen:
    """Return a function that compares output, without directories and times, with the snapshot."""

    def stable(value: object) -> object:
        if isinstance(value, str):
            return re.sub(r"\b\d+\.\d s\b", "N s", value.replace(str(tmp_path), "TMP"))
        if isinstance(value, dict):
            return {key: stable(each) for key, each in value.items()}
        return [stable(each) for each in value] if isinstance(value, list | tuple) else value

    def compare(value: object) -> None:
        assert stable(value) == snapshot

    return compare


@pytest.fixture
def grammar(tmp_path: Path) -> str:
    path = tmp_path / "list.abnf"
    path.write_text(
        'start = word *("," word)\nword = 1*ALPHA\nnest = "(" [nest] ")"\nprose = <see elsewhere>\n'
    )
    return str(path)


# The grammar of RFC 8259, without names for whitespace and structural characters.
JSON = r"""
JSON-text = ws value ws
ws = *( %x20 / %x09 / %x0A / %x0D )
value = %s"false" / %s"null" / %s"true" / object / array / number / string
object = "{" ws [ member *( "," ws member ) ] "}"
member = string ws ":" ws value ws
array = "[" ws [ value ws *( "," ws value ws ) ] "]"
number = [ "-" ] int [ frac ] [ exp ]
int = "0" / ( %x31-39 *DIGIT )
frac = "." 1*DIGIT
exp = "e" [ "-" / "+" ] 1*DIGIT
string = %x22 *char %x22
char = unescaped / "\" ( %x22 / "\" / "/" / %s"b" / %s"f" / %s"n" / %s"r" / %s"t" / %s"u" 4HEXDIG )
unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
"""


@pytest.fixture
def json_grammar(tmp_path: Path) -> str:
    path = tmp_path / "json.abnf"
    path.write_text(JSON.lstrip("\n"))
    return str(path)
