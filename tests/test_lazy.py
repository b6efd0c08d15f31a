"""Lazy imports and forks, cached properties, the garbage collector, and notebook views."""

from __future__ import annotations

import ast
import builtins
import gc
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from abnforge import _lazy
from abnforge._lazy import (
    LARGE,
    NotebookView,
    cached_property,
    gc_paused,
    importing,
    lazy,
    lazy_pattern,
    set_notebook_view,
)

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

# The command is a separate process with one thread.
FILES = [p for p in sorted(PACKAGE.rglob("*.py")) if p.relative_to(PACKAGE).parts[0] != "cli"]

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")


def late_imports(node: ast.AST, inside: bool = False, held: bool = False) -> Iterator[tuple[int, bool]]:
    """Yield the line of each import within a function of a module, and whether the lock is held there."""
    for child in ast.iter_child_nodes(node):
        called = isinstance(child, ast.Call) and ast.unparse(child.func).endswith("import_module")
        if inside and (called or isinstance(child, ast.Import | ast.ImportFrom)):
            assert hasattr(child, "lineno")
            yield child.lineno, held
        locks = isinstance(child, ast.With) and "importing" in ast.unparse(child.items[0])
        yield from late_imports(child, inside or isinstance(child, ast.FunctionDef), held or locks)


def test_every_import_within_a_function_is_under_the_lock() -> None:
    late = re.compile(r"^ +(import|from) |import_module", re.MULTILINE)  # parse few files
    texts = {path: path.read_text("utf-8") for path in FILES}
    results = {
        (path.name, *each)
        for path, text in texts.items()
        if late.search(text)
        for each in late_imports(ast.parse(text))
    }
    assert len(results) > 5
    assert [(name, line) for name, line, held in sorted(results) if not held] == []


def run(script: str) -> str:
    # Newer versions of Python warn about any fork in a process with threads.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    return result.stdout


EVERYTHING = """
import sys
import abnforge
from abnforge import uri
from abnforge._lazy import importing
from abnforge.uri import rfc2396

class Watch:
    def find_spec(self, name, path=None, target=None):
        found.append(name)
        if not importing._is_owned():
            print("without the lock:", name)

found = []
sys.meta_path.insert(0, Watch())
grammar = abnforge.loads('start = 1*( word "," )\\nword = 1*ALPHA\\npair = "(" [ pair ] ")" / word\\n')
for rule in grammar.own_rules:
    for text in ["ab,", "((a)", b"(\\xff", "(é"]:
        rule.matches(text), rule.explain(text)
        for engine in ["auto", "lark"]:
            try:
                rule.parse(text, engine=engine), rule.events(text)
            except abnforge.Rejected:
                pass
    rule.definition, rule.uses, rule.used_by, rule.lark_text, rule.lark_names, rule.lark
grammar["word"].export("re2"), grammar["word"].automaton, grammar.lint(), grammar.lark_text
abnforge.compare(grammar["word"], grammar["start"]), abnforge.lint("a = <b>"), abnforge.format_abnf("a=b")
abnforge.rule("rfc3986:host").explain("a b"), abnforge.load("abnf:rfc7405")["char-val"].matches("a")
try:
    abnforge.load("rfc3968")
except abnforge.UnknownNameError:
    pass
uri.parse("http://a/"), uri.parse("1.2.3.4", "IPv4address"), rfc2396.parse("a:b"), uri.security("http://1/")
uri.compare_editions("http://h_i", "http://h"), uri.normalize("A:b"), uri.resolve("a:b", "c")
list(uri.scan("see a://b"))
assert "abnforge.regex.proof" in found and "lark" in found and "difflib" in found
"""


def test_whatever_a_question_imports_is_imported_under_the_lock() -> None:
    """Dependencies also import modules within calls."""
    assert run(EVERYTHING) == ""


# The first call stops during an import, and continues for a while after the request to fork.
MIDWAY = """
import os, signal, sys, threading, time
import abnforge

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == STOP and threading.current_thread() is asker:
            begun.set()
            forking.wait()
            time.sleep(0.2)

def ask():
    assert grammar["a"].explain("b", engine="lark")

begun, forking = threading.Event(), threading.Event()
grammar = abnforge.loads('a = "x"')
asker = threading.Thread(target=ask)
sys.meta_path.insert(0, Slow())
asker.start()
begun.wait()
os.register_at_fork(before=forking.set)
child = os.fork()
if not child:
    signal.alarm(20)  # a process that waits for ever is ended
    ask()
    os._exit(7)
asker.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@forks
@pytest.mark.parametrize("stop", ["abnforge.engine.readers", "abnforge.parsing.lark", "logging"])
def test_a_fork_waits_for_an_import(stop: str) -> None:
    """Otherwise, libraries with fork handlers would report that a handler failed."""
    assert run(f"STOP = {stop!r}\n{MIDWAY}") == "7\n"


@forks
def test_the_lock_is_free_after_a_fork() -> None:
    """The fork takes the lock, and both processes release it: a new thread can take it in each."""
    script = (
        "import os, threading, abnforge; from abnforge._lazy import importing, lazy; child = os.fork()\n"
        "def take():\n  with lazy: taken.append(importing.acquire(timeout=10))\n"
        "taken = []; thread = threading.Thread(target=take); thread.start(); thread.join()\n"
        "if not child: os._exit(7 if taken == [True] else 1)\n"
        "print(taken, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert run(script) == "[True] 7\n"


def test_the_lock_can_be_taken_twice() -> None:
    """A module such as ``abnforge.uri`` loads rules while it is imported."""
    with importing, importing:
        assert importing.acquire(blocking=False)
        importing.release()


def declare(statement: str) -> dict[str, Any]:
    """Return the namespace of a module that imports lazily."""
    namespace: dict[str, Any] = {"lazy": lazy}
    exec(f"with lazy:\n    {statement}", namespace)
    return namespace


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield a package that contains a module that no other test imports."""
    name = f"package_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "module.py").write_text("value = [1]", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for module in (name, f"{name}.module"):
        sys.modules.pop(module, None)


def test_a_lazy_module_is_imported_at_its_first_use(package: str) -> None:
    """The imported module replaces the lazy one under all its names. Inspection does not import it."""
    namespace = declare(f"from {package} import module as one; two = one")
    one = namespace["one"]
    assert inspect.ismodule(one)
    assert not hasattr(one, "__wrapped__")
    assert package not in sys.modules
    value = one.value
    assert namespace["one"] is namespace["two"] is sys.modules[f"{package}.module"]
    assert value is namespace["one"].value is one.value


def test_a_lazy_module_that_is_missing_is_reported_at_its_first_use(package: str) -> None:
    namespace = declare(f"from {package} import missing")
    with pytest.raises(ModuleNotFoundError) as caught:
        namespace["missing"].value  # noqa: B018
    assert caught.value.name == f"{package}.missing"


def test_imports_of_other_modules_and_threads_are_not_lazy(package: str) -> None:
    other: dict[str, Any] = {}
    with lazy:
        thread = Thread(target=exec, args=(f"from {package}.module import value", other))
        thread.start()
        thread.join()
    assert other["value"] == [1]


def test_lazy_imports_end_with_their_block(package: str) -> None:
    before = builtins.__import__
    with pytest.raises(ZeroDivisionError):
        declare(f"import {package}; 1 / 0")
    assert builtins.__import__ is before
    with lazy:
        assert builtins.__import__ is not before
    assert builtins.__import__ is before


class Slow:
    """An object whose value two threads compute at the same time; each waits for the other."""

    def __init__(self) -> None:
        self.both = Barrier(2)
        self.made = 0

    @cached_property
    def value(self) -> object:
        """Return a new object for each call."""
        self.made += 1
        self.both.wait(30)
        return object()


def test_two_threads_get_the_same_value() -> None:
    slow = Slow()
    with ThreadPoolExecutor(2) as threads:
        left, right = threads.map(lambda each: each.value, (slow, slow))
    assert slow.made == 2
    assert left is right is slow.value
    assert slow.made == 2


def test_failed_properties_are_retried() -> None:
    class Fails:
        tries = 0

        @cached_property
        def value(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise OSError("not yet")
            return self.tries

    fails = Fails()
    with pytest.raises(OSError, match="not yet"):
        _ = fails.value
    assert (fails.value, fails.value) == (2, 2)


def test_the_class_has_the_property_and_its_documentation() -> None:
    assert isinstance(Slow.value, cached_property)
    assert (Slow.value.__doc__ or "").startswith("Return a new object")


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def count(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", count)
    words = lazy_pattern("[a-z]+", re.IGNORECASE)
    assert compiled == []
    result = words.search("1 Two")
    assert result
    assert (result[0], words.pattern, bool(words.flags & re.IGNORECASE)) == ("Two", "[a-z]+", True)
    assert [word[0] for word in words.finditer("a 1 b")] == ["a", "b"]
    assert words.fullmatch("a1") is None
    assert compiled == ["[a-z]+"]
    with pytest.raises(AttributeError):
        words.other  # noqa: B018


@pytest.mark.parametrize(("size", "rests"), [(0, False), (LARGE - 1, False), (LARGE, True)])
def test_it_rests_for_large_grammars(size: int, rests: bool) -> None:
    assert gc.isenabled()
    with gc_paused(size):
        assert gc.isenabled() is not rests
    assert gc.isenabled()


def test_it_is_enabled_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="no grammar"), gc_paused(LARGE):
        raise ValueError("no grammar")
    assert gc.isenabled()


def test_who_disabled_it_finds_it_so() -> None:
    gc.disable()
    try:
        with gc_paused(LARGE), gc_paused(LARGE):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lazy._View, "draw", _lazy._View.__dict__["draw"])


class Value(NotebookView):
    """A value that notebooks show in a special view."""

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
        "assert not any(name.startswith('abnforge.teaching.notebook') for name in sys.modules)\n"
        "print(rule._repr_html_()[:4], 'abnforge.teaching.notebook' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("<div True\n", "")
