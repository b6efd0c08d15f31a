"""Each example of the menu loads, is sound, and shows what its title says."""

from __future__ import annotations

import pytest

from abnforge.teaching.playground.loaded import examples
from tests.law import one_in
from tests.teaching.playground.asking import ask

VALID = {"ipv6", "palindromes", "ambiguous"}


@pytest.mark.parametrize("example", one_in(3, examples()), ids=lambda each: each["id"])
def test_an_example(example: dict[str, str]) -> None:
    assert example["title"]
    if example["id"] == "empty":
        assert not example["grammar"]
        return
    found = ask("grammar", text=example["grammar"])
    wrong = [each["name"] for each in found["findings"] if each["severity"] != "info"]
    assert wrong == (["ambiguous"] if example["id"] == "ambiguous" else [])
    tests = ask("examples", text=example["grammar"])
    assert tests
    assert all(each["status"] == "passed" for each in tests)
    told = ask("string", text=example["grammar"], rule=example["rule"], string=example["string"])
    assert told["valid"] is (example["id"] in VALID)


def test_those_that_are_asked_for() -> None:
    ids = [each["id"] for each in examples()]
    assert set(ids) >= {"uri", "ipv6", "dates", "json", "sums", "palindromes", "ambiguous"}
    assert len(ids) == len(set(ids))
    assert [each["id"] for each in ask("menu")] == ids
