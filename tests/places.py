"""Paths that tests read: the project, its data, and the directory next to it (which may be absent)."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared"
