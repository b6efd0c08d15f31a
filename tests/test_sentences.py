"""No test quotes a sentence of the package: what a person reads is in snapshots, and can be reworded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Rendered messages are what these are about.
ABOUT_MESSAGES = {"test_catalog.py", "test_sentences.py"}
MAX_WORDS = 3
_WORD = re.compile(r"[(\"'`]*[a-z]+[\"'`,;:.?!)]*")

DIRECTORIES = [
    ".",
    *sorted(path.name for path in TESTS.iterdir() if path.is_dir() and any(path.rglob("*.py"))),
]


def compared(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that decide whether a test passes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node.test
        elif isinstance(node, ast.Call):
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "match")


def sentences(path: Path) -> Iterator[str]:
    for expression in compared(ast.parse(path.read_text("utf-8"))):
        for node in ast.walk(expression):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = [word for word in node.value.split() if _WORD.fullmatch(word)]
                if len(words) > MAX_WORDS:
                    yield f"{path.relative_to(TESTS)}:{node.lineno}: {node.value!r}"


@pytest.mark.parametrize("directory", DIRECTORIES)
def test_no_sentence_is_compared(directory: str) -> None:
    files = TESTS.glob("*.py") if directory == "." else (TESTS / directory).rglob("*.py")
    found = [each for path in sorted(files) if path.name not in ABOUT_MESSAGES for each in sentences(path)]
    assert not found, "\n".join(found)
