"""Stored data of bundled grammars: the first verdict does not compile anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.engine.stores import AUTOMATON, BundledStore, FileDamagedError, KeyedLines
from abnforge.grammar.shipped import bundled_names, generated
from tests.law import each_row, law
from tests.raising import raises
from tools.build_grammars import one_a_line

KEYS = st.text('abz-.:,{}"\\\n é', min_size=1, max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
)


@law(
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=4), max_size=3),
    few=25,
    many=2_000,
)
def test_what_is_found_is_what_was_written(
    values: dict[str, Any], objects: dict[str, dict[str, Any]]
) -> None:
    objects = {name: rows for name, rows in objects.items() if name not in values}
    text = one_a_line({**values, **objects})
    assert json.loads(text) == {**values, **objects}
    lines = KeyedLines(text.encode())
    for name, value in values.items():
        assert lines.value(name) == value
    for name, rows in objects.items():
        assert lines.object(name) == rows
        for key in {key for each in objects.values() for key in each}:
            assert (lines.has(name, key), lines.get(name, key)) == (key in rows, rows.get(key))


def test_names_that_are_not_there() -> None:
    lines = KeyedLines(one_a_line({"a": {"b": 1}, "c": 2}).encode())
    with pytest.raises(KeyError, match="d"):
        lines.value("d")
    with pytest.raises(KeyError, match="d"):
        lines.get("d", "b")
    with pytest.raises(KeyError, match="d"):
        lines.object("d")
    assert not lines.has("a", "c")
    assert lines.get("a", "c") is None


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    name = "rfc3986.mistakes.json"
    (tmp_path / name).write_bytes(generated().joinpath(name).read_bytes()[:20_000])
    with raises(FileDamagedError, "file-damaged", path=str(tmp_path / name)):
        _ = BundledStore("rfc3986", tmp_path).mistakes


@each_row("name", bundled_names())
def test_files_in_use(name: str) -> None:
    for ending, of in (("patterns", "patterns"), ("automata", "automata"), ("configurations", "rules")):
        octets = generated().joinpath(f"{name}.{ending}.json").read_bytes()
        lines = KeyedLines(octets)
        rows = json.loads(octets)[of]
        assert all(lines.get(of, key) == value for key, value in rows.items())


VERDICTS = """
import sys
import abnforge
for name in sys.argv[1:]:
    grammar = abnforge.load(name)
    for rule, examples in grammar.examples.items():
        matches, as_input = grammar[rule].matches, grammar[rule]._as_input
        assert all(matches(as_input(each.text)) is each.valid for each in examples), rule
print(*sorted(name for name in sys.modules if name.startswith(("abnforge.", "lark"))), sep="\\n")
"""
COMPILERS = {
    "abnforge.automata.dfa",
    "abnforge.regex",
    "abnforge.linting",
    "abnforge.explain",
    "abnforge.parsing.transducer",
    "lark",
}


def test_no_verdict_on_an_example_compiles_anything() -> None:
    """A compilation would import other modules. This holds for any number of rules."""
    run = subprocess.run(
        [sys.executable, "-c", VERDICTS, *abnforge.grammar_names()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stderr == ""
    # Without the C extension, this module walks stored automata.
    walked = set() if abnforge.KERNEL == "compiled" else {"abnforge.automata.dfa"}
    assert COMPILERS & set(run.stdout.split()) == walked


@each_row("name", abnforge.grammar_names())
def test_what_one_starts_from_is_stored(name: str) -> None:
    """A rule with examples has a stored automaton, or configurations that parse all valid examples."""
    grammar = abnforge.load(name)
    result = grammar.compilation
    for rule, examples in grammar.examples.items():
        key = grammar[rule].key
        stored = result.stored(key)
        if stored is None:
            assert result.store.get(AUTOMATON, key) is not None
        else:
            texts = [each.text for each in examples if each.valid]
            assert [stored.read(text) for text in texts] == [(True, None)] * len(texts)
