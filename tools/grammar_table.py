"""Write the tables of ``docs/grammars.md``.

    python tools/grammar_table.py             write the tables
    python tools/grammar_table.py --check     exit 1 if a table is stale

The first table lists the files in ``grammars/`` with the titles in their first comments. The second table
lists the grammars of the ``abnf`` package: the number of rules, the regular and the other start rules, and
the lint findings. No other rule refers to a start rule.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from build_site import title

import abnforge
from abnforge import Grammar, LimitExceeded, Rule

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/grammars.md"
_TABLE = re.compile(r"(^<!-- generated: .*? -->\n).*?(^<!-- end -->$)", re.DOTALL | re.MULTILINE)


def starts(grammar: Grammar) -> list[Rule]:
    """Return the grammar's own rules that no other rule refers to."""
    referred = {
        target for key, targets in grammar.facts.references.items() for target in targets if target != key
    }
    return [rule for rule in grammar.own_rules if rule.name.lower() not in referred]


def states(rule: Rule) -> str:
    """Return the number of states of a rule's automaton, or the reason why it cannot be built."""
    try:
        return str(rule.automaton.states) if rule.regular else "recursive"
    except LimitExceeded:
        return "too many"


def findings(grammar: Grammar) -> str:
    """Return the number of findings of each kind."""
    counts = Counter(finding.name for finding in grammar.lint())
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"


def table(head: list[str], rows: list[tuple[object, ...]]) -> str:
    """Return a Markdown table. A column with a title that ends in a colon is aligned right."""
    ruler = ["---:" if name.endswith(":") else "---" for name in head]
    lines = [[name.removesuffix(":") for name in head], ruler, *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def shipped() -> str:
    """Return the table of the files in ``grammars/``."""
    rows: list[tuple[object, ...]] = []
    for name in abnforge.grammar_names():
        grammar = abnforge.load(name)
        start, rules = grammar.start, len(grammar.own_rules)
        rows.append((f"`{name}`", title(name)[0], f"`{start.name}`", rules, states(start), findings(grammar)))
    return table(["Name", "Description", "Start", "Rules:", "States of the start:", "Findings"], rows)


def packaged() -> str:
    """Return the table of the grammars of the ``abnf`` package."""
    rows: list[tuple[object, ...]] = []
    for name in abnforge.package_names():
        grammar = abnforge.load(name)
        first = starts(grammar)
        regular = sum(rule.regular for rule in first)
        rows.append((f"`{name}`", len(grammar.own_rules), len(first), regular, findings(grammar)))
    return table(["Name", "Rules:", "Start rules:", "Regular:", "Findings"], rows)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a table is stale")
    options = parser.parse_args(argv)
    path = ROOT / PAGE
    page = path.read_text("utf-8")
    tables = iter((shipped(), packaged()))
    new = _TABLE.sub(lambda match: f"{match[1]}{next(tables)}{match[2]}", page)
    if new == page:
        print(f"{PAGE} is current")
    elif options.check:
        print(f"{PAGE} is not current; run: python tools/grammar_table.py", file=sys.stderr)
        return 1
    else:
        path.write_text(new, "utf-8")
        print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
