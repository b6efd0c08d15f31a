"""The import-linter contracts in pyproject.toml define the order of packages.

The other tests here check imports that import-linter cannot see, and what each import loads.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from abnforge._native import KERNEL
from tests.places import ROOT

SPEC = find_spec("abnforge")
assert SPEC
assert SPEC.origin
PACKAGE = Path(SPEC.origin).parent

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]
PROTECTED = [name for contract in CONTRACTS for name in contract.get("protected_modules", [])]
THIRD_PARTY = {"abnf", *PROTECTED}  # abnf is imported by name


def test_imports_keep_the_contracts() -> None:
    pytest.importorskip("importlinter")
    # It disables all loggers of its process, so it needs one of its own.
    lint = "import sys, importlinter.cli as cli; sys.exit(cli.lint_imports(no_cache=True))"
    result = subprocess.run(
        [sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_modules_form_no_cycle() -> None:
    """Type annotations are exempt: a rule refers to its grammar, and a grammar to its rules."""
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("abnforge", exclude_type_checking_imports=True, cache_dir=None)
    edges = {name: graph.find_modules_directly_imported_by(name) - {name} for name in graph.modules}
    assert len(edges) > 100
    TopologicalSorter(edges).prepare()  # raises CycleError if there is a cycle


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(("abnforge", *parts)).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def test_package_docstrings_name_existing_modules() -> None:
    """The paragraph "Read first" names modules, and functions in them."""
    texts = {name: path.read_text("utf-8") for name, path in MODULES.items()}
    definitions = {
        name for text in texts.values() for name in re.findall(r"^ *(?:def|class) (\w+)", text, re.M)
    }
    missing, paragraphs = [], 0
    for name, text in texts.items():
        docstring = ast.get_docstring(ast.parse(text)) if "Read first:" in text else None
        if paragraph := re.search(r"Read first:.*?(?:\n\n|\Z)", docstring or "", re.S):
            paragraphs += 1
            for reference in re.findall(r"``([a-z_]\w*)", paragraph[0]):
                if reference not in definitions and not any(MODULES[name].parent.glob(f"{reference}*")):
                    missing.append(f"{name}: {reference}")
    assert paragraphs
    assert missing == []


# Modules that import by name: from a table of strings, which counts as imports, or as the caller requests.
BY_NAME = {
    "abnforge",
    "abnforge._lazy",  # the modules that import statements name
    "abnforge.grammar.abnf_package",  # modules of the abnf package
    "abnforge.cli.common.codes",
    "abnforge.cli.common.groups",
    "abnforge.cli.output.formats",
    "abnforge.conformance.judges",  # the functions that callers name
    "abnforge.teaching.playground.questions",
}


def test_imports_can_be_read_from_the_source() -> None:
    loaders = {"import_module", "__import__", "importlib", "pkgutil", "runpy"}
    result = set()
    for name, path in MODULES.items():
        text = path.read_text("utf-8")
        if any(map(text.__contains__, loaders)):  # parse few files
            nodes = ast.walk(ast.parse(text))
            result |= {name for each in nodes if isinstance(each, ast.Name) and each.id in loaders}
    assert result
    assert result <= BY_NAME


def test_every_dependency_has_a_contract() -> None:
    """Only the packages that a contract names import its library."""
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("abnforge", include_external_packages=True, cache_dir=None)
    roots = {module.partition(".")[0] for module in graph.modules}
    assert roots - sys.stdlib_module_names <= {"abnforge", *THIRD_PARTY}


def test_lazy_imports_are_of_modules() -> None:
    """Only whole modules can be imported lazily, not names within them."""
    texts = [path.read_text("utf-8") for path in MODULES.values()]
    nodes = [node for text in texts if "with lazy" in text for node in ast.walk(ast.parse(text))]
    blocks = [node for node in nodes if isinstance(node, ast.With) and ast.unparse(node.items[0]) == "lazy"]
    imports = [(getattr(each, "module", ""), each.names) for block in blocks for each in block.body]
    names = {(package, alias.name) for package, aliases in imports for alias in aliases}
    assert [name for package, name in names if not package and "." in name] == []
    modules = {f"{package}.{name}" for package, name in names if package}
    assert {name for name in modules - MODULES.keys() if name.startswith("abnforge")} == set()
    installed = {name for name in modules - MODULES.keys() if find_spec(name.partition(".")[0])}
    assert {name for name in installed if find_spec(name) is None} == set()
    assert modules & MODULES.keys()


_ROW = re.compile(r"^\| `([\w/]+)` \| [^|]+ \| ([^|]*) \| [^|]+ \|$", re.MULTILINE)


def test_the_architecture_page_lists_packages_and_modules() -> None:
    rows = _ROW.findall((ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= {package for package, _ in rows}
    for package, cell in rows:
        for module in re.findall(r"`([\w/.]+)`", cell):
            assert any((PACKAGE / package / f"{module}{suffix}").exists() for suffix in (".py", "")), module


# Verdicts and explanations of regular and recursive rules, from bundled grammars and from text.
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
    unwanted = THIRD_PARTY - needed
    script = f"{code}import sys; print(*{unwanted!r} & {{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("\n", "")


# Modules of the standard library whose import takes as long as a verdict.
HEAVY = (
    "ast asyncio dataclasses difflib email hashlib importlib.metadata importlib.resources inspect ipaddress"
    " logging pathlib subprocess tempfile threading tomllib urllib"
)

# Modules of abnforge.grammar for notations other than ABNF.
NOTATIONS = "extract formatter repair repair.names repair.notations repair.values"

# Modules of abnforge.grammar that parse grammars. Bundled grammars were parsed at build time.
READING = (
    f"{NOTATIONS} abnf_package annotations binding files imports lexer parser printer prose reader"
    " source_map syntax_errors"
)

# Code, the maximum number of abnforge modules that it may import, and the modules that it must not import.
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
    """Counting modules does not depend on the machine, unlike measuring time."""
    if "loads" in code and KERNEL == "python":
        pytest.skip("without the C extension, the rule is compiled to a pattern")
    most, outside, reading = IMPORTED[code]
    unwanted = {*outside.split(), *(f"abnforge.grammar.{name}" for name in reading.split())}
    assert {name for name in unwanted if name.startswith("abnforge")} <= MODULES.keys()
    script = (
        f"import sys; before = {{*sys.modules}}; import abnforge; {code}\nprint(*({{*sys.modules}} - before))"
    )
    # Without the module ``site``, which can import more in an editable installation or under coverage.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    imported = set(result.stdout.split())
    assert imported & unwanted == set()
    assert len([name for name in imported if name.startswith("abnforge")]) <= most
