"""Data flows one way: a room imports only from those before it, and no imports go in a circle.

A room is a folder of the package, or a module that lies beside them. Imports are read from the source, so
that those within functions and under ``TYPE_CHECKING`` count too; so do the modules that the command line
names in its table of verbs.
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

from abnforge._native.loaded import KERNEL

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

# Each room may import from those above it, and from its own modules; rooms on one line do not know each
# other. docs/architecture.md says what each of them is for.
ORDER: list[set[str]] = [
    {"_native", "_lazy"},
    {"records"},
    {"text"},
    {"catalog"},
    {"messages"},
    {"_arguments"},
    {"charset"},
    {"outputs"},
    {"rejection"},
    {"errors"},
    {"budget"},
    {"grammar"},
    {"automata"},
    {"parsing.recognizer"},
    {"parsing"},
    {"regex"},
    {"explain"},
    {"explain.derive"},
    {"linting"},
    {"engine"},
    {"comparison"},
    {"conformance"},
    {"teaching"},
    {"teaching.pictures"},
    {"abnforge"},  # the package itself: what `import abnforge` offers
    {"uri.common"},
    {"uri.rfc2396", "uri.rfc3986"},
    {"uri"},
    {"notebook"},
    {"columns"},
    {"ingest", "integrations", "playground"},
    {"cli.common"},
    {"cli.reports"},
    {"cli.verbs.exercise", "cli.verbs.grammar", "cli.verbs.playground"},
    {"cli.verbs"},
    {"cli"},
    {"__main__"},
]
DATA = {"_data"}

# Folders that a module of their package imports when it needs them: parts of that package's room.
PARTS = {"grammar.extract": "grammar", "grammar.repair": "grammar"}

CLICK = ("", ".common", ".reports", ".verbs", ".verbs.exercise", ".verbs.grammar", ".verbs.playground")

# What the dependencies are for: nothing else may come to lean on them.
THIRD_PARTY = {
    "aalpy": {"conformance"},
    "abnf": {"grammar"},
    "pandas": {"columns", "ingest"},
    "numpy": {"ingest"},
    "polars": {"columns", "integrations"},
    "pyarrow": {"columns", "ingest", "integrations"},
    "click": {"integrations", *(f"cli{room}" for room in CLICK)},
    "pyspark": {"ingest", "integrations"},
    "pydantic_core": {"uri", "integrations"},
    "cattrs": {"integrations"},
    "django": {"integrations"},
    "pytest": {"integrations"},
    "hypothesis": {"integrations"},
    "lsprotocol": {"integrations"},
    "pygls": {"integrations"},
    "pygments": {"integrations"},
    "duckdb": {"integrations"},
    "jsonschema": {"integrations"},
    "pandera": {"integrations"},
    "sqlalchemy": {"integrations"},
    "railroad": {"teaching.pictures"},
    "lark": {"engine", "parsing", "uri.common", "uri.rfc2396", "uri.rfc3986", "cli.reports"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(("abnforge", *parts)).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """The folder a module lies in; the module itself if that is the package."""
    path = MODULES[module]
    folder = ".".join(path.parent.relative_to(PACKAGE).parts)
    return PARTS.get(folder, folder) or module.removeprefix("abnforge.")


def known(name: str) -> str:
    """The longest beginning of a dotted name that is a module of the package; else the name."""
    parts = name.split(".")
    heads = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((head for head in heads if head in MODULES), name)


LOADERS = {"import_module", "__import__", "importlib", "pkgutil", "runpy"}


def imported(tree: ast.AST) -> set[str]:
    """The modules that a module imports; ``from a import b`` is ``a.b`` if that is a module.

    A module named in a string to be imported later (``"abnforge.cli.verbs.check:check"``) counts, too. So
    does the use of a name of ``LOADERS``.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in LOADERS:
            names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = re.findall(r"^(abnforge(?:\.\w+)+)(?::[\w.]+)?$", node.value)
            names.update(known(name) for name in named if not name.startswith("abnforge._data"))
        elif isinstance(node, ast.Import):
            names.update(known(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = f"{'.' * node.level}{node.module}"  # a relative import is no module of MODULES or Python
            names.update(known(f"{source}.{alias.name}") for alias in node.names)
    return names


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports."""
    return {name: imported(ast.parse(path.read_text("utf-8"))) for name, path in MODULES.items()}


ROOMS = {module: room(module) for module in MODULES}

# Modules that import by a name that they are given: from a table of such names, which counts as imports.
BY_NAME = {
    "abnforge",
    "abnforge.grammar.abnf_package",  # modules of the abnf package
    "abnforge.cli.common.catalogs",
    "abnforge.cli.common.groups",
    "abnforge.cli.reports.formats",
    "abnforge.conformance.judges",  # functions that callers name
    "abnforge.playground.questions",
}


def test_imports_can_be_read_from_the_source() -> None:
    assert {module for module, names in imports().items() if names & LOADERS} <= BY_NAME


def test_every_room_has_a_place() -> None:
    assert set(ROOMS.values()) == set().union(DATA, *ORDER)
    assert sum(map(len, ORDER)) == len(set().union(*ORDER))


def earlier(own: str) -> set[str]:
    """The rooms that a room may import from, itself included."""
    levels = takewhile(lambda level: own not in level and own not in DATA, ORDER)
    return ({own} - DATA).union(*levels)


# Objects find their notebook view by an import that waits until a notebook shows one.
VIEWS = {"abnforge": {"notebook"}}


def test_imports_point_to_earlier_rooms() -> None:
    used = {module: {ROOMS[name] for name in names & MODULES.keys()} for module, names in imports().items()}
    wrong = {
        module: rooms - earlier(ROOMS[module]) - VIEWS.get(module, set()) for module, rooms in used.items()
    }
    assert {module: rooms for module, rooms in wrong.items() if rooms} == {}


def test_no_circle_of_modules() -> None:
    graph = {module: names & MODULES.keys() for module, names in imports().items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_no_circle_of_rooms() -> None:
    graph: dict[str, set[str]] = {}
    for module, names in imports().items():
        used = {ROOMS[name] for name in names & MODULES.keys()}
        graph.setdefault(ROOMS[module], set()).update(used - {ROOMS[module]})
    TopologicalSorter(graph).prepare()


def test_dependencies_stay_where_they_belong() -> None:
    own = {"abnforge"} | sys.stdlib_module_names | LOADERS
    used = {(module, name.split(".")[0]) for module, names in imports().items() for name in names}
    foreign = {(module, name) for module, name in used if name not in own}
    assert {each for each in foreign if ROOMS[each[0]] not in THIRD_PARTY.get(each[1], ())} == set()


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


# What takes as long to import as a verdict takes, and no verdict or explanation needs.
HEAVY = {
    *(
        "ast",
        "asyncio",
        "dataclasses",
        "difflib",
        "email",
        "hashlib",
        "importlib.metadata",
        "importlib.resources",
    ),
    *(
        "inspect",
        "ipaddress",
        "logging",
        "pathlib",
        "subprocess",
        "tempfile",
        "threading",
        "tomllib",
        "urllib",
    ),
}
"""Modules of the standard library."""

READING = {
    *("abnf_package", "annotations", "binding", "closure", "extract", "files", "formatter", "imports"),
    *(
        "lexer",
        "parser",
        "printer",
        "prose",
        "reader",
        "repair",
        "repair.names",
        "repair.notations",
        "repair.values",
    ),
    *("source_map", "syntax_errors"),
}
"""Modules that read grammars: bundled ones have been read."""

NOTATIONS = {name for name in READING if name.startswith(("extract", "repair", "formatter"))}
"""Modules for texts that are no ABNF."""

IMPORTED = {
    "": (45, HEAVY, READING),
    'abnforge.rule("rfc3986:URI").matches("http://a/b")': (50, HEAVY, READING),
    'abnforge.load("rfc5321")["Mailbox"].matches("a b")': (50, HEAVY, READING),
    'abnforge.rule("rfc3986:URI").explain("http://a b/").message': (
        105,
        HEAVY,
        NOTATIONS | {"abnf_package", "files", "printer"},
    ),
    'abnforge.loads("a = 1*DIGIT")["a"].matches("1")': (75, {"dataclasses", "inspect"}, NOTATIONS),
}
"""What is asked -> the most modules of the package that it may import, and those that it must not."""


@pytest.mark.parametrize("code", IMPORTED)
def test_a_first_use_imports_what_it_needs(code: str) -> None:
    """Modules are counted, and not the time that they take."""
    if "loads" in code and KERNEL == "python":
        pytest.skip("without the kernel, the rule is compiled to a pattern")
    most, outside, reading = IMPORTED[code]
    unwanted = outside | {f"abnforge.grammar.{name}" for name in reading}
    assert {name for name in unwanted if name.startswith("abnforge")} <= MODULES.keys()
    script = (
        f"import sys; before = {{*sys.modules}}; import abnforge; {code}\nprint(*({{*sys.modules}} - before))"
    )
    # Without the site, since that may import more, as an editable installation or a run with coverage does.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    imported = set(result.stdout.split())
    assert imported & unwanted == set()
    assert len([name for name in imported if name.startswith("abnforge")]) <= most
