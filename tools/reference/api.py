"""Pages about the Python API: the names of each module by topic. Sphinx renders their docstrings."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

# The names of each module, by topic, in the order of the page.
MODULES = {
    "abnforge": {
        "Load grammars": ["load", "loads", "rule", "grammar_names", "package_names"],
        "Rules": ["Rule"],
        "Grammars": ["Grammar"],
        "Rejections": [
            *("Rejected", "Rejection", "Hypothesis", "Expected", "Suggestion", "Edit"),
            *("Repair", "RepairEdit", "ROW_CODES"),
        ],
        "Check grammars": ["lint", "Finding", "format_abnf", "Example", "ExampleResult"],
        "Compare rules": ["compare", "Comparison"],
        "Policies": ["policy"],
        "Limits and errors": ["Budget", "LimitExceeded", "GrammarError", "UnknownNameError"],
        "Build": ["KERNEL"],
    },
    "abnforge.uri": {
        "Parse and validate": ["parse", "is_valid", "explain"],
        "Components": [
            *("URI", "RelativeRef", "Reference", "Authority", "HostKind", "PathKind", "URITransformer")
        ],
        "Build and encode": ["build", "percent"],
        "Resolve": ["resolve", "relativize", "remove_dot_segments"],
        "Normalize and compare": [
            *("normalize", "Step", "SYNTAX_BASED", "equivalent", "Equivalence", "Difference"),
            *("Scheme", "SCHEMES", "WELL_KNOWN_PORTS"),
        ],
        "Security and policies": [
            *("security", "SecurityFinding", "Severity", "ipv4_number", "mask_userinfo", "policy", "Policy")
        ],
        "Queries and domains": ["query_parameters", "suffix_list", "SuffixList"],
        "Find URIs in text": ["scan", "Found", "Wrapper", "PLAIN_SCHEMES"],
        "Split by pattern": ["split", "Split", "split_differences", "SplitDifference"],
        "Compare RFC 2396 and RFC 3986": ["compare_editions", "EditionDiff", "Change"],
    },
    "abnforge.uri.rfc2396": {
        "Parse and validate": ["parse", "is_valid", "explain"],
        "Components": [
            *("Reference", "Server", "RegName", "Segment", "HostKind", "PathKind", "URITransformer")
        ],
        "Resolve and encode": ["resolve", "percent"],
    },
    "abnforge.columns": {
        "Validate": ["matches", "offsets"],
        "Explain": ["rejections", "reasons"],
        "Security findings": ["warnings"],
        "Components": ["components"],
        "Split tables": ["split", "judge"],
    },
    "abnforge.ingest": {
        "Split files": ["split", "Column", "CsvOptions"],
        "Results": ["Summary", "Progress", "schema"],
        "Errors": ["JobError", "ConflictError"],
    },
    "abnforge.conformance": {
        "Test suites": ["suite", "Suite", "Vector", "LEVELS", "near_misses", "sentences"],
        "Test implementations": ["run", "run_all", "Report", "Matrix", "Cluster", "Deviation", "Raised"],
        "Implementations": ["Judge", "Answer", "parses", "Command", "Process"],
        "Prove": ["prove", "Proof", "pattern", "Pattern", "PatternError"],
        "Measure coverage": ["coverage", "Coverage", "PartUse", "Part", "TransitionUse", "Example"],
        "Learn implementations": ["learn", "Learnt", "UnfinishedError", "UnsteadyError"],
    },
    "abnforge.comparison.grammars": {
        "Compare": ["differences", "diff", "GrammarDiff", "RuleDiff", "RELATIONS"],
        "Check compatibility": ["compatibility", "Compatibility", "VERDICTS"],
    },
}
STABLE = sorted(MODULES.keys() - {"abnforge.comparison.grammars"})
# Members without an underscore that only other packages of abnforge use.
INTERNAL = {
    "Grammar": {"bound", "compilation", "core", "derivatives", "facts", "readers", "start_key"},
    "Rule": {"key", "lane", "rules"},
    "Budget": {"meter"},
    **{name: {"ask", "in_order", "start"} for name in ("Command", "Process")},
    **{name: {"combine"} for name in ("GrammarError", "LimitExceeded")},
    **{name: {"with_rule"} for name in ("Reference", "URI", "RelativeRef")},
}
_NO_API = {"language_server", "messages", "pytest", "pytest_vectors", "rules", "spark_batches"}
_INTEGRATIONS = "abnforge.integrations"


def api_pages(root: Path) -> dict[str, str]:
    """Return the pages of the Python API by path, as reStructuredText."""
    paths = sorted((root / "src" / "abnforge" / "integrations").glob("[a-z]*.py"))
    adapters = [path.stem for path in paths if path.stem not in _NO_API]
    pages = {module: "".join(_page(module)) for module in MODULES}
    pages[_INTEGRATIONS] = f"{_title(_INTEGRATIONS)}See :doc:`/docs/integrations` for examples.\n\n"
    for name in adapters:
        module = f".. automodule:: {_INTEGRATIONS}.{name}\n   :members:\n   :undoc-members:\n\n"
        pages[_INTEGRATIONS] += _title(name, "-") + module
    return {f"api/{name}.rst": page for name, page in {"index": "".join(_index()), **pages}.items()}


def _title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _index() -> Iterator[str]:
    yield _title("Python API")
    for label, modules in (
        ("Stable names (:doc:`/docs/stability`)", [name for name in MODULES if name in STABLE]),
        ("Names that can change with a version", [name for name in MODULES if name not in STABLE]),
    ):
        yield f"{label}:\n\n.. list-table::\n   :widths: 30 70\n\n"
        for module in modules:
            for topic, names in MODULES[module].items():
                links = ", ".join(f":py:obj:`{name} <{module}.{name}>`" for name in names)
                yield f"   * - :doc:`{module} <{module}>`: {topic[0].lower()}{topic[1:]}\n     - {links}\n"
        yield "\n"
    yield f":doc:`{_INTEGRATIONS}`: DuckDB, Hypothesis, pydantic, Spark and other libraries.\n\n"
    listed = "".join(f"   {name}\n" for name in (*MODULES, _INTEGRATIONS))
    yield f".. toctree::\n   :hidden:\n\n{listed}"


def _page(module: str) -> Iterator[str]:
    """Yield the page of a module: the first paragraph of its docstring, and its names by topic."""
    imported = import_module(module)
    about, _, _ = inspect.cleandoc(imported.__doc__ or "").partition("\n\n")
    yield f"{_title(module)}.. py:module:: {module}\n\n{about}\n\n"
    for topic, names in MODULES[module].items():
        yield _title(topic, "-")
        for name in names:
            yield _entry(f"{module}.{name}", name, getattr(imported, name))


def _entry(path: str, name: str, value: Any) -> str:
    """Return the directive that documents a name."""
    if inspect.isclass(value):
        options = [] if name == "URITransformer" else ["members:", "undoc-members:"]
        options += [f"exclude-members: {', '.join(sorted(INTERNAL[name]))}"] if name in INTERNAL else []
        return f".. autoclass:: {path}\n" + "".join(f"   :{each}\n" for each in options) + "\n"
    if callable(value):
        return f".. autofunction:: {path}\n\n"
    text = "\n".join(f"   {line}".rstrip() for line in _about_constant(path, name, value).splitlines())
    functions = [each for each, method in vars(type(value)).items() if inspect.isfunction(method)]
    methods = [each for each in functions if name == "percent" and not each.startswith("_")]
    below = "".join(f"   .. automethod:: {path}.{each}\n\n" for each in methods)
    return f".. py:data:: {name}\n\n{text}\n\n{below}"


def _about_constant(path: str, name: str, value: Any) -> str:
    """Return the docstring after a constant, or the docstring of its value's class if there is none."""
    from sphinx.pycode import ModuleAnalyzer

    for module in sorted(each for each in sys.modules if each.startswith("abnforge")):
        if vars(sys.modules[module]).get(name) is value:
            docs = ModuleAnalyzer.for_module(module).find_attr_docs()
            if ("", name) in docs:
                return "\n".join(docs["", name])
    return inspect.cleandoc(type(value).__doc__ or "")
