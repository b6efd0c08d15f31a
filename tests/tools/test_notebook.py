"""The tutorial's notebook contains the outputs of its cells."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT
from tests.teaching.html_output import read
from tools import notebook

TUTORIAL = ROOT / "docs" / "tutorial" / "notebook.ipynb"
CODE = [cell for cell in json.loads(TUTORIAL.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def outputs(kind: str) -> list[str]:
    """Return the outputs of a kind."""
    data = [output.get("data", {}) for cell in CODE for output in cell["outputs"]]
    return ["".join(each[kind]) for each in data if kind in each]


@pytest.mark.slow
def test_cells_have_these_outputs(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("railroad")
    path = tmp_path / "notebook.ipynb"
    path.write_text(re.sub(r"Grade\(", "Other(", TUTORIAL.read_text("utf-8")), "utf-8")
    assert notebook.main(["--check", str(path)]) == 1
    assert notebook.main([str(path)]) == 0
    assert path.read_text("utf-8") == TUTORIAL.read_text("utf-8")
    assert notebook.main(["--check", str(path)]) == 0


def test_each_cell_of_code_has_an_output() -> None:
    assert 10 <= len(CODE) <= 20
    assert all(cell["outputs"] for cell in CODE)
    names = re.findall(r"^([A-Z]\w+)[(]", "\n".join(outputs("text/plain")), re.MULTILINE)
    assert {*names} >= {"Comparison", "Coverage", "Finding", "Grade", "Rejection", "Report", "Tree", "URI"}


def test_stored_html_is_that_of_notebooks() -> None:
    pages = outputs("text/html")
    assert len(pages) >= 9
    for page in pages:
        read(page)
        assert "secret" not in page


@pytest.mark.slow
def test_a_failing_cell_fails(tmp_path: Path) -> None:
    errors = pytest.importorskip("nbclient.exceptions")
    path = tmp_path / "notebook.ipynb"
    cell: dict[str, Any] = {"cell_type": "code", "source": "1 / 0", "outputs": [], "id": "a", "metadata": {}}
    cells = {"cells": [cell | {"execution_count": None}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(cells), "utf-8")
    with pytest.raises(errors.CellExecutionError):
        notebook.main([str(path)])
