"""Tests of columns run with and without the C extension, with the same results. They require pyarrow."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

if find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(params=["default", "python"])
def implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with the C extension, and again as if the extension were not built."""
    verdicts = import_module("abnforge.columns.verdicts")
    warnings = import_module("abnforge.columns.warnings")
    components = import_module("abnforge.columns.components")  # the package has a function of the same name
    if request.param == "python":
        if verdicts.compiled is None:
            pytest.skip("the C extension is not built")
        monkeypatch.setattr(verdicts, "compiled", None)
        monkeypatch.setattr(components, "compiled", None)
        monkeypatch.setattr(warnings, "compiled", None)
    return str(request.param)
