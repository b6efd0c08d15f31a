"""Results follow from a grammar and its mistakes alone: no stored file, cache or process changes one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import abnforge
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.stores import BundledStore
from abnforge.grammar.imports import bundled_grammar
from abnforge.grammar.shipped import generated
from tests.law import one_in
from tests.places import ROOT

LABELLED = {
    "rfc3986": ("URI-reference", "wild_uris"),
    "rfc3339": ("date-time", "wild_dates"),
    "rfc5321": ("Mailbox", "wild_addresses"),
    "rfc3987": ("IRI-reference", "wild_uris"),  # inherits mistakes, and does not say that these are all
}
FEW, MANY = 3, 40
STORED = (
    "mistakes.json",
    "outline.json",
    "tagged.json",
    "imports.json",
    "patterns.json",
    "automata.json",
    "configurations.json",
    "lark",
    "names.json",
)


def strings(name: str, number: int) -> list[str]:
    """So many of the labelled strings of a grammar, from all parts of the table."""
    lines = (ROOT / "tests" / "data" / f"{LABELLED[name][1]}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["input"] for line in lines[:: max(1, len(lines) // number)]]


def answers(grammar: abnforge.Grammar, number: int, **options: Any) -> dict[str, Any]:
    """What a grammar says of its strings, as JSON has it."""
    rule = grammar[LABELLED[grammar.name][0]]

    def answer(text: str) -> Any:
        rejection = rule.explain(text, **options)
        valid = rule.matches(text)
        assert valid is (rejection is None)
        return rejection and [
            rejection.to_dict(),
            [(each.code, each.offset) for each in rejection.other_mistakes],
        ]

    found = {text: answer(text) for text in strings(grammar.name, number)}
    return {"found": json.loads(json.dumps(found)), "codes": {k: str(v) for k, v in grammar.codes.items()}}


def without(name: str, folder: Path, endings: tuple[str, ...]) -> abnforge.Grammar:
    """A bundled grammar that some files are not stored with."""
    for path in Path(str(generated())).iterdir():
        if not path.name.endswith(endings):
            (folder / path.name).symlink_to(path)
    compilation = Compilation(bundled_grammar(name), store=BundledStore(name, folder))
    return Grammar(compilation, (abnforge.load, (name,)))


def from_text(name: str, cache: bool = False) -> abnforge.Grammar:
    """The same grammar as a file of a user's own, of which nothing is stored."""
    folder = Path(str(generated()))
    mistakes = folder / f"{name}.mistakes.abnf"
    return abnforge.loads((folder / f"{name}.abnf").read_text(), name=name, mistakes=mistakes, cache=cache)


@cache
def bundled_answers(name: str, number: int) -> dict[str, Any]:
    return answers(abnforge.load(name), number)


WAYS: dict[str, Callable[[str, Path], abnforge.Grammar]] = {
    "without sets": lambda name, folder: without(name, folder, STORED[:1]),
    "without stored data": lambda name, folder: without(name, folder, STORED),
    "from text": lambda name, folder: from_text(name),
}
INHERITING = "rfc3987"  # whose mistakes are many
each_amount = pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, FEW) for name in LABELLED if name != INHERITING),
        *(pytest.param(name, MANY, marks=pytest.mark.slow) for name in LABELLED),
    ],
)


@each_amount
@pytest.mark.parametrize("way", one_in(2, WAYS))
def test_stored_data_changes_nothing(name: str, way: str, number: int, tmp_path: Path) -> None:
    made = WAYS[way](name, tmp_path)
    assert answers(made, number) == bundled_answers(name, number)


@pytest.mark.parametrize("ending", one_in(3, STORED))
def test_no_file_needs_another(ending: str, tmp_path: Path) -> None:
    made, whole = without("rfc3339", tmp_path, (ending,)), abnforge.load("rfc3339")
    assert answers(made, 2) == answers(whole, 2)
    text = "2024-01-02T03:04:05Z"
    for name, rule in whole.items():
        assert made[name].regular is rule.regular
        assert made[name].matches(text) is rule.matches(text)
    assert made["date-time"].parse(text) == whole["date-time"].parse(text)
    names = ["full-date", "time-offset"]
    assert made["date-time"].components(text, names) == whole["date-time"].components(text, names)
    assert made["date-time"].pattern == whole["date-time"].pattern


@pytest.mark.parametrize("ending", ["patterns.json", "automata.json", "configurations.json"])
def test_no_file_is_needed_for_rules_that_recurse(ending: str, tmp_path: Path) -> None:
    made, whole = without("rfc5322", tmp_path, (ending,)), abnforge.load("rfc5322")
    for name in ("mailbox", "comment", "atom"):
        assert made[name].regular is whole[name].regular
        for text in ("a (b (c)) <a@b>", "(a (b))", "a (b", "a"):
            assert made[name].matches(text) is whole[name].matches(text)
            found, known = made[name].explain(text), whole[name].explain(text)
            assert (found and found.to_dict()) == (known and known.to_dict())


@each_amount
def test_neither_suggestions_nor_further_hypotheses_change_the_code(name: str, number: int) -> None:
    whole = bundled_answers(name, number)["found"]
    for options in ({"suggest": False}, {"hypotheses": 2}):
        for text, answer in answers(abnforge.load(name), number, **options)["found"].items():
            known = whole[text]
            same = ("code", "offset", "message", "section", *(() if "suggest" in options else ["suggestion"]))
            assert answer is known is None or [answer[0][k] for k in same] == [known[0][k] for k in same]


def in_this_process(number: int, names: list[str]) -> str:
    """The answers of grammars in some order: those that are bundled, and those that are compiled."""
    found = {}
    for name in names:
        found[name] = answers(abnforge.load(name), number)
        assert answers(from_text(name, cache=True), number) == found[name]
    return json.dumps([abnforge.KERNEL, found])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "number"),
    [(["rfc3339", "rfc5321"], FEW), pytest.param(list(LABELLED), MANY, marks=pytest.mark.slow)],
)
def test_neither_processes_nor_caches_change_anything(names: list[str], number: int, tmp_path: Path) -> None:
    known = json.loads(in_this_process(number, names))[1]
    program = "import sys; from tests.laws import test_stored_data as t; "
    program += f"print(t.in_this_process({number}, {names[::-1]}))"
    for kernel in ("python", abnforge.KERNEL):  # the second one finds what the first one has kept
        env = {**os.environ, "ABNFORGE_CACHE": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path)}
        env.pop("ABNFORGE_KERNEL", None)
        if kernel == "python":
            env["ABNFORGE_KERNEL"] = kernel
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        used, found = json.loads(done.stdout)
        assert found == known
        assert used == kernel
