"""Values ask for their page, and whatever happens, nothing is raised."""

from __future__ import annotations

import subprocess
import sys

import pytest

from abnforge import _lazy
from abnforge._lazy import NotebookView, set_notebook_view


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lazy._View, "draw", _lazy._View.__dict__["draw"])


class Value(NotebookView):
    __slots__ = ()


def test_what_draws_is_given_the_value() -> None:
    value = Value()
    set_notebook_view(lambda given: f"<b>{given is value}</b>")
    assert value._repr_html_() == "<b>True</b>"


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError, KeyError])
def test_an_error_leaves_the_repr(error: type[Exception]) -> None:
    def draw(value: object) -> str:
        raise error("no")

    set_notebook_view(draw)
    assert Value()._repr_html_() is None


def test_without_anything_that_draws_there_is_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lazy._View, "draw", None)
    assert Value()._repr_html_() is None


def test_what_draws_is_imported_when_something_is_shown() -> None:
    script = (
        "import abnforge, sys; rule = abnforge.rule('rfc3986:port'); rule.explain('x')\n"
        "assert not any(name.startswith('abnforge.notebook') for name in sys.modules)\n"
        "print(rule._repr_html_()[:4], 'abnforge.notebook.pages' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("<div True\n", "")
