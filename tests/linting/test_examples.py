"""Findings about examples: where they are wrong, and that nothing else is said of them."""

from __future__ import annotations

from pathlib import Path

import abnforge
from tests.law import each_row

CASES = [
    (';@ match "80"\nport = *DIGIT\n', []),
    (';@ match "x"\nport = *DIGIT\n', []),  # what "grammar test" tells
    ("port = *DIGIT ;@ no-match 80\n", [(1, 27, 29)]),
    (';@ match "80"\n\nport = *DIGIT\n\n;@ mtach "81"\n', [(1, 1, 14), (5, 1, 14)]),
    (';@ macth "80"\nport = *DIGIT\n', [(1, 4, 9)]),
    (";@ allow unused-rule (why)\n;@ import rfc3986: host\nport = DIGIT host\n", []),
]


@each_row(("text", "places"), CASES)
def test_findings(text: str, places: list[tuple[int, int, int]]) -> None:
    found = abnforge.lint(text)
    assert {each.name for each in found} <= {"example-directive"}
    assert [(each.line, each.column, each.end_column) for each in found] == places
    assert all(each.severity == "error" and each.excerpt for each in found)


def test_beside_mistakes_and_in_their_files(tmp_path: Path) -> None:
    text = (
        'port = *DIGIT ;@ match "80"\n\n'
        ';@ match "x"\n;@ of port; blame all; fix none; say "letters"\nword = 1*ALPHA\n'
    )
    [found] = abnforge.lint(text)
    assert (found.name, found.line) == ("example-directive", 3)
    assert (found.message.code, found.message.data) == ("example-of-mistake", {"name": "word"})
    path = tmp_path / "p.abnf"
    path.write_text(text)
    assert [each.name for each in abnforge.lint(path)] == ["example-directive"]
