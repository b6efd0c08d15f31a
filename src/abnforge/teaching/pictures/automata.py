"""Small automata as SVG: states in columns by their distance from the start, transitions as arrows.

Forward arrows are straight, backward arrows pass below the states. An automaton with more than ``MAX_STATES``
states is not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge._arguments import instance_argument
from abnforge.automata.dfa import Automaton
from abnforge.charset import CharSet, union
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.drawing import FONT, number, palette, safe, with_values

MAX_STATES = 40
LABEL_COLUMNS = 22
COLUMN, ROW, RADIUS = 190.0, 96.0, 18.0
EDGE, LIFT = 60.0, 40.0

_STYLE = with_values(f"""
.automaton {{ font: 12px {FONT}; background: var(--paper); }}
.automaton .paper {{ fill: var(--paper); }} .automaton text {{ fill: var(--ink); text-anchor: middle; }}
.automaton .halo {{ stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }}
.automaton circle {{ fill: var(--shade); stroke: var(--l0); stroke-width: 1.5; }}
.automaton .accepting circle {{ stroke: var(--l2); }} .automaton .inner {{ fill: none; }}
.automaton path {{ fill: none; stroke: var(--soft); stroke-width: 1.3; marker-end: url(#arrow); }}
.automaton marker path {{ fill: var(--soft); stroke: none; marker-end: none; }}
""")


def automaton_svg(rule: Rule) -> str:
    """Return the minimal automaton of a rule as an SVG document. Accepting states are double circles.

    Raises ValueError for a rule that is not known to be regular, LimitExceeded for an automaton with more
    than ``MAX_STATES`` states, GrammarError for a rule that needs a prose-val.
    """
    return _picture(rule, f"<style>{automaton_style('.automaton')}</style>\n")


def automaton_element(rule: Rule) -> str:
    """Return an automaton as an element for a page with the style of :func:`automaton_style`."""
    return _picture(rule, "")


def _picture(rule: Rule, style: str) -> str:
    instance_argument(rule, "rule", Rule, "a Rule")
    automaton = rule.automaton
    if automaton.states > MAX_STATES:
        raise LimitExceeded(
            message("automaton-not-drawn", rule=rule.name, states=automaton.states, limit=MAX_STATES),
            operation=f"diagram of {rule.name}",
            used=automaton.states,
            limit=MAX_STATES,
            setting="MAX_STATES",
            rule=rule.name,
        )
    return "".join(_drawn(rule.name, automaton, style))


def automaton_style(root: str) -> str:
    """Return the style of diagrams within an element of a page."""
    return palette(root) + _STYLE


def _drawn(name: str, automaton: Automaton, style: str) -> Iterator[str]:
    moves = _moves(automaton)
    columns = _columns(automaton.states, moves)
    most = max((columns.count(column) for column in set(columns)), default=1)
    depth = max(columns, default=0)
    bend = max((LIFT * (columns[a] - columns[b]) for a, b in moves), default=0.0) / 2
    high = 2 * (EDGE + bend) + ROW * (most - 1)
    wide = 2 * EDGE + 40 + COLUMN * depth
    places = []
    for state in range(automaton.states):
        beside = [other for other in range(automaton.states) if columns[other] == columns[state]]
        down = high / 2 + (beside.index(state) - (len(beside) - 1) / 2) * ROW
        places.append((EDGE + 30 + COLUMN * columns[state], down))
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="automaton" role="img" aria-labelledby="t d" '
        f'width="{number(wide)}" height="{number(high)}" viewBox="0 0 {number(wide)} {number(high)}">\n'
        f'<title id="t">Automaton of {safe(name)}</title>\n'
        f'<desc id="d">{safe(_said(automaton, moves))}</desc>\n'
        f"{style}"
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        '<rect class="paper" width="100%" height="100%"/>\n'
    )
    if automaton.states:
        x, y = places[0]
        yield f'<path d="M{number(x - 50)} {number(y)} L{number(x - RADIUS)} {number(y)}"/>\n'
    labels = []
    for (source, target), charset in moves.items():
        line, x, y = _arrow(places[source], places[target], columns[target] - columns[source])
        yield f'<path d="{line}"/>\n'
        label = f'x="{number(x)}" y="{number(y)}">{safe(_label(charset))}</text>\n'
        labels.append(
            f'<text class="halo" aria-hidden="true" {label}<text {label}'
        )  # not all renderers support paint-order
    for state, (x, y) in enumerate(places):
        accepts = state * automaton.width in automaton.accepting
        at = f'cx="{number(x)}" cy="{number(y)}"'
        inner = f'<circle class="inner" {at} r="{number(RADIUS - 4)}"/>' if accepts else ""
        kind = ' class="accepting"' if accepts else ""
        yield f'<g{kind}><circle {at} r="{number(RADIUS)}"/>{inner}'
        yield f'<text x="{number(x)}" y="{number(y + 4)}">{state}</text></g>\n'
    yield from labels
    yield "</svg>\n"


def _moves(automaton: Automaton) -> dict[tuple[int, int], CharSet]:
    by_move: dict[tuple[int, int], list[CharSet]] = {}
    for place, target in enumerate(automaton.table):
        if target >= 0:
            move = place // automaton.width, target // automaton.width
            by_move.setdefault(move, []).append(automaton.charsets[place % automaton.width])
    return {move: union(sets) for move, sets in by_move.items()}


def _columns(states: int, moves: dict[tuple[int, int], CharSet]) -> list[int]:
    distances = {0: 0}
    for state in (queue := [0] if states else []):
        for source, target in moves:
            if source == state and target not in distances:
                distances[target] = distances[state] + 1
                queue.append(target)
    return [distances[state] for state in range(states)]


def _arrow(here: tuple[float, float], there: tuple[float, float], on: int) -> tuple[str, float, float]:
    (x, y), (u, v) = here, there
    if here == there:
        top = y - RADIUS
        line = f"M{number(x - 8)} {number(top + 2)} C{number(x - 30)} {number(top - 36)} "
        line += f"{number(x + 30)} {number(top - 36)} {number(x + 8)} {number(top + 2)}"
        return line, x, top - 32
    if on == 1:
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
        a, b = (u - x) / length * RADIUS, (v - y) / length * RADIUS
        line = f"M{number(x + a)} {number(y + b)} L{number(u - a)} {number(v - b)}"
        return line, (x + u) / 2, (y + v) / 2 - 6
    if on == 0:  # the states are above each other
        side = (30.0 + 16.0 * abs(v - y) / ROW) * (1 if v > y else -1)
        edge = RADIUS if v > y else -RADIUS
        line = f"M{number(x + side / 5)} {number(y + edge)} Q{number(x + side)} {number((y + v) / 2)} "
        line += f"{number(u + side / 5)} {number(v - edge)}"
        return line, x + side * 0.6, (y + v) / 2
    lowest = max(y, v) + RADIUS + LIFT * -on  # a backward arrow passes below
    middle = (x + u) / 2
    line = f"M{number(x)} {number(y + RADIUS)} Q{number(middle)} {number(lowest)} "
    line += f"{number(u)} {number(v + RADIUS)}"
    return line, middle, (y + v) / 4 + RADIUS / 2 + lowest / 2 - 4


def _label(charset: CharSet) -> str:
    # A class escapes its hyphen. Here the hyphen comes last, after the ranges, without a backslash.
    text = re.sub(r"\\(.)", lambda match: "" if match[1] == "-" else match[0], whole := charset.to_class())
    text = f"{text} -".strip() if text != whole else whole
    return text if len(text) <= LABEL_COLUMNS else text[: LABEL_COLUMNS - 3] + "..."


def _said(automaton: Automaton, moves: dict[tuple[int, int], CharSet]) -> str:
    if not automaton.states:
        return "No states: the rule matches no string."
    accepting = ", ".join(str(row // automaton.width) for row in sorted(automaton.accepting))
    transitions = [f"from {a} to {b} by {charset}" for (a, b), charset in moves.items()]
    return f"{automaton.states} states, start state 0; {accepting} accept. " + "; ".join(transitions)
