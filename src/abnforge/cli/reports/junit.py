"""JUnit's XML. Every string is first made printable (``drawing.escape``) and then quoted for XML."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import finding, summary
from abnforge.drawing import escape

SPOOL_BYTES = 1 << 20  # totals come first; longer reports wait in a temporary file, not in memory
NAME_COLUMNS = 120  # a test case's name is shown in lists


class OutcomeJunit(Report[Outcome]):
    """JUnit's XML: one test case an outcome; a rejected string fails, an unreadable line is an error."""

    def begin(self) -> None:
        self.cases: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by finish
            max_size=SPOOL_BYTES, mode="w+", encoding="ascii"
        )
        self.total = self.failures = self.errors = 0

    def add(self, outcome: Outcome) -> None:
        self.total += 1
        record = outcome.record
        where = "file" if record.whole else f"line {record.line}"
        name = f"{where}: {escape(outcome.shown[:NAME_COLUMNS])}"
        head = f"  <testcase classname={_attribute(record.source)} name={_attribute(name)}"
        if outcome.valid:
            self.cases.write(head + "/>\n")
            return
        element = "failure" if outcome.rejection is not None else "error"
        self.failures += element == "failure"
        self.errors += element == "error"
        self.cases.write(
            f"{head}>\n    <{element} type={_attribute(outcome.code)} message={_attribute(summary(outcome))}>"
            f"{_xml(finding(outcome, PLAIN))}</{element}>\n  </testcase>\n"
        )

    def finish(self) -> None:
        counts = f'tests="{self.total}" failures="{self.failures}" errors="{self.errors}"'
        self.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self.write(f'<testsuites {counts}>\n<testsuite name="abnforge check" {counts}>\n')
        with self.cases:
            self.cases.seek(0)
            for line in self.cases:
                self.write(line)
        self.write("</testsuite>\n</testsuites>\n")


def _attribute(text: str) -> str:
    return _ascii(quoteattr(escape(text)))


def _xml(text: str) -> str:
    """Lines of text as XML content; what XML cannot hold is already escaped visibly."""
    return _ascii(xml_escape("\n".join(map(escape, text.split("\n")))))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
