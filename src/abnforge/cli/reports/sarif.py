"""Reports that build servers read: GitHub's workflow commands, SARIF and JUnit.

Each is a format with its own way to misread text as markup, so every string is first made printable
(``text.escape``) and then quoted for the format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import quote
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from abnforge.cli.common.inputs import ARGUMENT, STDIN
from abnforge.cli.common.judge import Outcome
from abnforge.cli.common.output import PLAIN, dumps
from abnforge.cli.reports.rejection import finding, specification, suggested
from abnforge.cli.reports.text import Report, Write
from abnforge.text import escape

CODES = {
    "rejected": "A string that the grammar's rule does not derive",
    "not-utf-8": "A line whose bytes are not UTF-8",
    "line-too-long": "A line longer than the limit set",
}

SPOOL_BYTES = 1 << 20  # JUnit wants totals first; longer reports wait in a temporary file, not in memory
NAME_COLUMNS = 120  # a test case's name is shown in lists


def is_file(source: str) -> bool:
    """Whether an input has a place in the file system."""
    return source not in (STDIN, ARGUMENT)


def summary(outcome: Outcome) -> str:
    """The message on one line, and the nearest valid string if one is known."""
    message = escape(outcome.message)
    if outcome.rejection is not None and outcome.rejection.suggestion is not None:
        message += f"; did you mean {suggested(outcome.rejection.suggestion)}"
    return message


class GithubReport(Report):
    """``::error file=...,line=...,col=...::message``, which GitHub shows beside the line."""

    def add(self, outcome: Outcome) -> None:
        if outcome.valid:
            return
        start, end = outcome.blamed
        properties: dict[str, str | int] = (
            {"file": outcome.record.source} if is_file(outcome.record.source) else {}
        )
        properties |= {"line": outcome.record.line, "col": start + 1}
        if end > start + 1:
            properties["endColumn"] = end
        properties["title"] = f"Not valid: {outcome.target.rule} ({specification(outcome.target.grammar)})"
        self.write(workflow_command("error", properties, summary(outcome)))


def workflow_command(level: str, properties: Mapping[str, str | int], message: str) -> str:
    """One of GitHub's workflow commands, as a line. ``level`` is ``error``, ``warning`` or ``notice``."""
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class SarifReport(Report):
    """SARIF 2.1.0 (OASIS), one run. Columns count code points."""

    separator = ""

    def begin(self) -> None:
        rules = [{"id": code, "shortDescription": {"text": text}} for code, text in CODES.items()]
        self.write(sarif_head(rules))

    def add(self, outcome: Outcome) -> None:
        if outcome.valid:
            return
        self.write(f"{self.separator}\n{dumps(_sarif_result(outcome))}")
        self.separator = ","

    def finish(self) -> None:
        self.write(SARIF_END)


SARIF_END = "\n]}]}\n"


def sarif_head(rules: Sequence[Mapping[str, Any]]) -> str:
    """The beginning of a SARIF log with one run, up to its results; ``SARIF_END`` closes it."""
    driver = {"name": "abnforge", "rules": rules}
    return (
        '{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n'
        f'"runs": [{{"tool": {dumps({"driver": driver})}, "columnKind": "unicodeCodePoints",\n'
        '"results": ['
    )


def _sarif_result(outcome: Outcome) -> dict[str, Any]:
    source = outcome.record.source
    start, end = outcome.blamed
    region = {**_region(outcome, start, end), "snippet": {"text": outcome.shown}}
    location: dict[str, Any] = {"region": region}
    if is_file(source):
        location = {"artifactLocation": {"uri": file_uri(source)}, **location}
    else:
        location = {"artifactLocation": {"description": sarif_message(source)}, **location}
    result: dict[str, Any] = {
        "ruleId": outcome.code,
        "ruleIndex": list(CODES).index(outcome.code),
        "level": "error",
        "message": sarif_message(summary(outcome)),
        "locations": [{"physicalLocation": location}],
        "properties": {"grammar": outcome.target.grammar, "rule": outcome.target.rule},
    }
    if outcome.rejection is not None and outcome.rejection.suggestion is not None and is_file(source):
        suggestion = outcome.rejection.suggestion
        replacements = [
            {"deletedRegion": _region(outcome, e.start, e.end), "insertedContent": {"text": e.text}}
            for e in suggestion.edits
        ]
        change = {"artifactLocation": {"uri": file_uri(source)}, "replacements": replacements}
        result["fixes"] = [
            {"description": sarif_message(escape(suggestion.text)), "artifactChanges": [change]},
        ]
    return result


def _region(outcome: Outcome, start: int, end: int) -> dict[str, Any]:
    return {"startLine": outcome.record.line, "startColumn": start + 1, "endColumn": end + 1}


def sarif_message(text: str) -> dict[str, str]:
    """A SARIF message; braces would be placeholders (section 3.11.5) and are doubled."""
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def file_uri(source: str) -> str:
    """A path as a URI reference (RFC 3986): relative paths stay relative."""
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    # A first segment with a colon would read as a scheme (RFC 3986, 4.2); quote() encodes it.
    return quote(path.as_posix().encode("utf-8", "surrogateescape"))


class JunitReport(Report):
    """JUnit's XML: one test case an outcome; a rejected string fails, an unreadable line is an error."""

    def __init__(self, write: Write) -> None:
        super().__init__(write)
        self.cases: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by finish
            max_size=SPOOL_BYTES, mode="w+", encoding="ascii"
        )
        self.total = self.failures = self.errors = 0

    def add(self, outcome: Outcome) -> None:
        self.total += 1
        record = outcome.record
        name = f"line {record.line}: {escape(outcome.shown[:NAME_COLUMNS])}"
        head = f"  <testcase classname={_attribute(record.source)} name={_attribute(name)}"
        if outcome.valid:
            self.cases.write(head + "/>\n")
            return
        element = "failure" if outcome.code == "rejected" else "error"
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
