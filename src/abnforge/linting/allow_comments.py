"""Findings that the grammar itself accepts: ``; abnforge: allow NAME, NAME (reason)``.

The comment stands in the rule, or in the lines right before it (a blank line ends them), and is about that
rule alone. The reason is part of it: whoever reads the grammar shall know why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from abnforge.abnf.lexing import comments_within
from abnforge.abnf.model import Comment, Rulelist
from abnforge.linting.finding import Finding, make
from abnforge.linting.messages import message
from abnforge.linting.registry import KINDS
from abnforge.source import Source, Span

_ALLOW = re.compile(
    r";[;\s]*abnforge:[ \t]*allow\b(?P<names>[^(\n]*)(?:\((?P<reason>[^\n]*)\))?", re.IGNORECASE
)
MAY_ALLOW = re.compile(r"abnforge:[ \t]*allow", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Allow:
    """One accepted name: the rule it is about (None: none follows), the reason, and its place."""

    name: str
    rule: str | None
    reason: str
    span: Span


def allows(rulelist: Rulelist) -> Iterator[Allow]:
    """Every name that a comment accepts. Cost: linear in the text."""
    source = rulelist.source
    if not rulelist.items:
        return
    waiting: list[Span] = []
    ends = [*(item.span.start for item in rulelist.items[1:]), len(source.text)]
    for item, end in zip(rulelist.items, ends, strict=True):
        if isinstance(item, Comment):
            if item.text == "":
                for span in waiting:
                    yield from _parse(source, span, None)
                waiting = []
            else:
                waiting.append(item.span)
            continue
        for span in (*waiting, *comments_within(source.text, item.span.start, end)):
            yield from _parse(source, span, item.name.lower())
        waiting = []
    for span in waiting:
        yield from _parse(source, span, None)


def _parse(source: Source, span: Span, rule: str | None) -> Iterator[Allow]:
    match = _ALLOW.match(source.text, span.start, span.end)
    if match is None:
        return
    reason = (match["reason"] or "").strip()
    for name in match["names"].split(","):
        yield Allow(name.strip().lower(), rule, reason, span)


def accept(
    findings: Iterable[Finding], allowed: Sequence[Allow], source: Source, unchecked: Iterable[str] = ()
) -> list[Finding]:
    """The findings with their reasons where they are accepted, and one for every comment that accepts
    nothing.

    Names in ``unchecked`` are not expected to be found in this run.
    """
    reasons = {(allow.rule, allow.name): allow.reason for allow in allowed if allow.reason}
    used: set[tuple[str, str]] = set()
    result: list[Finding] = []
    for finding in findings:
        key = (finding.rule or "").lower(), finding.name
        if key in reasons:
            used.add(key)
            finding = replace(finding, accepted=reasons[key])
        result.append(finding)
    for allow in allowed:
        if not allow.name:
            problem = message("useless-allow-nameless")
        elif allow.name not in KINDS:
            problem = message("useless-allow-unknown", name=allow.name)
        elif not allow.reason:
            problem = message("useless-allow-unexplained")
        elif allow.rule is None:
            problem = message("useless-allow-misplaced")
        elif (allow.rule, allow.name) not in used and allow.name not in unchecked:
            problem = message("useless-allow", name=allow.name)
        else:
            continue
        result.append(make("useless-allow", problem, source, allow.span, allow.rule))
    return result
