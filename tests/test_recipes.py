"""Quickstarts and recipes work as shown: their files, their commands in order, and the output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from abnforge.cli.commands.split import split
from tests import pages
from tests.law import each_row
from tests.places import ROOT

QUICKSTARTS = sorted((ROOT / "docs" / "quickstart").glob("*.md"))
RECIPES = [*QUICKSTARTS, *sorted((ROOT / "docs" / "recipes").glob("*.md"))]
# Libraries that a page needs in addition to the core. Without them, the page is skipped.
LIBRARIES = {
    "first-grammar": (),
    "learn-abnf": ("railroad",),
    "validate-csv": ("pyarrow", "numpy", "jinja2", "polars"),
    "dbt": ("duckdb", "dbt.adapters.duckdb"),
    "fastapi": ("pydantic", "fastapi", "uvicorn", "httpx"),
    "nightly": ("pyarrow", "numpy"),
    "own-grammar": ("pyarrow", "numpy"),
    "replay": ("pyarrow", "numpy"),
    "spark-quality": ("pyarrow", "numpy", "pandas", "pyspark", "databricks.labs.dqx", "spark_expectations"),
    "schedulers": ("pyarrow", "numpy", "airflow.sdk", "dagster"),
    "tables": ("pyarrow", "numpy", "deltalake", "pyiceberg.catalog.sql"),
    "warehouse": ("pyarrow", "numpy", "duckdb"),
}


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """Return the language, the file and the content of each block."""
    return ((each.language, each.file, each.text) for each in pages.blocks(page.read_text("utf-8")))


def run(command: str, folder: Path) -> str:
    """Return the output of a command, including standard error, followed by its status if not 0."""
    result = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        **os.environ,
        "PATH": result,
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    return done.stdout + (f"[status {done.returncode}]\n" if done.returncode else "")


def test_there_are_recipes() -> None:
    assert {page.stem for page in RECIPES} == LIBRARIES.keys()


@pytest.mark.parametrize(
    "page",
    [
        *QUICKSTARTS,
        *(pytest.param(page, marks=pytest.mark.slow) for page in RECIPES if page not in QUICKSTARTS),
    ],
    ids=lambda page: page.stem,
)
def test_a_recipe_does_what_it_says(page: Path, tmp_path: Path, docs: pages.Pages) -> None:
    for library in LIBRARIES[page.stem]:
        pytest.importorskip(library)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = 0
    name = page.relative_to(ROOT).as_posix()
    for block in pages.blocks(page.read_text("utf-8")):
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            for command in block.commands():
                printed = run(command.text, tmp_path)
                shown = docs.expected(name, command.place, command.output, printed, elided=True)
                assert pages.agrees(printed, shown), f"{command.text}\n{printed}"
                commands += 1
    assert commands


@each_row("page", RECIPES)
def test_what_is_not_run_can_be_read(page: Path) -> None:
    """Python code compiles, TOML is valid, and the options of ``abnforge split`` exist."""
    options = {option for parameter in split.params for option in parameter.opts}
    for language, file, text in blocks(page):
        if language == "python":
            compile(text, file or page.name, "exec")
        if language == "toml":
            assert {f"--{name}" for name in tomllib.loads(text)} - {"--source"} <= options
        for line in re.findall(r"abnforge split ([^|\n\"]*)", text):
            inputs = {word.partition("=")[0] for word in shlex.split(line) if word.startswith("-")}
            assert inputs <= options


@pytest.mark.skipif(find_spec("yaml") is None, reason="PyYAML is not installed")
@pytest.mark.parametrize("page", [page for page in RECIPES if "```yaml" in page.read_text("utf-8")], ids=str)
def test_manifests_are_yaml(page: Path) -> None:
    import yaml

    for language, file, text in blocks(page):
        if language == "yaml":
            manifest = yaml.safe_load(text)
            # Blocks without a file name are Kubernetes manifests or Prometheus rules.
            assert manifest if file else manifest.get("kind") or manifest["groups"]
