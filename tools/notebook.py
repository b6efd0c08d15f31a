"""The cells of a notebook, run one after the other, and what they show written beside them.

    python tools/notebook.py [--check] [PATH]...        [default: docs/tutorial/notebook.ipynb]

Runs what a notebook's code cells say in one process, without Jupyter, and keeps of each what Jupyter would
show: what is printed, and of the last expression its repr and its HTML. ``--check`` writes nothing, and fails
where something else is stored. Cells are edited in any editor of notebooks; this makes the file the same
whoever ran it last: no numbers of runs, no versions, no times.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial" / "notebook.ipynb"


def run(notebook: dict[str, Any], name: str = "notebook") -> dict[str, Any]:
    """The notebook with what its cells show now. Raises what a cell raises, with its number as a note."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    number = 0
    for index, cell in enumerate(notebook["cells"], 1):
        kept = {"cell_type": cell["cell_type"], "id": cell.get("id", f"cell-{index}"), "metadata": {}}
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            number += 1
            try:
                outputs = show(source, names, f"{name}, cell {index}", number)
            except Exception as error:
                error.add_note(f"in cell {index} of {name}")
                raise
            kept |= {"execution_count": number, "outputs": outputs}
        cells.append(kept | {"source": lines(source)})
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def show(source: str, names: dict[str, Any], name: str, number: int) -> list[dict[str, Any]]:
    """What one cell shows: what it prints, and the value of its last expression."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(text)})
    if value is not None:
        html = getattr(value, "_repr_html_", lambda: None)()
        data = {} if html is None else {"text/html": lines(html)}
        data["text/plain"] = lines(repr(value))
        result = {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        outputs.append(result)
    return outputs


def lines(text: str) -> list[str]:
    """A text as notebooks hold it."""
    return text.splitlines(keepends=True)


def written(notebook: dict[str, Any]) -> str:
    """The file, as Jupyter writes it."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Returns 1 where ``--check`` finds a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[TUTORIAL])
    parser.add_argument("--check", action="store_true", help="Write nothing; fail where something differs.")
    options = parser.parse_args(argv)
    status = 0
    for path in options.paths:
        stored = path.read_text("utf-8")
        text = written(run(json.loads(stored), path.name))
        if text == stored:
            print(f"{path} is current")
        elif options.check:
            print(f"{path} is not what its cells show; run tools/notebook.py {path}", file=sys.stderr)
            status = 1
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {path}")
    return status


if __name__ == "__main__":
    sys.exit(main())
