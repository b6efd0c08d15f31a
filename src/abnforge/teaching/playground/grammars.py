"""Calls about a grammar in the editor: findings, examples, names."""

from __future__ import annotations

from typing import Any

from abnforge.grammar.annotations import occurrences
from abnforge.grammar.formatter import formatted as layout
from abnforge.grammar.reader import read_partial
from abnforge.grammar.syntax import Rulelist
from abnforge.linting.editing import proposals, renaming
from abnforge.linting.finding import Finding
from abnforge.linting.source import lint_text
from abnforge.records import attributes
from abnforge.rejection import applied
from abnforge.teaching.playground.loaded import Call
from abnforge.text import Source

NAME = "grammar"  # the name of the grammar in messages

MAX_FINDINGS = 200


def lint_grammar(question: Call) -> dict[str, Any]:
    """Return the findings about a grammar, and its rules with their positions."""
    text = question.text()
    findings = lint_text(text, NAME, NAME, None, budget=question.budget())
    rulelist = read_partial(text, NAME)[0]
    return {
        "findings": [_finding(each, rulelist.source) for each in findings[:MAX_FINDINGS]],
        "count": len(findings),
        "rules": _rules(rulelist),
    }


def _finding(finding: Finding, source: Source) -> dict[str, Any]:
    start = source.offset(finding.line, finding.column) if finding.line else 0
    end = source.offset(finding.end_line, finding.end_column) if finding.end_line else start
    return {
        "start": start,
        "end": max(start, end),
        "line": finding.line,
        "severity": "info" if finding.accepted is not None else finding.severity,
        **attributes(finding, "code name message fix"),
        "edits": [{"start": each.start, "end": each.end, "text": each.text} for each in finding.edits],
    }


def _rules(rulelist: Rulelist) -> list[dict[str, Any]]:
    by_name: dict[str, dict[str, Any]] = {}
    for rule in rulelist.rules:
        entry = by_name.setdefault(rule.name.lower(), {"name": rule.name, "places": []})
        entry["places"].append([rule.span.start, rule.span.end])
    return list(by_name.values())


def run_examples(question: Call) -> list[dict[str, Any]]:
    """Return the results of the examples in a grammar (``;@ match``, ``;@ no-match``), in order."""
    grammar = question.grammar()
    source = grammar.source
    before = max(0, source.text.find(question.text().strip()))  # size of a built-in grammar's hidden head
    return [
        {
            "rule": each.example.rule,
            "text": each.example.text,
            "valid": each.example.valid,
            "note": each.example.note,
            "status": each.status,
            "message": each.message,
            "start": source.offset(each.example.line, each.example.column) - before,
        }
        for each in grammar.test()
    ]


def complete(question: Call) -> list[dict[str, str]]:
    """Return the names that can occur at the offset ``at``."""
    text = question.text()
    names = occurrences(read_partial(text, NAME)[0])
    return [
        {"name": each.name, "kind": each.kind}
        for each in proposals(text, names, question.number("at", len(text)))
    ]


def rename(question: Call) -> dict[str, str]:
    """Return the grammar with a new ``name`` for the rule at ``at``, and its old name. Raises ValueError."""
    text = question.text()
    names = occurrences(read_partial(text, NAME)[0])
    at = question.number("at", len(text))
    edits = renaming(names, at, question.text("name"))
    was = text[edits[0].start : edits[0].end]
    return {"text": applied(text, edits), "was": was}


def format_grammar(question: Call) -> dict[str, str]:
    """Return the formatted grammar. Raises GrammarError for an invalid one."""
    return {"text": layout(question.text(), NAME)}
