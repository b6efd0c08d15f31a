"""Columns are judged with the kernel and without it: the same answers."""

from __future__ import annotations

from importlib import import_module

import pytest

pytest.importorskip("pyarrow")

from abnforge.columns import verdicts

components = import_module("abnforge.columns.components")  # the package has a function of that name


@pytest.fixture(params=["as it is", "python"])
def lane(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A test that uses this runs as the package is, and as it is where no kernel was built."""
    if request.param == "python":
        if verdicts.compiled is None:
            pytest.skip("there is no kernel to turn off")
        monkeypatch.setattr(verdicts, "compiled", None)
        monkeypatch.setattr(components, "compiled", None)
    return str(request.param)
