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
from abnforge.teaching.pictures.automata import Graph, automaton_style, graph_svg, label, set_label
from abnforge.teaching.pictures.drawing import safe
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
    yield f'<pre class="wrap">{_lines(rule.definition.strip())}</pre>\n'
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
        pieces = list(_CONTENT[name](build(name, rule, text)))
    except (GrammarError, ValueError) as error:
        reason = error.message if isinstance(error, GrammarError) else str(error)
        pieces = [f'<p class="soft">{safe(reason)}</p>\n']
    yield from pieces
    yield "</section>\n"


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table; cells are HTML, and the first cell of each row is its head."""
    yield '<div class="drawing"><table>\n<thead><tr>'
    yield from (f'<th scope="col">{each}</th>' for each in head)
    yield "</tr></thead>\n<tbody>\n"
    for first, *cells in rows:
        yield f'<tr><th scope="row">{first}</th>{"".join(f"<td>{each}</td>" for each in cells)}</tr>\n'
    yield "</tbody>\n</table></div>\n"


def _lines(text: str) -> str:
    return "\n".join(map(safe, text.split("\n")))


def _sets(rows: list[RuleSets]) -> Iterator[str]:
    yield from _table(
        ("rule", "nullable", "FIRST", "FOLLOW", "LL(1) conflicts"),
        (
            (
                safe(row.rule.name),
                "yes" if row.nullable else "no",
                safe(set_label(row.first)),
                safe(set_label(row.follow, row.end)),
                safe(set_label(row.conflicts, row.end_conflict)),
            )
            for row in rows
        ),
    )


def _steps(steps: Construction) -> Iterator[str]:
    classes = [safe(label(each)) for each in steps.classes]
    yield "<h3>Nondeterministic automaton</h3>\n"
    names = [str(number) for number in range(len(steps.nfa))]
    rows = list(enumerate(steps.nfa))
    yield _picture(
        steps,
        "nondeterministic automaton",
        names,
        steps.accepting,
        ((a, b, place) for a, row in rows for place, cell in enumerate(row) for b in cell),
    )
    yield from _table(
        ("state", *classes),
        ([names[state], *(" ".join(map(str, cell)) or "-" for cell in row)] for state, row in rows),
    )
    yield "<h3>Subset construction</h3>\n"
    subsets = [f"{{{' '.join(map(str, each))}}}" for each in steps.subsets]
    accepting = {number for number in range(len(subsets)) if steps.accepts(number)}
    moves = [(a, b, place) for a, row in enumerate(steps.rows) for place, b in enumerate(row) if b >= 0]
    yield _picture(steps, "subset automaton", subsets, accepting, moves)
    yield from _table(
        ("states", *classes),
        ([subsets[a], *(subsets[b] if b >= 0 else "-" for b in row)] for a, row in enumerate(steps.rows)),
    )
    yield "<h3>Minimization</h3>\n"
    blocks = [" ".join(subsets[each] for each in block) for block in steps.rounds[-1]]
    block_of = {each: number for number, block in enumerate(steps.rounds[-1]) for each in block}
    yield from _table(
        ("round", "blocks of subsets"),
        (
            (str(number), " | ".join(" ".join(subsets[each] for each in block) for block in round_))
            for number, round_ in enumerate(steps.rounds)
        ),
    )
    yield _picture(
        steps,
        "minimal automaton",
        blocks,
        {block_of[each] for each in accepting if each in block_of},
        ((block_of[a], block_of[b], place) for a, b, place in moves if a in block_of),
    )


def _picture(
    steps: Construction,
    title: str,
    names: Sequence[str],
    accepting: Iterable[int],
    moves: Iterable[tuple[int, int, int]],
) -> str:
    sets: dict[tuple[int, int], list[CharSet]] = {}
    for source, target, place in moves:
        sets.setdefault((source, target), []).append(steps.classes[place])
    graph = Graph(
        f"{title} of {steps.rule.name}",
        names,
        set(accepting),
        {move: union(each) for move, each in sets.items()},
    )
    try:
        svg = graph_svg(graph, "")
    except GrammarError as error:
        return f'<p class="soft">{safe(error.message)}</p>\n'
    identity = title.split()[0]  # identifiers are unique on a page
    for each in "td":
        svg = svg.replace(f'id="{each}"', f'id="{identity}-{each}"', 1)
    svg = svg.replace('aria-labelledby="t d"', f'aria-labelledby="{identity}-t {identity}-d"', 1)
    return f'<div class="drawing">{svg}</div>\n'


def _stages(stages: list[Stage]) -> Iterator[str]:
    before: Stage | None = None
    for number, stage in enumerate(stages, 1):
        yield f"<h3>{number}. {safe(stage.title)}</h3>\n<pre>"
        for name, sides in stage.grammar.rules.items():
            shown = _lines(print_rule(stage.grammar.definition(name)))
            changed = before is not None and before.grammar.rules.get(name) != sides
            yield f"<mark>{shown}</mark>\n" if changed else f"{shown}\n"
        yield "</pre>\n"
        before = stage


def _derivatives(steps: list[Derivative]) -> Iterator[str]:
    yield from _table(
        ("read", "nullable", "derivative"),
        (
            (
                "" if step.char is None else safe(in_quotes(step.char)),
                "yes" if step.nullable else "no",
                "<br>/ ".join(f"<code>{safe(term)}</code>" for term in step.terms) or "no string continues",
            )
            for step in steps
        ),
    )


def _spans(table: SpanTable) -> Iterator[str]:
    yield "<p>The string {} <b>{}</b>.</p>\n<pre>{}</pre>\n".format(
        "matches" if table.matches else "does not match", safe(table.rule.name), _lines(table.grammar.abnf)
    )
    size = len(table.text)
    yield from _table(
        ("length", *(safe(in_quotes(char)) for char in table.text)),
        (
            (
                str(length),
                *(
                    "<br>".join(
                        f"<mark>{safe(name)}</mark>" if (start, length, name) in table.used else safe(name)
                        for name in table.cells[length - 1][start]
                    )
                    or "-"
                    for start in range(size - length + 1)
                ),
            )
            for length in range(1, size + 1)
        ),
    )


_CONTENT: dict[str, Callable[[Any], Iterator[str]]] = {
    "tables": _sets,
    "steps": _steps,
    "left-recursion": _stages,
    "normal-form": _stages,
    "derivatives": _derivatives,
    "cyk": _spans,
}
