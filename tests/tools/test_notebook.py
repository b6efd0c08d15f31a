"""The notebook of the tutorial shows what is stored in it, here and in Jupyter."""

from __future__ import annotations

import copy
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT
from tests.teaching.notebook.looking import read

sys.path.insert(0, str(ROOT / "tools"))

import notebook

TUTORIAL = ROOT / "docs" / "tutorial" / "notebook.ipynb"
STORED = json.loads(TUTORIAL.read_text("utf-8"))
CODE = [cell for cell in STORED["cells"] if cell["cell_type"] == "code"]


def outputs(found: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Of each cell what it shows; of pictures that they are there, for libraries draw them."""
    shown = []
    for cell in found["cells"]:
        if cell["cell_type"] == "code":
            text = json.dumps([clean(output) for output in cell["outputs"]])
            shown.append(json.loads(re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", text)))
    return shown


def clean(output: dict[str, Any]) -> dict[str, Any]:
    """An output with its texts whole: notebooks hold them by lines, or not."""
    output = copy.deepcopy(output)
    for holder in (output, output.get("data", {})):
        for key, value in holder.items():
            if isinstance(value, list) and all(isinstance(each, str) for each in value):
                holder[key] = "".join(value)
    return output


def plain(shown: list[list[dict[str, Any]]]) -> list[list[str]]:
    return [[each.get("text") or each["data"]["text/plain"] for each in cell] for cell in shown]


def test_cells_show_what_is_stored() -> None:
    found = outputs(notebook.run(STORED))
    assert plain(found) == plain(outputs(STORED))
    pytest.importorskip("railroad")
    assert found == outputs(STORED)


def test_there_are_a_few_cells_and_each_shows_something() -> None:
    assert 10 <= len(CODE) <= 20
    assert all(cell["outputs"] for cell in CODE)
    kinds = {match for cell in CODE for match in re.findall(r"^([A-Z]\w+)[(]", repr_of(cell), re.MULTILINE)}
    assert kinds >= {"Comparison", "Coverage", "Finding", "Grade", "Rejection", "Report", "Tree", "URI"}


def repr_of(cell: dict[str, Any]) -> str:
    return "".join("".join(output.get("data", {}).get("text/plain", "")) for output in cell["outputs"])


def test_stored_html_is_that_of_notebooks() -> None:
    pages = [
        "".join(output["data"]["text/html"])
        for cell in CODE
        for output in cell["outputs"]
        if "text/html" in output.get("data", {})
    ]
    assert len(pages) >= 9
    for page in pages:
        read(page)
        assert "secret" not in page


def test_the_file_is_what_the_tool_writes(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("railroad")
    assert notebook.main([str(TUTORIAL), "--check"]) == 0
    assert capsys.readouterr().out == f"{TUTORIAL} is current\n"


def test_what_is_stale_is_told_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.ipynb"
    cells = [
        {"cell_type": "markdown", "source": "# One", "metadata": {"x": 1}, "id": "a"},
        {"cell_type": "code", "source": ["print('a')\n", "x = 2"], "outputs": [], "id": "b"},
        {"cell_type": "code", "source": "x + 1", "outputs": [], "id": "c"},
    ]
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    before = path.read_text("utf-8")
    assert notebook.main([str(path), "--check"]) == 1
    assert path.read_text("utf-8") == before
    assert "run tools/notebook.py" in capsys.readouterr().err
    assert notebook.main([str(path)]) == 0
    _, first, second = json.loads(path.read_text("utf-8"))["cells"]
    assert first["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["a\n"]}]
    assert second["outputs"][0]["data"] == {"text/plain": ["3"]}
    assert notebook.main([str(path), "--check"]) == 0


def test_a_cell_that_fails_is_named() -> None:
    cells = [{"cell_type": "code", "source": "1 / 0", "outputs": []}]
    with pytest.raises(ZeroDivisionError) as caught:
        notebook.run({"cells": cells}, "n.ipynb")
    assert caught.value.__notes__ == ["in cell 1 of n.ipynb"]


@pytest.mark.slow
def test_jupyter_shows_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    path = tmp_path / "notebook.ipynb"
    shutil.copy(TUTORIAL, path)
    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    nbclient.NotebookClient(found, timeout=120, kernel_name="python3").execute()
    shown = outputs(found)
    for here, there in zip(shown, outputs(STORED), strict=True):
        for one, other in zip(joined(here), joined(there), strict=True):
            one.pop("execution_count", None)
            other.pop("execution_count", None)
            assert one == other


def joined(cell: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A cell's outputs, neighbors of the same stream as one: Jupyter sends a stream in pieces of any size."""
    joined: list[dict[str, Any]] = []
    for output in cell:
        stream = output["output_type"] == "stream"
        if stream and joined and joined[-1].get("name") == output["name"]:
            joined[-1]["text"] += output["text"]
        else:
            joined.append(dict(output))
    return joined
