"""Check that a release can be published.

    python tools/check_release.py           the owner is set, the version is the same, pages are up to date
    python tools/check_release.py v0.1.0    also, the tag has that version

Prints a line for each problem. Exit status: 0 no problem, 1 problems.
"""

from __future__ import annotations

import re
import sys
import tomllib
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("packaging/owner.toml", "src/abnforge/__init__.py", "CITATION.cff", "CHANGELOG.md", "README.md")
# Pages say these before the first release. A release makes them wrong.
UNRELEASED = re.compile(r"(?i)not\s+on\s+PyPI|after\s+the\s+first\s+release|this\s+will\s+be\s+\d")
OWNER = {  # the keys of packaging/owner.toml, and the form of their values
    "name": r"\S.*",
    "email": r"[^@\s]+@[^@\s]+",
    "url": r"https://\S+[^/\s]",
}


def problems(root: Path, tag: str | None = None) -> list[str]:
    """Return a line for each reason against a release of the files in a directory."""
    if missing := [name for name in FILES if not (root / name).is_file()]:
        return [f"{name}: no such file; restore it" for name in missing]
    owner = tomllib.loads((root / "packaging" / "owner.toml").read_text("utf-8"))
    lines = [
        f"packaging/owner.toml: {key!r} is not set, or an example; set it to a value like the example"
        for key, pattern in OWNER.items()
        if not re.fullmatch(rf"(?i)(?!.*\bexample\b){pattern}", str(owner.get(key, "")))
    ]
    version = _first(root / "src" / "abnforge" / "__init__.py", r'^__version__ = "(.+)"$')
    if tag is not None and tag != f"v{version}":
        lines.append(f"tag {tag} is not the version {version}; tag v{version}")
    if (cited := _first(root / "CITATION.cff", r"^version: (.+)$")) != version:
        lines.append(f"CITATION.cff: version {cited} is not {version}; change it")
    if (released := _first(root / "CHANGELOG.md", r"^## \[(\d.*?)\]")) != version:
        lines.append(f'CHANGELOG.md: the first version is {released}, not {version}; rename "Unreleased"')
    for path in (root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))):
        text, name = path.read_text("utf-8"), path.relative_to(root).as_posix()
        for each in UNRELEASED.finditer(text):
            line = text.count("\n", 0, each.start()) + 1
            lines.append(f"{name}:{line}: {each[0]!r} is wrong after a release; change the sentence")
    return lines


def _first(path: Path, pattern: str) -> str | None:
    match = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    return match and match[1]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("tag", nargs="?", metavar="TAG")
    lines = problems(ROOT, parser.parse_args(arguments).tag)
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
