"""Every code block on every page is run by a test, parsed by a test, or listed with a reason.

A new kind of block fails here. A table maps blocks to the tests that run them. This file parses all other
blocks as TOML, YAML, INI, ABNF or Python, or checks that the programs and options in them exist.
"""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import abnforge
from abnforge.cli.app import cli
from abnforge.cli.commands.conform import IMPLEMENTATION
from abnforge.cli.commands.split import split
from abnforge.conformance.running import read_known
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.teaching.exercises import read_exercises, verify
from tests import shell, test_readme, test_recipes
from tests.law import each_row
from tests.places import ROOT


@dataclass(frozen=True)
class Block:
    """A fenced block: its page and line, its info string, and its content."""

    page: str
    line: int
    info: str
    text: str

    @property
    def first(self) -> str:
        """Return the first line, which identifies the block."""
        return self.text.partition("\n")[0]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


_OPEN = re.compile(r"( *)(`{3,}|~{3,})([^`]*)$")


def fenced(page: str, text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, as CommonMark defines them. Fails if a block is not closed."""
    fence: tuple[str, str, int] | None = None
    held: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        opened = _OPEN.fullmatch(line)
        if fence is None:
            if opened:
                fence, held = (opened[2], opened[3].strip(), number), []
        elif opened and not opened[3].strip() and opened[2].startswith(fence[0]):
            yield Block(page, fence[2], fence[1], "".join(f"{each}\n" for each in held))
            fence = None
        else:
            held.append(line)
    assert fence is None, f"{page}:{fence[2] if fence else 0}: this block does not end"


PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
BLOCKS = [block for page, text in PAGES.items() for block in fenced(page, text)]

# Pages, info strings, and the test that runs these blocks. The first match counts.
RUN = [
    ("README.md", "sh", "test_readme.py::test_first_commands"),
    ("README.md", "text", "test_readme.py::test_excerpts_are_what_the_first_command_prints"),
    ("docs/ci.md", "yaml", "test_ci.py::test_the_page_shows_them"),
    ("docs/kernel.md", "c", "_native/test_walk.py::test_a_c_program_walks_a_table"),
    *(
        ("docs/guides/export-javascript.md", info, "codegen/test_javascript.py::test_the_guide")
        for info in ("js file=*", "console", "sh", "text", "html")
    ),
    *(
        ("docs/guides/export-java.md", info, "codegen/test_java.py::test_the_guide")
        for info in ("java file=*", "xml file=*", "console", "sh", "text")
    ),
    *(
        ("docs/guides/export-c.md", info, "codegen/test_c.py::test_the_guide")
        for info in ("c file=*", "console", "sh", "text")
    ),
    *(
        ("docs/guides/export-code.md", info, "codegen/test_python.py::test_the_guide")
        for info in ("python file=*", "console", "sh", "text")
    ),
    ("docs/guides/export-go.md", "*", "codegen/test_go.py::test_the_guide"),
    ("docs/guides/export-rust.md", "*", "codegen/test_rust.py::test_the_guide"),
    ("docs/spark.md", "python", "integrations/test_spark.py::test_in_one_session"),
    ("docs/quickstart/*", "console", "test_recipes.py::test_a_recipe_does_what_it_says"),
    ("docs/quickstart/*", "* file=*", "test_recipes.py::test_a_recipe_does_what_it_says"),
    ("docs/quickstart/*", "abnf", "test_recipes.py::test_a_recipe_does_what_it_says"),
    ("docs/recipes/*", "console", "test_recipes.py::test_a_recipe_does_what_it_says"),
    ("docs/recipes/*", "* file=*", "test_recipes.py::test_a_recipe_does_what_it_says"),
    ("docs/tutorial/*", "abnf", "test_tutorial.py::test_a_grammar_is_in_order_or_its_mistakes_are_reported"),
    *(
        ("docs/*", f"{language} file=*", "test_readme.py::test_commands")
        for language in ("abnf", "csv", "markdown", "python", "text")
    ),
    ("*", "pycon", "test_readme.py::test_python"),
    ("*", "console", "test_readme.py::test_commands"),
]

# Blocks that are neither run nor parsed: page, first line, reason.
LEFT = {
    ("docs/architecture.md", "┌" + 60 * "─" + "┐"): "a diagram",
}


def runner(block: Block) -> str | None:
    """Return the test that runs a block, or None."""
    return next(
        (test for page, info, test in RUN if fnmatchcase(block.page, page) and fnmatchcase(block.info, info)),
        None,
    )


MINE = [block for block in BLOCKS if runner(block) is None and (block.page, block.first) not in LEFT]


def test_every_block_is_run_or_read_or_left_with_a_reason() -> None:
    """For a new block, add a test (``RUN``), a parser (``READERS``, ``ALONE``) or a reason (``LEFT``)."""
    assert [f"{block}: {block.info or 'no language'}" for block in MINE if reader(block) is None] == []


def test_the_tables_are_about_blocks_that_there_are() -> None:
    runners = {runner(block) for block in BLOCKS}
    names = {(block.page, block.first) for block in BLOCKS}
    pages = [page for page, _, test in RUN if test not in runners]
    assert [page for page in pages if any(fnmatchcase(name, page) for name in PAGES)] == []
    assert LEFT.keys() - names == set()
    assert {page for page, _ in ALONE} <= PAGES.keys()
    assert {(block.page, block.info) for block in MINE} >= ALONE.keys()


@each_row("test", sorted({test for block in BLOCKS if (test := runner(block))}))
def test_the_tests_are_there(test: str) -> None:
    path, _, name = test.partition("::")
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_what_is_said_to_be_run_is_run() -> None:
    """The tests of examples and recipes find all blocks of the pages."""
    commands = {(row[0], row[-2]) for row in test_readme.commands()}
    recipes = {
        path.relative_to(ROOT).as_posix(): list(test_recipes.blocks(path)) for path in test_recipes.RECIPES
    }
    for block in BLOCKS:
        test = str(runner(block)).partition("::")[2]
        if test == "test_python":
            assert block.text in test_readme.blocks(block.page, "pycon"), block
        elif test == "test_commands" and block.info == "console":
            assert block.text.startswith("$ "), block
            called = re.findall(r"^\$ (.*)$", block.text, re.MULTILINE)
            assert {(block.page, call) for call in called} <= commands, block
        elif test == "test_a_recipe_does_what_it_says":
            language, _, file = block.info.partition(" file=")
            assert any(
                each[0] == language and (not file or each[1] == file) and each[2] == block.text
                for each in recipes[block.page]
            ), block


def test_a_file_is_named_above_its_block() -> None:
    """GitHub does not show the info strings of blocks."""
    for block in BLOCKS:
        _, named, file = block.info.partition(" file=")
        above = "\n".join(PAGES[block.page].splitlines()[: block.line - 1]).rstrip().rpartition("\n\n")[2]
        assert not named or f"`{file}`" in above, block


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```a\nb\n```\n", [("a", "b\n")]),
        ("~~~~ a b\n```\n~~~\n~~~~\n", [("a b", "```\n~~~\n")]),
        ("- x\n\n  ```a\n  b\n  ```\n```\n```\n", [("a", "  b\n"), ("", "")]),
        ("``a``\n`b`\n", []),
    ],
)
def test_blocks_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert [(block.info, block.text) for block in fenced("a.md", text)] == found


def test_a_block_that_does_not_end_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"a\.md:2: "):
        list(fenced("a.md", "a\n```a\nb\n"))


# Parsers for the kinds of blocks that no test runs.


def read_shell(block: Block) -> None:
    """Check that programs and options exist, and that abnforge reads files of the page or the repository."""
    results = list(shell.calls(block.text))
    assert results
    assert [result for call in results if (result := shell.complaint(call))] == []
    files = {each.info.partition(" file=")[2] for each in BLOCKS if each.page == block.page}
    sources = {
        word
        for call in results
        for option, word in pairwise(call)
        if call[0].endswith("abnforge") and re.fullmatch(r"[\w/-]+\.(?:abnf|csv|jsonl|md|txt)", word)
        if not option.startswith("-") or option in ("-g", "--grammar", "--replay")
    }
    assert [name for name in sources - files if not (ROOT / name).is_file()] == []


def read_yaml(block: Block) -> None:
    """Parse YAML, and check the abnforge options in it."""
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(block.text)
    called_within(block)


def read_ini(block: Block) -> None:
    """Parse an INI file, and check the abnforge options in it."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(block.text)
    assert parser.sections()
    called_within(block)


def called_within(block: Block) -> None:
    """Check the options in each call of abnforge within a block."""
    for result in re.findall(r"(abnforge (?:\w+ )*--?[a-z][^|\"\n]*)", block.text):
        assert [results for call in shell.calls(result) if (results := shell.complaint(call))] == []


def read_cron(block: Block) -> None:
    """Parse a line of a cron table."""
    assert re.match(r"(?:[\d*]+ +){5}cd \S+ && ", block.text)
    called_within(block)


def read_json(block: Block) -> None:
    """Parse JSON."""
    assert json.loads(block.text)


def read_toml(block: Block) -> None:
    """Parse TOML."""
    assert tomllib.loads(block.text)


def read_grammar(block: Block) -> None:
    """Load a grammar. Its examples pass, or the page shows the error."""
    grammar = abnforge.loads(block.text)
    messages = [each.message for each in grammar.test() if not each.passed]
    assert all(f"error: {each}\n" in PAGES[block.page] for each in messages)


def read_names(block: Block) -> None:
    """Check editor settings: brackets are balanced, and the command that they start exists."""
    bare = re.sub(r'"[^"]*"', "", block.text)
    assert [bare.count(one) - bare.count(other) for one, other in ("()", "{}", "[]")] == [0, 0, 0]
    words = re.findall(r'"([a-z-]+)"', block.text)
    start = words.index("server") - 1
    assert shell.complaint([words[start], words[start + 1]]) is None


# Parsers for blocks of a single page that need additional checks.


def read_table_written(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the bytes that the C example reads."""
    monkeypatch.chdir(tmp_path)
    exec(block.text, {})
    assert (tmp_path / "uri.table").stat().st_size > 1000


def read_commands_of_others(block: Block) -> None:
    """Check an endpoint of the server in the recipe, and the options of a command and a script."""
    inputs: dict[str, Any] = {"app": SimpleNamespace(post=lambda path: lambda made: made), "Link": str}
    exec(block.text, inputs)
    if "parser" in inputs:
        assert inputs["parser"].parse_args(["a:b"]).url == "a:b"
        result = CliRunner().invoke(inputs["fetch"], ["http://h:80x/"]).output
        (comment,) = re.findall(r"# Error: (.*)", block.text)
        assert f"Error: {comment}\n" in result


def read_test_file(block: Block, tmp_path: Path) -> None:
    """Run a file of tests in a separate process."""
    (tmp_path / "test_address.py").write_text(block.text, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "abnforge.integrations.pytest", str(tmp_path)]
    # The plugin may or may not be installed. The options of this run must not affect the other process.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^[1-9]\d passed", done.stdout, re.MULTILINE)


def read_configuration(block: Block) -> None:
    """Parse a Sphinx configuration."""
    pytest.importorskip("pygments")
    from abnforge.integrations.pygments import AbnfLexer

    inputs: dict[str, Any] = {}
    exec(block.text, inputs)
    added: list[tuple[str, type]] = []
    inputs["setup"](SimpleNamespace(add_lexer=lambda *pair: added.append(pair)))
    assert added == [("abnf", AbnfLexer)]


def read_exercise(block: Block) -> None:
    """Verify an exercise that examples of the page use."""
    (result,) = read_exercises(block.text)
    verify(result)


def read_deviations(block: Block, tmp_path: Path) -> None:
    """Parse known deviations."""
    path = tmp_path / "known.toml"
    path.write_text(block.text, "utf-8")
    assert len(read_known(path)) == 1


def read_implementations(block: Block) -> None:
    """Check the options of implementations, which an example of the page uses."""
    entries = tomllib.loads(block.text)["implementations"].values()
    assert all(entry.keys() <= {*IMPLEMENTATION} for entry in entries)


def read_job(block: Block) -> None:
    """Check the options of a job."""
    options = {option.removeprefix("--") for parameter in split.params for option in parameter.opts}
    assert tomllib.loads(block.text).keys() - {"source"} <= options


def read_settings(block: Block) -> None:
    """Check the pytest settings that the plugin defines."""
    value = tomllib.loads(block.text)["tool"]["pytest"]["ini_options"]
    plugin = (ROOT / "src" / "abnforge" / "integrations" / "pytest.py").read_text("utf-8")
    assert value.keys() <= set(re.findall(r'addini\("(\w+)"', plugin))


def read_imports(block: Block, tmp_path: Path) -> None:
    """Load a grammar with an import from a file next to it."""
    (tmp_path / "common.abnf").write_text("name = 1*ALPHA\n", "utf-8")
    (tmp_path / "own.abnf").write_text(block.text, "utf-8")
    assert abnforge.load(tmp_path / "own.abnf")["link"].matches("<http://a/>;rel")


def read_notation_of_mistakes(block: Block) -> None:
    """Parse the structured comments of mistakes."""
    result = read_mistakes(block.text)
    assert ";@" in block.text
    assert result


def read_makefile(block: Block) -> None:
    """Parse the commands of the recipes."""
    recipes = [line.strip() for line in block.text.splitlines() if line.startswith("\t")]
    assert recipes
    read_shell(replace(block, text="\n".join(recipes).replace("$^", "draft.xml")))


def read_drawings(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands that draw diagrams."""
    if any("railroad" in call for call in shell.calls(block.text)):
        pytest.importorskip("railroad")
    if re.search(r"-o \S+\.(png|pdf)", block.text):
        pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums.abnf").write_text('sum = sum "-" sum / "1"\n')
    for call in shell.calls(block.text):
        result = CliRunner().invoke(cli, call[1:])
        assert result.exit_code == 0, result.output
        assert (tmp_path / call[call.index("-o") + 1]).stat().st_size > 0


READERS: dict[str, Callable[..., None]] = {
    "abnf": read_grammar,
    "ini": read_ini,
    "json": read_json,
    "lisp": read_names,
    "lua": read_names,
    "makefile": read_makefile,
    "sh": read_shell,
    "toml": read_toml,
    "yaml": read_yaml,
}
ALONE: dict[tuple[str, str], Callable[..., None]] = {
    ("docs/editors.md", "python"): read_configuration,
    ("docs/exercises.md", "toml file=mine.toml"): read_exercise,
    ("docs/implementations.md", "toml"): read_deviations,
    ("docs/implementations.md", "toml file=addresses.toml"): read_implementations,
    ("docs/imports.md", "abnf"): read_imports,
    ("docs/ingest.md", "toml"): read_job,
    ("docs/integrations.md", "python"): read_commands_of_others,
    ("docs/kernel.md", "python"): read_table_written,
    ("docs/mistakes.md", "abnf"): read_notation_of_mistakes,
    ("docs/visualize.md", "sh"): read_drawings,
    ("docs/grammar-tests.md", "python"): read_test_file,
    ("docs/grammar-tests.md", "toml"): read_settings,
    ("docs/recipes/nightly.md", "text"): read_cron,
}


def reader(block: Block) -> Callable[..., None] | None:
    """Return the parsers of blocks that no test runs."""
    return ALONE.get((block.page, block.info)) or READERS.get(block.info)


@pytest.mark.parametrize("block", [block for block in MINE if reader(block)], ids=str)
def test_blocks(block: Block, request: pytest.FixtureRequest) -> None:
    result = reader(block)
    assert result
    expected = result.__annotations__.keys() & {"tmp_path", "monkeypatch"}
    result(block, **{name: request.getfixturevalue(name) for name in expected})
