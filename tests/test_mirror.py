"""Tests lie where what they test lies: folder by folder, and file by file.

A folder of tests has the name of a folder of the package, a file that of a module there. What is about more
than one module is listed below, with the reason why it has no place beside one of them.
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

# Files about several modules: why.
SEVERAL = {
    "_kernel/test_arrow": "what it is about is written in C: arrow.c and columns.c",
    "_kernel/test_binding": "what it is about is written in C: binding.c and parts.c",
    "_kernel/test_resolver": "what it is about is written in C: resolver.c and references.c",
    "_kernel/test_trail": "what it is about is written in C: trail.c and lines.c",
    "_kernel/test_walk": "what it is about is written in C: walk.h",
    "_kernel/test_weighted": "what it is about is written in C: weighted.c, readings.c and mistakes.c",
    "_kernel/test_weighted_misuse": "what it is about is written in C: readings.c and mistakes.c",
    "_kernel/test_damaged_tables": "what it is about is written in C: walk.c",
    "playground/test_browser": "the page, which is no module",
    "playground/test_barriers": "the page, which is no module",
    "notebook/test_page_texts": "whole pages, with diagrams",
    "ingest/test_odd_values": "each kind of value goes through whole jobs",
    "test_bad_input": "each kind of bad input goes through the whole program",
    "test_layers": "the order of all rooms",
    "test_mirror": "the places of all tests",
    "test_sentences": "no test quotes a message",
    "test_public": "what all packages together promise to those who import them",
    "test_limits": "each question, of whatever room, to grammars that ask for too much",
    "test_recursive_limits": "each question, of whatever room, to recursive grammars that ask for too much",
    "test_history": "answers of all rooms, in any order",
    "test_blocks": "what stands on pages is about all rooms",
    "test_ci": "hooks and a workflow, which run commands",
    "test_misuse": "every public function of every room",
    "test_readme": "examples in pages use everything",
    "test_slips": "what beginners write is told by every room that reads it",
    "test_recipes": "recipes use everything",
    "test_tutorial": "lessons use everything",
    "test_threads": "questions to all rooms, asked by several threads at once",
    "test_travel": "values of all rooms, in other processes",
    "cli/test_encodings": "what all verbs write, and how",
    "cli/test_help": "help is that of all verbs",
    "cli/verbs/test_ingest_outputs": "where outputs go is decided by the command, the job and its directory",
    "cli/test_process": "streams, signals and start-up are the whole command's",
    "conformance/test_wrong": "what suites find in implementations, all passes together",
    "engine/lanes/test_recursive_grammars": "grammars of other specifications, which need every lane",
    "engine/lanes/test_verdicts": "one table, since a case for one lane is a case for all",
    "linting/test_hostile": "each grammar is expensive for other checks",
    "ingest/test_killed": "jobs in processes of their own, all rooms of them",
    "uri/test_examples": "the RFCs' own examples, in every grammar of URIs",
    "uri/test_parse_by_both_rfcs": "what parsing has in common",
    "uri/test_parts": "one method of the objects of all rooms",
    "uri/test_public_names": "what the package offers to those who import it",
    "uri/test_resolve_by_both_rfcs": "where the two algorithms differ, and what they have in common",
    "uri/rfc2396/test_requirements": "requirements in the order of the specification",
    "uri/rfc3986/test_shared_cases": "other projects' cases are about all of the room",
    "uri/rfc3986/test_requirements": "requirements in the order of the specification",
}


def folders() -> list[str]:
    """The folders below tests/ that hold files, as paths."""
    files = (path for path in TESTS.rglob("*") if path.is_file() and not path.parent.name.startswith("__"))
    found = {parent for path in files for parent in path.relative_to(TESTS).parents}
    return sorted(path.as_posix() for path in found if path.parts)


def files() -> list[str]:
    """The test files in folders of the package's names, as paths without the suffix."""
    paths = (path.relative_to(TESTS).with_suffix("") for path in TESTS.rglob("test_*.py"))
    return sorted(path.as_posix() for path in paths if path.parts[0] not in BESIDE)


def module(file: str) -> Path:
    """Where the module would be that a test file has the name of."""
    path = Path(file)
    return PACKAGE / path.parent / f"{path.name.removeprefix('test_')}.py"


def modules(folder: str) -> list[str]:
    """The modules of a folder of the package, as paths without the suffix."""
    paths = (path.relative_to(PACKAGE).with_suffix("") for path in (PACKAGE / folder).glob("*.py"))
    return sorted(path.as_posix() for path in paths if path.name != "__init__")


def test_every_folder_is_one_of_the_package() -> None:
    others = {folder for folder in folders() if not (PACKAGE / folder / "__init__.py").is_file()}
    assert others <= BESIDE.keys()


def test_every_file_is_about_a_module_beside_it() -> None:
    assert [file for file in files() if (file in SEVERAL) is module(file).is_file()] == []


def test_every_file_is_collected_or_helps() -> None:
    """A test in a file that pytest does not look at would never fail."""
    others = (path for path in TESTS.rglob("*.py") if not path.name.startswith("test_"))
    hiding = [path for path in others if re.search(r"^(?:async )?def test_", path.read_text("utf-8"), re.M)]
    assert hiding == []


def test_every_reason_is_for_a_file() -> None:
    assert SEVERAL.keys() - files() == set()
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
    paths = [path for path in (ROOT / folder).rglob("*.py") if "_generated" not in path.parts]
    assert paths
    texts = {path: path.read_text("utf-8") for path in paths}
    long = [path for path, text in texts.items() if text.count("\n") > MOST_LINES]
    reasons = {path: ast.get_docstring(ast.parse(texts[path])) or "" for path in long}
    assert [path for path, reason in reasons.items() if not LONG.search(reason)] == []
