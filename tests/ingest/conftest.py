"""Tests of jobs, which require pyarrow and NumPy (extra ``ingest``)."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyarrow") is None or find_spec("numpy") is None:
    collect_ignore_glob = ["test_*.py"]
