"""Visits to the playground in a browser, for several tests."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NODE_PACKAGES = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
PATIENCE = 60_000  # milliseconds until Python is loaded on a busy machine

IN_BROWSERS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm"),
]


def expect(found: Any) -> Any:
    """Return Playwright's ``expect``, imported only if it is needed."""
    from playwright import sync_api

    return sync_api.expect(found)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a playground, and return its address."""
    from abnforge.teaching.playground.building import address, server

    serving = server(folder, 0)
    Thread(target=serving.serve_forever, daemon=True).start()
    yield address(serving)
    serving.shutdown()
    serving.server_close()


class Visit:
    """A page with its messages and its requests."""

    def __init__(self, context: Any, site: str) -> None:
        self.site = site
        self.said: list[str] = []
        self.elsewhere: list[str] = []
        context.route(re.compile(".*"), self._let)
        self.page = context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.set_default_timeout(PATIENCE)

    def _let(self, route: Any) -> None:
        url = route.request.url
        if url.startswith((self.site, "data:", "blob:")):
            route.continue_()
        else:
            self.elsewhere.append(url)
            route.abort()

    def check(self) -> None:
        """Check that the page did not call other hosts and did not have blocked requests or hidden errors."""
        assert self.elsewhere == []
        assert self.said == []

    def go(self, fragment: str = "") -> Any:
        self.page.goto(f"{self.site}{fragment}")
        expect(self.page.locator("#implementation")).not_to_be_empty(timeout=PATIENCE)
        return self.page


def write(page: Any, grammar: str, string: str | None = None) -> None:
    """Replace the grammar."""
    paste(page.locator("#grammar .cm-content"), grammar)
    if string is not None:
        page.fill("#string", string)


def paste(editor: Any, text: str) -> None:
    editor.focus()
    editor.press("ControlOrMeta+A")
    editor.evaluate(
        "(node, text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " node.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true})); }",
        text,
    )


def verdict(page: Any, said: str, rule: str = "") -> None:
    expect(page.locator(f"#verdict[data-rule={rule}]" if rule else "#verdict")).to_contain_text(
        said, timeout=PATIENCE
    )


def no_verdict(page: Any) -> None:
    expect(page.locator("#verdict")).to_have_class("verdict", timeout=PATIENCE)


def pane(page: Any, name: str) -> Any:
    page.click(f"#tab-{name}")
    return page.locator(f"#pane-{name}")
