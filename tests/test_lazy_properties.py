"""A value is made once, and every thread gets that one."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from abnforge._lazy import cached_property, lazy_pattern


class Slow:
    """Whose value is made by two threads at the same time: each waits for the other before it is done."""

    def __init__(self) -> None:
        self.both = Barrier(2)
        self.made = 0

    @cached_property
    def value(self) -> object:
        """A new object each time."""
        self.made += 1
        self.both.wait(30)
        return object()


def test_two_threads_get_the_same_value() -> None:
    slow = Slow()
    with ThreadPoolExecutor(2) as threads:
        left, right = threads.map(lambda each: each.value, (slow, slow))
    assert slow.made == 2
    assert left is right is slow.value
    assert slow.made == 2


def test_what_fails_is_tried_again() -> None:
    class Fails:
        tries = 0

        @cached_property
        def value(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise OSError("not yet")
            return self.tries

    fails = Fails()
    with pytest.raises(OSError, match="not yet"):
        _ = fails.value
    assert (fails.value, fails.value) == (2, 2)


def test_the_class_has_the_property_and_its_documentation() -> None:
    assert isinstance(Slow.value, cached_property)
    assert (Slow.value.__doc__ or "").startswith("A new object")


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def count(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", count)
    words = lazy_pattern("[a-z]+", re.IGNORECASE)
    assert compiled == []
    found = words.search("1 Two")
    assert found
    assert (found[0], words.pattern, bool(words.flags & re.IGNORECASE)) == ("Two", "[a-z]+", True)
    assert [word[0] for word in words.finditer("a 1 b")] == ["a", "b"]
    assert words.fullmatch("a1") is None
    assert compiled == ["[a-z]+"]
    with pytest.raises(AttributeError):
        words.other  # noqa: B018
