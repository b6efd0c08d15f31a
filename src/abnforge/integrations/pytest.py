"""pytest: examples in grammars, vector files, and the marker ``abnf``.

PYTEST_DONT_REWRITE: the assertions in this module do not belong to tests.

pytest loads the plugin if abnforge is installed. With ``--abnf``, or ``abnf = true`` in pytest's
configuration, the examples of ``*.abnf`` files are tests (docs/grammar-tests.md shows the directives). An
example is named by its line and column, ``port[match-3.10]``. Lines of ``*.vectors.jsonl`` files are tests
(``pytest_vectors``). The marker passes matches and near misses of a rule to a test function.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from abnforge._lazy import lazy

with lazy:
    from abnforge import errors, text
    from abnforge.engine import examples as engine_examples
    from abnforge.engine import loading
    from abnforge.integrations import pytest_vectors

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.grammar.annotations import Example


class ExampleFailedError(Exception):
    """A failed or undecided example; pytest shows its message."""


class ExampleItem(pytest.Item):
    """One example."""

    def __init__(self, *, grammar: Grammar, example: Example, **more: Any) -> None:
        super().__init__(**more)
        self.grammar = grammar
        self.example = example

    def runtest(self) -> None:
        """Run the example. Raises ExampleFailedError."""
        (result,) = engine_examples.tried(self.grammar, [self.example], self.grammar.source.name)
        if not result.passed:
            place = self.example
            line = self.grammar.source.line(place.line)
            drawn = text.draw(line, place.column - 1, place.end_column - 1)
            # pytest's summary shows the first line.
            where = f"{result.path}:{place.line}:{place.column}"
            raise ExampleFailedError("\n".join([result.message, where, *(f"    {each}" for each in drawn)]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message without a traceback."""
        if isinstance(excinfo.value, ExampleFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the example; lines count from 0 here."""
        return self.path, self.example.line - 1, engine_examples.label(self.example)


class GrammarFile(pytest.File):
    """An ABNF file. A grammar that does not load, or that has malformed examples, is an error."""

    def collect(self) -> Iterator[ExampleItem]:
        """Yield the examples in the order of the file."""
        try:
            grammar = loading.load(self.path)
            examples = engine_examples.chosen(grammar.examples)
        except errors.GrammarError as error:
            raise self.CollectError(str(error)) from None
        for example in examples:
            name = f"{example.rule}[{example.directive}-{example.line}.{example.column}]"
            yield ExampleItem.from_parent(self, name=name, grammar=grammar, example=example)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--abnf``, and the options ``abnf`` and ``abnf_judge``."""
    what = "collect the examples (;@ match, ;@ no-match) of *.abnf files, and *.vectors.jsonl files, as tests"
    parser.getgroup("abnforge").addoption("--abnf", action="store_true", default=False, help=what)
    parser.addini("abnf", what, type="bool", default=False)
    judge = "test this function (module:function) with *.vectors.jsonl files, instead of their rules"
    parser.addini("abnf_judge", judge, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, for ``--strict-markers`` and ``pytest --markers``."""
    config.addinivalue_line(
        "markers",
        'abnf(rule, kind="both", count=100): call the test with strings that match a rule, "GRAMMAR:RULE", '
        "and with near misses, as its arguments text and valid, or vector; kind is both, strings, "
        "near-misses or suite (docs/grammar-tests.md)",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Call a marked test for each string of its rules."""
    markers = list(metafunc.definition.iter_markers("abnf"))
    if markers:
        pytest_vectors.parametrize(metafunc, markers)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect grammars and vector files, if enabled, except ``NAME.mistakes.abnf``."""
    if not (parent.config.getoption("abnf") or parent.config.getini("abnf")):
        return None
    if file_path.name.lower().endswith(".vectors.jsonl"):
        return pytest_vectors.VectorFile.from_parent(parent, path=file_path)
    if file_path.suffix.lower() != ".abnf" or file_path.name.lower().endswith(".mistakes.abnf"):
        return None
    return GrammarFile.from_parent(parent, path=file_path)
