"""The Lark lane against the matcher of the ``abnf`` package, which shares no code with it.

Texts are the specifications' own examples and what one random edit makes of them.
There is no known difference.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import abnf
import pytest

import abnforge

ROOT = Path(__file__).parents[2]
CHARACTERS = "aZ09-._~%:/?#[]@!$&'()*+,;= \\\"<>^|{}\0\n\u00e9"


def theirs(name: str) -> Any:
    text = (ROOT / "grammars" / f"{name}.abnf").read_text("ascii")
    loaded: Any = type("Loaded", (abnf.Rule,), {})
    loaded.load_grammar(text.replace("\n", "\r\n"))
    return loaded("URI-reference")


def matches(rule: Any, text: str) -> bool:
    try:
        rule.parse_all(text)
    except abnf.ParseError:
        return False
    return True


def texts(name: str, count: int) -> list[str]:
    cases = tomllib.loads((ROOT / "tests" / "data" / f"examples_{name}.toml").read_text("utf-8"))["case"]
    source = random.Random(name)
    result = []
    for _ in range(count):
        text = source.choice(cases)["text"][:60]
        place = source.randint(0, len(text))
        result.append(text[:place] + source.choice([*CHARACTERS, ""]) + text[place + source.randint(0, 1) :])
    return result


@pytest.mark.parametrize(
    ("name", "count"), [("rfc3986", 200), pytest.param("rfc3986", 5000, marks=pytest.mark.slow)]
)
def test_same_verdicts(name: str, count: int) -> None:
    ours, other = abnforge.load(name)["URI-reference"], theirs(name)
    verdicts = set()
    for text in texts(name, count):
        verdict = ours.matches(text, engine="lark")
        assert verdict is matches(other, text), text
        assert ours.matches(text) is verdict, text
        verdicts.add(verdict)
    assert verdicts == {True, False}
