"""Small grammars to start from, with comments, and with examples that are tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pkgutil import get_data

from abnforge._arguments import instance_argument, plain_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.rule import Rule
from abnforge.grammar.annotations import text_written
from abnforge.grammar.formatter import format_abnf
from abnforge.grammar.parser import core_rules
from abnforge.teaching.describe import facts_about
from abnforge.teaching.messages import message
from abnforge.text import near_misses

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\Z")

_HEAD = """\
; NAME: describe the format here, and name its specification.
;
; A rule is a name, "=" and a definition. The first rule is the default. Text after ";" is a comment;
; a comment that starts with ";@" lists strings that the rule must or must not match, as a test.
"""

_FOOT = """\

; ALPHA (letters), DIGIT, HEXDIG, SP (space), WSP (space or tab), DQUOTE and CRLF are predefined.
; To import a rule of another grammar, write a line such as this, without the first semicolon and space:
; ;@ import rfc3986: host
"""

TEMPLATES = ("key-value", "date", "list", "uri")
"""Templates of new grammars, each a file in ``grammars``; the first is the default."""


@dataclass(frozen=True, slots=True)
class NewGrammar:
    """A grammar, and the name of its first rule."""

    text: str
    rule: str


def rule_name(text: str) -> str:
    """Return ``text`` as a rule name, with hyphens for other characters. Raises ValueError if that fails."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", plain_argument(text, "text")).strip("-")
    if not _NAME.match(name):
        raise ArgumentError(message("rule-name-impossible", text=text))
    return name


def new_grammar(name: str, like: str = "key-value") -> NewGrammar:
    """Return a grammar like one of ``TEMPLATES`` with a first rule of this name.

    If a core rule or another rule of the template has the name, the suffix "-text" is added to the name.
    Raises ValueError for an invalid name, and for an unknown template.
    """
    name, like = _checked(name), plain_argument(like, "like")
    if like not in TEMPLATES:
        near = tuple(near_misses(like, TEMPLATES))
        raise ArgumentError(message("template-unknown", name=like, near=near, known=TEMPLATES))
    template = (get_data("abnforge.teaching", f"grammars/{like}.abnf") or b"").decode()
    if name.lower() in _taken(template):
        name += "-text"
    return _made(f"{_HEAD}\n{template}{'' if like == 'uri' else _FOOT}", name)


def grammar_from(name: str, rule: Rule, source: str) -> NewGrammar:
    """Return a grammar for editing, whose first rule is defined as an imported rule.

    ``source`` is the name for the import. The examples are the shortest matches of the rule, and near misses.
    Raises TypeError, and ValueError as ``new_grammar`` does. Cost: a call of ``describe.facts_about``.
    """
    name = _checked(name)
    instance_argument(rule, "rule", Rule, "a Rule")
    if name.lower() in {rule.name.lower(), *core_rules()}:
        name += "-text"
    facts = facts_about(rule)
    lines = ["", f";@ import {plain_argument(source, 'source')}: {rule.name}", ""]
    for word, texts in (("match", facts.sentences), ("no-match", facts.misses)):
        if texts:
            lines.append(f";@ {word} {', '.join(map(text_written, texts))}")
    lines += [f"{name} = {rule.name}", ""]
    return _made(_HEAD + "\n".join(lines), name)


def _made(text: str, name: str) -> NewGrammar:
    return NewGrammar(format_abnf(text.replace("NAME", name)), name)


def _checked(name: str) -> str:
    name = plain_argument(name, "name")
    if not _NAME.match(name):
        raise ArgumentError(message("rule-name-invalid", name=name))
    return name


def _taken(template: str) -> set[str]:
    names = re.findall(r"^([a-z-]+) = ", template, re.MULTILINE)
    imported = re.findall(r"^;@ import \S+ (.*)$", template, re.MULTILINE)
    return {*names, *(each for line in imported for each in line.split(", ")), *core_rules()}
