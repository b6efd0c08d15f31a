"""Write the tables of ``docs/grammars.md``.

    python tools/grammar_table.py             write the tables
    python tools/grammar_table.py --check     exit 1 if a table is stale

The first table lists the files in ``grammars/`` with the titles in their first comments. The second table
lists the grammars of the ``abnf`` package: the number of rules, the regular and the other start rules, and
the lint findings. No other rule refers to a start rule.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

from build_site import title
from generated import ROOT, parser, table, update

import abnforge
from abnforge import Grammar, LimitExceeded, Rule

PAGE = ROOT / "docs" / "grammars.md"
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
    options = parser(__doc__).parse_args(argv)
    tables = iter((shipped(), packaged()))
    page = _TABLE.sub(lambda match: f"{match[1]}{next(tables)}{match[2]}", PAGE.read_text("utf-8"))
    return update({PAGE: page}, options.check, "tools/grammar_table.py")


if __name__ == "__main__":
    sys.exit(main())
