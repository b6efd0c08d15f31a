"""An adapter is tested if its library is installed. Spark batches are pyarrow batches."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_spark*.py"]
