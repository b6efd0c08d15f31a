"""First and follow sets and the steps to a minimal automaton, as tables."""

from __future__ import annotations

import abnforge
from abnforge.charset import CharSet
from abnforge.cli.output.constructions import members
from tests.cli.command import Seen
from tests.cli.output.outcomes import written

URI = abnforge.load("rfc3986")


def test_tables(seen: Seen) -> None:
    seen(written("rule", "tables", URI["authority"]))


def test_steps(seen: Seen) -> None:
    seen(written("rule", "steps", URI["dec-octet"]))


def test_unsafe_characters_are_escaped() -> None:
    rule = abnforge.loads("r = %x1B / %x202E\n")["r"]
    for name in ("tables", "steps"):
        output = written("rule", name, rule)
        assert "\x1b" not in output
        assert "\u202e" not in output


def test_parts() -> None:
    assert members(CharSet.of("a"), end=True) == "[a], end"
