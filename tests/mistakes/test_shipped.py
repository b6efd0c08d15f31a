"""What is known of shipped mistakes is what reading and binding them gives."""

from __future__ import annotations

import json
from functools import cache

import pytest

import abnforge
from abnforge.engine.bundled import Bundled
from abnforge.mistakes.adoption import with_adopted
from abnforge.mistakes.binding import BoundMistakes, bind_mistakes
from abnforge.mistakes.model import Mistakes
from abnforge.mistakes.notation import read_mistakes
from abnforge.mistakes.shipped import Shipped, to_data
from tests.mistakes.small import uris
from tests.places import ROOT

GENERATED = ROOT / "src" / "abnforge" / "_generated"
NAMES = sorted(
    path.name.split(".")[0] for path in GENERATED.glob("*.mistakes.sets")
)  # of others nothing is stored


def written(name: str) -> Mistakes:
    """The mistakes of a bundled grammar as they are written down."""
    text = (ROOT / "grammars" / f"{name}.mistakes.abnf").read_text("utf-8")
    return with_adopted(read_mistakes(text), written)


@cache
def read(name: str) -> BoundMistakes:
    """The same, bound."""
    return bind_mistakes(written(name), abnforge.load(name).compilation.bound)


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
    data = json.loads(json.dumps(to_data(wanted)))
    shipped = Shipped(data)
    for rule in data["sets"]:
        assert shipped.characters(rule) == wanted.characters(rule) == known.characters(rule)


def test_each_mistake_is_one_object() -> None:
    shipped = Shipped(to_data(uris()))
    for mistake in uris().mistakes.mistakes:
        assert shipped.mistake(mistake.key) == mistake
        assert shipped.mistake(mistake.key) is shipped.mistake(mistake.key)
    assert shipped.count == len(uris().mistakes.mistakes)
