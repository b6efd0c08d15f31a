"""The line on standard error that ends a run: its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from abnforge.cli.common.validation import Tally
from abnforge.cli.output.rejection import specification

if TYPE_CHECKING:
    from abnforge.comparison.grammars import GrammarDiff
    from abnforge.conformance.coverage import Coverage
    from abnforge.linting.finding import Finding


def checked(tally: Tally, skipped: int, suspect: int | None, unit: str = "line") -> str:
    """Return ``3 lines, 1 rejected``. ``skipped`` lines were valid; ``suspect`` is for ``--security``."""
    warned = "" if suspect is None else f", {suspect:,} valid with warnings"
    undecided = f", {tally.undecided:,} not decided" if tally.undecided else ""
    stopped = f" (stopped after {tally.rejected:,}: --max-errors)" if tally.full else ""
    total = counted(tally.records + skipped, unit)
    return f"{total}, {tally.rejected:,} rejected{undecided}{warned}{stopped}"


def compared(count: int, changed: int, editions: tuple[str, str]) -> str:
    """Return ``2 strings, 1 changed between RFC 2396 and RFC 3986``."""
    old, new = map(specification, editions)
    return f"{counted(count, 'string')}, {changed:,} changed between {old} and {new}"


def scanned(count: int) -> str:
    """Return ``3 URIs found``."""
    return f"{counted(count, 'URI')} found"


def linted(findings: Sequence[Finding], hidden: int) -> str:
    """Return ``2 findings: 1 error, 1 info (3 accepted)``; ``hidden`` accepted findings are counted too."""
    counts = Counter("accepted" if f.accepted is not None else f.severity for f in findings)
    accepted = counts.pop("accepted", 0) + hidden
    total = sum(counts.values())
    parts = [counted(counts[name], name) for name in ("error", "warning") if counts[name]]
    parts += [f"{counts['info']} info"] if counts["info"] else []
    text = f"{total} finding{'s' * (total != 1)}" + (f": {', '.join(parts)}" if parts else "")
    return text + (f" ({accepted} accepted)" if accepted else "")


def differing(diff: GrammarDiff) -> str:
    """Return ``3 rules: 1 wider, 2 equal``."""
    counts = ", ".join(f"{count} {relation}" for relation, count in diff.counts.items())
    return f"{counted(len(diff.rules), 'rule')}: {counts}"


def covered(coverage: Coverage, unreadable: int = 0) -> str:
    """Return ``20 strings, 3 rejected: 132 of 186 parts used (71.0 %), 208 of 1,507 transitions taken``."""
    texts = f"{counted(coverage.texts + unreadable, 'string')}, {coverage.rejected:,} rejected"
    texts += f", {unreadable:,} unreadable" if unreadable else ""
    texts += f", {coverage.undecided:,} not decided" if coverage.undecided else ""
    used = len(coverage.parts) - len(coverage.never)
    usage = f"{used:,} of {counted(len(coverage.parts), 'part')} used ({coverage.percent:.1f} %)"
    if coverage.transitions is not None:
        used_transitions = len(coverage.transitions) - len(coverage.never_taken)
        usage += f", {used_transitions:,} of {counted(len(coverage.transitions), 'transition')} taken"
    return f"{texts}: {usage}"


def counted(number: int, noun: str) -> str:
    """Return ``1 rule``, ``1,000 rules``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
