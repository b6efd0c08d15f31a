"""Grammars that tests of several verbs use."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def grammar(tmp_path: Path) -> str:
    path = tmp_path / "list.abnf"
    path.write_text(
        'start = word *("," word)\nword = 1*ALPHA\nnest = "(" [nest] ")"\nprose = <see elsewhere>\n'
    )
    return str(path)
