"""Write ``docs/comparison.md``: how the URI grammars of 1998, 2004 and 2005 differ, as sets of strings.

    python tools/compare_grammars.py            write the page
    python tools/compare_grammars.py --check    write nothing; exit 1 if the page is not current

Every relation on the page is computed. What is written by hand are the facts that are compared (the
translation table, RFC 2396's rules in their own notation) and the readings, in ``comparison/``; a reading
stands beside the relation that it was written for, and the tool fails when the computed one is another.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from comparison.page import page

PAGE = Path(__file__).resolve().parent.parent / "docs" / "comparison.md"


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not current")
    options = parser.parse_args(argv)
    text = page()
    current = PAGE.is_file() and PAGE.read_text("utf-8") == text
    if options.check and not current:
        print(
            "docs/comparison.md is not what the grammars give; run: python tools/compare_grammars.py",
            file=sys.stderr,
        )
        return 1
    if not current:
        PAGE.write_text(text, "utf-8")
    print(f"docs/comparison.md {'is current' if current else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
