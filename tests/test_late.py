"""A process can fork while other threads ask: what is imported within a call is imported under one lock."""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from abnforge._lazy import importing, lazy

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

# The command is a process of its own, with one thread.
FILES = [p for p in sorted(PACKAGE.rglob("*.py")) if p.relative_to(PACKAGE).parts[0] != "cli"]

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")


def late_imports(node: ast.AST, inside: bool = False, held: bool = False) -> Iterator[tuple[int, bool]]:
    """The lines of a module's imports within functions, and whether the lock is held there."""
    for child in ast.iter_child_nodes(node):
        called = isinstance(child, ast.Call) and ast.unparse(child.func).endswith("import_module")
        if inside and (called or isinstance(child, ast.Import | ast.ImportFrom)):
            assert hasattr(child, "lineno")
            yield child.lineno, held
        locks = isinstance(child, ast.With) and "importing" in ast.unparse(child.items[0])
        yield from late_imports(child, inside or isinstance(child, ast.FunctionDef), held or locks)


def test_every_import_within_a_function_is_under_the_lock() -> None:
    found = {
        (path.name, *each) for path in FILES for each in late_imports(ast.parse(path.read_text("utf-8")))
    }
    assert len(found) > 5
    assert [(name, line) for name, line, held in sorted(found) if not held] == []


def run(script: str) -> str:
    # Newer Pythons warn of any fork in a process with threads.
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
    """Other packages import within calls, too."""
    assert run(EVERYTHING) == ""


# The first question is stopped within an import, and goes on a while after the fork was asked for.
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
    """Also for what has something done at forks itself: it would print that this went wrong."""
    assert run(f"STOP = {stop!r}\n{MIDWAY}") == "7\n"


@forks
def test_the_lock_is_free_after_a_fork() -> None:
    """In the new process, where the thread that held it goes on; and in this one."""
    script = (
        "import os, threading, abnforge; from abnforge._lazy import importing, lazy; child = os.fork()\n"
        "def take():\n  with lazy: taken.append(importing.acquire(timeout=10))\n"
        "taken = []; thread = threading.Thread(target=take); thread.start(); thread.join()\n"
        "if not child: os._exit(7 if taken == [True] else 1)\n"
        "print(taken, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert run(script) == "[True] 7\n"


def test_the_lock_can_be_taken_twice() -> None:
    """What is imported asks something itself: the rules that ``abnforge.uri`` loads."""
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
    """A package with a module that no other test imports."""
    name = f"package_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "module.py").write_text("value = [1]", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for module in (name, f"{name}.module"):
        sys.modules.pop(module, None)


def test_a_lazy_module_is_imported_at_its_first_use(package: str) -> None:
    """The imported module replaces it, under each of its names. Inspecting it imports nothing."""
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
