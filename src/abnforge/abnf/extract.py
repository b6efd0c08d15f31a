"""ABNF out of the plain text of an RFC or Internet-Draft.

Page breaks are taken out, then every line that starts a definition is followed as far as the text
still reads as one rule. What reads as no rule is left: prose, examples, diagrams. The layout around rules
is not relied on, since copies of RFCs lose it: continuation lines may have lost their indentation, and pages
the blank lines around them.

A line of pseudo-code can look like a rule. One case is common and told apart: ``result = ""``, which no
grammar would define. Everything else that reads as ABNF comes out, and is for a person to check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.model import Rule
from abnforge.abnf.parsing import parse
from abnforge.abnf.printer import print_alternation
from abnforge.abnf.syntax_errors import UnfinishedRule

MAX_RULE_LINES = 200
"""Lines that one rule may take: each further line means reading the rule again."""

_FOOTER = re.compile(r"\[Page\s+[0-9ivxlc]+\]\s*$", re.IGNORECASE)
_HEADER = re.compile(r"\s*(RFC\s+\d+|Internet-Draft)\b.*\b(19|20)\d\d\s*$", re.IGNORECASE)
_DEFINITION = re.compile(r"[ \t]*[A-Za-z][A-Za-z0-9_-]*[ \t]*=/?(?!=)")
_CONTINUES = re.compile(r"[ \t]*[/|;)\]]")


def extract_abnf(text: str) -> str:
    """The rules of a document as ABNF text, in order, each starting in the first column.

    A definition that the document repeats (in its collected grammar) comes out once; definitions of the same
    name that differ all come out. The result is ``""`` when there is none. The notation is kept as it is:
    see :func:`abnforge.abnf.dialects.detect_dialect`. Cost: linear, but quadratic within a rule.
    """
    seen: set[tuple[str, bool, str]] = set()
    chunks = []
    for rule, lines in _rules(_without_page_breaks(text)):
        definition = print_alternation(rule.elements)
        key = (rule.name.lower(), rule.incremental, definition)
        if key not in seen and definition != '""':
            seen.add(key)
            chunks.append("\n".join(lines) + "\n")
    return "\n".join(chunks)


def _without_page_breaks(text: str) -> list[str]:
    """The lines without page footers and headers, and without the blank lines around them."""
    lines: list[str] = []
    after_break = False
    for line in text.replace("\f", "\n").split("\n"):
        line = line.rstrip()
        if _FOOTER.search(line):
            while lines and not lines[-1]:
                lines.pop()
            after_break = True
        elif after_break and (not line or _HEADER.match(line)):
            continue
        else:
            lines.append(line)
            after_break = False
    return lines


def _rules(lines: list[str]) -> Iterator[tuple[Rule, list[str]]]:
    """Every rule with its lines, dedented."""
    index = 0
    while index < len(lines):
        found = _rule_at(lines, index) if _DEFINITION.match(lines[index]) else None
        if found is None:
            index += 1
            continue
        rule, taken, index = found
        yield rule, taken


def _rule_at(lines: list[str], start: int) -> tuple[Rule, list[str], int] | None:
    """The longest rule that starts in a line, its lines, and the index of the line behind it."""
    indent = _indent(lines[start])
    taken = [lines[start].strip()]
    column = lines[start].index("=") - len(lines[start]) + len(lines[start].lstrip())
    best: tuple[Rule, list[str], int] | None = None
    index = start
    while True:
        rule, unfinished = _read_rule(taken)
        if rule is not None:
            best = rule, list(taken), index + 1
        elif not unfinished:
            return best
        index += 1
        blank = False
        while index < len(lines) and not lines[index]:
            index, blank = index + 1, True
        if index == len(lines) or len(taken) == MAX_RULE_LINES or _DEFINITION.match(lines[index]):
            return best
        deeper = _indent(lines[index]) - indent
        # Prose may follow a rule at any depth: a line counts if the rule lacks something, if it can only
        # continue a rule, or if it is indented below the rule; whether it reads as a part of it is seen then.
        if not unfinished and not _CONTINUES.match(lines[index]) and (blank or deeper <= 0):
            return best
        taken.append(" " * (deeper if deeper > 0 else max(column, 1)) + lines[index].strip())


def _read_rule(lines: list[str]) -> tuple[Rule | None, bool]:
    """The rule that the lines are, or None and whether more lines could make them one."""
    text = "\n".join(lines)
    unfinished = False
    for dialect in ("abnf", "rfc822"):
        rulelist, errors = parse(text, dialect=dialect)
        if not errors and len(rulelist.items) == 1:
            return rulelist.rules[0], False
        unfinished = unfinished or any(isinstance(error, UnfinishedRule) for error in errors)
    return None, unfinished


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
