"""Grammars: start rules, strings, and lint by name or path."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.engine.grammar import sentences
from abnforge.engine.loading import lintable
from tests.raising import raises


def test_a_file_is_linted_even_if_it_does_not_load(tmp_path: Path) -> None:
    path = tmp_path / "broken.abnf"
    path.write_text("a = /\n")
    assert lintable(str(path)) == path
    assert [finding.name for finding in abnforge.lint(lintable(str(path)))] == ["syntax-error"]


def test_a_bundled_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rfc3986").write_text("a = /\n")
    bundled = abnforge.load("rfc3986")
    assert lintable("rfc3986") is bundled
    assert abnforge.lint(bundled, ["URI-reference"]) == bundled.lint(["URI-reference"])
    assert lintable("./rfc3986") == Path("rfc3986")


def test_unknown_names_are_rejected() -> None:
    with raises(
        abnforge.UnknownNameError,
        "grammar-unknown",
        grammar="rfc3968",
        near=("rfc3986", "rfc3987", "rfc2396"),
    ):
        lintable("rfc3968")
    with pytest.raises(FileNotFoundError):
        lintable("missing.abnf")


@pytest.mark.parametrize(
    ("name", "start"),
    [("rfc3986", "URI"), ("rfc2396", "URI-reference"), ("rfc3987", "IRI"), ("abnf:rfc3986", "URI")],
)
def test_start(name: str, start: str) -> None:
    assert abnforge.load(name).start.name == start


def test_a_grammar_of_a_known_name_may_hold_anything() -> None:
    assert abnforge.loads('a = "x"\n', name="rfc3986").start.name == "a"
    assert abnforge.loads('a = URI\nuri = "x"\n', name="rfc3986").start.name == "uri"


def test_as_many_as_wanted_and_all_valid() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    strings = list(sentences(rule, count=30, seed=1))
    assert len(strings) == 30
    assert all(map(rule.matches, strings))
    assert strings == list(sentences(rule, count=30, seed=1))
    assert strings != list(sentences(rule, count=30, seed=2))


def test_systematic() -> None:
    assert list(sentences(abnforge.load("rfc3986")["port"], count=1, systematic=True)) == ["", "0", "9"]


def test_rules_that_are_made_of_others() -> None:
    uris = abnforge.load("rfc3986")
    rule = uris["host"] - uris["IPv4address"] - uris["reg-name"]
    strings = list(sentences(rule, count=20, seed=1))
    assert len(set(strings)) > 10
    assert all(map(rule.matches, strings))
    short = uris["port"].at_most(2)
    assert list(sentences(short, systematic=True)) == ["0", "", "9", "00", "09"]
    with raises(abnforge.LimitExceeded, "string-size-limit"):
        next(sentences(short - short))


def test_refusals() -> None:
    loop = abnforge.loads('loop = "x" loop\n')["loop"]
    with raises(abnforge.LimitExceeded, "string-size-limit"):
        next(sentences(loop))
    with raises(ValueError, "size-negative"):
        next(sentences(abnforge.load("rfc3986")["port"], size=-1))
