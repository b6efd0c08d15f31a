"""Data flows one way: a layer imports only from those before it, and no imports go in a circle.

Imports are read from the source, so that those within functions and under ``TYPE_CHECKING`` count too.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
ROOT = Path(SPEC.origin).parent

# Each entry may import from those above it, and from its own modules; those on one line not from one another.
LAYERS = [
    {"text", "charset", "rejection"},
    {"errors"},
    {"abnf"},
    {"analysis"},
    {"automaton", "backends"},
    {"engine"},
    {"abnforge"},  # the package itself: what `import abnforge` offers
    {"uri"},
    {"cli"},
    {"__main__"},
]
DATA = {"_generated"}

# What the dependencies are for: nothing else may come to lean on them.
THIRD_PARTY = {
    "abnf": {"abnf"},
    "click": {"cli"},
    "lark": {"engine", "uri", "cli"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("abnforge", *parts)).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def imported(path: Path) -> set[str]:
    """Every module that a file imports; ``from a import b`` is ``a.b`` if that is a module."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports out in full"
            assert node.module
            dotted = [f"{node.module}.{alias.name}" for alias in node.names]
            names.update(name if name in MODULES else node.module for name in dotted)
    return names


IMPORTS = {name: imported(path) for name, path in MODULES.items()}


def layer(module: str) -> str:
    """The top-level part that a module belongs to."""
    return module.split(".")[1] if "." in module else module


def test_every_part_has_a_layer() -> None:
    parts = {layer(module) for module in MODULES}
    assert parts == set().union(DATA, *LAYERS)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_to_earlier_layers(module: str) -> None:
    own = layer(module)
    allowed = {own} - DATA
    for level in LAYERS:
        if own in level or own in DATA:
            break
        allowed |= level
    used = {layer(name) for name in IMPORTS[module] if name.split(".")[0] == "abnforge"}
    assert used <= allowed


def test_no_circles() -> None:
    graph = {module: names & MODULES.keys() for module, names in IMPORTS.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("module", MODULES)
def test_dependencies_stay_where_they_belong(module: str) -> None:
    used = {name.split(".")[0] for name in IMPORTS[module]} - {"abnforge"} - sys.stdlib_module_names
    assert {name for name in used if layer(module) not in THIRD_PARTY.get(name, ())} == set()


FIRST_USES = [
    'import abnforge; assert abnforge.load("rfc3986")["URI"].matches("urn:a")',
    'import abnforge; assert not abnforge.load("rfc3986")["URI"].matches("a b")',
    'import abnforge; assert abnforge.load("rfc3986")["URI"].explain("a b")',
    'from abnforge import uri; assert uri.is_valid("urn:a")',
]


@pytest.mark.parametrize("code", FIRST_USES)
def test_a_verdict_imports_no_dependency(code: str) -> None:
    """They take longer to import than a verdict takes."""
    script = f"import sys; {code}; print({set(THIRD_PARTY)!r} & {{m.split('.')[0] for m in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("set()\n", "")
