"""pytest: the examples beside the rules of ``*.abnf`` files as tests, with ``pytest --abnf``.

PYTEST_DONT_REWRITE: no assertion here is a test's.

pytest loads the plugin wherever abnforge is installed; it does nothing unless ``--abnf`` is given, or
``abnf = true`` in pytest's configuration. Each example is an item, ``port[match-3.10]`` by the line and
column that it stands at; docs/examples.md shows the directives.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from abnforge.late import importing

if TYPE_CHECKING:
    from abnforge.abnf.examples import Example
    from abnforge.engine.grammar import Grammar


class ExampleFailed(Exception):
    """An example that is not what it says, or could not be decided; the message is what pytest shows."""


class ExampleItem(pytest.Item):
    """One example."""

    def __init__(self, *, grammar: Grammar, example: Example, **more: Any) -> None:
        super().__init__(**more)
        self.grammar = grammar
        self.example = example

    def runtest(self) -> None:
        """Try it; raises ExampleFailed."""
        with importing:
            from abnforge.drawing import draw
            from abnforge.engine.examples import tried

        (result,) = tried(self.grammar, [self.example], self.grammar.source.name)
        if not result.passed:
            place = self.example
            line = self.grammar.source.line(place.line)
            drawn = draw(line, place.column - 1, place.end_column - 1)
            # The first line is what pytest's summary has room for.
            where = f"{result.path}:{place.line}:{place.column}"
            raise ExampleFailed("\n".join([result.message, where, *(f"    {each}" for each in drawn)]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message alone: where in this file it was raised tells nobody anything."""
        if isinstance(excinfo.value, ExampleFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the example stands; lines count from 0 here."""
        with importing:
            from abnforge.engine.examples import label

        return self.path, self.example.line - 1, label(self.example)


class GrammarFile(pytest.File):
    """An ABNF file; a grammar that does not load, and examples that cannot be understood, are errors."""

    def collect(self) -> Iterator[ExampleItem]:
        """The examples, in the order of the text."""
        with importing:
            from abnforge.engine.examples import chosen
            from abnforge.engine.loading import load
            from abnforge.errors import GrammarError

        try:
            grammar = load(self.path)
            examples = chosen(grammar.examples)
        except GrammarError as error:
            raise self.CollectError(str(error)) from None
        for example in examples:
            name = f"{example.rule}[{example.word}-{example.line}.{example.column}]"
            yield ExampleItem.from_parent(self, name=name, grammar=grammar, example=example)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--abnf`` and the setting ``abnf``."""
    what = "collect the examples (;@ match, ;@ no-match) of *.abnf files as tests"
    parser.getgroup("abnforge").addoption("--abnf", action="store_true", default=False, help=what)
    parser.addini("abnf", what, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GrammarFile | None:
    """The grammars among the files, if they are asked for; ``NAME.mistakes.abnf`` is none."""
    if not (parent.config.getoption("abnf") or parent.config.getini("abnf")):
        return None
    if file_path.suffix.lower() != ".abnf" or file_path.name.lower().endswith(".mistakes.abnf"):
        return None
    return GrammarFile.from_parent(parent, path=file_path)
