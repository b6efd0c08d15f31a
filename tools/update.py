"""Regenerate everything that quotes messages. Run this after you reword a message.

    python tools/update.py           update all
    python tools/update.py --fast    skip slow parts: recipes, pages of slow libraries

It updates the stored grammars and their mistakes (``build_grammars.py --changed``), the generated pages and
the notebook. It also updates the snapshots of the tests (unused ones are removed), and the output below the
examples in README.md and docs/. A second run changes nothing. If you must update an example yourself, because
it does not run or a changed line has an elision (``...``), its test fails and the exit status is 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATORS = ("tools/grammar_table.py", "tools/notebook.py", "tools/trace_requirements.py")
PAGES = (("tests/test_readme.py", "tests/test_tutorial.py"), ("tests/test_recipes.py",))
SNAPSHOT = re.compile(r"\b(?:snapshot: SnapshotAssertion|seen: Seen)\b")  # the fixtures
PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short")


def snapshot_tests(root: Path = ROOT) -> list[str]:
    """Return the test files that compare snapshots."""
    files = sorted((root / "tests").rglob("test_*.py"))
    return [str(file.relative_to(root)) for file in files if SNAPSHOT.search(file.read_text("utf-8"))]


def run(arguments: tuple[str, ...]) -> bool:
    """Run Python in the repository, print its output, and return whether it succeeded."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"== {' '.join(arguments[:3])}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="skip slow examples")
    options = parser.parse_args(argv)
    if not run(("tools/build_grammars.py", "--changed")):
        return 1
    steps = (
        *((*PYTEST, "-m", "not slow" if options.fast else "", "--update-docs", *pages) for pages in PAGES),
        (*PYTEST, "-m", "", "--snapshot-update", *snapshot_tests()),
        *((generator,) for generator in GENERATORS),
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(run, steps))) else 1


if __name__ == "__main__":
    sys.exit(main())
