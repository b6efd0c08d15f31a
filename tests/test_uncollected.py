"""The collector rests for large grammars, and for nothing else."""

from __future__ import annotations

import gc

import pytest

from abnforge._lazy import LARGE, gc_paused


@pytest.mark.parametrize(("size", "rests"), [(0, False), (LARGE - 1, False), (LARGE, True)])
def test_it_rests_for_large_grammars(size: int, rests: bool) -> None:
    assert gc.isenabled()
    with gc_paused(size):
        assert gc.isenabled() is not rests
    assert gc.isenabled()


def test_it_is_enabled_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="no grammar"), gc_paused(LARGE):
        raise ValueError("no grammar")
    assert gc.isenabled()


def test_who_disabled_it_finds_it_so() -> None:
    gc.disable()
    try:
        with gc_paused(LARGE), gc_paused(LARGE):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
