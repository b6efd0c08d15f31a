"""The pytest plugin collects examples as items, if requested."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points

import pytest

from tests.places import ROOT

pytest_plugins = ["pytester"]

GRAMMAR = ';@ match "80"\n;@ no-match "80x", "1"\nport = *DIGIT\n'
MODULE = "abnforge.integrations.pytest"
# An environment from before the entry point existed.
LOADED = () if entry_points(group="pytest11", name="abnforge") else ("-p", MODULE)

Ran = Callable[..., pytest.RunResult]


@pytest.fixture
def ran(pytester: pytest.Pytester) -> Ran:
    return lambda *options: pytester.runpytest_inprocess(*LOADED, *options)


def test_the_entry_point_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"abnforge": MODULE}


def test_examples_are_items(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makefile(".abnf", port=GRAMMAR)
    result = ran("--abnf", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "port.abnf::port?match-1.10? PASSED*",
            "port.abnf::port?no-match-2.13? PASSED*",
            "port.abnf::port?no-match-2.20? FAILED*",
            '*_ port: no-match "1" _*',
            'port matches "1": DIGIT "1"',
            "*port.abnf:2:20",
            '    ;@ no-match "80x", "1"',
            "                       ^^^",
            'FAILED port.abnf::port?no-match-2.20? - port matches "1": DIGIT "1"',
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("ini", "options", "tests"),
    [("", [], 0), ("abnf = true", [], 2), ("", ["--abnf"], 2), ("", ["--abnf", "-k", "no-match"], 1)],
)
def test_it_is_asked_for(
    pytester: pytest.Pytester, ran: Ran, ini: str, options: list[str], tests: int
) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    pytester.makefile(".abnf", a=';@ match "1"; no-match "x"\na = DIGIT\n')
    pytester.makefile(".mistakes.abnf", a=";@ of a; blame all; fix none\nb = ALPHA\n")
    result = ran(*options)
    result.assert_outcomes(passed=tests, deselected=2 - tests if "-k" in options else 0)


def test_one_item_by_its_name(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makefile(".abnf", port=GRAMMAR)
    ran("--abnf", "port.abnf::port[match-1.10]").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a = "x\n', "*a.abnf:1:5: *"),
        ("a = b\n", "*a.abnf:1:5: *"),
        (";@ match 1\na = DIGIT\n", "*a.abnf:1:10: *"),
    ],
)
def test_unreadable_files_are_collection_errors(
    pytester: pytest.Pytester, ran: Ran, text: str, message: str
) -> None:
    pytester.makefile(".abnf", a=text)
    result = ran("--abnf")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    assert "Traceback" not in result.stdout.str()


def test_undecided_examples_fail(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makefile(".abnf", a=';@ match "1"\na = <words for people>\n')
    result = ran("--abnf")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['"1" *', "*a.abnf:1:10"])


def test_imports_are_looked_for_next_to_the_file(pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makefile(".abnf", a=';@ import ./b.abnf: b\n;@ match "1"\na = b\n', b="b = DIGIT\n")
    ran("--abnf").assert_outcomes(passed=1)
