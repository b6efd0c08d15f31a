"""Tests lie where what they test lies, folder by folder.

A folder of tests has the name of a package. Folders that no package has the name of are listed below, with
what they are for.
"""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.places import ROOT

TESTS = ROOT / "tests"
SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

# Folders that no folder of the package has the name of, and what they are for.
BESIDE = {
    "conformance/wrong": "implementations with bugs of real libraries, which suites are held against",
    "data": "tables that tests read",
    "grammars": "tests of the files in grammars/",
    "laws": "laws that hold across rooms: all lanes, and other implementations, give the same answers",
    "reference": "independent implementations, other engines, and strategies, which tests compare with",
    "tools": "tests of tools/, a file for each tool",
}


def folders() -> list[str]:
    """The folders below tests/ that hold files, as paths."""
    files = (path for path in TESTS.rglob("*") if path.is_file() and not path.parent.name.startswith("__"))
    found = {parent for path in files for parent in path.relative_to(TESTS).parents}
    return sorted(path.as_posix() for path in found if path.parts)


def modules(folder: str) -> list[str]:
    """The modules of a folder of the package, as paths without the suffix."""
    paths = (path.relative_to(PACKAGE).with_suffix("") for path in (PACKAGE / folder).glob("*.py"))
    return sorted(path.as_posix() for path in paths if path.name != "__init__")


def test_every_folder_is_one_of_the_package() -> None:
    others = {folder for folder in folders() if not (PACKAGE / folder / "__init__.py").is_file()}
    assert others <= BESIDE.keys()


def test_every_file_is_collected_or_helps() -> None:
    """A test in a file that pytest does not look at would never fail."""
    others = (path for path in TESTS.rglob("*.py") if not path.name.startswith("test_"))
    hiding = [path for path in others if re.search(r"^(?:async )?def test_", path.read_text("utf-8"), re.M)]
    assert hiding == []


def test_every_reason_is_for_a_folder() -> None:
    assert BESIDE.keys() - folders() == set()


def test_every_test_of_a_tool_has_its_tool() -> None:
    files = {path.stem.removeprefix("test_") for path in (TESTS / "tools").glob("test_*.py")}
    assert files <= {path.stem for path in (ROOT / "tools").glob("*.py")}


def test_every_verb_and_every_report_has_its_tests() -> None:
    rooms = ("cli/verbs", "cli/verbs/exercise", "cli/verbs/grammar", "cli/reports")
    paths = [Path(name) for room in rooms for name in modules(room)]
    assert paths
    assert [path for path in paths if not (TESTS / path.parent / f"test_{path.name}.py").is_file()] == []


MOST_LINES = 600
LONG = re.compile(r"^Longer than others: \S", re.MULTILINE)


@pytest.mark.parametrize("folder", ["src", "tests", "tools"])
def test_a_file_holds_one_idea(folder: str) -> None:
    """A longer file says in its first comment why it is (``Longer than others: ...``)."""
    paths = [path for path in (ROOT / folder).rglob("*.py") if "_data" not in path.parts]
    assert paths
    texts = {path: path.read_text("utf-8") for path in paths}
    long = [path for path, text in texts.items() if text.count("\n") > MOST_LINES]
    reasons = {path: ast.get_docstring(ast.parse(texts[path])) or "" for path in long}
    assert [path for path, reason in reasons.items() if not LONG.search(reason)] == []
