"""HTML views of grammars, rules, trees, rejections and results in Jupyter, in addition to their repr.

The values have ``_repr_html_``, so that views need no setup. ``lark.Tree`` belongs to Lark: :func:`tree`
returns a parse tree with a view. The HTML is self-contained, without scripts, style sheets and identifiers,
and legible on light and dark pages. The size of the HTML is bounded, and it shows the number of omitted
parts.

Read first: ``PAGES`` at the end, which maps classes to functions.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from abnforge._arguments import TextLike, instance_argument, text_argument
from abnforge._lazy import NotebookView
from abnforge.comparison.rules import Comparison
from abnforge.conformance.causes import Deviation
from abnforge.conformance.coverage import Coverage
from abnforge.conformance.running import Report
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.grammar.printer import print_alternation
from abnforge.linting.finding import Finding
from abnforge.rejection import Rejection
from abnforge.teaching.derivations import Node, nodes_of
from abnforge.teaching.describe import in_english
from abnforge.teaching.exercises import Exercise
from abnforge.teaching.grading import BY_THE_ANSWER, Grade, Witness
from abnforge.teaching.pictures.drawing import FONT, Line, boxes, safe, shown, tree_lines
from abnforge.teaching.pictures.railroad import rule_svg
from abnforge.teaching.pictures.trees import tree_svg
from abnforge.text import citation
from abnforge.uri.common.components import Component
from abnforge.uri.common.password import without_password

__all__ = ["Tree", "tree"]

# Elements of HTML: escaped text, tables, strings with a marked place; and their limits. Styles are
# attributes, because notebooks drop style sheets of untrusted output. Text and background keep the colors of
# the notebook, which can be light or dark; marked places are tinted and underlined.

MAX_TEXT = 2_000  # maximum number of characters of a string, a definition or a message
MAX_ROWS = 40  # maximum number of rows of one table
MAX_LINES = 200  # maximum number of lines of one tree or source
MAX_PICTURE = 200_000  # maximum number of characters of a diagram
AROUND = 120  # number of characters before and after a marked place

_LINE = "1px solid rgba(127, 127, 127, .4)"
_CELL = f"text-align: left; vertical-align: top; padding: .15em .8em .15em 0; border-bottom: {_LINE};"
_MONO = f"font-family: {FONT}; font-size: 13px;"
_PRE = (
    f"{_MONO} line-height: 1.45; margin: .3em 0; padding: .5em .7em; text-align: left; "
    f"background: rgba(127, 127, 127, .1); border-radius: 4px; overflow-x: auto;"
)
MARK = "background: rgba(225, 70, 50, .3); border-bottom: 2px solid rgb(225, 70, 50);"
SOFT = "opacity: .72;"


def frame(*parts: str) -> str:
    """Return the view of a value, without empty parts."""
    return f'<div style="line-height: 1.5; max-width: 70em;">{"".join(filter(None, parts))}</div>'


def line(*parts: str) -> str:
    """Return a paragraph of HTML elements."""
    return f'<div style="margin: .2em 0;">{" ".join(filter(None, parts))}</div>'


def cut(text: str) -> str:
    """Return a string, shortened to its first characters."""
    left = len(text) - MAX_TEXT
    return f"{text[:MAX_TEXT]} ... {left:,} more characters" if left > 0 else text


def strong(text: str) -> str:
    return f"<strong>{safe(text)}</strong>"


def soft(text: str) -> str:
    """Return secondary text; "" for ""."""
    return f'<span style="{SOFT}">{safe(text)}</span>' if text else ""


def code(text: str, quote: str = "") -> str:
    """Return a string in a monospace font, shortened."""
    more = f" ... {len(text) - MAX_TEXT:,} more characters" if len(text) > MAX_TEXT else ""
    shown = f"{safe(quote)}{safe(text[:MAX_TEXT])}{safe(quote)}"
    return f'<span style="{_MONO} overflow-wrap: anywhere;">{shown}</span>{soft(more)}'


def quoted(text: str) -> str:
    return code(text, '"')


def pre(lines: Iterable[str], left: int = 0, what: str = "lines") -> str:
    """Return preformatted lines of HTML; ``left`` is the number of omitted lines."""
    body = "\n".join(lines)
    more = f'\n<span style="{SOFT}">... {left:,} more {what}</span>' if left else ""
    return f'<pre style="{_PRE}">{body}{more}</pre>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), left: int = 0) -> str:
    """Return a table of HTML cells; ``left`` is the number of omitted rows."""
    parts = [f'<table style="border-collapse: collapse; margin: .3em 0; {_MONO}">']
    if head:
        cells = "".join(f'<th style="{_CELL}">{safe(each)}</th>' for each in head)
        parts.append(f"<thead><tr>{cells}</tr></thead>")
    parts.append("<tbody>")
    for row in rows:
        cells = "".join(f'<td style="{_CELL} white-space: pre-wrap;">{each}</td>' for each in row)
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</tbody></table>")
    return "".join(parts) + (line(soft(f"... {left:,} more")) if left else "")


def folded(title: str, body: str, *, opened: bool = False) -> str:
    """Return a body that opens on a click or by keyboard."""
    if not body:
        return ""
    state = " open" if opened else ""
    return (
        f'<details{state} style="margin: .3em 0;"><summary style="cursor: pointer;">{safe(title)}</summary>'
        f"{body}</details>"
    )


def picture(svg: str, alternative: str) -> str:
    """Return an SVG document as an image, which keeps its styles and identifiers separate."""
    if len(svg) > MAX_PICTURE:
        return line(soft("the diagram is too large for a notebook"))
    data = b64encode(svg.encode()).decode()
    style = "max-width: 100%; height: auto;"
    return f'<img style="{style}" alt="{safe(alternative)}" src="data:image/svg+xml;base64,{data}">'


def marked(text: str, start: int, end: int) -> str:
    """Return a string with a marked place and its surroundings."""
    end = max(start, end)
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    shown = text[start : min(end, start + AROUND)]
    inner = safe(shown) + ("..." if end - start > AROUND else "")
    before = ("... " if first else "") + safe(text[first:start])
    behind = safe(text[end:last]) + (" ..." if last < len(text) else "")
    return pre([f'{before}<span style="{MARK}">{inner or "&nbsp;"}</span>{behind}'])


# Grammars and rules.

MAX_DEFINITION = 300  # maximum number of characters in a table
MAX_NAMES = 12  # maximum number of rules in a list
MAX_COLUMNS = 400  # maximum number of characters of a line of the source

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
    """Return the first lines of a grammar, with styles for names, literals and comments."""
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
    words = line(safe(cut(in_english(rule)))) if len(rule.definition) <= MAX_TEXT else ""
    return frame(
        head,
        pre([_colored(each) for each in cut(rule.definition).split("\n")]),
        words,
        line(soft("; ".join(_facts(rule)) + ".")),
        folded("as a diagram", _diagram(rule)),
    )


def _facts(rule: Rule) -> list[str]:
    shape = rule.grammar.compilation.facts.language_bounds[rule.key]
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
        svg = rule_svg(rule, theme="auto")
    except (ModuleNotFoundError, ValueError):
        return ""
    return picture(svg, f"Railroad diagram of {rule.name}; its definition is above")


def _elements(rule: Rule) -> str:
    return print_alternation(rule.grammar.compilation.bound.rules[rule.key].elements)


def _cited(rule: Rule) -> str:
    return citation(rule.grammar.name, rule.section) if rule.section else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_DEFINITION else text[:MAX_DEFINITION] + " ..."


# Parse trees.

MAX_DRAWN = 80  # maximum number of boxes of a legible diagram


@dataclass(frozen=True, slots=True)
class Tree(NotebookView):
    """The parse tree of a string, as text by ``str``, and as HTML in a notebook.

    ``nodes`` are in preorder, with the names of the grammar; with ``full``, each node has a line.
    """

    rule: Rule
    text: str
    nodes: Sequence[Node] = field(repr=False)
    full: bool = False

    def __str__(self) -> str:
        return "\n".join(map(str, tree_lines(self.nodes, self.text, full=self.full)))

    def svg(self) -> str:
        """Return the tree as an SVG document. Complexity: linear."""
        return "".join(tree_svg(self.nodes, self.text, full=self.full, theme="auto"))


def tree(rule: Rule, text: str | TextLike, *, full: bool = False) -> Tree:
    """Return the tree of ``rule.parse(text)`` with a view; with ``full``, each node has a line.

    Offsets are 0-based, in code points. Raises the errors of ``rule.parse``, and TypeError.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    return Tree(rule, plain, nodes_of(rule, plain), bool(full))


def tree_html(tree: Tree) -> str:
    """Return a tree as lines, and a small one also as a diagram."""
    lines = list(islice(tree_lines(tree.nodes, tree.text, full=tree.full), MAX_LINES))
    drawn = boxes(tree.nodes, full=tree.full)
    head = line(strong(tree.rule.name), soft(f"of {tree.rule.grammar.name}; {len(tree.nodes):,} nodes"))
    small = len(drawn) <= MAX_DRAWN
    title = f"Parse tree of {shown(tree.text, 0, len(tree.text), 60)} by {tree.rule.name}"
    return frame(
        head,
        pre(map(_line, lines), len(drawn) - len(lines)),
        folded("as a diagram", picture(tree.svg(), title) if small else ""),
    )


def _line(row: Line) -> str:
    names = strong(row.names) if row.names else ""
    span = f'<span style="{SOFT}">{row.span}</span>'
    margin = f'<span style="{SOFT}">{row.margin}</span>'
    return margin + "  ".join(filter(None, (names, safe(row.told), span)))


def rejection_html(rejection: Rejection) -> str:
    """Return a rejection: the marked place, the message, the code, the suggestion."""
    start, end = (rejection._code_points(each) for each in rejection.span)
    suggestion = rejection.suggestion
    section = rejection.section
    cited = citation(rejection.grammar, section) if section else ""
    return frame(
        line(strong("not valid:"), safe(rejection.rule), soft(f"of {rejection.grammar}")),
        marked(rejection.input, start, end),
        line(strong(cut(rejection.message_with_position)), soft(f"[{rejection.code}]")),
        line(soft("did you mean"), quoted(suggestion.text)) if suggestion is not None else "",
        line(soft(f"see {cited}")) if cited else "",
    )


def finding_html(finding: Finding) -> str:
    """Return a finding: its place, message, code, example and fix."""
    place = f"{finding.path}:{finding.line}:{finding.column}: " if finding.line else f"{finding.path}: "
    last = finding.end_column if finding.end_line == finding.line else len(finding.excerpt) + 1
    return frame(
        line(
            soft(place),
            strong(finding.severity + ":"),
            safe(cut(finding.message)),
            soft(f"[{finding.code} {finding.name}]"),
        ),
        marked(finding.excerpt, finding.column - 1, last - 1) if finding.excerpt and finding.line else "",
        line(soft("shown by"), quoted(finding.witness)) if finding.witness is not None else "",
        line(soft("fix:"), code(finding.fix)) if finding.fix else "",
        line(soft(f"accepted: {finding.accepted}")) if finding.accepted is not None else "",
    )


def comparison_html(comparison: Comparison) -> str:
    """Return the relation of two rules, and strings that demonstrate it."""
    left, right = (f"{rule.name} of {rule.grammar.name}" for rule in (comparison.left, comparison.right))
    rows = [
        (safe(f"only {owner}"), quoted(text), soft(why.message if why is not None else ""))
        for owner, text, why in (
            (left, comparison.only_left, comparison.right_rejection()),
            (right, comparison.only_right, comparison.left_rejection()),
        )
        if text is not None
    ]
    if comparison.common is not None:
        rows.append((safe("both"), quoted(comparison.common), ""))
    first = str(comparison).partition("\n")[0]
    return frame(
        line(strong(first)),
        table(rows) if rows else "",
        line(soft(f"tried: {comparison.bound}")) if comparison.bound is not None else "",
    )


def report_html(report: Report) -> str:
    """Return the results of an implementation for a test suite."""
    rule = report.suite.rule
    what = f"{rule.name} of {rule.grammar.name}"
    left = f"; {report.skipped:,} skipped" if report.skipped else ""
    if report.passed:
        asked = f"{report.tried:,} strings tested{left}. " if report.tried else ""
        return frame(line(strong("passed"), soft(what)), line(safe(asked + report.guarantee)))
    rows = [_deviation(each) for each in islice(report.deviations, MAX_ROWS)]
    count = f"{report.differing:,} of {report.tried:,} strings{left}; causes: {len(report.deviations):,}"
    return frame(
        line(strong("differs"), soft(f"{what}; {count}")),
        table(rows, ("result", "string", "expected", "count"), len(report.deviations) - len(rows)),
    )


def _deviation(deviation: Deviation) -> tuple[str, str, str, str]:
    answer = "rejected" if deviation.valid else "accepted"
    why = "valid"
    if deviation.rejection is not None:
        why = deviation.rejection.message
    elif deviation.error:
        why = f"valid; failed with {deviation.error}"
    return safe(answer), quoted(deviation.text), safe(cut(why)), f"{deviation.count:,}"


def coverage_html(coverage: Coverage) -> str:
    """Return the percentage of a rule that strings cover, and the parts that are never used."""
    never = coverage.never
    rows = [
        (
            safe(each.part.rule),
            code(each.part.source or each.part.kind),
            quoted(each.sample) if each.sample is not None else soft("not found"),
        )
        for each in islice(never, MAX_ROWS)
    ]
    texts = f"{coverage.texts:,} strings, {coverage.rejected:,} rejected, {coverage.undecided:,} undecided"
    return frame(
        line(
            strong(f"{coverage.percent:.0f}% of {coverage.rule.name}"),
            soft(f"of {coverage.rule.grammar.name}; {texts}; parts never used: {len(never):,}"),
        ),
        table(rows, ("rule", "never used", "example"), len(never) - len(rows)) if rows else "",
    )


def exercise_html(exercise: Exercise) -> str:
    """Return an exercise: its task and examples, without hints."""
    rows = [("valid", *map(quoted, exercise.valid[:MAX_ROWS]))] if exercise.valid else []
    rows += [("invalid", *map(quoted, exercise.invalid[:MAX_ROWS]))] if exercise.invalid else []
    return frame(
        line(strong(exercise.title), soft(f"exercise {exercise.id}, level {exercise.level}")),
        line(safe(cut(exercise.task))),
        line(safe("Rule:"), code(exercise.rule)),
        table(rows) if rows else "",
        line(safe("Imports:"), safe(", ".join(exercise.imports))) if exercise.imports else "",
    )


def grade_html(grade: Grade) -> str:
    rows = [
        *_witness("wrongly accepted", grade.wrongly_accepted),
        *_witness("wrongly rejected", grade.wrongly_rejected, BY_THE_ANSWER),
    ]
    hints = [*(finding.message for finding in grade.findings[:MAX_ROWS]), *grade.style]
    return frame(
        line(strong(grade.verdict), soft(f"exercise {grade.exercise.id}")),
        pre([safe(each) for each in cut(grade.answer).splitlines()]),
        line(f'<span style="{MARK}">{safe(grade.mistake)}</span>') if grade.mistake else "",
        table(rows) if rows else "",
        *(line(safe(cut(hint))) for hint in hints),
        line(soft(f"tried: {grade.bound}")) if grade.bound is not None and not grade.witness else "",
    )


def _witness(what: str, witness: Witness | None, whose: str = "") -> list[tuple[str, str, str]]:
    if witness is None:
        return []
    return [(safe(what), quoted(witness.text), soft(cut(whose + witness.reason)))]


_ROWS = (
    "scheme",
    "authority",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "path_kind",
    "query",
    "fragment",
)


def component_html(component: TextLike) -> str:
    """Return a component object: its string and components, without passwords."""
    text = str(component)
    own = getattr(component, "rule", None)
    masked = without_password(text, "authority") if own is None else without_password(text)
    rows = []
    for name in _ROWS:
        if hasattr(component, name):
            rows.append((safe(name.replace("_", " ")), _cell(name, getattr(component, name))))
    head = line(strong(type(component).__name__), soft(f"read as {own}") if own else "")
    return frame(head, line(quoted(masked)), table(rows))


def _cell(name: str, value: object) -> str:
    if value is None:
        return soft("undefined")
    text = str(value)
    if name.endswith("kind"):
        return code(text)
    return quoted(without_password(text, name))


PAGES: dict[type, Callable[[Any], str]] = {
    Component: component_html,
    Comparison: comparison_html,
    Coverage: coverage_html,
    Exercise: exercise_html,
    Finding: finding_html,
    Grade: grade_html,
    Grammar: grammar_html,
    Rejection: rejection_html,
    Report: report_html,
    Rule: rule_html,
    Tree: tree_html,
}


def html_of(value: object) -> str | None:
    """Return a value as HTML for a notebook, or None for a class without a page."""
    for kind in type(value).__mro__:
        if kind in PAGES:
            return PAGES[kind](value)
    return None
