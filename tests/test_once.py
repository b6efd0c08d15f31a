"""A value is made once, and every thread gets that one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from abnforge.once import once


class Slow:
    """Whose value is made by two threads at the same time: each waits for the other before it is done."""

    def __init__(self) -> None:
        self.both = Barrier(2)
        self.made = 0

    @once
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

        @once
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
    assert isinstance(Slow.value, once)
    assert Slow.value.__doc__ == "A new object each time."
