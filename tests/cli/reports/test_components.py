"""Components, drawn."""

from __future__ import annotations

from abnforge import uri
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.components import component_lines


def test_undefined_is_not_empty() -> None:
    lines = component_lines(uri.parse("//h!:/?").to_dict(), PLAIN)
    assert lines[0] == 'URI-reference  "//h!:/?"'
    rows = {line[2:].split("  ")[0]: line.split("  ")[-1].strip() for line in lines[1:]}
    assert (rows["scheme"], rows["host"], rows["port"]) == ("undefined", '"h!"', '""')
    assert (rows["query"], rows["fragment"], rows["host kind"]) == ('""', "undefined", "reg-name")


def test_lists_and_controls() -> None:
    plain = {"rule": "r", "text": "\x1b", "some_parts": ["a", "\u202e"], "none": []}
    assert component_lines(plain, PLAIN) == [
        'r  "\\x1b"',
        '  some parts  "a"  "\\u202e"',
        "  none        none",
    ]
