"""What can be linted: texts, files and grammars, malformed ones too."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge import lint
from tests.raising import raises


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "x.abnf"
    path.write_bytes(b"a = *( *DIGIT )\n")
    [finding] = abnforge.lint(path)
    assert (finding.path, finding.line, finding.excerpt) == (str(path), 1, "a = *( *DIGIT )")
    assert abnforge.lint(abnforge.load(path)) == [finding]
    path.write_bytes(b"a = \xff\n")
    assert [(f.name, f.line, f.column) for f in abnforge.lint(path)] == [("syntax-error", 1, 5)]
    path.write_bytes(b"a = DIGIT ;" + b" " * (4 << 20))
    assert [(f.name, f.line) for f in abnforge.lint(path)] == [("file-too-large", 0)]
    with pytest.raises(FileNotFoundError):
        abnforge.lint(tmp_path / "missing.abnf")
    with raises(TypeError, "argument-type", name="source"):
        abnforge.lint(b"a = DIGIT\n")  # type: ignore[arg-type]


def test_several_errors_are_findings_in_the_order_of_the_text() -> None:
    findings = lint('a = c\nb = "x" /\nd = %x9-1\n')
    assert [(f.name, f.line) for f in findings] == [
        ("undefined-rule", 1),
        ("syntax-error", 2),
        ("empty-range", 3),
    ]


def test_an_empty_text_is_one_finding() -> None:
    assert [f.name for f in lint("")] == ["syntax-error"]


@pytest.mark.parametrize("text", [';@ except a\na = "x" |\n', 'b = "y"\n;@ except b\na = "x" /\n'])
def test_a_comment_of_a_malformed_rule_is_no_finding(text: str) -> None:
    assert "except-directive" not in {finding.name for finding in abnforge.lint(text)}
