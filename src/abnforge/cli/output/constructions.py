"""Constructions of courses on formal languages, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.output import aligned
from abnforge.cli.output.formats import JsonLines, LineReport, ResultReport
from abnforge.cli.output.totals import counted
from abnforge.comparison.rules import quoted
from abnforge.grammar.printer import print_rule
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.teaching.constructions import Construction, Derivative, RuleSets
    from abnforge.teaching.normal_forms import Productions, SpanTable, Stage

COLUMNS = 80  # the width of a terminal


class RuleTables(LineReport["Rule"]):
    """The first and follow sets of a rule and of the rules that it uses."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        from abnforge.teaching.constructions import rule_sets

        rows = rule_sets(rule)
        head = ("rule", "nullable", "FIRST", "FOLLOW", "LL(1) conflicts")
        yield from aligned([head, *map(_row, rows)])


def _row(row: RuleSets) -> tuple[str, ...]:
    from abnforge.teaching.pictures.automata import set_label

    sets = (row.first, False), (row.follow, row.end), (row.conflicts, row.end_conflict)
    return row.rule.name, _yes(row.nullable), *(escape(set_label(chars, end)) for chars, end in sets)


class RuleSteps(LineReport["Rule"]):
    """The nondeterministic automaton, the subset construction and the minimization of a rule."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        from abnforge.teaching.constructions import construction
        from abnforge.teaching.pictures.automata import label

        steps = construction(rule)
        classes = [f"[{escape(label(each))}]" for each in steps.classes]
        yield self.style.strong(
            f"1. nondeterministic automaton of {rule.name}: {counted(len(steps.nfa), 'state')}"
        )
        states = [
            [_state(str(number), number in steps.accepting), *map(_targets, row)]
            for number, row in enumerate(steps.nfa)
        ]
        yield from aligned([["", *classes], *states])
        yield ""
        yield self.style.strong(f"2. subset construction: {counted(len(steps.subsets), 'state')}")
        subsets = [
            [_state(_name(number), steps.accepts(number)), _set(each), *map(_target, row)]
            for number, (each, row) in enumerate(zip(steps.subsets, steps.rows, strict=True))
        ]
        yield from aligned([["", "states of 1", *classes], *subsets])
        yield ""
        yield self.style.strong(f"3. minimization: {counted(len(steps.rounds[-1]), 'state')}")
        yield from _minimization(steps)


def _minimization(steps: Construction) -> Iterator[str]:
    for number, blocks in enumerate(steps.rounds):
        shown = "  ".join("{" + " ".join(map(_name, block)) + "}" for block in blocks)
        yield f"round {number}: {shown}"


def _name(subset: int) -> str:
    """Return ``A``, ..., ``Z``, ``A1``, ... for a subset."""
    rest, letter = divmod(subset, 26)
    return chr(ord("A") + letter) + (str(rest) if rest else "")


def _targets(states: Sequence[int]) -> str:
    return " ".join(map(str, states)) or "-"


def _target(subset: int) -> str:
    return "-" if subset < 0 else _name(subset)


def _set(states: Sequence[int]) -> str:
    return "{" + " ".join(map(str, states)) + "}"


def _state(name: str, accepting: bool) -> str:
    """Return the name of a state; ``*`` marks accepting states, and ``>`` the start."""
    return f"{'>' if name in ('0', 'A') else ' '}{'*' if accepting else ' '} {name}"


class _StringReport(LineReport["tuple[Rule, str]"]):
    """Base of the constructions of a rule and a string."""

    wraps = False


class RuleDerivatives(_StringReport):
    """The derivatives of a rule along a string."""

    def lines(self, value: tuple[Rule, str]) -> Iterator[str]:
        from abnforge.teaching.constructions import derivatives

        rule, text = value
        steps = derivatives(rule, text)
        rows = [("read", "nullable", "derivative")]
        for step in steps:
            first, *others = _terms(step)
            rows.append(("" if step.char is None else quoted(step.char), _yes(step.nullable), first))
            rows += [("", "", each) for each in others]
        yield from aligned([(head, nullable, escape(term)) for head, nullable, term in rows])


def _terms(step: Derivative) -> list[str]:
    """Return the lines of a derivative: one if it is short, else one for each term."""
    if len(step.expression) <= COLUMNS - 20:
        return [step.expression or "no string continues"]
    return [f"{'/ ' if number else ''}{term}" for number, term in enumerate(step.terms)]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


class _Stages(LineReport["Rule"]):
    """Base of the constructions by stages; ``>`` marks the rules that a stage changes."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        before: Productions | None = None
        for number, stage in enumerate(self.stages(rule), 1):
            if before is not None:
                yield ""
            yield self.style.strong(f"{number}. {escape(stage.title)}")
            yield from _grammar_lines(stage.grammar, before)
            before = stage.grammar

    def stages(self, rule: Rule) -> list[Stage]:
        """Return the stages."""
        raise NotImplementedError


def _grammar_lines(grammar: Productions, before: Productions | None) -> Iterator[str]:
    for name in grammar.defined:
        text = print_rule(grammar.definition(name))
        changed = before is not None and before.rules.get(name) != grammar.rules[name]
        for number, line in enumerate(text.split("\n")):
            yield f"{'>' if changed and not number else ' '} {escape(line)}"


class RuleNormalForm(_Stages):
    """The stages to Chomsky normal form."""

    def stages(self, rule: Rule) -> list[Stage]:
        from abnforge.teaching.normal_forms import normal_form

        return normal_form(rule)


class RuleWithoutLeftRecursion(_Stages):
    """The stages to a grammar without left recursion."""

    def stages(self, rule: Rule) -> list[Stage]:
        from abnforge.teaching.normal_forms import without_left_recursion

        return without_left_recursion(rule)


class RuleSpans(_StringReport):
    """The table of Cocke, Younger and Kasami of a string; ``*`` marks the cells of one derivation."""

    def lines(self, value: tuple[Rule, str]) -> Iterator[str]:
        from abnforge.teaching.normal_forms import cyk

        table = cyk(*value)
        if table.grammar.defined:
            yield from _grammar_lines(table.grammar, None)
            yield ""
        verdict = "matches" if table.matches else "does not match"
        yield self.style.strong(f"{quoted(table.text)} {verdict} {escape(table.rule.name)}")
        lines = list(aligned(_pyramid(table))) if table.text else []
        if lines:
            yield from lines if max(map(len, lines)) <= COLUMNS else aligned(_spans(table))


def _pyramid(table: SpanTable) -> Iterator[list[str]]:
    """Yield the rows of the table, the longest substrings first, and the string."""
    size = len(table.text)
    for length in range(size, 0, -1):
        cells = [_cell(table, start, length) or ["-"] for start in range(size - length + 1)]
        names = zip_longest(*cells, *[[""]] * (length - 1), fillvalue="")
        for number, row in enumerate(names):
            yield ["" if number else f"length {length}", *row]
    yield ["", *map(quoted, table.text)]
    yield ["offset", *map(str, range(size))]


def _spans(table: SpanTable) -> Iterator[list[str]]:
    """Yield a row for each substring that rules derive, the shortest first."""
    for length, row in enumerate(table.cells, 1):
        for start, cell in enumerate(row):
            if cell:
                text = table.text[start : start + length]
                yield [f"{start}-{start + length}", quoted(text), " ".join(_cell(table, start, length))]


def _cell(table: SpanTable, start: int, length: int) -> list[str]:
    names = table.cells[length - 1][start]
    return [f"{name}{'*' if (start, length, name) in table.used else ''}" for name in names]


class RuleConstructions(JsonLines):
    """All constructions of a rule, and of a string."""

    def objects(self, value: tuple[Rule, str | None]) -> Iterator[Any]:
        from abnforge.teaching.constructions import constructions_data

        yield constructions_data(*value)


class RulePage(ResultReport["tuple[Rule, str | None]"]):
    """A page of all constructions of a rule, and of a string."""

    is_file = True

    def add(self, value: tuple[Rule, str | None]) -> None:
        from abnforge.teaching.pictures.constructions import constructions_page

        for piece in constructions_page(*value):
            self.write(piece)
