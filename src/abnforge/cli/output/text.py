"""Diagnostics as text, and the totals of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from abnforge.cli.common.grammar_results import (
    FAILED,
    LISTED,
    MISSING,
    PASSED,
    UNDECIDED,
    ExampleOutcome,
    numbered,
)
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.output import diagnostic
from abnforge.cli.output.formats import LineReport
from abnforge.cli.output.rejection import described
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.cli.common.grammar_results import ConformanceResult
    from abnforge.linting.finding import Finding, Linted

FINDINGS_OF_A_KIND = 20  # findings shown of each kind; further ones are only counted


class OutcomeText(LineReport[Outcome]):
    """``file:line:column: message``, the line with a caret, the reason; or warnings about a valid string."""

    shows_warnings = True

    def lines(self, outcome: Outcome) -> Iterator[str]:
        for each in diagnostic.warnings(outcome) if outcome.valid else diagnostic.outcomes(outcome):
            yield from each.lines(self.style)
        if outcome.valid and not outcome.security:
            record = outcome.record
            place = "" if record.whole else f"{escape(record.source)}:{record.line}: "
            yield place + described(outcome, self.style)


class ExplanationText(LineReport[Outcome]):
    """Full explanations of rejections."""

    spaced = True

    def lines(self, outcome: Outcome) -> Iterable[str]:
        return (described(outcome, self.style),)


class FindingText(LineReport["Linted"]):
    """Each finding with its line underlined; unless ``full``, only a few of a kind for each grammar."""

    def lines(self, linted: Linted) -> Iterator[str]:
        counts: Counter[str] = Counter()
        last: dict[str, Finding] = {}
        for finding in linted.findings:
            counts[finding.code] += 1
            last[finding.code] = finding
            if self.full or counts[finding.code] <= FINDINGS_OF_A_KIND:
                yield from diagnostic.finding(finding).lines(self.style)
        for code, finding in {} if self.full else last.items():
            if count := max(0, counts[code] - FINDINGS_OF_A_KIND):
                more = f"{count:,} more finding{'s' * (count != 1)} [{code} {finding.name}]"
                yield f"{self.style.strong(f'{escape(finding.path)}:')} {more}; use --all or --format json"


class ExampleText(LineReport[ExampleOutcome]):
    """Each example that did not pass, with its position; then the number of examples of each rule."""

    def begin(self) -> None:
        self.rules: dict[tuple[str, str], list[ExampleOutcome]] = {}

    def lines(self, outcome: ExampleOutcome) -> Iterator[str]:
        if outcome.status == LISTED:
            note = "" if outcome.note is None else f"  ({escape(outcome.note)})"
            place = self.style.strong(diagnostic.location(outcome.path, outcome.line, outcome.column))
            yield f"{place}: {escape(outcome.name)}{self.style.faint(note)}"
            return
        self.rules.setdefault((outcome.path, outcome.rule), []).append(outcome)
        if outcome.status != PASSED:
            for each in diagnostic.examples(outcome):
                yield from each.lines(self.style)

    def finish(self) -> None:
        columns = max((len(rule) for _, rule in self.rules), default=0)
        several = len({path for path, _ in self.rules}) > 1
        for (path, rule), outcomes in self.rules.items():
            tried = [each for each in outcomes if each.status != MISSING]
            matches = sum(each.valid is True for each in tried)
            parts = [
                numbered(matches, "match", "matches"),
                numbered(len(tried) - matches, "non-match", "non-matches"),
            ]
            for status, name in ((FAILED, FAILED), (UNDECIDED, "not decided")):
                if number := sum(each.status == status for each in tried):
                    parts.append(self.style.error(f"{number:,} {name}"))
            line = f"{escape(path)}  " if several else ""
            self.write(f"{line}{rule.ljust(columns)}  {', '.join(parts)}\n")


class ConformedText(LineReport["ConformanceResult"]):
    """Each deviation with its shortest string, by kind; then the total."""

    def lines(self, conformed: ConformanceResult) -> Iterator[str]:
        report = conformed.report
        for title, deviations in conformed.kinds:
            if not deviations:
                continue
            causes = "1 cause" if len(deviations) == 1 else f"{len(deviations):,} causes"
            yield self.style.strong(f"{title}: {causes}")
            for each in deviations[: conformed.most]:
                for line in diagnostic.deviation(each).lines(self.style):
                    yield f"  {line}"
            if conformed.most is not None and len(deviations) > conformed.most:
                yield f"  {len(deviations) - conformed.most:,} more; use --all or --format json"
        for deviation, reason in conformed.sorted.accepted:
            yield f'known: "{escape(deviation.text)}" {self.style.faint(f"({escape(reason)})")}'
        for vanished in conformed.sorted.vanished:
            advice = "no longer deviates; remove the known deviation"
            yield f'vanished: "{escape(vanished.text)}" {advice} ({escape(vanished.reason)})'
        if report.proof is not None and report.proof.equal and report.passed:
            yield self.style.good(escape(f"proved {report.proof}"))
        elif report.passed:
            rule = escape(report.suite.rule.name)
            yield self.style.good(f"passed: {report.tried:,} strings agree with {rule}")
            yield escape(report.guarantee)
