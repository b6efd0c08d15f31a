"""Pages of the API: which names of which modules, in reStructuredText; Sphinx takes the docstrings from them.

What is promised to stay is asked of ``tools/stability.py``. Of other modules the names are listed here, or
read from their files, so that an adapter's library need not be there.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import indent

import stability

PACKAGE = stability.PACKAGE

# Pages of modules that have __all__, in their order.
PROMISED = stability.MODULES
WHOLE = ("abnforge.columns", "abnforge.conformance", "abnforge.ingest")

# Pages of packages: the names of each module that pages in docs/ show.
TEACHING = {
    "abnforge.teaching.exercises.exercise": ("Exercise", "Misconception", "exercises", "read_exercises"),
    "abnforge.teaching.exercises.grading": ("Grade", "grade"),
    "abnforge.teaching.derivations": ("derivation", "derivations", "nodes_of"),
    "abnforge.teaching.trace": ("trace",),
    "abnforge.teaching.describe": ("about", "read_aloud"),
    "abnforge.teaching.pictures.trees": ("tree_svg", "tree_dot"),
    "abnforge.teaching.pictures.page": ("tree_section", "page_head"),
    "abnforge.teaching.pictures.railroad": ("rule_svg", "path_of"),
    "abnforge.teaching.pictures.rules_page": ("rules_page",),
    "abnforge.teaching.pictures.automata": ("automaton_svg",),
}
COMPARISON: dict[str, tuple[str, ...]] = {
    "abnforge.comparison.grammars": (
        *("diff", "differences", "GrammarDiff", "RuleDiff", "compatibility", "Compatibility"),
    ),
}
# Modules of adapters that nobody imports: what finds or starts them is told.
FOUND = {"language_server", "pytest", "pytest_vectors", "batches", "spark_batches", "rules"}

_HEAD = """\
.. _api-{module}:

{module}
{line}

.. automodule:: {module}
   :no-members:

"""
_NOT_PROMISED = "These names may change in any version; :doc:`/docs/stability` tells which do not.\n\n"
_INDEX = """\
The Python API
==============

What is promised to stay (:doc:`/docs/stability`):

.. toctree::
   :maxdepth: 1

{promised}
What may change with a version:

.. toctree::
   :maxdepth: 1

{others}"""


def kind(module: str, name: str) -> str:
    """How Sphinx calls a name: ``class``, ``exception``, ``function``, ``module`` or ``data``."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    if inspect.ismodule(value):
        return "module"
    return "function" if inspect.isroutine(value) else "data"


def entry(module: str, name: str, members: Iterable[str] | None = None) -> str:
    """The directive of one name; members are those given, or all that have no underscore."""
    what = kind(module, name)
    if what == "module":  # it has a page of its own, or none
        return ""
    if what == "data":  # Sphinx would tell what a dict is
        return f".. py:data:: {module}.{name}\n\n{indent(said(module, name), '   ')}\n\n"
    lines = [f".. auto{what}:: {module}.{name}"]
    if what in ("class", "exception"):
        cls = getattr(import_module(module), name)
        assigned = [each for each in members or () if not declared(cls, each)]
        named = ", ".join(each for each in members or () if each not in assigned)
        if named or members is None:  # without names all are meant
            lines += [f"   :members: {named}".rstrip(), "   :undoc-members:"]
        lines.append("")
        lines += [f"   .. py:attribute:: {each}\n" for each in assigned]
    return "\n".join(lines) + "\n\n"


def declared(cls: type, name: str) -> bool:
    """Whether a class says that its objects have something; if not, ``__init__`` gives it to them."""
    annotated = any(name in vars(base).get("__annotations__", {}) for base in cls.__mro__)
    return annotated or inspect.getattr_static(cls, name, None) is not None


def said(module: str, name: str) -> str:
    """The text below a value, in the file that it comes from; empty if there is none."""
    body = ast.parse(inspect.getsource(import_module(module))).body
    for node, below in pairwise([*body, ast.Pass()]):
        if isinstance(node, ast.ImportFrom) and node.module and name in [each.name for each in node.names]:
            return said(node.module, name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if name in [each.id for each in targets if isinstance(each, ast.Name)]:
            text = getattr(getattr(below, "value", None), "value", None)
            return inspect.cleandoc(text) if isinstance(text, str) else ""
    return ""


def ordered(module: str, names: Iterable[str]) -> list[str]:
    """Functions first, then classes, exceptions and values."""
    kinds = ["function", "class", "exception", "data", "module"]
    return sorted(names, key=lambda name: (kinds.index(kind(module, name)), name.lower()))


def head(module: str) -> str:
    """What a page begins with: the module, and what it says of itself."""
    return _HEAD.format(module=module, line="=" * len(module))


def promised(module: str, names: dict[str, list[str]]) -> Iterator[str]:
    """Pieces of the page of a module that stays as it is."""
    yield head(module)
    for name in ordered(module, names[module]):
        yield entry(module, name, names.get(f"{module}.{name}", []))


def whole(module: str) -> Iterator[str]:
    """Pieces of the page of a module with ``__all__``."""
    yield head(module) + _NOT_PROMISED
    for name in ordered(module, import_module(module).__all__):
        yield entry(module, name)


def package(module: str, modules: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield pieces of the page of a package; its modules are sections."""
    yield head(module) + _NOT_PROMISED
    for part, names in modules.items():
        yield section(part)
        for name in names:
            yield entry(part, name)


def section(module: str) -> str:
    """What a module's section begins with."""
    return f"{module}\n{'-' * len(module)}\n\n.. automodule:: {module}\n   :no-members:\n\n"


def adapters() -> Iterator[str]:
    """Pieces of the page of adapters."""
    yield head("abnforge.integrations") + _NOT_PROMISED
    for path in sorted((PACKAGE / "integrations").glob("*.py")):
        if path.stem.startswith("__") or path.stem in FOUND:
            continue
        module = f"abnforge.integrations.{path.stem}"
        yield section(module)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                what = "class" if isinstance(node, ast.ClassDef) else "function"
                yield f".. auto{what}:: {module}.{node.name}\n\n"


def write(folder: Path) -> None:
    """Write the pages and their list."""
    target = folder / "api"
    target.mkdir(parents=True, exist_ok=True)
    names = stability.names()
    pages = {module: promised(module, names) for module in PROMISED}
    more = {
        **{module: whole(module) for module in WHOLE},
        "abnforge.comparison": package("abnforge.comparison", COMPARISON),
        "abnforge.teaching": package("abnforge.teaching", TEACHING),
        "abnforge.integrations": adapters(),
    }
    for module, pieces in {**pages, **more}.items():
        (target / f"{module}.rst").write_text("".join(pieces), "utf-8")
    lists = {
        "promised": "".join(f"   {module}\n" for module in pages) + "\n",
        "others": "".join(f"   {module}\n" for module in more),
    }
    (target / "index.rst").write_text(_INDEX.format(**lists), "utf-8")
