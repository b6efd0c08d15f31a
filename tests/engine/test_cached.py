"""Grammars with a cache: what one process has compiled another one reads, and its answers are the same."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import abnforge
from abnforge.engine import cache as cache_module
from abnforge.engine.cache import CacheStore, user_cache
from abnforge.engine.compilation import Compilation
from tests.places import ROOT

TEXT = 'long = 1*30( "x" / "y" DIGIT ) [ "," short ]\nshort = 3"b"\nnested = "(" [ nested ] ")"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ABNFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_module, "MIN_STEPS", 0)
    user_cache.cache_clear()
    yield tmp_path / "cache"
    user_cache.cache_clear()


def fresh(path: Path) -> abnforge.Rule:
    return abnforge.load(path)["long"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.abnf"
    path.write_text(
        'long = 1*30( "x" / "y" DIGIT ) [ "," short ]\nshort = 3"b"\nnested = "(" [ nested ] ")"\n'
    )
    return path


def test_what_was_compiled_is_read(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fresh(file)
    automaton, pattern = first.automaton, first.pattern
    assert len(list(folder.iterdir())) == 2

    def never(*arguments: object, **more: object) -> None:
        raise AssertionError("it is compiled again")

    monkeypatch.setattr(Compilation, "_build", never)
    monkeypatch.setattr(Compilation, "_prove", never)
    second = fresh(file)
    assert (second.automaton, second.pattern) == (automaton, pattern)
    for text in ("x", "xy1", "y", "xx,bbb", "x,bb", ""):
        assert second.matches(text) is first.matches(text)
    assert fresh(file).grammar["nested"].matches("(())")


def test_what_takes_little_is_not_kept(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MIN_STEPS", 10_000_000)
    assert fresh(file).matches("x")
    assert not folder.exists()


@pytest.mark.parametrize("way", ["argument", "variable"])
def test_it_can_be_left_out(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "variable":
        monkeypatch.setenv("ABNFORGE_CACHE", "off")
    made = [
        abnforge.load(file, cache=way == "variable"),
        abnforge.loads(TEXT, cache=way == "variable"),
    ]
    for grammar in made:
        assert grammar["long"].automaton.states > 30
        assert not isinstance(grammar.compilation.store, CacheStore)
    assert not folder.exists()


def test_who_has_one(folder: Path, file: Path) -> None:
    assert isinstance(abnforge.load(file).compilation.store, CacheStore)
    assert isinstance(abnforge.loads("a = DIGIT\n").compilation.store, CacheStore)
    assert isinstance(abnforge.load("abnf:rfc6265").compilation.store, CacheStore)
    assert not isinstance(abnforge.load("abnf:rfc6265", cache=False).compilation.store, CacheStore)
    assert not isinstance(abnforge.load("rfc3986").compilation.store, CacheStore)
    travelled = pickle.loads(pickle.dumps(abnforge.load(file)))
    assert isinstance(travelled.compilation.store, CacheStore)
    assert not isinstance(
        pickle.loads(pickle.dumps(abnforge.load(file, cache=False))).compilation.store, CacheStore
    )


def test_the_budget_ends_what_it_ended_before(folder: Path) -> None:
    text = 'a = 1*300( "x" / "yz" / "zzz" )\n'
    small = abnforge.Budget(steps=30_000)
    whole = abnforge.loads(text)["a"].automaton
    with pytest.raises(abnforge.LimitExceeded):
        abnforge.loads(text, budget=small)["a"].automaton  # noqa: B018 - made when asked for
    assert abnforge.loads(text)["a"].automaton == whole


def test_whatever_is_written_there_changes_no_answer(folder: Path, file: Path) -> None:
    first = fresh(file)
    automaton, pattern = first.automaton, first.pattern
    entries = sorted(folder.iterdir())
    datas = [path.read_bytes() for path in entries]
    for data in (b"", b"{}", datas[0], datas[1], datas[0][:-1], b"\xff" * 100, b"0" * 64 + b"\nnull"):
        for path in entries:
            path.write_bytes(data)
        found = fresh(file)
        assert (found.automaton, found.pattern) == (automaton, pattern)
        assert [path.read_bytes() for path in entries] == datas  # what could not be believed is made anew


def test_answers_of_bundled_grammars_as_files(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.abnf"
    for name in ("rfc2396", "rfc3339", "rfc5234", "rfc5321"):
        shipped = abnforge.load(name)
        path.write_bytes((ROOT / "grammars" / f"{name}.abnf").read_bytes())
        for _ in range(2):
            copy = abnforge.load(path)
            for rule in copy.own_rules:
                if rule.regular:
                    assert rule.automaton == shipped[rule.name].automaton, rule
    assert list(folder.iterdir())


def test_entries_have_names_of_their_content(folder: Path, file: Path) -> None:
    assert fresh(file).automaton.states
    assert abnforge.loads(TEXT, name="another")["long"].automaton.states
    assert len(list(folder.iterdir())) == 1
    assert cache_module.MAX_ENTRY_OCTETS < cache_module.MAX_CACHE_OCTETS
