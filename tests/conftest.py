"""Settings of all tests. Searches are reproducible, so that a failure is due to a change."""

import atexit
import gc
import os
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.pages import Pages
from tests.reference import mariadb, postgres

gc.disable()  # until all tests are collected, since the objects stay

# Tests do not use the cache of the user; tests of the cache use other directories.
os.environ["ABNFORGE_CACHE"] = "off"
# Tests ignore the choice of colors by the user or a build server.
os.environ.pop("FORCE_COLOR", None)

settings.register_profile(
    "repeatable",
    derandomize=True,
    max_examples=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
settings.register_profile(
    "fuzz", deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)  # failures are stored in .hypothesis/, and the next run tries them first
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``tools/update.py`` calls this with all tests that compare pages."""
    parser.addoption(
        "--update-docs", action="store_true", help="write what examples print into README.md and docs/"
    )
    parser.addoption(
        "--fuzz", type=float, default=0.0, metavar="SECONDS", help="try fresh examples of each law (-m law)"
    )


@pytest.fixture(scope="session")
def docs(request: pytest.FixtureRequest) -> Iterator[Pages]:
    """Yield the pages with examples; with ``--update-docs``, write them after the last test."""
    pages = Pages(request.config.option.update_docs)
    yield pages
    pages.write()


def pytest_configure(config: pytest.Config) -> None:
    """Start slow services only in the slow run."""
    if config.option.fuzz:
        settings.load_profile("fuzz")
    else:
        # Hypothesis would try constants of the imported modules, which differ between workers.
        providers._get_local_constants = providers.Constants
    if config.option.update_docs and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--update-docs requires -n 0")
    postgres.started_here = mariadb.started_here = "not slow" not in config.option.markexpr
    if hasattr(config, "workerinput"):
        # Called after all other functions of this kind. Freeing all objects would take seconds.
        atexit.register(os._exit, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return 0 for named files and tests: starting workers takes longer than most of them."""
    paths = [Path(argument.partition("::")[0]) for argument in config.args]
    return None if any(map(Path.is_dir, paths)) else 0


def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the test files first.

    Rewriting their assertions takes most of the time of a collection. Each worker then reads the bytecode
    that other workers wrote.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    root = session.config.rootpath
    files = sorted(path for each in session.config.args for path in (root / each).rglob("test_*.py"))
    for path in files[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # the collection reports them
            import_module(".".join(path.relative_to(root).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Exclude tests and shared grammars from garbage collection, since they live until the end.

    Otherwise, Python would traverse them often, for a third of the run. Garbage is mostly among younger
    objects.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Drop the caches of a file after its last test, so that a complete run takes less than a gigabyte."""
    if nextitem is None or nextitem.path != item.path:
        module = getattr(item, "module", None)
        for value in vars(module).values() if module else ():
            if getattr(value, "__module__", "") == module.__name__ and hasattr(value, "cache_clear"):
                value.cache_clear()
        gc.collect(0)
        if "not slow" in item.config.option.markexpr:
            gc.freeze()  # older garbage is small, and is not searched again


@pytest.fixture
def little_garbage() -> None:
    """Exclude objects of other tests from garbage collection in this test."""
    gc.freeze()
