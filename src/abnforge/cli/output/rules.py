"""Rules as ABNF and in plain English, lists of grammars, and generated strings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from abnforge._lazy import lazy
from abnforge.cli.common.grammar_results import Generated
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import PLAIN, Style, is_terminal, warn
from abnforge.cli.output.formats import JsonArray, LineReport, ResultReport
from abnforge.cli.output.totals import counted
from abnforge.text import citation, escape, specification

with lazy:
    from abnforge.teaching import describe

if TYPE_CHECKING:
    from abnforge.cli.common.grammar_results import Listed
    from abnforge.engine.rule import Rule

COLUMNS = 60  # width of a character class or a string


class RuleText(LineReport["Rule"]):
    """Rules as ABNF that can be parsed; with all facts if ``full``."""

    def begin(self) -> None:
        self.spaced = self.full

    def lines(self, rule: Rule) -> Iterable[str]:
        return rule_lines(rule, self.style) if self.full else definition(rule)


class RuleWords(LineReport["Rule"]):
    """A paragraph per rule: in plain English, with matches, near misses and facts."""

    spaced = True

    def lines(self, rule: Rule) -> Iterator[str]:
        about = describe.facts_about(rule)
        yield from map(self.style.strong, definition(rule))
        yield escape(about.words)
        kind = "recursive, not known to be regular"
        if about.regular:
            kind = "regular" if about.states is None else f"regular, {counted(about.states, 'state')}"
        count = ""
        if about.count is not None:
            more = "a finite set" if about.finite else "and infinitely many longer ones"
            number = f"{about.count:,}" if about.count else "none"
            count = f"{number} of at most {describe.UP_TO} characters, {more}"
        for label, text in (
            ("shortest" if about.exact else "short", _quoted(about.sentences)),
            ("near misses", _quoted(about.misses)),
            ("empty", "can be empty" if about.nullable else "is never empty"),
            ("begins with", _cut(str(about.first)) if about.first else ""),
            ("sentences", count),
            ("kind", kind),
        ):
            if text:
                yield f"  {self.style.faint(label.ljust(11))}  {text}"


def _quoted(texts: Iterable[str]) -> str:
    return "  ".join(f'"{_cut(text)}"' for text in texts)


def _cut(text: str) -> str:
    return escape(text) if len(text) <= COLUMNS else f"{escape(text[:COLUMNS])}..."


class RuleArray(JsonArray):
    """Rules with the rules that they use and the rules that use them."""

    def objects(self, rule: Rule) -> Iterator[Any]:
        yield {
            "name": rule.name,
            "definition": rule.definition.rstrip("\n"),
            "section": rule.section,
            "uses": list(rule.uses),
            "used_by": list(rule.used_by),
        }


def rule_lines(rule: Rule, style: Style = PLAIN) -> Iterator[str]:
    """Yield a rule, its specification, the rules it uses and the rules that use it."""
    grammar = rule.grammar.name
    where = escape(citation(grammar, rule.section) if rule.section else specification(grammar))
    if rule.origin == "core":
        where = f"core rule, {where}"
    yield from map(style.strong, definition(rule))
    for label, names in (("from", [where]), ("uses", rule.uses), ("used by", rule.used_by)):
        if names:
            yield f"  {style.faint(label.ljust(7))}  {', '.join(map(escape, names))}"


def definition(rule: Rule) -> list[str]:
    """Return the rule's own ABNF as lines that are safe for a terminal."""
    return [escape(line) for line in rule.definition.rstrip("\n").split("\n")]


class GrammarText(ResultReport["Listed"]):
    """One line per grammar, with aligned columns."""

    def begin(self) -> None:
        self.rows: list[Listed] = []

    def add(self, listed: Listed) -> None:
        self.rows.append(listed)

    def finish(self) -> None:
        columns = max((len(row.name) for row in self.rows), default=0)
        for row in self.rows:
            if row.rules is None:
                facts = f"from the package {row.origin}"
            else:
                facts = f"{row.rules:3d} rules, starts at {row.default_rule}"
            for line in self.style.wrap(f"{row.name.ljust(columns)}  {facts}", indent=columns + 2):
                self.write(f"{line}\n")


class SentenceText(ResultReport[Generated]):
    """Strings for programs or readers, with a warning if a program cannot separate them."""

    is_file = True

    def begin(self) -> None:
        self.end = "\0" if self.null else "\n"
        self.seen = is_terminal(sys.stdout)
        self.broken = False

    def add(self, generated: Generated) -> None:
        sentence = generated.text
        self.broken |= self.end in sentence or (not self.null and sentence.endswith("\r"))
        sign = "" if not generated.both else "+ " if generated.valid else "- "
        shown = escape(sentence) if self.seen else sentence
        self.write(type(shown)(sign + shown + self.end))

    def finish(self) -> None:
        if self.broken and not self.seen:
            option = "--format jsonl" if self.null else "--null or --format jsonl"
            warn(message("string-contains-end", option=option))


class SentenceArray(JsonArray):
    """Strings; objects if there are valid and invalid ones."""

    def objects(self, generated: Generated) -> Iterator[Any]:
        plain: Any = generated.text
        yield {"text": plain, "valid": generated.valid} if generated.both else plain
