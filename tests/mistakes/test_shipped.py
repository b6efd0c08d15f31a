"""What is known of shipped mistakes is what reading and binding them gives."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.engine.compilation import Bundled
from abnforge.mistakes.binding import BoundMistakes, bind_mistakes
from abnforge.mistakes.notation import read_mistakes
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.shipped import Shipped, to_data
from tests.mistakes.small import uris
from tests.places import ROOT

NAMES = sorted(path.name.split(".")[0] for path in (ROOT / "grammars").glob("*.mistakes.abnf"))


def read(name: str) -> BoundMistakes:
    """The mistakes of a bundled grammar from their text."""
    text = (ROOT / "grammars" / f"{name}.mistakes.abnf").read_text("utf-8")
    return bind_mistakes(read_mistakes(text), abnforge.load(name).compilation.bound)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_is_what_is_read(name: str) -> None:
    compilation = abnforge.load(name).compilation
    assert isinstance(compilation, Bundled)
    known, wanted = compilation.mistakes, read(name)
    assert known.count == len(wanted.mistakes.mistakes)
    assert known.names == wanted.core.names
    assert known.mistakes.mistakes == wanted.mistakes.mistakes
    assert known.mistakes.helpers == wanted.mistakes.helpers
    assert known.core.rules.keys() == wanted.core.rules.keys()
    assert known == wanted
    data = json.loads(json.dumps(to_data(wanted)))
    shipped = Shipped(data)
    for rule in data["sets"]:
        assert shipped.characters(rule) == wanted.characters(rule) == known.characters(rule)


@pytest.mark.parametrize("name", NAMES)
def test_stored_sets_read_as_the_mistakes_do(name: str) -> None:
    """The examples of all mistakes, which is where the sets are from."""
    compilation = abnforge.load(name).compilation
    made = read(name)
    key = next(iter(compilation.bound.rules))
    reader, plain = compilation.mistakes_reader(key), Reader(made, key)
    assert reader is not None
    for mistake in made.mistakes.mistakes[::5]:
        for example in mistake.examples:
            assert reader.read(example.wrong) == plain.read(example.wrong)
    assert reader.kept == 0


def test_a_first_text_needs_no_binding() -> None:
    compilation = abnforge.load("rfc3986", budget=abnforge.Budget(seconds=99)).compilation
    reader = compilation.mistakes_reader("uri")
    assert reader is not None
    assert reader.read("http://example.com:80x/").found
    assert "binding" not in compilation.mistakes.__dict__


def test_each_mistake_is_one_object() -> None:
    shipped = Shipped(to_data(uris()))
    assert shipped.mistake(1) is shipped.mistake(1)
    assert shipped.mistake(1) == uris().mistakes.mistakes[1]
    assert shipped.count == len(uris().mistakes.mistakes)
