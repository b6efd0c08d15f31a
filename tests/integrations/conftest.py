"""Each adapter is tested if its library is installed. The batches of Spark are those of pyarrow."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_spark*.py"]
