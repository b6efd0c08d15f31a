"""All engines agree with the matcher of the ``abnf`` package, which shares no code with this one.

Strings are one random edit away from the examples of the specifications, or from random strings of the rules.
"""

from __future__ import annotations

import random
import tomllib

import pytest

import abnforge
from abnforge.grammar.sentences import Sentences
from tests.places import ROOT
from tests.reference.abnf_package import matches

CHARACTERS = "aZ09-._~%:/?#[]@!$&'()*+,;= \\\"<>^|{}\0\n\u00e9"


def texts(name: str, count: int) -> list[str]:
    """Return examples with one edit; every fourth is an edited random string."""
    cases = tomllib.loads((ROOT / "tests" / "data" / f"examples_{name}.toml").read_text("utf-8"))["case"]
    grammar, source = abnforge.load(name), random.Random(name)
    sentences = Sentences(grammar.core, grammar.facts)
    result = []
    for index in range(count):
        text = source.choice(cases)["text"][:60]
        if index % 4 == 0:
            text = sentences.random("uri-reference", source, 60)[:60]
        place = source.randint(0, len(text))
        result.append(text[:place] + source.choice([*CHARACTERS, ""]) + text[place + source.randint(0, 1) :])
    return result


@pytest.mark.parametrize("name", ["rfc3986", "rfc2396"])
@pytest.mark.parametrize("count", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_same_verdicts(name: str, count: int) -> None:
    ours = abnforge.load(name)["URI-reference"]
    theirs = (ROOT / "grammars" / f"{name}.abnf").read_text("ascii")
    verdicts = set()
    for text in texts(name, count):
        verdict = ours.matches(text, engine="lark")
        assert verdict is matches(theirs, "URI-reference", text), text
        assert ours.matches(text) is verdict, text
        verdicts.add(verdict)
    assert verdicts == {True, False}
