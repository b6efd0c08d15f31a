"""Automata as SVG, as text for Graphviz (DOT), as files for JFLAP, and as transition tables.

Labels show sets of characters: ``0-9A-F``, ``+ -``, or ``not "`` for all characters except one. ``␣`` is a
space, and backslash escapes are control and other invisible characters.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, starmap

from abnforge._arguments import instance_argument
from abnforge.automata.dfa import DEAD
from abnforge.catalog import ArgumentError
from abnforge.charset import MAX_CODE_POINT, CharSet, union
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.drawing import FONT, number, palette, quoted_for_dot, safe, style_element
from abnforge.teaching.pictures.layers import RADIUS, START, Arrow, Layout, Point, layout
from abnforge.text import escape

MAX_STATES = 40
MAX_ARROWS = 400  # the number of arrows of a diagram
MAX_TRANSITIONS = 5_000  # the number of transitions of a file for JFLAP, one for each character
XML = CharSet(((0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, MAX_CODE_POINT)))
LABEL_COLUMNS = 22
COLUMN, PAD, HEAD = (
    7.3,
    6.0,
    8.0,
)  # width in px of a character of 12 px, around it, and length of an arrow head

STYLE = f"""
.automaton {{ font: 12px {FONT}; background: var(--paper); }}
.automaton .paper {{ fill: var(--paper); }} .automaton text {{ fill: var(--ink); text-anchor: middle; }}
.automaton .state rect {{ fill: var(--shade); stroke: var(--l0); stroke-width: 1.5; }}
.automaton .accepting rect {{ stroke: var(--l2); }}
.automaton path {{ fill: none; stroke: var(--soft); stroke-width: 1.3; }}
.automaton .head {{ fill: var(--soft); stroke: none; }}
"""


@dataclass(frozen=True, slots=True)
class Graph:
    """An automaton to draw: its ``title``, the names of its states, the accepting ones, and its moves.

    State 0 is the start. ``moves`` has the characters that lead from one state to another.
    """

    title: str
    states: Sequence[str]
    accepting: Collection[int]
    moves: Mapping[tuple[int, int], CharSet]

    def description(self) -> str:
        """Return the automaton in words."""
        if not self.states:
            return "No states: the rule matches no string."
        accepting = ", ".join(self.states[state] for state in sorted(self.accepting))
        moves = (
            f"from {self.states[a]} to {self.states[b]} by {each}" for (a, b), each in self.moves.items()
        )
        return f"{len(self.states)} states, start state {self.states[0]}; {accepting} accept. " + "; ".join(
            moves
        )


def graph_of(rule: Rule) -> Graph:
    """Return the minimal automaton of a rule. Its states are numbers, in breadth-first order.

    Raises ValueError for a rule that is not known to be regular, GrammarError for a rule that needs a
    prose-val.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    automaton = rule.automaton
    sets: dict[tuple[int, int], list[CharSet]] = {}
    for place, target in enumerate(automaton.table):
        if target != DEAD:
            move = place // automaton.width, target // automaton.width
            sets.setdefault(move, []).append(automaton.charsets[place % automaton.width])
    return Graph(
        f"automaton of {rule.name}",
        [str(state) for state in range(automaton.states)],
        {row // automaton.width for row in automaton.accepting},
        {move: union(each) for move, each in sets.items()},
    )


def automaton_svg(rule: Rule, theme: str = "light") -> str:
    """Return the minimal automaton of a rule as an SVG document: see :func:`graph_svg`.

    Raises the errors of :func:`graph_of` and :func:`graph_svg`.
    """
    return graph_svg(graph_of(rule), theme)


def automaton_element(rule: Rule) -> str:
    """Return an automaton as an element for a page with the style of :func:`automaton_style`."""
    return graph_svg(graph_of(rule), "")


def automaton_style(root: str) -> str:
    """Return the style of diagrams within an element of a page."""
    return palette(root) + STYLE


def graph_svg(graph: Graph, theme: str = "light") -> str:
    """Return an automaton as an SVG document; as an element of a page without style for the theme "".

    Accepting states have two outlines. Labels overlap nothing: see ``pictures.layers``. Raises LimitExceeded
    for an automaton with more than ``MAX_STATES`` states or ``MAX_ARROWS`` arrows.
    """
    *size, body = graph_body(graph)
    wide, high = map(number, size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="automaton" role="img" aria-labelledby="t d" '
        f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">\n'
        f'<title id="t">{safe(graph.title[:1].upper() + graph.title[1:])}</title>\n'
        f'<desc id="d">{safe(graph.description())}</desc>\n'
        f"{style_element(STYLE, '.automaton', theme) if theme else ''}"
        f'<rect class="paper" width="100%" height="100%"/>\n{body}</svg>\n'
    )


def graph_body(graph: Graph) -> tuple[float, float, str]:
    """Return the width and height of an automaton in px, and its elements. Raises LimitExceeded."""
    for used, unit, limit, setting in (
        (len(graph.states), "states", MAX_STATES, "MAX_STATES"),
        (len(graph.moves), "arrows", MAX_ARROWS, "MAX_ARROWS"),
    ):
        if used > limit:
            sentence = message("automaton-not-drawn", title=graph.title, used=used, unit=unit, limit=limit)
            raise LimitExceeded(
                sentence, operation=f"diagram of the {graph.title}", used=used, limit=limit, setting=setting
            )
    labels = [_cut(label(each)) for each in graph.moves.values()]
    widths = [max(2 * RADIUS, COLUMN * len(name) + 2 * PAD) for name in graph.states]
    edges = [(a, b, COLUMN * len(each) + PAD) for (a, b), each in zip(graph.moves, labels, strict=True)]
    drawn = layout(widths, edges)
    return drawn.width, drawn.height, "".join(_elements(graph, labels, widths, drawn))


def _elements(graph: Graph, labels: Sequence[str], widths: Sequence[float], drawn: Layout) -> Iterator[str]:
    if graph.states:
        left = drawn.nodes[0][0] - widths[0] / 2
        start = [(left - START, drawn.nodes[0][1]), (left, drawn.nodes[0][1])]
        yield _arrow(Arrow(start, start[0]))
    for arrow, text in zip(drawn.arrows, labels, strict=True):
        x, y = arrow.label
        yield _arrow(arrow) + f'<text x="{number(x)}" y="{number(y)}">{safe(text)}</text>\n'
    for state, (name, wide_, (x, y)) in enumerate(zip(graph.states, widths, drawn.nodes, strict=True)):
        accepts = state in graph.accepting
        yield f'<g class="state{" accepting" if accepts else ""}">'
        for inset in (0.0, 4.0) if accepts else (0.0,):
            half, radius = wide_ / 2 - inset, number(RADIUS - inset)
            size = f'width="{number(2 * half)}" height="{number(2 * (RADIUS - inset))}" rx="{radius}"'
            yield f'<rect x="{number(x - half)}" y="{number(y - RADIUS + inset)}" {size}/>'
        yield f'<text x="{number(x)}" y="{number(y + 4)}">{safe(name)}</text></g>\n'


def _arrow(arrow: Arrow) -> str:
    """Return the line of an arrow, and its head."""
    if len(arrow.points) == 1:
        x, y = arrow.points[0]
        line = f"M{_at(x - 8, y + 2)} C{_at(x - 26, y - 30)} {_at(x + 26, y - 30)} {_at(x + 10, y - 4)}"
        return f'<path d="{line}"/>' + _head((x + 8, y + 2), (-2.0, 6.0))
    points = list(arrow.points)
    (x, y), (u, v) = points[-2:]
    step = u - x, v - y
    if step == (0.0, 0.0):
        step = u - points[0][0], 0.0
    sign = 1.0 if step[0] > 0 else -1.0
    points[-1] = u - sign * HEAD / 2, v
    line = f"M{_at(*points[0])} L{_at(*points[1])}"
    for place in range(2, len(points), 2):
        (a, b), (c, d) = points[place - 1], points[place]
        middle = (a + c) / 2
        curve = f" C{_at(middle, b)} {_at(middle, d)} {_at(c, d)}"
        line += (f" L{_at(c, d)}" if b == d else curve) + f" L{_at(*points[place + 1])}"
    return f'<path d="{line}"/>' + _head((u, v), (sign, 0.0))


def _head(tip: Point, step: Point) -> str:
    x, y = tip
    length = (step[0] ** 2 + step[1] ** 2) ** 0.5
    a, b = step[0] / length * HEAD, step[1] / length * HEAD
    corners = _at(x, y), _at(x - a - b / 2, y - b + a / 2), _at(x - a + b / 2, y - b - a / 2)
    return f'<path class="head" d="M{" L".join(corners)} z"/>\n'


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


HYPHEN = ord("-")
MOST_SIGNS = 60  # a longer span is shown as a range

_BORDERS = tuple(map(ord, "0:A[a{\x7f"))  # the first character after each run of digits, letters or signs


def label(charset: CharSet) -> str:
    """Return a set of characters; a backslash is the only escaped sign, and a hyphen comes last."""
    if not (rest := ~charset):
        return "any"
    members = _members(charset)
    others = f"not {_members(rest)}"
    return others if MAX_CODE_POINT in charset and len(others) < len(members) else members


def set_label(charset: CharSet, end: bool = False) -> str:
    """Return a set of characters, and of the end of the input, in braces; "" for an empty set."""
    shown = [*([label(charset)] if charset else []), *(["end"] if end else [])]
    return f"{{{' '.join(shown)}}}" if shown else ""


def _members(charset: CharSet) -> str:
    parts, last = [], ""
    for low, high in chain.from_iterable(starmap(_runs, charset.spans())):
        if HYPHEN in (low, high):
            last = "-"
            low, high = low + (low == HYPHEN), high - (high == HYPHEN)
        if low <= high:
            ends = _character(low), _character(high)
            parts.append(ends[0] if low == high else ("" if high == low + 1 else "-").join(ends))
    return "".join(parts) + last


def _runs(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield parts of a span: ranges of digits or letters, and single signs; most of ASCII is one range."""
    if high - low > MOST_SIGNS:
        yield low, high
        return
    starts = [low, *(each for each in _BORDERS if low < each <= high)]
    for start, end in zip(starts, [*(each - 1 for each in starts[1:]), high], strict=True):
        if chr(start).isalnum() or not ord(" ") < start < 0x7F:
            yield start, end
        else:
            yield from ((each, each) for each in range(start, end + 1))


def _character(code: int) -> str:
    if code == ord(" "):
        return "␣"
    return chr(code) if ord(" ") < code < 0x7F and code != ord("\\") else CharSet(((code, code),)).to_class()


def _cut(text: str) -> str:
    return text if len(text) <= LABEL_COLUMNS else text[: LABEL_COLUMNS - 3] + "..."


def graph_dot(graph: Graph) -> Iterator[str]:
    """Yield lines of an automaton for Graphviz, with complete labels. Cost: linear."""
    yield "digraph automaton {\n  rankdir=LR;\n"
    yield '  node [shape=circle, fontname="monospace", fontsize=11];\n'
    yield '  edge [fontname="monospace", fontsize=11];\n'
    if graph.states:
        yield '  start [shape=none, label="", width=0, height=0];\n  start -> n0;\n'
    for state, name in enumerate(graph.states):
        shape = ", shape=doublecircle" if state in graph.accepting else ""
        yield f'  n{state} [label="{quoted_for_dot(escape(name))}"{shape}];\n'
    for (source, target), charset in graph.moves.items():
        yield f'  n{source} -> n{target} [label="{quoted_for_dot(label(charset))}"];\n'
    yield "}\n"


def graph_jff(graph: Graph) -> Iterator[str]:
    """Yield lines of an automaton as a file for JFLAP 7, with a transition for each character.

    Raises LimitExceeded for more than ``MAX_TRANSITIONS`` transitions, and ValueError for characters that XML
    cannot represent. Cost: linear in the transitions.
    """
    used = sum(map(len, graph.moves.values()))
    if used > MAX_TRANSITIONS:
        raise LimitExceeded(
            message("jflap-too-large", title=graph.title, used=used, limit=MAX_TRANSITIONS),
            operation=f"JFLAP file of the {graph.title}",
            used=used,
            limit=MAX_TRANSITIONS,
            setting="MAX_TRANSITIONS",
        )
    if foreign := union(graph.moves.values()) - XML:
        raise ArgumentError(message("jflap-character", title=graph.title, chars=str(foreign)))
    places = layout([2 * RADIUS] * len(graph.states), [(a, b, 60.0) for a, b in graph.moves]).nodes
    yield '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
    yield f"<!-- {safe(graph.title)} -->\n<structure>\n<type>fa</type>\n<automaton>\n"
    for state, (name, (x, y)) in enumerate(zip(graph.states, places, strict=True)):
        marks = "<initial/>" * (state == 0) + "<final/>" * (state in graph.accepting)
        yield f'<state id="{state}" name="q{safe(name)}"><x>{x:.1f}</x><y>{y:.1f}</y>{marks}</state>\n'
    for (source, target), charset in graph.moves.items():
        for low, high in charset.ranges:
            for code in range(low, high + 1):
                read = f"&#{code};" if chr(code).isspace() else html.escape(chr(code), quote=False)
                yield f"<transition><from>{source}</from><to>{target}</to><read>{read}</read></transition>\n"
    yield "</automaton>\n</structure>\n"


def transition_table(rule: Rule) -> list[list[str]]:
    """Return the transitions of a minimal automaton as rows: a head, then a row for each state.

    The columns are a mark (``>`` for the start, ``*`` for accepting states), the state, and its target for
    each class of characters, empty if there is none. Raises the errors of :func:`graph_of`.
    """
    graph, automaton = graph_of(rule), rule.automaton
    used = sorted({place % automaton.width for place, to in enumerate(automaton.table) if to != DEAD})
    rows = [["", "state", *(label(automaton.charsets[each]) for each in used)]]
    for state, name in enumerate(graph.states):
        row = automaton.table[state * automaton.width : (state + 1) * automaton.width]
        targets = ("" if row[each] == DEAD else graph.states[row[each] // automaton.width] for each in used)
        rows.append([">" * (state == 0) + "*" * (state in graph.accepting), name, *targets])
    return rows
