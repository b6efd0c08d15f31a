"""Laws are tried on the same examples in every run."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[str]:
    """Return the strings that a search draws."""
    texts: list[str] = []

    @settings(max_examples=500)
    @given(st.text())
    def search(text: str) -> None:
        texts.append(text)

    search()
    return texts


def test_an_import_changes_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples do not depend on the modules that a worker imported before."""
    before = drawn()
    module = ModuleType("imported")
    module.__file__ = str(tmp_path / "imported.py")
    Path(module.__file__).write_text('NAMES = ["first constant", "second constant", "third constant"]\n')
    monkeypatch.setitem(sys.modules, "imported", module)
    assert drawn() == before
