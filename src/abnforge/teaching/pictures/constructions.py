"""A page of the constructions of a rule for lectures: tables, automata, grammars by stages.

Each section begins on a new page when printed. The playground shows single sections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from abnforge._arguments import Text
from abnforge.charset import CharSet, union
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.grammar.printer import print_rule
from abnforge.teaching.constructions import CONSTRUCTIONS, Construction, Derivative, RuleSets, build
from abnforge.teaching.normal_forms import SpanTable, Stage
from abnforge.teaching.pictures.automata import Graph, automaton_style, label, set_label
from abnforge.teaching.pictures.blocks import Block, Line, Lines, Table, blocks_html, blocks_svg, text_block
from abnforge.teaching.pictures.page import PAGE_END, page_head
from abnforge.text import in_quotes

_STYLE = """
main.constructions td, main.constructions th { padding-right: 1rem; white-space: nowrap; }
.constructions .drawing { overflow-x: auto; }
@media print { .constructions section + section { break-before: page; } }
"""

TITLES = {
    "tables": "First and follow sets",
    "steps": "NFA, subset construction, minimization",
    "left-recursion": "Left recursion",
    "normal-form": "Chomsky normal form",
    "derivatives": "Derivatives",
    "cyk": "Substrings by rule (CYK)",
}


def constructions_page(rule: Rule, text: Text | None = None) -> Iterator[str]:
    """Yield pieces of a page with all constructions of a rule, and with those of a string if there is one."""
    yield page_head(f"Constructions of {rule.name}", "constructions", automaton_style(".automaton") + _STYLE)
    yield from blocks_html([text_block("pre", rule.definition.strip())])
    for name in CONSTRUCTIONS if text is not None else CONSTRUCTIONS[:4]:
        yield from construction_section(name, rule, text)
    yield PAGE_END


def construction_section(name: str, rule: Rule, text: Text | None = None) -> Iterator[str]:
    """Yield pieces of HTML that show a construction, or the reason why it is not possible.

    ``name`` is one of ``CONSTRUCTIONS``. Pictures need the style of ``automata.automaton_style``. Cost: that
    of :func:`constructions.build`.
    """
    yield f'<section id="{name}">\n<h2>{TITLES[name]}</h2>\n'
    try:
        pieces = list(blocks_html(_CONTENT[name](build(name, rule, text))))
    except (GrammarError, ValueError) as error:
        reason = error.message if isinstance(error, GrammarError) else str(error)
        pieces = list(blocks_html([text_block("p", reason, "soft")]))
    yield from pieces
    yield "</section>\n"


def construction_svg(name: str, rule: Rule, text: Text | None = None, theme: str = "light") -> Iterator[str]:
    """Yield pieces of an SVG document of a construction. Raises the errors of :func:`constructions.build`."""
    blocks = _CONTENT[name](build(name, rule, text))
    return blocks_svg(blocks, f"{TITLES[name]}: {rule.name}", theme)


def _sets(rows: list[RuleSets]) -> Iterator[Block]:
    yield Table(
        ("rule", "nullable", "FIRST", "FOLLOW", "LL(1) conflicts"),
        [
            (
                row.rule.name,
                "yes" if row.nullable else "no",
                set_label(row.first),
                set_label(row.follow, row.end),
                set_label(row.conflicts, row.end_conflict),
            )
            for row in rows
        ],
    )


def _steps(steps: Construction) -> Iterator[Block]:
    classes = [label(each) for each in steps.classes]
    yield text_block("h3", "Nondeterministic automaton")
    names = [str(number) for number in range(len(steps.nfa))]
    rows = list(enumerate(steps.nfa))
    yield _graph(
        steps,
        "nondeterministic automaton",
        names,
        steps.accepting,
        ((a, b, place) for a, row in rows for place, cell in enumerate(row) for b in cell),
    )
    yield Table(
        ("state", *classes),
        [[names[state], *(" ".join(map(str, cell)) or "-" for cell in row)] for state, row in rows],
    )
    yield text_block("h3", "Subset construction")
    subsets = [f"{{{' '.join(map(str, each))}}}" for each in steps.subsets]
    accepting = {number for number in range(len(subsets)) if steps.accepts(number)}
    moves = [(a, b, place) for a, row in enumerate(steps.rows) for place, b in enumerate(row) if b >= 0]
    yield _graph(steps, "subset automaton", subsets, accepting, moves)
    yield Table(
        ("states", *classes),
        [[subsets[a], *(subsets[b] if b >= 0 else "-" for b in row)] for a, row in enumerate(steps.rows)],
    )
    yield text_block("h3", "Minimization")
    blocks = [" ".join(subsets[each] for each in block) for block in steps.rounds[-1]]
    block_of = {each: number for number, block in enumerate(steps.rounds[-1]) for each in block}
    yield Table(
        ("round", "blocks of subsets"),
        [
            (str(number), " | ".join(" ".join(subsets[each] for each in block) for block in round_))
            for number, round_ in enumerate(steps.rounds)
        ],
    )
    yield _graph(
        steps,
        "minimal automaton",
        blocks,
        {block_of[each] for each in accepting if each in block_of},
        ((block_of[a], block_of[b], place) for a, b, place in moves if a in block_of),
    )


def _graph(
    steps: Construction,
    title: str,
    names: Sequence[str],
    accepting: Iterable[int],
    moves: Iterable[tuple[int, int, int]],
) -> Graph:
    sets: dict[tuple[int, int], list[CharSet]] = {}
    for source, target, place in moves:
        sets.setdefault((source, target), []).append(steps.classes[place])
    unions = {move: union(each) for move, each in sets.items()}
    return Graph(f"{title} of {steps.rule.name}", names, set(accepting), unions)


def _stages(stages: list[Stage]) -> Iterator[Block]:
    before: Stage | None = None
    for number, stage in enumerate(stages, 1):
        yield text_block("h3", f"{number}. {stage.title}")
        lines: list[Line] = []
        for name in stage.grammar.defined:
            sides = stage.grammar.rules[name]
            changed = before is not None and before.grammar.rules.get(name) != sides
            rule = text_block("pre", print_rule(stage.grammar.definition(name)), "mark" if changed else "")
            lines += rule.lines
        yield Lines("pre", lines)
        before = stage


def _derivatives(steps: list[Derivative]) -> Iterator[Block]:
    yield Table(
        ("read", "nullable", "derivative"),
        [
            (
                "" if step.char is None else in_quotes(step.char),
                "yes" if step.nullable else "no",
                [("code", f"{'/ ' if place else ''}{term}") for place, term in enumerate(step.terms)]
                or "no string continues",
            )
            for step in steps
        ],
    )


def _spans(table: SpanTable) -> Iterator[Block]:
    verdict = "matches" if table.matches else "does not match"
    yield text_block("p", f"The string {verdict} {table.rule.name}.")
    if table.grammar.defined:
        yield text_block("pre", table.grammar.abnf.rstrip("\n"))
    size = len(table.text)
    cells = [
        [
            [("mark" if (start, length, name) in table.used else "", name) for name in names] or "-"
            for start, names in enumerate(table.cells[length - 1][: size - length + 1])
        ]
        for length in range(1, size + 1)
    ]
    yield Table(
        ("length", *map(in_quotes, table.text)),
        [(str(length), *row, *[""] * (length - 1)) for length, row in enumerate(cells, 1)],
    )


_CONTENT: dict[str, Callable[[Any], Iterator[Block]]] = {
    "tables": _sets,
    "steps": _steps,
    "left-recursion": _stages,
    "normal-form": _stages,
    "derivatives": _derivatives,
    "cyk": _spans,
}
