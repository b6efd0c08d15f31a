"""Read the grammars of the PyPI package ``abnf``.

The package's modules are parsed, not run, to find the ``grammar`` of each rule class and the list of rules
that its decorator imports. A module is run only if it computes these values, because it then parses its own
and other grammars, which takes up to a second.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from abnforge._lazy import importing
from abnforge.catalog import Message
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar.binding import bind
from abnforge.grammar.imports import Imports
from abnforge.grammar.messages import message
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import BoundGrammar
from abnforge.records import dataclass
from abnforge.text import near_misses

_PREFIX = "abnf.grammars."
_RULES = "Rule"  # the main rule class of a module
_NOT_GRAMMARS = frozenset({"misc"})  # helper modules of the package


@dataclass(frozen=True)
class _Rules:
    """A rule class: its grammar, and its imports (the name here; the module, class and name there)."""

    text: str
    imports: tuple[tuple[str, str, str, str], ...]


def package_names() -> list[str]:
    """Return the names of the grammars, sorted, without importing the package."""
    return sorted(path.stem for path in _folder().glob("[a-z]*.py") if path.stem not in _NOT_GRAMMARS)


def load_package(name: str) -> BoundGrammar:
    """Return a grammar by name (``"rfc9110"``), bound with its imports.

    Raises :class:`UnknownNameError` for a name that is not in :func:`package_names`, and GrammarError if a
    module of the package cannot be read. Each grammar is read only once in a process.
    """
    names = package_names()
    if name not in names:
        near = tuple(near_misses(name, names))
        raise UnknownNameError(message("package-grammar-unknown", grammar=name, near=near))
    return _load(name, _RULES)


@cache
def _folder() -> Path:
    with importing:
        spec = importlib.util.find_spec("abnf")
    places = () if spec is None else spec.submodule_search_locations or ()
    return next((Path(place) / "grammars" for place in places), Path("abnf", "grammars"))


@cache
def _load(module: str, name: str) -> BoundGrammar:
    """Return the grammar of a class: ``Rule`` of a module, or another class (``LocalRule``)."""
    rules = _classes(module).get(name)
    if rules is None:
        raise _unreadable(module, message("package-class-missing", module=module, name=name))
    called = module if name == _RULES else f"{module}-{name.lower().removesuffix('rule')}"
    rulelist = read(rules.text, f"abnf:{called}", "abnf")
    imports = Imports(rulelist)
    for imported, other, class_name, source in rules.imports:
        origin = _load(other, class_name)
        # Core rules are the same everywhere.
        if (bound := origin.rules.get(source.lower())) is not None and bound.origin != "core":
            imports.announce(imported, origin, source)
    return bind(rulelist, name=called, imports=imports.collect())


@cache
def _classes(module: str) -> dict[str, _Rules]:
    """Return the rule classes of a module, by name."""
    path = _folder() / f"{module}.py"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about escapes in the module's strings
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        problem = message("package-unreadable", module=module, reason=str(error))
        raise _unreadable(module, problem) from error
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    try:
        texts = {node.name: _text(node) for node in classes}
        return {
            node.name: _Rules(text, tuple(_imports(node, module)))
            for node in classes
            if (text := texts[node.name]) is not None
        }
    except ValueError:
        return _run(module)


def _run(module: str) -> dict[str, _Rules]:
    """Return the rule classes of a module that computes its grammar or its imports."""
    try:
        with importing:
            loaded = importlib.import_module(_PREFIX + module)
        return {
            name: _Rules(_joined(rules.grammar), tuple(_origins(rules)))
            for name, rules in vars(loaded).items()
            if isinstance(rules, type) and rules.__module__ == loaded.__name__ and hasattr(rules, "grammar")
        }
    except (ImportError, ValueError) as error:
        raise _unreadable(module, message("package-unsupported", module=module)) from error


def _origins(rules: Any) -> Iterator[tuple[str, str, str, str]]:
    for imported, source in getattr(rules, "_imported_rules", ()):
        origin = type(source)
        # Core rules belong to the package's base class, outside any grammar.
        if origin.__module__.startswith(_PREFIX):
            yield imported, origin.__module__.removeprefix(_PREFIX), origin.__name__, source.name


def _joined(grammar: object) -> str:
    """Join the grammar of a class: one string, or a string for each rule. Raises ValueError."""
    match grammar:
        case str(text):
            return text
        case [*rules] if all(isinstance(rule, str) for rule in rules):
            return "\n".join(str(rule).strip() for rule in rules) + "\n"
        case _:
            raise ValueError(type(grammar).__name__)


def _text(node: ast.ClassDef) -> str | None:
    """Return the grammar of a class, if it has one. Raises ValueError if it is computed."""
    for part in node.body:
        match part:
            case ast.Assign(targets=[ast.Name(id="grammar")], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id="grammar"), value=ast.expr() as value):
                pass
            case _:
                continue
        return _joined(ast.literal_eval(value))
    return None


def _imports(node: ast.ClassDef, module: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the imports in the decorator of a class. Raises ValueError if they are computed."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(args=[]):
                pairs: list[ast.expr] = []
            case ast.Call(args=[ast.List(elts=pairs)]):
                pass
            case _:
                raise ValueError(node.name)
        for pair in pairs:
            match pair:
                case ast.Tuple(elts=[ast.Constant(value=str(name)), ast.Call(func=function, args=[source])]):
                    pass
                case _:
                    raise ValueError(node.name)
            match function, source:
                case ast.Attribute(value=ast.Name(id=origin), attr=class_name), ast.Constant(
                    value=str(source_name)
                ):
                    yield name, origin, class_name, source_name
                case ast.Name(id=class_name), ast.Constant(value=str(source_name)):
                    yield name, module, class_name, source_name
                case _:
                    raise ValueError(node.name)


def _unreadable(module: str, problem: Message) -> GrammarError:
    return GrammarError(problem, code="unreadable-package", path=f"abnf:{module}")
