"""Bundled grammars: their files, and their outlines, which equal the bound grammars."""

from __future__ import annotations

import json
import os
import pickle
from itertools import count
from pathlib import Path

import pytest

import abnforge
from abnforge.engine.compilation import Compilation
from abnforge.grammar import imports, shipped
from abnforge.grammar.imports import bundled_grammar
from abnforge.grammar.shipped import ResourcePath, bundled_names, generated, outline_data, outlined_grammar
from abnforge.grammar.syntax import SENDER, BoundGrammar
from tests.law import each_row, one_in
from tests.raising import raises


def test_a_place_is_what_its_path_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.txt").write_bytes("é\r\n".encode())
    (tmp_path / "other").write_bytes(b"")
    for place, path in [
        (ResourcePath(str(tmp_path)), tmp_path),
        (ResourcePath(str(tmp_path)) / "folder", tmp_path / "folder"),
        (ResourcePath(str(tmp_path)).joinpath("folder", "file.txt"), tmp_path / "folder" / "file.txt"),
        (ResourcePath(str(tmp_path)) / "missing", tmp_path / "missing"),
    ]:
        assert (str(place), os.fspath(place), place.name) == (str(path), str(path), path.name)
        assert (place.is_dir(), place.is_file()) == (path.is_dir(), path.is_file())
    assert sorted(each.name for each in ResourcePath(str(tmp_path)).iterdir()) == ["folder", "other"]
    file = ResourcePath(str(tmp_path)) / "folder" / "file.txt"
    assert file.read_bytes() == "é\r\n".encode()
    assert file.read_text("utf-8") == "é\n"
    with file.open("rb") as opened:
        assert opened.read(2) == "é".encode()
    with pytest.raises(FileNotFoundError):
        (ResourcePath(str(tmp_path)) / "missing").read_bytes()


def test_the_generated_files_are_those_of_the_bundled_grammars() -> None:
    names = {each.name for each in generated().iterdir()}
    assert {f"{name}.outline.json" for name in bundled_names()} == {n for n in names if "outline" in n}


@each_row("name", one_in(3, bundled_names()))
def test_it_reports_what_the_bound_grammar_does(name: str) -> None:
    outlined, bound = outlined_grammar(name, bundled_grammar), bundled_grammar(name)
    rules = {key: (rule.name, rule.origin, rule.section) for key, rule in bound.rules.items()}
    assert {key: (rule.name, rule.origin, rule.section) for key, rule in outlined.outline.items()} == rules
    assert list(outlined.outline) == list(bound.rules)
    assert outlined.has_exceptions == bound.has_exceptions
    compilation = Compilation(bound)
    assert outlined.formal == {key for key in rules if compilation.prose(key) is None}


def test_a_grammar_with_exceptions_is_outlined() -> None:
    bound = abnforge.loads(';@ except b\na = "x" / "y"\nb = "x"\nc = <words>\n').compilation.bound
    assert json.loads(json.dumps(outline_data(bound, frozenset(["a", "b"])))) == {
        "exceptions": True,
        "rules": {
            "a": ["a", "file", None, True],
            "b": ["b", "file", None, True],
            "c": ["c", "file", None, False],
            **{key: [rule.name, "core", rule.section, False] for key, rule in list(bound.rules.items())[3:]},
        },
    }


BUDGETS = count()


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the grammars that a call binds."""
    names: list[str] = []

    def record(name: str, *form: str) -> BoundGrammar:
        names.append(name)
        return bundled_grammar(name, *form)

    monkeypatch.setattr(imports, "bundled_grammar", record)
    return names


def load(name: str, **options: str) -> abnforge.Grammar:
    """Load a grammar that no other test has loaded with this budget."""
    return abnforge.load(name, budget=abnforge.Budget(steps=1_000_000 + next(BUDGETS)), **options)


def test_verdicts_do_not_bind_a_grammar(bound: list[str]) -> None:
    grammar = load("rfc3986")
    assert grammar["uri"].matches("http://a/b")
    assert not grammar.start.matches("a b")
    assert [grammar["host"].section, grammar["ALPHA"].origin, grammar.name] == ["3.2.2", "core", "rfc3986"]
    assert "host" in grammar
    assert len(list(grammar)) == len(grammar.own_rules) + 16
    with raises(abnforge.UnknownNameError, "rule-name-unknown", name="hots", near=("host",)):
        grammar["hots"]
    assert bound == []


def test_definitions_bind_a_grammar_once(bound: list[str]) -> None:
    grammar = load("rfc3986")
    assert grammar["port"].definition.rstrip() == "port = *DIGIT"
    assert grammar.source.name == "rfc3986.abnf"
    assert grammar.warnings == ()
    assert bound == ["rfc3986"]


def test_another_form_of_lists_is_bound(bound: list[str]) -> None:
    assert load("rfc9110", lists=SENDER)["Allow"].matches("GET, PUT")
    assert not load("rfc9110", lists=SENDER)["Allow"].matches("GET,, PUT")
    assert bound


def test_it_equals_and_travels_as_the_bound_grammar() -> None:
    outlined, bound = outlined_grammar("rfc3986", bundled_grammar), bundled_grammar("rfc3986")
    assert outlined == bound
    assert bound == outlined
    assert outlined == outlined_grammar("rfc3986", bundled_grammar)
    assert outlined != outlined_grammar("rfc3339", bundled_grammar)
    assert hash(outlined) == hash(bound)
    assert pickle.loads(pickle.dumps(outlined)) == outlined
    assert abnforge.loads("a = host\n", imports=[abnforge.load("rfc3986")])["a"].matches("b")


@pytest.mark.parametrize(
    "content", [None, b"", b'{"rules": {', b"[]", b'{"exceptions": false}', b'{"rules": {"a": 1}}']
)
def test_an_outline_that_cannot_be_read_gives_way_to_the_text(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "generated", lambda: tmp_path)
    if content is not None:
        (tmp_path / "rfc3339.outline.json").write_bytes(content)
    assert outlined_grammar("rfc3339", bundled_grammar) == bundled_grammar("rfc3339")
