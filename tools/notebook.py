"""Run the cells of a notebook, and write their outputs into the file.

    python tools/notebook.py [--check] [PATH]...        [default: docs/tutorial/notebook.ipynb]

``--check`` writes nothing, and fails if an output differs. The output contains no times or versions, so that
it depends only on the cells. Requires the dependency group ``notebooks``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import generated

TUTORIAL = generated.ROOT / "docs" / "tutorial" / "notebook.ipynb"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed(stored: str) -> str:
    """Run the cells of a file and return it with their outputs. Raises CellExecutionError if a cell fails."""
    import nbclient
    import nbformat

    notebook = nbformat.reads(stored, as_version=4)
    # A stream may arrive in pieces of any size.
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", coalesce_streams=True).execute()
    cells: list[dict[str, Any]] = json.loads(nbformat.writes(notebook))["cells"]
    for cell in cells:
        cell["metadata"] = {}
    text = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(text, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = generated.parser(__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[TUTORIAL])
    options = parser.parse_args(argv)
    texts = {path: executed(path.read_text("utf-8")) for path in options.paths}
    return generated.update(texts, options.check, "tools/notebook.py")


if __name__ == "__main__":
    sys.exit(main())
