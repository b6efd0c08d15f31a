"""Test directories mirror packages. Other directories are listed here with their purpose."""

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

# Directories that do not mirror a package: name -> purpose.
OTHERS = {
    "conformance/wrong": "implementations with bugs of real libraries, which suites must detect",
    "data": "tables that tests read",
    "fuzz": "tests of fuzz/",
    "grammars": "tests of the files in grammars/",
    "laws": "laws across packages: all engines and other implementations give the same results",
    "reference": "independent implementations, other engines, and strategies, which tests compare with",
    "tools": "tests of tools/, a file for each tool",
}


def folders() -> list[str]:
    """Return the directories below tests/ that contain files, as paths."""
    files = (path for path in TESTS.rglob("*") if path.is_file() and not path.parent.name.startswith("__"))
    parents = {parent for path in files for parent in path.relative_to(TESTS).parents}
    return sorted(path.as_posix() for path in parents if path.parts)


def modules(package: str) -> list[str]:
    """Return the modules of a package, as paths without the suffix."""
    paths = (path.relative_to(PACKAGE).with_suffix("") for path in (PACKAGE / package).glob("*.py"))
    return sorted(path.as_posix() for path in paths if path.name != "__init__")


def test_directories_mirror_packages_or_are_listed() -> None:
    others = {folder for folder in folders() if not (PACKAGE / folder / "__init__.py").is_file()}
    assert others == OTHERS.keys()


def test_tests_are_in_files_that_pytest_collects() -> None:
    others = (path for path in TESTS.rglob("*.py") if not path.name.startswith("test_"))
    pattern = re.compile(r"^(?:async )?def test_", re.MULTILINE)
    assert [path for path in others if pattern.search(path.read_text("utf-8"))] == []


def test_every_test_of_a_tool_has_its_tool() -> None:
    files = {path.stem.removeprefix("test_") for path in (TESTS / "tools").glob("test_*.py")}
    assert files <= {path.stem for path in (ROOT / "tools").glob("*.py")}


def test_every_command_and_every_report_has_its_tests() -> None:
    paths = [Path(module) for package in ("cli/commands", "cli/output") for module in modules(package)]
    assert paths
    assert [path for path in paths if not list((TESTS / path.parent).glob(f"test_{path.name}*.py"))] == []


MOST_LINES = 600
LONG = re.compile(r"^This module is long because \S", re.MULTILINE)


@pytest.mark.parametrize("folder", ["src", "tests", "tools"])
def test_long_files_have_a_reason(folder: str) -> None:
    """The docstring of a long file gives a reason for its length (``This module is long because ...``)."""
    paths = [path for path in (ROOT / folder).rglob("*.py") if "_data" not in path.parts]
    assert paths
    texts = {path: path.read_text("utf-8") for path in paths}
    long = [path for path, text in texts.items() if text.count("\n") > MOST_LINES]
    reasons = {path: ast.get_docstring(ast.parse(texts[path])) or "" for path in long}
    assert [path for path, reason in reasons.items() if not LONG.search(reason)] == []
