"""Drawing what an implementation does otherwise than a rule, for a terminal; and all of it as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abnforge.cli.common.conformed import Conformed
from abnforge.cli.common.output import Style, dumps
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import drawing, rule_path
from abnforge.text import citation, escape

if TYPE_CHECKING:
    from abnforge.conformance.deviations import Deviation


def deviation_code(deviation: Deviation) -> str:
    """What a deviation is known by: the code of the rejection, or that a valid string is refused."""
    return deviation.code or "refused"


def deviation_head(deviation: Deviation) -> str:
    """What is wrong, in a sentence."""
    said = "rejected" if deviation.valid else "accepted"
    more = f" (and {deviation.count - 1:,} more)" if deviation.count > 1 else ""
    return f"{said}{more}: {escape(deviation.reason)}"


def deviation_lines(deviation: Deviation, style: Style) -> Iterator[str]:
    """What is wrong, the string with the place underlined, and the rules there."""
    yield f"{style.error(deviation_head(deviation))} {style.faint(f'[{escape(deviation_code(deviation))}]')}"
    end = min(deviation.offset + 1, len(deviation.text))
    yield from drawing(deviation.text, min(deviation.offset, end), end, style)
    where = rule_path(deviation.rule_path)
    if deviation.section is not None:
        where += f"; {escape(citation(deviation.rule.grammar.name, deviation.section))}"
    yield f"  {'rule':<9}{where}"
    if deviation.error is not None:
        yield f"  {'said':<9}{escape(deviation.error)}"


class ConformedText(Report[Conformed]):
    """Each deviation with its shortest string, what is accepted and what is refused apart; then the sum."""

    def add(self, conformed: Conformed) -> None:
        report = conformed.report
        for title, deviations in conformed.kinds:
            if not deviations:
                continue
            causes = "1 cause" if len(deviations) == 1 else f"{len(deviations):,} causes"
            self._line(self.style.strong(f"{title}: {causes}"))
            for each in deviations[: conformed.most]:
                for line in deviation_lines(each, self.style):
                    self._line("  " + line)
            if conformed.most is not None and len(deviations) > conformed.most:
                self._line(f"  {len(deviations) - conformed.most:,} more; use --all or --format json")
        for deviation, reason in conformed.sorted.accepted:
            self._line(f'known: "{escape(deviation.text)}" {self.style.faint(f"({escape(reason)})")}')
        for known in conformed.sorted.vanished:
            self._line(
                f'vanished: "{escape(known.text)}" no longer deviates; remove the known deviation '
                f"({escape(known.reason)})"
            )
        proof = report.proof
        if proof is not None and proof.equal and report.passed:
            self._line(self.style.good(escape(f"proved {proof}")))
        elif report.passed:
            said = f"passed: {report.tried:,} strings agree with {escape(report.suite.rule.name)}"
            self._line(self.style.good(said))
            self._line(escape(report.guarantee))

    def _line(self, text: str) -> None:
        self.write(text + "\n")


class ConformedJson(Report[Conformed]):
    """One object."""

    def add(self, conformed: Conformed) -> None:
        self.write(dumps(conformed.to_dict()) + "\n")
