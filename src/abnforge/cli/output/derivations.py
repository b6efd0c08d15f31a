"""Derivations: a line for each step, with the replaced rule in angle brackets and its definition.

RFC 5234, section 2.1, allows the brackets around rule names. Several derivations of one string are shown as
trees side by side, from the first difference on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from abnforge.budget import DEFAULT
from abnforge.cli.common.outcome import Structure
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.output.trees import StructureText, derivations_of, draw_tree, nodes_of, strokes
from abnforge.engine.rule import Rule
from abnforge.errors import UnknownNameError
from abnforge.teaching.derivations import DerivationStep, Node, Symbol, steps
from abnforge.teaching.pictures.drawing import Line, tree_lines
from abnforge.text import draw, escape, quoted, width

FORM_COLUMNS = 60  # width of a shortened form
RULE_COLUMNS = 60
AROUND = 30  # maximum number of symbols of a form on each side of the rule
TREE_COLUMNS = 48  # width of each of two trees
ALIKE = 6  # number of lines shown before the first difference


class Derivation(StructureText):
    """The sentential forms of each string's derivation, cut to a window unless ``full``."""

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        around = None if self.full else AROUND
        forms = steps(nodes_of(structure), structure.order, around)
        text = structure.outcome.shown
        return draw_derivation(forms, text, structure.rule, structure.order, full=self.full, style=self.style)


class Derivations(StructureText):
    """The trees of several derivations, each next to the first."""

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        count = structure.rule.count_derivations(structure.outcome.judged)
        trees = list(derivations_of(structure))
        yield f"{quoted(structure.outcome.shown)}  {counted(count)} from {escape(structure.rule.name)}"
        if len(trees) == 1:
            yield from draw_tree(trees[0], structure.outcome.shown, full=self.full, style=self.style)
        for number, tree in enumerate(trees[1:], 2):
            yield ""
            yield from side_by_side(
                trees[0], tree, structure.outcome.shown, number, full=self.full, style=self.style
            )


def counted(count: int | float) -> str:
    """Return the number of derivations in words."""
    if count == float("inf"):
        return "infinitely many derivations"
    return f"{count:,} derivation{'' if count == 1 else 's'}"


def draw_derivation(
    forms: Iterable[DerivationStep],
    text: str,
    rule: Rule,
    order: str,
    *,
    full: bool = False,
    style: Style = PLAIN,
) -> Iterator[str]:
    """Yield lines: the number, the form with the replaced rule marked, and the definition of that rule.

    Forms wider than ``FORM_COLUMNS`` are cut to a window around the rule, unless ``full``. Raises
    LimitExceeded if the forms are too long in total.
    """
    meter = DEFAULT.meter("writing a derivation", len(text))
    rows: list[tuple[str, str]] = []
    for step in forms:
        meter.charge(1 + len(step.before) + len(step.after))
        before, after = _form(step, text)
        mark = f"<{escape(step.replaced.rule or '')}>"
        form = " ".join([*before, mark, *after])
        if not full and width(form) > FORM_COLUMNS:
            start = sum(len(piece) + 1 for piece in before)
            form = draw(form, start, start + len(mark), columns=FORM_COLUMNS)[0]
        rows.append((form, step.replaced.rule or ""))
    yield f"{quoted(text)}  {order} derivation from {escape(rule.name)}, {len(rows):,} step" + (
        "" if len(rows) == 1 else "s"
    )
    digits = len(str(len(rows) + 1))
    widest = max(width(form) for form, _ in rows)
    definitions: dict[str, str] = {}
    for number, (form, name) in enumerate(rows, 1):
        if name not in definitions:
            definitions[name] = _cut(definition(rule, name), 10**9 if full else RULE_COLUMNS)
        pad = " " * (widest - width(form))
        shown = form.replace(f"<{name}>", style.strong(f"<{name}>")) if style.color else form
        yield f"{number:>{digits}}  {shown}{pad}  {style.faint(definitions[name])}".rstrip()
    end = quoted(text) if full else _cut(quoted(text), FORM_COLUMNS)
    yield f"{len(rows) + 1:>{digits}}  {end}"


def definition(rule: Rule, name: str) -> str:
    """Return a rule of the same grammar as ABNF on one line; "" if the grammar has no rule with this name."""
    from abnforge.grammar.printer import print_alternation

    try:
        bound = rule.grammar.compilation.bound
        return escape(f"{name} = {print_alternation(bound.rules[bound.key(name)].elements)}")
    except UnknownNameError:
        return ""


def side_by_side(
    first: Sequence[Node],
    other: Sequence[Node],
    text: str,
    number: int,
    *,
    full: bool = False,
    style: Style = PLAIN,
) -> Iterator[str]:
    """Yield two trees of a string in two columns; ``>`` marks the first line that differs.

    Equal lines before it are counted, except for the last ones.
    """
    ours, theirs = _lines(first, text, full, style), _lines(other, text, full, style)
    same = _alike(ours, theirs)
    if same is None and not full:  # the lines show several nodes, which differ
        ours, theirs = _lines(first, text, True, style), _lines(other, text, True, style)
        same = _alike(ours, theirs)
    if same is None:
        yield f"derivation {number} has the tree of derivation 1, with other elements of a definition"
        return
    left, right = list(map(str, ours)), list(map(str, theirs))
    cut = 0 if full else max(0, same - ALIKE)
    shown = left[cut:] + right[cut:]
    columns = max(map(width, shown), default=0) if full else TREE_COLUMNS
    columns = max(12, min(columns, max(map(width, shown), default=0)))
    yield f"  {'derivation 1':<{columns}}    derivation {number}"
    if cut:
        yield f"  ... {cut:,} identical lines"
    for index, (a, b) in enumerate(islice(zip_longest(left, right, fillvalue=""), cut, None), cut):
        here, there = _cut(a, columns), _cut(b, columns)
        mark = style.error(">") if index == same else " "
        yield f"{mark} {here}{' ' * (columns - width(here))}  {mark} {there}".rstrip()


def _lines(nodes: Sequence[Node], text: str, full: bool, style: Style) -> list[Line]:
    return list(tree_lines(nodes, text, full=full, strokes=strokes(style)))


def _alike(ours: Sequence[Line], theirs: Sequence[Line]) -> int | None:
    """Return the number of equal lines before the first difference; None without a difference.

    Margins are ignored, since they depend on later lines.
    """
    for index, (a, b) in enumerate(zip_longest(ours, theirs)):
        if a is None or b is None or replace(a, margin="") != replace(b, margin=""):
            return index
    return None


def _form(step: DerivationStep, text: str) -> tuple[list[str], list[str]]:
    before, after = _pieces(step.before, text), _pieces(step.after, text)
    if step.hidden and before and step.before[0].rule is not None:
        before.insert(0, "...")
    elif step.hidden:
        (after if step.after and len(step.after) > 1 else before).append("...")
    return before, after


def _pieces(symbols: Iterable[Symbol], text: str) -> list[str]:
    pieces: list[str] = []
    start = end = -1
    for symbol in symbols:
        if symbol.rule is None:
            start = start if end == symbol.start and start >= 0 else symbol.start
            if end == symbol.start and pieces and pieces[-1][:1] == '"':
                pieces.pop()
            end = symbol.end
            pieces.append(quoted(text[start:end]))
        else:
            start = end = -1
            pieces.append(escape(symbol.rule))
    return pieces


def _cut(text: str, columns: int) -> str:
    if width(text) <= columns:
        return text
    text = text[: columns - 3]
    while width(text) > columns - 3:
        text = text[:-1]
    return text + "..."
