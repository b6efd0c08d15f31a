"""Drawing rules as ABNF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abnforge.cli.common.output import PLAIN, Style
from abnforge.text import citation, escape, specification

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


def rule_text(rule: Rule, style: Style = PLAIN) -> str:
    """A rule, where it is from, the rules it uses and the rules that use it."""
    grammar = rule.grammar.name
    where = escape(citation(grammar, rule.section) if rule.section else specification(grammar))
    if rule.origin == "core":
        where = f"core rule, {where}"
    fields = [("from", where)]
    fields += [
        (label, ", ".join(map(escape, names)))
        for label, names in (("uses", rule.uses), ("used by", rule.used_by))
        if names
    ]
    facts = "".join(f"  {style.faint(label.ljust(7))}  {text}\n" for label, text in fields)
    return style.strong(definition(rule)) + facts


def definition(rule: Rule) -> str:
    """The rule's own ABNF, line by line safe for a terminal."""
    return "".join(escape(line) + "\n" for line in rule.definition.rstrip("\n").split("\n"))
