"""Mutants are the module with one fault; a run on them tells which ones the tests notice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from random import Random

import pytest

from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import mutate
from mutation.modules import PACKAGE, TESTS, path_of, suite_of
from mutation.mutants import mutants

SOURCE = '''"""What it is for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from a import b

LIMIT: int = 8


def f(x: "list[str]") -> bool:
    """What it does."""
    for item in x:
        if item < LIMIT and not x:
            continue
        x.append(-item)
    if len(x) == 0:
        raise ValueError("nothing" + "at all")
    assert x, "words"
    return max(x) + 1
'''

CHANGES = [
    (8, "LIMIT: int = 8", "LIMIT: int = 9"),
    (14, "if item < LIMIT and (not x):", "if not (item < LIMIT and (not x)):"),
    (14, "if item < LIMIT and (not x):", "if item < LIMIT or not x:"),
    (14, "if item < LIMIT and (not x):", "if item <= LIMIT and (not x):"),
    (14, "if item < LIMIT and (not x):", "if item < LIMIT and x:"),
    (15, "continue", "break"),
    (16, "x.append(-item)", "pass"),
    (16, "x.append(-item)", "x.append(item)"),
    (17, "if len(x) == 0:", "if not len(x) == 0:"),
    (17, "if len(x) == 0:", "if len(x) != 0:"),
    (17, "if len(x) == 0:", "if len(x) == 1:"),
    (20, "return max(x) + 1", "return None"),
    (20, "return max(x) + 1", "return max(x) - 1"),
    (20, "return max(x) + 1", "return min(x) + 1"),
    (20, "return max(x) + 1", "return max(x) + 2"),
]


def test_each_change_once_and_nothing_that_only_people_read() -> None:
    found = mutants(SOURCE)
    assert sorted((mutant.line, mutant.before, mutant.after) for mutant in found) == sorted(CHANGES)
    assert len({mutant.source for mutant in found}) == len(CHANGES)
    for mutant in found:
        compile(mutant.source, "<mutant>", "exec")
    assert str(found[0]) == "line 8: LIMIT: int = 8  ->  LIMIT: int = 9"


def test_a_sample_is_the_same_for_a_seed() -> None:
    found = mutants(SOURCE)
    assert mutate.sample(found, 5, Random(1)) == mutate.sample(found, 5, Random(1))
    assert len(set(map(id, mutate.sample(found, 5, Random(1))))) == 5
    assert mutate.sample(found, 0, Random(1)) == mutate.sample(found, 99, Random(1)) == found


@each_row("name", TESTS)
def test_every_module_of_the_table_has_tests(name: str) -> None:
    assert path_of(name).is_file()
    assert all((ROOT / test).exists() for test in suite_of(name))


def test_other_modules_have_those_that_mirror_them() -> None:
    assert suite_of("text") == ("tests/test_text.py",)
    assert suite_of("grammar/reader") == ("tests/grammar/test_reader.py",)
    assert path_of("grammar/reader") == PACKAGE / "grammar" / "reader.py"


def test_a_module_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        mutate.main(["abnf.reader"])
    assert stopped.value.code == 2
    assert "abnf.reader" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_run() -> None:
    command = [sys.executable, str(ROOT / "tools" / "mutate.py"), "text", "--sample", "3"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    first, *survivors = result.stdout.splitlines()
    found = re.fullmatch(r"text: (\d) of 3 mutants killed \(\d+ %\), of \d+ there are", first)
    assert found
    assert len(survivors) == 3 - int(found[1])
    assert (result.returncode, result.stderr) == (0, "")
