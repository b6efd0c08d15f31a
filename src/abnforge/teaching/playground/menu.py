"""The menu of examples: grammars to begin with, each with a rule and a string."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from abnforge.teaching.playground.loaded import Question, shipped_text


def listed(question: Question) -> list[dict[str, str]]:
    """The examples, in the order of the menu: ``id``, ``title``, ``grammar``, ``rule`` and ``string``."""
    return [dict(each) for each in examples()]


@cache
def examples() -> tuple[dict[str, str], ...]:
    """The same, read once."""
    told = tomllib.loads(files("abnforge.teaching.playground").joinpath("menu.toml").read_text("utf-8"))
    return tuple(_example(each) for each in told["example"])


def _example(entry: dict[str, str]) -> dict[str, str]:
    grammar = shipped_text(entry["ships"]) if "ships" in entry else entry["grammar"]
    return {
        "id": entry["id"],
        "title": entry["title"],
        "grammar": grammar,
        "rule": entry["rule"],
        "string": entry["string"],
    }
