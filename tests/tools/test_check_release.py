"""The check of a release reports an owner that is not set, and different versions."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import abnforge
from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from check_release import problems

VERSION = abnforge.__version__
OWNER = 'name = "Ada"\nemail = "ada@example.org"\nurl = "https://example.org/abnforge"\n'
FILES = {
    "packaging/owner.toml": OWNER,
    "src/abnforge/__init__.py": f'__version__ = "{VERSION}"\n',
    "CITATION.cff": f"version: {VERSION}\n",
    "CHANGELOG.md": f"## [{VERSION}] - 2027-01-01\n",
    "README.md": "[a](docs/a.md#b) ![c](c.png) [d](https://example.net) [e](#e)\n",
}

# A changed file, its text, the tag, and the parts of each problem.
PROBLEMS = [
    ("packaging/owner.toml", OWNER, f"v{VERSION}", []),
    ("packaging/owner.toml", OWNER.replace("Ada", ""), None, [("owner.toml", "'name'")]),
    ("packaging/owner.toml", OWNER.replace("ada@", ""), None, [("owner.toml", "'email'")]),
    ("packaging/owner.toml", OWNER.replace('forge"', 'forge/"'), None, [("owner.toml", "'url'")]),
    (
        "packaging/owner.toml",
        "",
        None,
        [("owner.toml", "'name'"), ("owner.toml", "'email'"), ("owner.toml", "'url'")],
    ),
    ("packaging/owner.toml", OWNER, VERSION, [("tag", f"v{VERSION}")]),
    ("packaging/owner.toml", OWNER, "v0.0.9", [("v0.0.9", f"v{VERSION}")]),
    ("CITATION.cff", "version: 0.0.9\n", None, [("CITATION.cff", "0.0.9", VERSION)]),
    ("CHANGELOG.md", "## [Unreleased]\n", None, [("CHANGELOG.md", VERSION)]),
    ("CHANGELOG.md", "## [Unreleased]\n\n## [0.0.9]\n", None, [("CHANGELOG.md", "0.0.9", VERSION)]),
]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


@each_row("name, text, tag, expected", PROBLEMS)
def test_problems(
    name: str, text: str, tag: str | None, expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    write(tmp_path, FILES | {name: text})
    lines = problems(tmp_path, tag)
    assert len(lines) == len(expected), lines
    assert all(part in line for line, parts in zip(lines, expected, strict=True) for part in parts)


def test_the_files_of_the_project_are_read() -> None:
    """Before a release, only the owner and the section of the changelog can be missing."""
    lines = problems(ROOT, f"v{VERSION}")
    assert all(line.startswith(("packaging/owner.toml: ", "CHANGELOG.md: ")) for line in lines)


@pytest.fixture
def hook() -> Any:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.OwnerHook


def metadata(hook: Any, root: Path) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    hook(str(root), {}).update(fields)
    return fields


def test_the_owner_is_in_the_metadata(hook: Any, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    fields = metadata(hook, tmp_path)
    assert fields["authors"] == [{"name": "Ada", "email": "ada@example.org"}]
    assert fields["urls"]["Repository"] == "https://example.org/abnforge"
    assert all(url.startswith("https://example.org/abnforge") for url in fields["urls"].values())


def test_links_of_the_readme_are_absolute(hook: Any, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    url = "https://example.org/abnforge"
    expected = (
        f"[a]({url}/blob/main/docs/a.md#b) ![c]({url}/raw/main/c.png) [d](https://example.net) [e](#e)\n"
    )
    assert metadata(hook, tmp_path)["readme"]["text"] == expected


def test_metadata_without_an_owner_has_no_urls(hook: Any, tmp_path: Path) -> None:
    write(tmp_path, FILES | {"packaging/owner.toml": 'name = ""\nemail = ""\nurl = ""\n'})
    fields = metadata(hook, tmp_path)
    assert fields["urls"] == {}
    assert fields["readme"]["text"] == FILES["README.md"]
    assert [*fields["authors"][0]] == ["name"]


def test_the_form_of_the_owner_file(hook: Any) -> None:
    """The hook reads the files of the project."""
    assert metadata(hook, ROOT).keys() == {"authors", "readme", "urls"}
