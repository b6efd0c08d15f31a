"""Grammars and rules in notebooks: tables of rules, grammar text, facts."""

from __future__ import annotations

import re
from itertools import islice

from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.grammar.facts import language_bounds
from abnforge.grammar.printer import print_alternation
from abnforge.teaching.describe import read_aloud
from abnforge.teaching.notebook.markup import (
    MAX_LINES,
    MAX_ROWS,
    MAX_TEXT,
    SOFT,
    code,
    cut,
    folded,
    frame,
    line,
    picture,
    pre,
    soft,
    strong,
    table,
)
from abnforge.teaching.pictures.drawing import safe
from abnforge.teaching.pictures.railroad import rule_svg
from abnforge.text import citation

MAX_DEFINITION = 300  # characters in a table
MAX_NAMES = 12  # rules in a list
MAX_COLUMNS = 400  # characters of a line of the source

_TOKEN = re.compile(
    r"(?P<comment>;.*)|(?P<string>(?:%[sSiI])?\"[^\"]*\"|%[xXdDbB][0-9A-Fa-f.-]+|<[^>]*>)"
    r"|^(?P<name>[A-Za-z][A-Za-z0-9-]*)(?=[ \t]*=)"
)
_STYLES = {
    "comment": f"font-style: italic; {SOFT}",
    "string": "background: rgba(90, 140, 230, .18); border-radius: 2px;",
    "name": "font-weight: bold;",
}


def grammar_html(grammar: Grammar) -> str:
    """Return a grammar: a table of its rules, and its text."""
    own = grammar.own_rules
    others = len(grammar) - len(own)
    rows = [
        (strong(rule.name), code(_short(_elements(rule))), soft(_cited(rule)))
        for rule in islice(own, MAX_ROWS)
    ]
    start = f"starts at {grammar.start.name}" if own else ""
    also = f"{others:,} of other grammars and core rules" if others else ""
    rules = "rule" if len(own) == 1 else "rules"
    head = line(strong(grammar.name), soft("; ".join(filter(None, (f"{len(own):,} {rules}", also, start)))))
    names = ("rule", "definition", "defined in")
    columns = 3 if any(cited for *_, cited in rows) else 2
    body = table([row[:columns] for row in rows], names[:columns], len(own) - len(rows))
    return frame(head, body, folded("source", source_html(grammar.source.text)))


def source_html(text: str) -> str:
    """Return the first lines of a grammar text, with styles for names, literals and comments."""
    lines = text[: MAX_LINES * MAX_COLUMNS].split("\n", MAX_LINES)
    left = text.count("\n") + 1 - min(len(lines), MAX_LINES)
    return pre(map(_colored, lines[:MAX_LINES]), left) if text else ""


def _colored(written: str) -> str:
    parts: list[str] = []
    shown = written.rstrip("\r")[:MAX_COLUMNS]
    at = 0
    for match in _TOKEN.finditer(shown):
        parts.append(safe(shown[at : match.start()]))
        parts.append(f'<span style="{_STYLES[match.lastgroup or ""]}">{safe(match[0])}</span>')
        at = match.end()
    return "".join(parts) + safe(shown[at:]) + (" ..." if len(written) > MAX_COLUMNS else "")


def rule_html(rule: Rule) -> str:
    """Return a rule: its definition, also in English, facts, and a diagram if the library is installed."""
    head = line(strong(rule.name), soft("; ".join(filter(None, (f"of {rule.grammar.name}", _cited(rule))))))
    words = line(safe(cut(read_aloud(rule)))) if len(rule.definition) <= MAX_TEXT else ""
    return frame(
        head,
        pre([_colored(each) for each in cut(rule.definition).split("\n")]),
        words,
        line(soft("; ".join(_facts(rule)) + ".")),
        folded("as a diagram", _diagram(rule)),
    )


def _facts(rule: Rule) -> list[str]:
    shape = language_bounds(rule.grammar.compilation.facts)[rule.key]
    facts = ["regular" if rule.regular else "not known to be regular"]
    facts.append("matches the empty string" if shape.nullable else "does not match the empty string")
    if rule.uses:
        facts.append(f"uses {_names(rule.uses)}")
    if rule.used_by:
        facts.append(f"used by {_names(rule.used_by)}")
    return facts


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more


def _diagram(rule: Rule) -> str:
    try:
        svg = rule_svg(rule)
    except (ModuleNotFoundError, ValueError):
        return ""
    return picture(svg, f"Railroad diagram of {rule.name}; its definition is above")


def _elements(rule: Rule) -> str:
    return print_alternation(rule.grammar.compilation.bound.rules[rule.key].elements)


def _cited(rule: Rule) -> str:
    return citation(rule.grammar.name, rule.section) if rule.section else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_DEFINITION else text[:MAX_DEFINITION] + " ..."
