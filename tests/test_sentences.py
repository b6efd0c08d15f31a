"""No test quotes a message of the package: messages are only in snapshots, so they can be reworded.

In comparisons, a string of several words counts as a message. Anywhere else, such as in a table or in a
regular expression, a string counts as a message if it contains words of a catalog.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from abnforge.cli.common.codes import message_codes

TESTS = Path(__file__).parent
# These files test rendered messages. The last two compare messages of derived mistakes with the input.
ABOUT_MESSAGES = {"test_catalog.py", "test_sentences.py", "test_headlines.py", "expected.py"}
MAX_WORDS = 3
_PREDICATE = re.compile(r"\b(?:is|are) not allowed\b|\bis missing\b|\bdid you mean\b|\bbyte offset\b")
_WORD = re.compile(r"[(\"'`]*[a-z]+[\"'`,;:.?!)]*")

DIRECTORIES = [
    ".",
    *sorted(path.name for path in TESTS.iterdir() if path.is_dir() and any(path.rglob("*.py"))),
]


def sentences(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield string literals of several words in assertions and ``match`` arguments."""
    compared: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            compared.append(node.test)
        elif isinstance(node, ast.Call):
            compared += [keyword.value for keyword in node.keywords if keyword.arg == "match"]
    for expression in compared:
        for node in ast.walk(expression):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = [word for word in node.value.split() if _WORD.fullmatch(word)]
                if len(words) > MAX_WORDS:
                    yield node


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield each sequence of MAX_WORDS + 1 lower-case words."""
    words = [word.strip("([\"'`,;:.?!])") for word in text.replace("\\ ", " ").split()]
    for begin in range(len(words) - MAX_WORDS):
        run = tuple(words[begin : begin + MAX_WORDS + 1])
        if all(re.fullmatch("[a-z]+", word) for word in run):
            yield run


@cache
def catalog_runs() -> frozenset[tuple[str, ...]]:
    """Return the sequences of words between the fields of all templates in the catalogs."""
    parts = (part for each in message_codes() for part in re.split(r"\{[^}]*\}", each.template))
    return frozenset(run for part in parts for run in runs(part))


def fragments(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield string literals, except docstrings, with a predicate or a sequence of words from a message."""
    nodes = [*ast.walk(tree)]
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(text := node.value, str) and " " in text:
            quotes = _PREDICATE.search(text) or not catalog_runs().isdisjoint(runs(text))
            if quotes and id(node) not in docstrings:
                yield node


def quoted(path: Path) -> list[str]:
    """Return the quoted messages in a file, with their positions."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = [*sentences(tree), *fragments(tree)]
    return [f"{path.relative_to(TESTS)}:{node.lineno}: {node.value!r}" for node in nodes]


@pytest.mark.parametrize("directory", DIRECTORIES)
def test_no_sentence_is_compared(directory: str) -> None:
    files = TESTS.glob("*.py") if directory == "." else (TESTS / directory).rglob("*.py")
    results = [each for path in sorted(files) if path.name not in ABOUT_MESSAGES for each in quoted(path)]
    assert not results, "\n".join(results)


@pytest.mark.parametrize(
    "line",
    [
        'CASES = [("a\\xff", "byte 0xFF at byte offset 1 is not UTF-8")]',
        'ENDS = re.compile(r" is not allowed after (the )?$")',
        'TABLE = {"mask": "must be one character with keep_length"}',
        'assert error == "the path contains a percent-encoded line break"',
    ],
)
def test_sentences_are_recognized(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.TESTS", tmp_path)
    path = tmp_path / "test_example.py"
    path.write_text(line, "utf-8")
    assert quoted(path)
    path.write_text('"""It is not allowed."""\nassert error.code == "not-utf-8"', "utf-8")
    assert not quoted(path)
