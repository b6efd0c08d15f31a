"""Lint of grammars by name or path."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from abnforge.engine.loading import grammar_names, load
from abnforge.linting.finding import Finding
from abnforge.linting.source import lint


class Linted(NamedTuple):
    """The findings about a grammar, and whether it is a file of the caller's, to which they point."""

    findings: list[Finding]
    is_file: bool


def lint_named(name: str, starts: Iterable[str] | None = None) -> Linted:
    """The findings about a grammar by name or path; a bundled name wins over a file, as with ``load``.

    A file need not load to be linted. Raises what ``load`` raises for anything else, and UnknownName for a
    start that is no rule of a grammar that loads.
    """
    if name not in grammar_names() and Path(name).is_file():
        return Linted(lint(Path(name), starts), True)
    return Linted(load(name).lint(starts), False)
