"""The registry: its own examples, its numbers and its names."""

from __future__ import annotations

from abnforge import UnknownNameError, lint
from abnforge.linting.registry import KINDS, find, kind_named
from tests.law import each_row, one_in
from tests.raising import raises


@each_row("name", one_in(3, [k for k in KINDS if k != "file-too-large"]))
def test_the_registrys_examples(name: str) -> None:
    assert name in {f.name for f in lint(KINDS[name].bad)}
    assert lint(KINDS[name].good) == []


def test_codes_are_numbered_without_gaps_and_found_by_either_name() -> None:
    assert [kind.code for kind in KINDS.values()] == [f"ABNF{n:03d}" for n in range(1, len(KINDS) + 1)]
    assert all(find(kind.code.lower()) is kind and find(name.upper()) is kind for name, kind in KINDS.items())
    assert find("ABNF999") is None


def test_an_unknown_kind_is_named_with_near_misses() -> None:
    assert kind_named("abnf012") is KINDS["ambiguous"]
    with raises(UnknownNameError, "lint-rule-unknown", name="ambigous", near=("ambiguous",)):
        kind_named("ambigous")
    with raises(UnknownNameError, "lint-rule-unknown", name="qq", near=()):
        kind_named("qq")
