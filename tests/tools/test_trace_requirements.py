"""All requirements are traced, and the checks detect every kind of fault."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.places import ROOT


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "trace_requirements", ROOT / "tools" / "trace_requirements.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their module
    spec.loader.exec_module(module)
    return module


tool = load_tool()
REQUIREMENTS, EXCERPT = tool.read_table(tool.TABLE.read_text(encoding="utf-8"))


def test_the_table_has_everything_the_sources_have() -> None:
    if not tool.SEEDS.is_dir():
        pytest.skip("no source documents beside the project")
    assert tool.compare_with_seeds(REQUIREMENTS, EXCERPT, tool.SEEDS) == []


def test_identifiers_are_numbered_without_gaps() -> None:
    numbers: dict[tuple[str, str], list[int]] = {}
    for requirement in REQUIREMENTS:
        start, _, number = requirement.identifier.rpartition("-")
        numbers.setdefault((requirement.specification, start), []).append(int(number))
    assert len(numbers) > 50
    assert {key: result for key, result in numbers.items() if result != list(range(1, len(result) + 1))} == {}


def test_everything_but_the_tests_is_covered() -> None:
    tests = {requirement.identifier: ["a test"] for requirement in REQUIREMENTS}
    assert tool.problems(REQUIREMENTS, tests) == []


TABLE = """
excerpt = ["2.1-must-1"]
[rfc2396."1-1"]
summary = "One."
{}
[rfc3986."2.1-must-1"]
summary = "Two | three."
informative = "no | reason"
"""


@pytest.mark.parametrize(
    ("cover", "tests", "expected"),
    [
        ("tests = true", {"1-1": ["t.py::test"]}, []),
        ('grammar = ["scheme", "URIC"]', {}, []),
        ('application = "not ours"', {}, []),
        ("", {}, ["1-1 is not covered: give it tests, grammar, informative or application"]),
        ("tests = true", {}, ["1-1 is to be covered by tests, and no test names it"]),
        (
            "tests = false",
            {"1-1": ["t.py::test"]},
            ["1-1 is not covered: give it tests, grammar, informative or application"],
        ),
        (
            'grammar = ["authority", "segment-nz"]',
            {},
            ["1-1 is to be covered by the rule segment-nz, which rfc2396 does not have"],
        ),
        (
            "tests = true",
            {"1-1": ["t.py::test"], "1-2": ["t.py::test", "t.py::other"]},
            ["t.py::test, t.py::other names 1-2, which is no requirement"],
        ),
    ],
)
def test_problems(cover: str, tests: dict[str, list[str]], expected: list[str]) -> None:
    requirements, _ = tool.read_table(TABLE.format(cover))
    assert tool.problems(requirements, tests) == expected


@pytest.mark.parametrize(
    "text", ['[rfc1."1-1"]\nsummary = "a"', '[rfc2396."1-1"]\nsumary = "a"'], ids=["specification", "key"]
)
def test_a_table_with_a_mistake_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        tool.read_table(text)


def test_sources_that_differ_are_noticed(tmp_path: Path) -> None:
    requirements, excerpt = tool.read_table(TABLE.format("tests = true"))
    (tmp_path / "000_a.txt").write_text("# Chapter 1: A\n## 1-1\n")
    (tmp_path / "003_b.txt").write_text("2.1.  A\nIt must\n")
    (tmp_path / "004_c.txt").write_text(
        " 2.1 A must\n1 B\nmust\n2.1 A\nmust, mustn't\nAppendix A. B\nmay\n8 C\nmay\n"
    )
    result = tool.compare_with_seeds(requirements, excerpt, tmp_path)
    assert result == []
    (tmp_path / "000_a.txt").write_text("## 1-1\n## 1-2\n")
    (tmp_path / "003_b.txt").write_text("2.1.  A\nIt should\n")
    listed, must, should = tool.compare_with_seeds(requirements, excerpt, tmp_path)
    assert listed.endswith(": 1-2")
    assert re.findall(r'2\.1|"\w+"|\b[01]\b', must) == ["2.1", '"must"', "0", "1"]
    assert re.findall(r'2\.1|"\w+"|\b[01]\b', should) == ["2.1", '"should"', "1", "0"]


@pytest.mark.slow
def test_tests_are_collected_by_what_they_name(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "import pytest\n"
        "pytestmark = pytest.mark.requirement('1-1')\n"
        "@pytest.mark.slow\n"
        "@pytest.mark.requirement('1-2', '1-3')\n"
        "@pytest.mark.parametrize('a', [0, pytest.param(1, marks=pytest.mark.requirement('1-4'))])\n"
        "def test_a(a): raise AssertionError\n"
        "def test_b(): raise AssertionError\n"
    )
    (tmp_path / "test_two.py").write_text("import no_such_module\n")
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\n"
        "import trace_requirements as tool, json, pathlib\n"
        f"found = tool.collect(pathlib.Path({str(tmp_path)!r}))\n"
        "names = {k: [t.rpartition('::')[2] for t in v] for k, v in found.tests.items()}\n"
        "print(json.dumps([names, found.errors]))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    tests, errors = json.loads(result.stdout)
    assert tests == {"1-1": ["test_a", "test_b"], "1-2": ["test_a"], "1-3": ["test_a"], "1-4": ["test_a"]}
    (error,) = errors
    assert "no_such_module" in error


def test_page() -> None:
    requirements, _ = tool.read_table(TABLE.format('grammar = ["scheme"]\ntests = true'))
    text = tool.page(requirements, {"1-1": ["tests/t.py::test_b", "tests/t.py::test_a"]})
    assert "| RFC 2396 | 1 | 1 | 1 | 0 | 0 |" in text
    assert (
        "| `1-1` | One. | grammar: `scheme`; [test_a](../tests/t.py); [test_b](../tests/t.py) |\n"
        "\n## RFC 3986, section 2.1\n" in text
    )
    row = "| `rfc3986-2.1-must-1` | Two \\| three. | informative: no \\| reason |"
    assert row in text
