"""Several implementations of a rule, compared: as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from abnforge.cli.common.output import aligned
from abnforge.cli.output.codes import code, plain
from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.cli.output.pages import render
from abnforge.cli.output.totals import counted
from abnforge.text import escape, quoted

if TYPE_CHECKING:
    from abnforge.cli.common.grammar_results import ConformanceResult, MatrixResult
    from abnforge.conformance.causes import Deviation
    from abnforge.conformance.matrix import Cluster, Matrix


def head(cluster: Cluster) -> str:
    """Return the verdicts on a cluster, and its size."""
    causes = counted(len(cluster.deviations), "cause")
    return f"{cluster}: {counted(cluster.count, 'string')}, {causes}"


def why(item: Deviation) -> str:
    """Return the reason of the rule's verdict, with its code."""
    return item.reason if item.code is None else f"{item.reason} [{item.code}]"


def counts(matrix: Matrix) -> list[list[str]]:
    """Return on how many strings each implementation differs from the rule, and from each other one."""
    return [
        [
            f"{matrix.differing(name):,}",
            *("" if other == name else f"{matrix.differing(name, other):,}" for other in matrix.names),
        ]
        for name in matrix.names
    ]


class MatrixText(LineReport["MatrixResult"]):
    """The number of strings that separate two, and the clusters; then known and vanished deviations."""

    def lines(self, result: MatrixResult) -> Iterator[str]:
        matrix = result.matrix
        rule = matrix.suite.rule.name
        if matrix.passed:
            yield self.style.good(
                f"passed: the verdicts of {', '.join(map(escape, matrix.names))} agree with {escape(rule)}"
            )
            yield escape(matrix.suite.guarantee)
        else:
            yield self.style.strong("strings on which two differ")
            numbers = [str(number) for number in range(1, len(matrix.names) + 1)]
            names = [f"{number} {escape(name)}" for number, name in zip(numbers, matrix.names, strict=True)]
            body = [[name, *row] for name, row in zip(names, counts(matrix), strict=True)]
            yield from aligned([["", escape(rule), *numbers], *body], numbers=True)
        for cluster in matrix.clusters:
            yield ""
            yield self.style.strong(head(cluster))
            for each in cluster.deviations[: result.most]:
                more = f" (and {each.count - 1:,} more)" if each.count > 1 else ""
                yield f"  {quoted(each.text)}{more}: {escape(why(each))}"
            if result.most is not None and len(cluster.deviations) > result.most:
                yield f"  {len(cluster.deviations) - result.most:,} more; use --all or --format json"
        for conformed in result.results:
            name = escape(conformed.name)
            for deviation, reason in conformed.sorted.accepted:
                yield f"known: {name}: {quoted(deviation.text)} ({escape(reason)})"
            for vanished in conformed.sorted.vanished:
                advice = f"no longer deviates; remove the known deviation ({escape(vanished.reason)})"
                yield f"vanished: {name}: {quoted(vanished.text)} {advice}"


class MatrixTable(LineReport["MatrixResult"]):
    """Markdown tables: the implementations, the pairs, and each cluster."""

    wraps = False
    is_file = True

    def lines(self, result: MatrixResult) -> Iterator[str]:
        matrix = result.matrix
        rule = matrix.suite.rule
        yield f"# {plain(title(matrix))}"
        yield ""
        yield from _markdown(
            ["implementation", "strings", "differ", "causes", "known"],
            [[plain(each.name), *_totals(each)] for each in result.results],
        )
        if len(matrix.names) > 1:
            yield from ("", "## Strings on which two differ", "")
            body = [[plain(name), *row] for name, row in zip(matrix.names, counts(matrix), strict=True)]
            yield from _markdown(["", code(rule.name), *map(plain, matrix.names)], body)
        for cluster in matrix.clusters:
            yield from ("", f"## {plain(head(cluster))}", "")
            shown = cluster.deviations[: result.most]
            rows = [[code(each.text), f"{each.count:,}", plain(why(each))] for each in shown]
            yield from _markdown(["string", "strings", "verdict of the rule"], rows)
            if len(shown) < len(cluster.deviations):
                yield from ("", f"{len(cluster.deviations) - len(shown):,} more causes")


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def title(matrix: Matrix) -> str:
    """Return the title of a report."""
    rule = matrix.suite.rule
    return f"Conformance to {rule.grammar.name}:{rule.name}"


def _totals(result: ConformanceResult) -> list[str]:
    report = result.report
    numbers = (report.tried, report.differing, len(report.deviations), len(result.sorted.accepted))
    return [f"{number:,}" for number in numbers]


class MatrixPage(ResultReport["MatrixResult"]):
    """A page: the implementations, the pairs, and each cluster."""

    is_file = True

    def add(self, result: MatrixResult) -> None:
        matrix = result.matrix
        for text in render(
            "matrix",
            title=title(matrix),
            guarantee=matrix.suite.guarantee,
            rule=matrix.suite.rule.name,
            implementations=[(each.name, _totals(each)) for each in result.results],
            names=matrix.names,
            pairs=list(zip(matrix.names, counts(matrix), strict=True)),
            clusters=[(head(each), each.deviations[: result.most], each) for each in matrix.clusters],
            why=why,
        ):
            self.write(text)
