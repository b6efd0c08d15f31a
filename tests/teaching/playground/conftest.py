"""The playground, built, served, and opened in a browser; skipped without the required programs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

from tests.teaching.playground.visits import CHROMIUM, NODE_PACKAGES, Visit, served, verdict


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    with as_file(files("abnforge.teaching.playground").joinpath("web")) as web:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(web / name, folder)
    done = subprocess.run(NODE_PACKAGES, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm has no packages here: {done.stderr[-300:]}")
    return folder / "node_modules"


@pytest.fixture(scope="session")
def site(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("railroad")
    from abnforge.teaching.playground.building import build

    result = build(
        tmp_path_factory.mktemp("site") / "playground", modules=node_modules, lessons="../tutorial/index.html"
    )
    assert result.size < 27_000_000
    assert result.compressed < 7_100_000
    with served(result.folder) as url:
        yield url


@pytest.fixture(scope="module")  # its event loop would disturb other tests
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        result = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield result
        result.close()


@pytest.fixture
def visit(browser: Any, site: str) -> Iterator[Visit]:
    """Yield a first visit."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    result = Visit(context, site)
    yield result
    context.close()
    result.check()


@pytest.fixture(scope="module")
def visited(browser: Any, site: str) -> Iterator[Visit]:
    """Yield a page that several tests share, since Python takes seconds to load."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    result = Visit(context, site)
    result.go()
    yield result
    context.close()


@pytest.fixture
def page(visited: Visit) -> Iterator[Any]:
    """Yield the page with its first example."""
    visited.page.keyboard.press("Escape")  # closes a dialog that a test left open
    visited.page.select_option("#menu", "empty")
    visited.page.select_option("#menu", "pin")
    visited.page.click("#tab-why")
    verdict(visited.page, "(offset 2)")
    yield visited.page
    visited.check()
