"""Tests run on a module that is replaced by a mutant, in a process of its own."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import signal
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

# The program that forks has imported what pytest would rewrite: it need not.
_WARNINGS = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


class _Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and runs another source in its place."""

    def __init__(self, module: str, path: Path, source: str) -> None:
        self._module = module
        self._path = path
        self._source = source

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._module:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)

    def exec_module(self, module: types.ModuleType) -> None:
        exec(compile(self._source, str(self._path), "exec"), vars(module))


def start(module: str, path: Path, source: str, tests: Sequence[str], seconds: int) -> int:
    """Begin a run of the tests on a mutant; the number of its process.

    The process ends with pytest's status, or by SIGALRM after ``seconds``. Must be called before the package
    is imported; needs fork.
    """
    child = os.fork()
    if child:
        return child
    status = 70
    try:
        signal.alarm(seconds)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.meta_path.insert(0, _Replaced(module, path, source))
        sys.dont_write_bytecode = True
        import pytest

        status = int(
            pytest.main(
                ["-x", "-q", "-n", "0", "--assert=plain", "-p", "no:cacheprovider", *_WARNINGS, *tests]
            )
        )
    finally:
        os._exit(status)
