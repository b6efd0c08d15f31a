"""Several implementations in text, Markdown and HTML."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.cli.common.grammar_results import ConformanceResult, MatrixResult
from abnforge.cli.output.matrix import counts, head, title, why
from abnforge.conformance import run_all
from abnforge.conformance.running import Known, Triage
from tests.cli.command import Seen
from tests.cli.output.outcomes import written

PORT = abnforge.loads("port = 1*3DIGIT\n", name="own")["port"]
MATRIX = run_all(PORT, {"any|<b>": lambda text: True, "\x1b": lambda text: text in ("1", "\x1b")}, "quick")
RESULTS = [
    ConformanceResult(report, Triage((), ((report.deviations[0], "so"),), (Known("1", True, "old"),)), name)
    for name, report in MATRIX.reports.items()
]


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_formats(name: str, seen: Seen) -> None:
    if name == "html":
        pytest.importorskip("jinja2")
    output = written("matrix", name, MatrixResult(MATRIX, RESULTS, 1))
    assert "\x1b" not in output
    if name != "html":  # the style sheet is tested elsewhere
        seen(output)
    else:
        assert "<b>" not in output.partition("<main>")[2]
        assert output.count("<section>") == 2 + len(MATRIX.clusters)


def test_parts() -> None:
    assert counts(MATRIX)[0][1] == ""
    assert title(MATRIX) == "Conformance to own:port"
    cluster = MATRIX.clusters[0]
    assert head(cluster).startswith(str(cluster))
    assert why(cluster.deviations[0]).endswith(f"[{cluster.deviations[0].code}]")
