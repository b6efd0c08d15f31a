"""Columns are judged with the kernel and without it: the same answers. Nothing is, without pyarrow."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

if find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(params=["as it is", "python"])
def lane(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A test that uses this runs as the package is, and as it is where no kernel was built."""
    verdicts = import_module("abnforge.columns.verdicts")
    components = import_module("abnforge.columns.components")  # the package has a function of that name
    if request.param == "python":
        if verdicts.compiled is None:
            pytest.skip("there is no kernel to turn off")
        monkeypatch.setattr(verdicts, "compiled", None)
        monkeypatch.setattr(components, "compiled", None)
    return str(request.param)
