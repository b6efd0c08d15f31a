"""Settings for all tests. Searches are reproducible: a new failure is caused by a change."""

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

gc.disable()  # until all tests are collected: their objects live until the end

# Tests do not use the user's cache. Tests of the cache itself use other directories.
os.environ["ABNFORGE_CACHE"] = "off"
# Tests ignore the color settings of the user or the build server.
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
    """Add the option of ``tools/update.py``, which runs all tests that compare pages, and that of fuzzing."""
    parser.addoption(
        "--update-docs", action="store_true", help="write what examples print into README.md and docs/"
    )
    parser.addoption(
        "--fuzz", type=float, default=0.0, metavar="SECONDS", help="try fresh examples of each law (-m law)"
    )


@pytest.fixture(scope="session")
def docs(request: pytest.FixtureRequest) -> Iterator[Pages]:
    """Yield the pages with examples. With ``--update-docs``, write them after the last test."""
    pages = Pages(request.config.option.update_docs)
    yield pages
    pages.write()


def pytest_configure(config: pytest.Config) -> None:
    """Choose the examples of Hypothesis, and start slow services only if slow tests run."""
    if config.option.fuzz:
        settings.load_profile("fuzz")
    else:
        # Hypothesis would try constants from imported modules, and each worker imports other modules.
        providers._get_local_constants = providers.Constants
    if config.option.update_docs and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--update-docs requires -n 0")
    postgres.started_here = mariadb.started_here = "not slow" not in config.option.markexpr
    if hasattr(config, "workerinput"):
        # Exit without freeing all objects, which would take seconds. atexit calls this function last.
        atexit.register(os._exit, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return 0 if the arguments are files or tests: starting workers would take longer than most tests."""
    paths = [Path(argument.partition("::")[0]) for argument in config.args]
    return None if any(map(Path.is_dir, paths)) else 0


def pytest_collection(session: pytest.Session) -> None:
    """Import this worker's share of the test files first.

    Rewriting assertions takes most of the collection time. Then each worker reads the bytecode that the other
    workers wrote.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    root = session.config.rootpath
    files = sorted(path for each in session.config.args for path in (root / each).rglob("test_*.py"))
    for path in files[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # the collection reports the error
            import_module(".".join(path.relative_to(root).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Exclude tests and shared grammars from garbage collection, since they live until the end.

    Otherwise, Python would traverse them again and again, which takes a third of the run. Most garbage
    consists of younger objects.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Clear the caches of a file after its last test, so that a complete run uses less than 1 GB."""
    if nextitem is None or nextitem.path != item.path:
        module = getattr(item, "module", None)
        for value in vars(module).values() if module else ():
            if getattr(value, "__module__", "") == module.__name__ and hasattr(value, "cache_clear"):
                value.cache_clear()
        gc.collect(0)
        if "not slow" in item.config.option.markexpr:
            gc.freeze()  # there is little older garbage: do not search for it again


@pytest.fixture
def little_garbage() -> None:
    """Exclude objects of other tests from garbage collection in this test."""
    gc.freeze()
