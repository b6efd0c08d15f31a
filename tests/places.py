"""Paths that tests read: the project, its data, and a directory next to the project that may be missing."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared"
