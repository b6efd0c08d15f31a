"""The check of a release reports an owner that is not set, different versions, and outdated sentences."""

from __future__ import annotations

import importlib.util
import re
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
OWNER = 'name = "Ada"\nemail = "ada@host.test"\nurl = "https://host.test/abnforge"\n'
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
    ("packaging/owner.toml", OWNER.replace("Ada", "Ada Example"), None, [("owner.toml", "'name'")]),
    ("packaging/owner.toml", OWNER.replace("ada@host.test", "ada@Example.org"), None, [("'email'",)]),
    ("packaging/owner.toml", OWNER.replace("host.test/", "host.example/"), None, [("'url'",)]),
    ("packaging/owner.toml", OWNER.replace("/host.test/", "/www.example.com/"), None, [("'url'",)]),
    ("packaging/owner.toml", OWNER.replace("/abnforge", "/examples"), None, []),
    *((name, None, None, [(name, "no such file")]) for name in FILES),
    ("README.md", "It is not\non PyPI yet.\n", None, [("README.md:1:",)]),
    ("docs/learn/a.md", "\nAfter the first release, x.\nnot on PyPI", None, [("a.md:2:",), ("a.md:3:",)]),
    ("CHANGELOG.md", f"## [{VERSION}]\n\nThis will be {VERSION}.\n", None, [("CHANGELOG.md:3:",)]),
    ("docs/a.md", "After a release, this will be faster.\n", None, []),
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
    name: str, text: str | None, tag: str | None, expected: list[tuple[str, ...]], tmp_path_factory: Any
) -> None:
    root = tmp_path_factory.mktemp("root")
    write(root, FILES | {name: text or ""})
    if text is None:
        (root / name).unlink()
    lines = problems(root, tag)
    assert len(lines) == len(expected), lines
    assert all(part in line for line, parts in zip(lines, expected, strict=True) for part in parts)


def test_the_files_of_the_project_are_read() -> None:
    """Before a release, the owner and the section of the changelog can be missing, and pages say so."""
    lines = problems(ROOT, f"v{VERSION}")
    pages = re.compile(r"(README|CHANGELOG|docs/[\w/-]+)\.md:\d+: ")
    lines = [line for line in lines if not pages.match(line)]
    assert all(line.startswith(("packaging/owner.toml: ", "CHANGELOG.md: ")) for line in lines)


def test_the_examples_of_the_owner_file_are_rejected(tmp_path: Path) -> None:
    """Its comments show an example of each value."""
    text = (ROOT / "packaging" / "owner.toml").read_text("utf-8")
    examples, count = re.subn(r'= "".*such as (".+")', r"= \1", text)
    assert count == 3
    write(tmp_path, FILES | {"packaging/owner.toml": examples})
    assert len(problems(tmp_path)) == count


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
    assert fields["authors"] == [{"name": "Ada", "email": "ada@host.test"}]
    assert fields["urls"]["Repository"] == "https://host.test/abnforge"
    assert all(url.startswith("https://host.test/abnforge") for url in fields["urls"].values())


def test_links_of_the_readme_are_absolute(hook: Any, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    url = "https://host.test/abnforge"
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
