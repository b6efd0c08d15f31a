"""Only jemalloc keeps freed memory for a while."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

from abnforge.ingest import validate as memory


@pytest.mark.parametrize(("backend", "message"), [("jemalloc", [memory._DECAY]), ("system", [])])
def test_by_which_allocator(backend: str, message: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    if backend not in pa.supported_memory_backends():
        pytest.skip(f"this pyarrow has no {backend}")
    before = pa.default_memory_pool()
    calls: list[int] = []
    monkeypatch.setattr(pa, "jemalloc_set_decay_ms", calls.append)
    pa.set_memory_pool(getattr(pa, f"{backend}_memory_pool")())
    try:
        memory.keep_memory_a_while()
    finally:
        pa.set_memory_pool(before)
    assert calls == message
