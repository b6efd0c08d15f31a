"""Files are written to the intended path or not at all."""

from __future__ import annotations

import gc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abnforge.ingest.checkpoint import Disk

pytest.importorskip("numpy")


def test_a_file_that_is_closed(tmp_path: Path) -> None:
    disk = Disk()
    first = disk.create(tmp_path / "first")
    first.write(b"1")
    first.close()
    first.close()
    second = disk.create(tmp_path / "second")  # the system reuses the number
    assert (first.write(b"2"), first.tell()) == (1, 0)
    second.close()
    assert ((tmp_path / "first").read_bytes(), (tmp_path / "second").read_bytes()) == (b"1", b"")


def test_a_writer_that_is_thrown_away(tmp_path: Path) -> None:
    """A Parquet writer that is discarded still writes the end of the file."""
    first = Disk().create(tmp_path / "first")
    rows = pa.table({"x": ["y"] * 1000})
    writer = pq.ParquetWriter(first, rows.schema)
    writer.write_table(rows)
    first.close()
    second = Disk().create(tmp_path / "second")
    del writer
    gc.collect()
    second.close()
    assert (tmp_path / "second").read_bytes() == b""
