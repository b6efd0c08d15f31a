"""Each adapter is tried where its library is; Spark's batches are those of pyarrow."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_spark*.py"]
