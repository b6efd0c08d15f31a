"""The last line of a run."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.validation import Tally
from abnforge.cli.output import totals
from abnforge.comparison.grammars import differences
from tests.cli.command import Seen
from tests.cli.output.outcomes import ALL, REJECTED, VALID


@pytest.mark.parametrize(
    ("outcomes", "limit", "skipped", "suspect", "line"),
    [
        ((), None, 0, None, "0 lines, 0 rejected"),
        ((VALID,), None, 0, None, "1 line, 0 rejected"),
        (ALL, None, 996, None, "1,000 lines, 3 rejected"),
        ((REJECTED, VALID), 1, 0, None, "1 line, 1 rejected (stopped after 1: --max-errors)"),
        ((VALID,), None, 1, 0, "2 lines, 0 rejected, 0 valid with warnings"),
    ],
)
def test_checked(
    outcomes: tuple[Outcome, ...], limit: int | None, skipped: int, suspect: int | None, line: str
) -> None:
    tally = Tally(limit)
    list(tally.count(outcomes))
    assert totals.checked(tally, skipped, suspect) == line
    assert totals.checked(tally, skipped, suspect, "file") == line.replace("line", "file")


def test_counts_of_one_and_many(seen: Seen) -> None:
    assert [totals.scanned(n) for n in (0, 1, 1000)] == ["0 URIs found", "1 URI found", "1,000 URIs found"]
    editions = ("rfc2396", "rfc3986")
    seen(totals.compared(1, 0, editions))
    seen(totals.compared(2, 1, editions))


def test_linted(seen: Seen) -> None:
    findings = abnforge.lint(
        'a = *( *DIGIT )\nb = %s"u" / "v" ; abnforge: allow case-insensitive-literal (so)\nc = "w"\n'
    )
    seen(totals.linted(findings, 0))
    assert totals.linted([f for f in findings if f.accepted is None], 1) == totals.linted(findings, 0)
    assert totals.linted([], 0) == "0 findings"


def test_differing() -> None:
    a, b = abnforge.loads('a = "x"\nb = "y"\n'), abnforge.loads('a = "x"\nb = "z"\n')
    assert totals.differing(differences(a, b)) == "2 rules: 1 disjoint, 1 equal"
    assert totals.differing(differences(a, b, rules=("a", None))) == "1 rule: 1 equal"
