"""Where grammars come from, and what is said of those that cannot be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.abnf import files


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_bytes(b'\xef\xbb\xbfa = "x"\r\n')
    assert abnforge.load(path)["a"].matches("x")
    assert abnforge.load(str(path)).name == "g"


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_bytes(b'a = "x"\nb = "\xff"\n')
    with pytest.raises(abnforge.GrammarError, match=r"byte 13 .0xFF") as caught:
        abnforge.load(path)
    assert (caught.value.line, caught.value.column) == (2, 6)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_GRAMMAR_BYTES", 10)
    path = tmp_path / "g.abnf"
    path.write_text('a = "xxxxxxxx"\n')
    with pytest.raises(abnforge.GrammarError, match="MAX_GRAMMAR_BYTES"):
        abnforge.load(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        abnforge.load(tmp_path / "none.abnf")
    with pytest.raises(IsADirectoryError):
        abnforge.load(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", abnforge.package_names())
def test_every_rule_of_a_package_grammar_compiles(name: str) -> None:
    for rule in abnforge.load(name).own_rules:
        try:
            assert rule.lark.abnf_names
        except abnforge.GrammarError as error:
            assert error.code == "prose-val"  # noqa: PT017
