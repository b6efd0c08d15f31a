"""A grammar's text with the edits of its findings made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from abnforge.abnf.draft import apply, disjoint, in_order
from abnforge.linting.finding import Finding
from abnforge.rejection import Edit

MAX_ROUNDS = 20
"""Times that a text is linted anew. A round makes all edits that leave each other alone: few texts need
three.
"""


class Fixed(NamedTuple):
    """A text as edits have left it, how many findings were corrected, and what is found in it now."""

    text: str
    corrected: int
    findings: list[Finding]


def fix(text: str, lint: Callable[[str], list[Finding]]) -> Fixed:
    """Make the edits of findings that nobody accepted, until none has any.

    ``lint`` gives a text's findings. Cost: that of ``lint``, at most :data:`MAX_ROUNDS` times, in general
    twice.
    """
    corrected = 0
    findings = lint(text)
    for _ in range(MAX_ROUNDS):
        edits, count = together(findings)
        if not edits:
            break
        text = apply(text, edits)
        corrected += count
        findings = lint(text)
    return Fixed(text, corrected, findings)


def together(findings: Iterable[Finding]) -> tuple[list[Edit], int]:
    """The edits of the findings that can be made at once, in order, and of how many findings they are."""
    edits: list[Edit] = []
    count = 0
    for finding in findings:
        if finding.accepted is not None or not finding.edits:
            continue
        joined = in_order([*edits, *finding.edits])
        if disjoint(joined):
            edits, count = joined, count + 1
    return edits, count
