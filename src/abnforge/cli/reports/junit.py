"""JUnit's XML. Every string is first made printable (``text.escape``) and then quoted for XML."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, TypeVar
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from abnforge.cli.common.conformed import Conformed
from abnforge.cli.common.examples import LISTED, PASSED, UNDECIDED, Told
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.conformed import deviation_code, deviation_head, deviation_lines
from abnforge.cli.reports.examples import example_lines
from abnforge.cli.reports.rejection import finding, summary
from abnforge.text import escape

SPOOL_BYTES = 1 << 20  # totals come first; longer reports wait in a temporary file, not in memory
NAME_COLUMNS = 120  # a test case's name is shown in lists


T = TypeVar("T")


class Junit(Report[T]):
    """A suite of test cases, which :meth:`put` is given."""

    suite = "abnforge"

    def begin(self) -> None:
        self.cases: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by finish
            max_size=SPOOL_BYTES, mode="w+", encoding="ascii"
        )
        self.counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)

    def put(self, group: str, name: str, problem: tuple[str, str, str, str] | None = None) -> None:
        """One test case; ``problem`` is ``failure`` or ``error`` with its type, message and text, or
        ``skipped`` with three empty ones.
        """
        self.counts["tests"] += 1
        head = f"  <testcase classname={_attribute(group)} name={_attribute(name)}"
        if problem is None:
            self.cases.write(head + "/>\n")
            return
        element, kind, message, body = problem
        self.counts[element if element == "skipped" else f"{element}s"] += 1
        inside = (
            f"<{element} type={_attribute(kind)} message={_attribute(message)}>{_xml(body)}</{element}>"
            if element != "skipped"
            else "<skipped/>"
        )
        self.cases.write(f"{head}>\n    {inside}\n  </testcase>\n")

    def finish(self) -> None:
        counts = " ".join(self._counts())
        self.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self.write(f'<testsuites {counts}>\n<testsuite name="{self.suite}" {counts}>\n')
        with self.cases:
            self.cases.seek(0)
            for line in self.cases:
                self.write(line)
        self.write("</testsuite>\n</testsuites>\n")

    def _counts(self) -> Iterator[str]:
        """The totals; that of skipped cases only if there are any."""
        return (f'{name}="{n}"' for name, n in self.counts.items() if n or name != "skipped")


class OutcomeJunit(Junit[Outcome]):
    """JUnit's XML: one test case an outcome; a rejected string fails, an unreadable line is an error."""

    suite = "abnforge check"

    def add(self, outcome: Outcome) -> None:
        record = outcome.record
        where = "file" if record.whole else f"line {record.line}"
        name = f"{where}: {escape(outcome.shown[:NAME_COLUMNS])}"
        if outcome.valid:
            self.put(record.source, name)
            return
        element = "failure" if outcome.rejection is not None else "error"
        self.put(record.source, name, (element, outcome.code, summary(outcome), finding(outcome, PLAIN)))


class ExampleJunit(Junit[Told]):
    """One test case an example; one that could not be decided is an error, one that was not tried skipped."""

    suite = "abnforge grammar test"

    def add(self, told: Told) -> None:
        name = f"{told.line}:{told.column} {told.name}"
        if told.status == PASSED:
            self.put(told.path, name)
        elif told.status == LISTED:
            self.put(told.path, name, ("skipped", "", "", ""))
        else:
            element = "error" if told.status == UNDECIDED else "failure"
            body = "\n".join(example_lines(told, PLAIN))
            self.put(told.path, name, (element, told.code or told.status, told.message, body))


class ConformedJunit(Junit[Conformed]):
    """A test case a cause, which fails; known ones are skipped; and one for all that is answered rightly."""

    suite = "abnforge grammar conform"

    def add(self, conformed: Conformed) -> None:
        report = conformed.report
        group = f"{report.suite.rule.grammar.name}:{report.suite.rule.name}"
        self.put(group, f"{report.tried - report.differing} strings agree with the rule")
        for each in conformed.sorted.new:
            body = "\n".join(deviation_lines(each, PLAIN))
            self.put(group, each.text, ("failure", deviation_code(each), deviation_head(each), body))
        for each, _ in conformed.sorted.accepted:
            self.put(group, each.text, ("skipped", "", "", ""))


def _attribute(text: str) -> str:
    return _ascii(quoteattr(escape(text)))


def _xml(text: str) -> str:
    """Lines of text as XML content; what XML cannot hold is already escaped visibly."""
    return _ascii(xml_escape("\n".join(map(escape, text.split("\n")))))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
