"""Check that every requirement of the specifications is covered, and write the page about requirements.

    python tools/trace_requirements.py           write docs/requirements.md
    python tools/trace_requirements.py --check   fail if the page is stale

Both fail if a requirement is not covered, a test names an unknown requirement, or a grammar rule
does not exist. Tests name their requirements with ``@pytest.mark.requirement("4.3-2")``; pytest collects the
tests without running them. The requirements are in tools/requirements.toml. If the source documents are next
to the project, the identifiers are compared with those in the documents.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from generated import ROOT, parser, update

import abnforge

TABLE = ROOT / "tools" / "requirements.toml"
PAGE = ROOT / "docs" / "requirements.md"
SEEDS = ROOT.parent / "shared" / "seeds"

SPECIFICATIONS = {"rfc2396": "RFC 2396", "rfc3986": "RFC 3986"}
OTHERS = ("grammar", "informative", "application")  # ways to cover a requirement other than tests
KEYS = {"summary", "tests", *OTHERS}
WORDS = ("must", "should", "may")


@dataclass(frozen=True)
class Requirement:
    """A requirement of a specification and its coverage. Tests name it by its ``identifier``."""

    specification: str
    identifier: str
    summary: str
    tests: bool = False
    grammar: tuple[str, ...] = ()
    informative: str = ""
    application: str = ""

    @property
    def section(self) -> str:
        """The section of its specification."""
        return self.identifier.removeprefix("rfc3986-").partition("-")[0]


def read_table(text: str) -> tuple[list[Requirement], list[str]]:
    """Return the requirements of a table, and the identifiers in the excerpt of RFC 3986.

    Raises ValueError for an unknown key.
    """
    table = tomllib.loads(text)
    excerpt = [f"rfc3986-{name}" for name in table.pop("excerpt", [])]
    requirements = []
    for specification, entries in table.items():
        if specification not in SPECIFICATIONS:
            raise ValueError(f"unknown specification {specification!r}")
        prefix = "" if specification == "rfc2396" else f"{specification}-"
        for name, entry in entries.items():
            if unknown := entry.keys() - KEYS:
                raise ValueError(f"{name}: unknown keys {', '.join(sorted(unknown))}")
            fields = {**entry, "grammar": tuple(entry.get("grammar", ()))}
            requirements.append(Requirement(specification, prefix + name, **fields))
    return requirements, excerpt


class Collector:
    """A plugin for pytest that records the requirements of each test, without parameters."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, None]] = {}
        self.errors: list[str] = []

    def pytest_itemcollected(self, item: Any) -> None:
        for marker in item.iter_markers("requirement"):
            for identifier in marker.args:
                self.tests.setdefault(str(identifier), {})[item.nodeid.partition("[")[0]] = None

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.errors.append(f"{report.nodeid} cannot be collected:\n{report.longreprtext}")


def collect(tests: Path) -> Collector:
    """Return the tests below a directory, including slow tests, by the requirements that they name."""
    collector = Collector()
    options = ["--collect-only", "-n0", "-qq", "-p", "no:cacheprovider", f"--rootdir={ROOT}", str(tests)]
    with redirect_stdout(StringIO()):
        pytest.main(options, plugins=[collector])
    return collector


def problems(requirements: Iterable[Requirement], tests: Mapping[str, Iterable[str]]) -> list[str]:
    """Return one sentence for each fault in the coverage."""
    results = []
    known = set()
    for requirement in requirements:
        name = requirement.identifier
        known.add(name)
        if not requirement.summary:
            results.append(f"{name} has no summary")
        if requirement.tests and not tests.get(name):
            results.append(f"{name} is to be covered by tests, and no test names it")
        if not any(getattr(requirement, way) for way in ("tests", *OTHERS)):
            results.append(f"{name} is not covered: give it tests, grammar, informative or application")
        rules = abnforge.load(requirement.specification)
        results += [
            f"{name} is to be covered by the rule {rule}, which {requirement.specification} does not have"
            for rule in requirement.grammar
            if rule not in rules
        ]
    for name in tests.keys() - known:
        results.append(f"{', '.join(tests[name])} names {name}, which is no requirement")
    return sorted(results)


def statements(text: str) -> Counter[tuple[str, str]]:
    """Count "must", "should" and "may" in each section of RFC 3986, from section 2 to section 7."""
    results: Counter[tuple[str, str]] = Counter()
    section = ""
    for line in text.splitlines():
        if (heading := re.match(r"(\d+(?:\.\d+)*)\.? +[A-Z]", line)) is not None:
            section = heading[1]
        elif line.startswith("Appendix"):
            section = ""
        if section and section.partition(".")[0] in "234567":
            results.update((section, word) for word in re.findall(rf"\b({'|'.join(WORDS)})\b", line))
    return results


def numbered(identifiers: Iterable[str]) -> Counter[tuple[str, str]]:
    """Count the identifiers by section and word, as ``statements`` counts the words."""
    parts = (name.removeprefix("rfc3986-").split("-") for name in identifiers)
    return Counter((section, word) for section, word, _ in parts)


def compare_with_seeds(requirements: Iterable[Requirement], excerpt: list[str], seeds: Path) -> list[str]:
    """Return the differences between the table and the source documents."""
    names: dict[str, list[str]] = {name: [] for name in SPECIFICATIONS}
    for requirement in requirements:
        names[requirement.specification].append(requirement.identifier)
    texts = {path.name[:3]: path.read_text(encoding="utf-8") for path in seeds.glob("00?_*.txt")}
    results = []
    listed = re.findall(r"^## (\S+)$", texts["000"], re.MULTILINE)
    if listed != names["rfc2396"]:
        odd = sorted(set(listed) ^ set(names["rfc2396"]))
        results.append(f"the list of RFC 2396's requirements differs: {', '.join(odd) or 'another order'}")
    for what, ours, text in (
        ("RFC 3986", names["rfc3986"], texts["004"]),
        ("its excerpt", excerpt, texts["003"]),
    ):
        theirs, mine = statements(text), numbered(ours)
        for section, word in sorted(theirs.keys() | mine.keys()):
            if theirs[section, word] != mine[section, word]:
                counts = f"{theirs[section, word]} times, the table has {mine[section, word]}"
                results.append(f'{what}, section {section}, says "{word}" {counts}')
    if missing := set(excerpt) - set(names["rfc3986"]):
        results.append(f"the excerpt has unknown statements: {', '.join(sorted(missing))}")
    return results


def cover(requirement: Requirement, tests: Iterable[str]) -> str:
    """Return the coverage of a requirement, for its row on the page."""
    parts = []
    if requirement.grammar:
        rules = ", ".join(f"`{rule}`" for rule in requirement.grammar)
        parts.append(f"grammar: {rules}")
    for test in sorted(tests):
        path, _, name = test.partition("::")
        parts.append(f"[{name.rpartition('::')[2]}](../{path})")
    parts += [f"{way}: {reason}" for way in OTHERS[1:] if (reason := getattr(requirement, way))]
    return "; ".join(parts).replace("|", "\\|")


HEAD = """\
# Coverage of RFC 2396 and RFC 3986

<!-- Written by tools/trace_requirements.py from tools/requirements.toml and the tests' markers. -->

This page lists the requirements of RFC 2396 and RFC 3986 in our words, each with the part of the project that
meets it:

- **grammar**: grammar rules that reject everything else; every parser and pattern comes from these rules;
- **a test**, by name: the test fails if the requirement is not met;
- **informative**: the statement is not a requirement, with the reason;
- **application**: the requirement applies to users of the library or to specifications, with the reason.

The requirements of RFC 2396 come from a list with its own identifiers. The requirements of RFC 3986 are the
statements with "must", "should" and "may" (in lower case, as in the RFC) in sections 2 to 7 of its last
draft. They are numbered by section and word: `rfc3986-2.4-must-3` is the third "must" of section 2.4.

| Specification | Requirements | Tests | Grammar | Informative | Application |
|---|--:|--:|--:|--:|--:|
"""


def page(requirements: list[Requirement], tests: Mapping[str, Iterable[str]]) -> str:
    """Return the page, as Markdown."""
    lines = [HEAD.rstrip("\n")]
    for specification, title in SPECIFICATIONS.items():
        own = [r for r in requirements if r.specification == specification]
        counts = [len(own), sum(bool(tests.get(r.identifier)) for r in own)]
        counts += [sum(bool(getattr(r, way)) for r in own) for way in OTHERS]
        lines.append(f"| {title} | {' | '.join(map(str, counts))} |")
    for (specification, section), group in groupby(requirements, lambda r: (r.specification, r.section)):
        lines += ["", f"## {SPECIFICATIONS[specification]}, section {section}", ""]
        lines += ["| Requirement | Statement | Covered by |", "|---|---|---|"]
        for requirement in group:
            name, summary = requirement.identifier, requirement.summary.replace("|", "\\|")
            lines.append(f"| `{name}` | {summary} | {cover(requirement, tests.get(name, ()))} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    check = parser(__doc__).parse_args(arguments).check
    requirements, excerpt = read_table(TABLE.read_text(encoding="utf-8"))
    collector = collect(ROOT / "tests")
    result = collector.errors + problems(requirements, collector.tests)
    if SEEDS.is_dir():
        result += compare_with_seeds(requirements, excerpt, SEEDS)
    for problem in result:
        print(problem, file=sys.stderr)
    status = update({PAGE: page(requirements, collector.tests)}, check, "tools/trace_requirements.py")
    tested = sum(bool(collector.tests.get(r.identifier)) for r in requirements)
    print(f"{len(requirements)} requirements, {tested} of them tested, {len(result)} problems")
    return 1 if result else status


if __name__ == "__main__":
    sys.exit(main())
