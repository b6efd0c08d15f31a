"""Data flows one way: a package imports only from those before it, and imports form no cycle.

Imports are read from the source: those within functions and under ``TYPE_CHECKING`` count, and so do modules
that a table names in strings.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

import pytest

from abnforge._native import KERNEL
from tests.places import ROOT

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

# In dependency order: packages, and modules beside them. Those on one line must not import one another.
# docs/architecture.md describes each.
ORDER = [
    "_native _lazy",
    "records",
    "text",
    "catalog",
    "messages",
    "_arguments",
    "charset",
    "outputs",
    "rejection",
    "errors",
    "budget",
    "grammar",
    "automata",
    "parsing.recognizer",
    "parsing",
    "regex",
    "explain",
    "explain.derive",
    "linting",
    "engine",
    "comparison",
    "conformance",
    "abnforge",  # the package itself: its public names
    "uri.common",
    "uri.rfc2396 uri.rfc3986",
    "uri",
    "columns",
    "ingest integrations",
    "teaching",
    "teaching.exercises teaching.pictures",
    "teaching.notebook teaching.playground",
    "cli.common",
    "cli.output",
    "cli.commands.exercise cli.commands.uri",
    "cli.commands",
    "cli",
    "__main__",
]
LEVELS = [set(line.split()) for line in ORDER]
DATA = {"_data"}  # holds no code

# Subpackages that import from their package, which imports them when it needs them: one place in the order.
PARTS = {
    "grammar.extract": "grammar",
    "grammar.repair": "grammar",
    "ingest.sinks": "ingest",
    "ingest.sources": "ingest",
}

# Which packages may import a dependency.
THIRD_PARTY = {
    "aalpy": "conformance",
    "abnf": "grammar",
    "click": "cli cli.common cli.output cli.commands cli.commands.exercise cli.commands.uri",
    "duckdb": "integrations",
    "hypothesis": "integrations",
    "jinja2": "cli.output",
    "jsonschema": "integrations",
    "lark": "engine parsing uri.common uri.rfc2396 uri.rfc3986 cli.output",
    "lsprotocol": "integrations",
    "markupsafe": "cli.output",
    "numpy": "ingest",
    "pandas": "columns ingest",
    "pandera": "integrations",
    "polars": "columns integrations",
    "pyarrow": "columns ingest integrations",
    "pydantic_core": "uri.rfc3986 integrations",
    "pygls": "integrations",
    "pygments": "integrations",
    "pyspark": "integrations",
    "pytest": "integrations",
    "railroad": "teaching.pictures",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(("abnforge", *parts)).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def package_of(module: str) -> str:
    """Return the package of a module, as ORDER names it; the module itself if it lies beside the packages."""
    folder = ".".join(MODULES[module].parent.relative_to(PACKAGE).parts)
    return PARTS.get(folder, folder) or module.removeprefix("abnforge.")


def module_in(name: str) -> str:
    """Return the longest beginning of a dotted name that is a module of abnforge; else the name."""
    parts = name.split(".")
    heads = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((head for head in heads if head in MODULES), name)


LOADERS = {"import_module", "__import__", "importlib", "pkgutil", "runpy"}


def imported(tree: ast.AST) -> set[str]:
    """Return the names that a module imports; ``from a import b`` is ``a.b`` if that is a module.

    A module in a string that is imported later (``"abnforge.cli.commands.check:check"``) counts, and so does
    the use of a name of ``LOADERS``.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in LOADERS:
            names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings = re.findall(r"^(abnforge(?:\.\w+)+)(?::[\w.]+)?$", node.value)
            names.update(module_in(name) for name in strings if not name.startswith("abnforge._data"))
        elif isinstance(node, ast.Import):
            names.update(module_in(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = f"{'.' * node.level}{node.module}"  # a relative import fails the tests below
            names.update(module_in(f"{source}.{alias.name}") for alias in node.names)
    return names


@cache
def imports() -> dict[str, set[str]]:
    """Return what each module imports."""
    return {name: imported(ast.parse(path.read_text("utf-8"))) for name, path in MODULES.items()}


@cache
def module_graph() -> dict[str, set[str]]:
    """Return the modules of abnforge that each module imports."""
    return {module: (names - {module}) & MODULES.keys() for module, names in imports().items()}


# Modules that import by name: from a table of strings, which counts as imports, or what the caller names.
BY_NAME = {
    "abnforge",
    "abnforge._lazy",  # modules of import statements
    "abnforge.grammar.abnf_package",  # modules of the abnf package
    "abnforge.cli.common.catalogs",
    "abnforge.cli.common.groups",
    "abnforge.cli.output.formats",
    "abnforge.conformance.judges",  # functions that callers name
    "abnforge.teaching.playground.questions",
}


def test_imports_can_be_read_from_the_source() -> None:
    assert {module for module, names in imports().items() if names & LOADERS} <= BY_NAME


def test_lazy_imports_are_of_modules() -> None:
    """A name within a module cannot be imported lazily."""
    nodes = [node for path in MODULES.values() for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    blocks = [node for node in nodes if isinstance(node, ast.With) and ast.unparse(node.items[0]) == "lazy"]
    imports = [(getattr(each, "module", ""), each.names) for block in blocks for each in block.body]
    names = {(package, alias.name) for package, aliases in imports for alias in aliases}
    assert [name for package, name in names if not package and "." in name] == []
    modules = {f"{package}.{name}" for package, name in names if package}
    assert {name for name in modules - MODULES.keys() if name.startswith("abnforge")} == set()
    assert {name for name in modules - MODULES.keys() if find_spec(name) is None} == set()
    assert modules & MODULES.keys()


def test_every_package_has_one_place() -> None:
    assert {package_of(module) for module in MODULES} == set().union(DATA, *LEVELS)
    assert sum(map(len, LEVELS)) == len(set().union(*LEVELS))


def importable(package: str) -> set[str]:
    """Return the packages that a package may import from: those before it, and itself."""
    return ({package} - DATA).union(*takewhile(lambda level: not {package} & (level | DATA), LEVELS))


# Objects find their notebook view by an import that waits until a notebook shows one.
VIEWS = {"abnforge": {"teaching.notebook"}}


def test_imports_point_to_earlier_packages() -> None:
    wrong = {
        (module, other)
        for module, others in module_graph().items()
        for other in others
        if package_of(other) not in importable(package_of(module)) | VIEWS.get(module, set())
    }
    assert wrong == set()


class AtRunTime(ast.NodeTransformer):
    """Removes the imports that only type checkers see."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        return node.orelse if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def test_modules_form_no_cycle() -> None:
    """A type may name a later module of its package: a rule knows its grammar, which has rules."""
    graph = {
        module: imported(AtRunTime().visit(ast.parse(path.read_text("utf-8")))) & MODULES.keys() - {module}
        for module, path in MODULES.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


def test_packages_form_no_cycle() -> None:
    graph: dict[str, set[str]] = {}
    for module, others in module_graph().items():
        package = package_of(module)
        graph.setdefault(package, set()).update({package_of(other) for other in others} - {package})
    TopologicalSorter(graph).prepare()


def test_dependencies_stay_in_their_packages() -> None:
    own = {"abnforge"} | sys.stdlib_module_names | LOADERS
    roots = {(module, name.split(".")[0]) for module, names in imports().items() for name in names}
    wrong = {
        (module, root)
        for module, root in roots
        if root not in own and package_of(module) not in THIRD_PARTY.get(root, "").split()
    }
    assert wrong == set()


_ROW = re.compile(r"^\| `([\w/]+)` \| [^|]+ \| ([^|]*) \| [^|]+ \|$", re.MULTILINE)


def test_the_architecture_page_lists_packages_and_modules() -> None:
    rows = _ROW.findall((ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= {package for package, _ in rows}
    for package, cell in rows:
        for module in re.findall(r"`([\w/.]+)`", cell):
            assert any((PACKAGE / package / f"{module}{suffix}").exists() for suffix in (".py", "")), module


# Verdicts and explanations of regular and recursive rules, of bundled grammars and of text.
USES = r"""
import abnforge
from abnforge import uri
for grammar in (abnforge.load("rfc3986"), abnforge.load("rfc8259"), abnforge.loads('s = "(" [s] ")"')):
    rule = grammar.start
    assert not rule.matches("(http:/ /") and not rule.matches(b"\xff") and rule.explain("(http:/ /").message
web = abnforge.rule("rfc3986:URI") - abnforge.rule("rfc3986:absolute-URI")
web.check("a:#")
assert web.explain("http://h:80x/#").suggestion and web.components("a:#", ["fragment"])
assert uri.is_valid("urn:a") and uri.explain("a b") and abnforge.lint("a = b")
"""
COLUMNS = """\
import pyarrow
from abnforge import columns
for rule in ("rfc3986:URI", "rfc8259:JSON-text"):
    array = pyarrow.array(["http://h:80x/", "[1", None])
    columns.matches(rule, array), columns.offsets(rule, array), columns.rejections(rule, array, suggest=True)
    columns.split(rule, pyarrow.table({"url": array}), "url")
columns.components("rfc3986:URI", array)
"""


@pytest.mark.parametrize(("code", "needed"), [(USES, set()), (COLUMNS, {"pyarrow", "numpy", "pandas"})])
def test_verdicts_and_explanations_import_no_dependency(code: str, needed: set[str]) -> None:
    """Importing Lark, click or abnf takes longer than a verdict."""
    if needed:
        pytest.importorskip("pyarrow")
    unwanted = THIRD_PARTY.keys() - needed
    script = f"{code}import sys; print(*{unwanted!r} & {{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("\n", "")


# Modules of the standard library that take as long to import as a verdict takes.
HEAVY = (
    "ast asyncio dataclasses difflib email hashlib importlib.metadata importlib.resources inspect ipaddress"
    " logging pathlib subprocess tempfile threading tomllib urllib"
)

# Modules of abnforge.grammar for texts that are not ABNF.
NOTATIONS = "extract formatter repair repair.names repair.notations repair.values"

# Modules of abnforge.grammar that read grammars: bundled ones were read at build time.
READING = (
    f"{NOTATIONS} abnf_package annotations binding files imports lexer parser printer prose reader"
    " source_map syntax_errors"
)

# Code -> the number of modules of abnforge that it may import, and the modules that it must not import.
IMPORTED = {
    "": (45, HEAVY, READING),
    'abnforge.rule("rfc3986:URI").matches("http://a/b")': (50, HEAVY, READING),
    'abnforge.load("rfc5321")["Mailbox"].matches("a b")': (50, HEAVY, READING),
    'abnforge.rule("rfc3986:URI").explain("http://a b/").message': (
        105,
        HEAVY,
        f"{NOTATIONS} abnf_package files printer",
    ),
    'abnforge.loads("a = 1*DIGIT")["a"].matches("1")': (75, "dataclasses inspect", NOTATIONS),
}


@pytest.mark.parametrize("code", IMPORTED)
def test_a_first_use_imports_few_modules(code: str) -> None:
    """The work is counted in modules, not in time."""
    if "loads" in code and KERNEL == "python":
        pytest.skip("without the C extension, the rule is compiled to a pattern")
    most, outside, reading = IMPORTED[code]
    unwanted = {*outside.split(), *(f"abnforge.grammar.{name}" for name in reading.split())}
    assert {name for name in unwanted if name.startswith("abnforge")} <= MODULES.keys()
    script = (
        f"import sys; before = {{*sys.modules}}; import abnforge; {code}\nprint(*({{*sys.modules}} - before))"
    )
    # Without site, which may import more: for an editable installation, or under coverage.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    imported = set(result.stdout.split())
    assert imported & unwanted == set()
    assert len([name for name in imported if name.startswith("abnforge")]) <= most
