"""The exit status behind all records."""

from __future__ import annotations

import pytest

from abnforge.cli.common.inputs import Inputs, Item, Options
from abnforge.cli.common.status import exit_status


@pytest.mark.parametrize(
    ("failed", "rejected", "status"), [(False, 0, 0), (False, 2, 1), (True, 0, 2), (True, 2, 2)]
)
def test_unreadable_input_counts_more_than_what_was_rejected(
    failed: bool, rejected: int, status: int
) -> None:
    inputs = Inputs([], Options(), stdin=None, warn=print)
    inputs.failed = failed
    assert exit_status(inputs, rejected) == status


def test_arguments_are_always_readable() -> None:
    assert exit_status([Item("<argument>", 1, "a")], []) == 0
    assert exit_status([Item("<argument>", 1, "a")], ["a"]) == 1
