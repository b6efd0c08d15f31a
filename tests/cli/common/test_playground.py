"""What goes wrong while the playground is built is wrong usage, told in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.cli.common.playground import built
from abnforge.cli.common.usage import UsageError
from tests.raising import raises


def test_a_file_in_the_place(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("")
    with raises(UsageError, "directory-is-file", directory=tmp_path / "site"):
        built(tmp_path / "site")


def test_packages_that_are_not_there(tmp_path: Path) -> None:
    pytest.importorskip("railroad")
    with raises(UsageError, "module-missing"):
        built(tmp_path / "site", tmp_path)
