"""Files that tools generate: write those that differ from their expected content, or only report them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def parser(description: str | None) -> ArgumentParser:
    """Return a parser for the options of a generator."""
    result = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    result.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    return result


def is_current(path: Path, text: str) -> bool:
    """Return whether a file has this content."""
    return path.is_file() and path.read_text("utf-8") == text


def update(texts: Mapping[Path, str], check: bool, command: str) -> int:
    """Write the stale files, or report them if ``check`` is set. Return the exit status: 1 for a report."""
    stale = [path for path, text in texts.items() if not is_current(path, text)]
    for path in stale:
        if not check:
            path.write_text(texts[path], "utf-8")
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{name} is stale; run: python {command}" if check else f"wrote {name}", file=sys.stderr)
    print(f"{len(texts) - len(stale)} of {len(texts)} files were current")
    return int(check and bool(stale))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table. A column with a title that ends in a colon is aligned right."""
    ruler = ["--:" if title.endswith(":") else "---" for title in header]
    lines = [[title.removesuffix(":") for title in header], ruler, *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)
