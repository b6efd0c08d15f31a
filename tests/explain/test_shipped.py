"""What is known of shipped mistakes is what reading and binding them gives."""

from __future__ import annotations

from functools import cache

import pytest

import abnforge
from abnforge.engine.compilation import Compilation
from abnforge.engine.stores import BundledStore, KeyedLines
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.mistakes import Mistakes
from abnforge.explain.mistakes_file import read_mistakes, with_inherited
from abnforge.explain.shipped import PrebuiltMistakes, to_data
from tests.explain.small import uris
from tests.law import one_in
from tests.places import ROOT
from tools.build_grammars import one_a_line

GENERATED = ROOT / "src" / "abnforge" / "_data"
NAMES = sorted(path.name.split(".")[0] for path in GENERATED.glob("*.mistakes.json"))
assert NAMES


@cache
def written(name: str) -> Mistakes:
    """The mistakes of a bundled grammar as they are written down."""
    text = (ROOT / "grammars" / f"{name}.mistakes.abnf").read_text("utf-8")
    return with_inherited(read_mistakes(text), written)


@cache
def read(name: str) -> BoundMistakes:
    """The same, bound."""
    return bind_mistakes(written(name), abnforge.load(name).compilation.bound)


@pytest.mark.parametrize("name", one_in(3, NAMES))
def test_what_is_stored_is_what_is_read(name: str) -> None:
    compilation = abnforge.load(name).compilation
    assert isinstance(compilation.store, BundledStore)
    known, wanted = compilation.mistakes, read(name)
    assert known.count == len(wanted.mistakes.mistakes)
    assert known.names == wanted.core.names
    assert known.mistakes.mistakes == wanted.mistakes.mistakes
    assert known.mistakes.helpers == wanted.mistakes.helpers
    assert known.core.rules.keys() == wanted.core.rules.keys()
    again = shipped(wanted)
    for rule in to_data(wanted, {})["sets"]:
        assert (
            again.single_character_strings(rule)
            == wanted.single_character_strings(rule)
            == known.single_character_strings(rule)
        )


def test_a_first_text_needs_no_binding(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is bound is stored: the text of the mistakes is not read."""
    monkeypatch.setattr(Compilation, "_bind_mistakes", None)  # a call would raise TypeError
    compilation = abnforge.load("rfc3986", budget=abnforge.Budget(seconds=99)).compilation
    reader = compilation.mistakes_reader("uri")
    assert reader is not None
    assert reader.interpret("http://example.com:80x/").codes == ("port-not-digits",)


def shipped(bound: BoundMistakes) -> PrebuiltMistakes:
    """Mistakes as they are stored."""
    return PrebuiltMistakes(KeyedLines(one_a_line(to_data(bound, {})).encode()))


def test_each_mistake_is_one_object() -> None:
    known = shipped(uris())
    for mistake in uris().mistakes.mistakes:
        assert known.mistake(mistake.key) == mistake
        assert known.mistake(mistake.key) is known.mistake(mistake.key)
    assert known.count == len(uris().mistakes.mistakes)
