"""The modules that are mutated, and the tests that must notice: those of the module and of its package."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "abnforge"

TESTS: dict[str, tuple[str, ...]] = {
    "charset": ("tests/test_charset.py",),
    "automata/dfa": ("tests/automata/test_dfa.py",),
    "automata/algebra": ("tests/automata/test_algebra.py", "tests/comparison/test_rules.py"),
    "regex/writer": (
        "tests/regex",
        "tests/engine/test_export.py",
        "tests/laws/test_export_verdicts.py",
    ),
    "uri/rfc3986/resolve": (
        "tests/uri/rfc3986/test_resolve.py",
        "tests/uri/rfc3986/test_relativize.py",
        "tests/uri/rfc3986/test_dot_segments.py",
        "tests/uri/test_resolve_by_both_rfcs.py",
    ),
    "uri/rfc3986/normalize": ("tests/uri/rfc3986/test_normalize.py", "tests/uri/rfc3986/test_equivalence.py"),
    "explain/explainer": ("tests/explain",),
}


def path_of(name: str) -> Path:
    """The file of a module given as ``automata/dfa``."""
    return PACKAGE / f"{name}.py"


def suite_of(name: str) -> tuple[str, ...]:
    """The tests that run on a module's mutants; those that mirror it, unless the table has others."""
    folder, _, module = name.rpartition("/")
    return TESTS.get(name, (str(Path("tests", folder, f"test_{module}.py")),))
