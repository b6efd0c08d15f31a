"""What is promised to stay is there: the lists of docs/stability.md against the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.places import ROOT


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stability", ROOT / "tools" / "stability.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load_tool()
PROMISED = tool.written(tool.PAGE.read_text("utf-8"))


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, list[str]]]:
    return {name: make() for name, make in tool.LISTS.items()}


def test_every_list_is_in_the_page() -> None:
    assert PROMISED.keys() == tool.LISTS.keys()
    assert all(PROMISED.values())


@pytest.mark.slow  # CI calls the tool itself, too
@pytest.mark.parametrize("name", tool.LISTS)
def test_what_was_promised_is_there(name: str, found: dict[str, dict[str, list[str]]]) -> None:
    """If something has to go: docs/stability.md says how."""
    assert tool.gone({name: PROMISED[name]}, found) == []


@pytest.mark.parametrize("name", tool.LISTS)
def test_what_is_new_is_promised(name: str, found: dict[str, dict[str, list[str]]]) -> None:
    """python tools/stability.py adds it."""
    assert tool.gone({name: found[name]}, PROMISED) == []


@pytest.mark.parametrize(
    ("kind", "items"),
    [
        ("names", {"abnforge": "Budget Rejected load loads", "abnforge.load()": "source dialect"}),
        ("names", {"abnforge.Rejection": "input line column offset suggestion to_dict"}),
        ("names", {"abnforge.GrammarError": "path line column errors related"}),
        ("names", {"abnforge.Rule": "name grammar section matches parse explain"}),
        ("keys", {"check --format jsonl": "source line valid grammar rule input offset error offset_unit"}),
        ("keys", {"explain --format json position": "line column"}),
        ("keys", {"parse --format json components": "scheme userinfo host port path query fragment"}),
        ("codes", {"code of a lint finding": "ABNF001=syntax-error", "exit status": "0 1 2 130 141"}),
        ("codes", {"code of a GrammarError": "undefined-rule duplicate-rule limit-exceeded syntax-error"}),
        ("codes", {"code of a security finding": "password encoded-nul rare-ipv4"}),
        ("command", {"abnforge": "check format", "abnforge check": "--mask-passwords --show-passwords"}),
        ("command", {"abnforge lint --format": "text json github sarif"}),
    ],
)
def test_looking_finds_what_is_known_to_be_there(
    kind: str, items: dict[str, str], found: dict[str, dict[str, list[str]]]
) -> None:
    """A list that overlooks something would promise nothing about it."""
    for head, names in items.items():
        assert set(names.split()) <= set(found[kind][head])


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "page.md"
    monkeypatch.setattr(tool, "PAGE", path)
    monkeypatch.setattr(tool, "LISTS", {"codes": lambda: {"exit": ["0", "1"], "new": []}})
    return path


PAGE = "Before.\n\n<!-- list: codes -->\n\n```text\n{}```\n\nBehind.\n"


def test_what_is_new_is_added(page: Path) -> None:
    page.write_text(PAGE.format("exit: 0\n"))
    assert tool.main(["--check"]) == 1
    assert page.read_text() == PAGE.format("exit: 0\n")
    assert tool.main([]) == 0
    assert page.read_text() == PAGE.format("exit: 0 1\nnew:\n")
    assert tool.main(["--check"]) == 0


@pytest.mark.parametrize(
    "text", ["exit: 0 1 2\nnew:\n", "exit: 0 1\nnew:\nold: a\n", "exit: 0 1\nnew:\nempty:\n"]
)
def test_what_has_gone_is_only_removed_when_it_is_meant(
    page: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page.write_text(PAGE.format(text))
    assert tool.main(["--check"]) == tool.main([]) == 1
    assert ", and was promised: " in capsys.readouterr().err
    assert page.read_text() == PAGE.format(text)
    assert tool.main(["--remove"]) == 0
    assert page.read_text() == PAGE.format("exit: 0 1\nnew:\n")


def test_a_long_list_is_read_back() -> None:
    items = {"a long name of a list": [f"--name-{n}" for n in range(100)], "short()": []}
    text = tool.rendered(items)
    assert max(map(len, text.splitlines())) <= tool.COLUMNS
    assert tool.written(PAGE.format(text)) == {"codes": items}
