"""The registry: its own examples, its numbers and its names."""

from __future__ import annotations

from abnforge import lint
from abnforge.linting.registry import KINDS, find
from tests.law import each_row, one_in


@each_row("name", one_in(3, [k for k in KINDS if k != "file-too-large"]))
def test_the_registrys_examples(name: str) -> None:
    assert name in {f.name for f in lint(KINDS[name].bad)}
    assert lint(KINDS[name].good) == []


def test_codes_are_numbered_without_gaps_and_found_by_either_name() -> None:
    assert [kind.code for kind in KINDS.values()] == [f"ABNF{n:03d}" for n in range(1, len(KINDS) + 1)]
    assert all(find(kind.code.lower()) is kind and find(name.upper()) is kind for name, kind in KINDS.items())
    assert find("ABNF999") is None
