"""Formats for continuous integration: GitHub workflow commands, JUnit XML, and SARIF.

Every string is first made printable (``text.escape``) and then quoted, so that none is parsed as a command or
markup.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import quote
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from abnforge.cli.common.output import dumps
from abnforge.cli.output.diagnostic import (
    ERROR,
    FAILED,
    NOTE,
    PASSED,
    SKIPPED,
    SOURCES,
    Diagnostic,
    Help,
    Place,
)
from abnforge.cli.output.formats import ResultReport
from abnforge.text import escape

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


class Github(ResultReport[Any]):
    """One command per failure; accepted failures are notices."""

    def add(self, value: Any) -> None:
        for each in SOURCES[self.kind].diagnose(value):
            if each.accepted is not None or each.status not in (PASSED, SKIPPED):
                self.write(_command(each))


def _command(diagnostic: Diagnostic) -> str:
    properties: dict[str, Any] = {"file": diagnostic.path} if diagnostic.is_file else {}
    if diagnostic.place is not None:
        line, column, end_line, end_column = diagnostic.place
        properties["line"] = line
        if end_line:
            properties["endLine"] = end_line
        properties["col"] = column
        # GitHub allows columns only within one line; its last column is inclusive.
        if end_line in (0, line) and end_column > column + 1:
            properties["endColumn"] = end_column - 1
    properties["title"] = diagnostic.title
    level = _LEVELS[diagnostic.severity] if diagnostic.accepted is None else "notice"
    return workflow_command(level, properties, diagnostic.summary)


def workflow_command(level: str, properties: dict[str, Any], message: str) -> str:
    """Return a GitHub workflow command as a line. ``level`` is ``error``, ``warning`` or ``notice``."""
    shown = ",".join(f"{key}={_property(escape(str(value)))}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(escape(message))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SPOOL_BYTES = 1 << 20  # totals precede the cases, so longer reports wait in a temporary file


class Junit(ResultReport[Any]):
    """A test case for each result. A failure contains the result as text."""

    def begin(self) -> None:
        self.cases: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by finish
            max_size=SPOOL_BYTES, mode="w+", encoding="ascii"
        )
        self.counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)

    def add(self, value: Any) -> None:
        for each in SOURCES[self.kind].diagnose(value):
            if each.status == NOTE:
                continue
            self.counts["tests"] += 1
            head = f"  <testcase classname={_attribute(each.group)} name={_attribute(each.name)}"
            if each.status == PASSED:
                self.cases.write(f"{head}/>\n")
            elif each.status == SKIPPED:
                self.counts["skipped"] += 1
                self.cases.write(f"{head}>\n    <skipped/>\n  </testcase>\n")
            else:
                tag = "failure" if each.status == FAILED else "error"
                self.counts[f"{tag}s"] += 1
                attributes = f"type={_attribute(each.code)} message={_attribute(each.summary)}"
                content = _ascii(xml_escape("\n".join(map(escape, each.lines()))))
                self.cases.write(f"{head}>\n    <{tag} {attributes}>{content}</{tag}>\n  </testcase>\n")

    def finish(self) -> None:
        counts = " ".join(f'{name}="{self.counts[name]}"' for name in ("tests", "failures", "errors"))
        skipped = f' skipped="{self.counts["skipped"]}"' if self.counts["skipped"] else ""
        self.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n')
        self.write(f'<testsuite name="{SOURCES[self.kind].suite}" {counts}{skipped}>\n')
        with self.cases:
            self.cases.seek(0)
            for line in self.cases:
                self.write(line)
        self.write("</testsuite>\n</testsuites>\n")


def _attribute(text: str) -> str:
    return _ascii(quoteattr(escape(text)))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


# SARIF 2.1.0 (OASIS). Columns count code points.

_SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


class Sarif(ResultReport[Any]):
    """A log with one run: a result for each failure, and the accepted ones suppressed (section 3.35).

    The codes of the results are written after them, when they are known.
    """

    separator = ""

    def begin(self) -> None:
        self.codes = dict(SOURCES[self.kind].codes())
        self.write(
            '{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n'
            '"runs": [{"columnKind": "unicodeCodePoints",\n'
            '"results": ['
        )
        self.numbers = {code: number for number, code in enumerate(self.codes)}

    def add(self, value: Any) -> None:
        for each in SOURCES[self.kind].diagnose(value):
            if each.accepted is not None or each.status in (FAILED, ERROR):
                number = self.numbers.setdefault(each.code, len(self.numbers))
                if each.code not in self.codes:
                    self.codes[each.code] = each.help()
                self.write(f"{self.separator}\n{dumps(_result(each, number))}")
                self.separator = ","

    def finish(self) -> None:
        driver = {"name": "abnforge", "rules": [_rule(code, text) for code, text in self.codes.items()]}
        self.write(f'\n],\n"tool": {dumps({"driver": driver})}}}]}}\n')


def _rule(code: str, text: Help) -> dict[str, Any]:
    """Return the meaning of a code as a reportingDescriptor (section 3.49)."""
    rule: dict[str, Any] = {"id": code} | ({"name": text.name} if text.name else {})
    rule["shortDescription"] = {"text": escape(text.summary)}
    if text.explanation is not None:
        rule["fullDescription"] = {"text": escape(text.explanation)}
    if text.severity is not None:
        rule["defaultConfiguration"] = {"level": _SARIF_LEVELS[text.severity]}
    return rule


def _result(diagnostic: Diagnostic, number: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": number,
        "level": _SARIF_LEVELS[diagnostic.severity],
        "message": sarif_message(escape(diagnostic.summary)),
        "locations": [_location(diagnostic)],
        "properties": diagnostic.properties,
    }
    if diagnostic.related:
        artifact = _artifact(diagnostic)
        result["relatedLocations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": {"startLine": place.line, "startColumn": place.column},
                },
                "message": sarif_message(escape(note)),
            }
            for place, note in diagnostic.related
        ]
    if diagnostic.accepted is not None:
        kind = "external" if diagnostic.function else "inSource"
        result["suppressions"] = [{"kind": kind, "justification": diagnostic.accepted}]
    if diagnostic.fix is not None:
        replacements = [
            {"deletedRegion": _region(place), "insertedContent": {"text": text}}
            for place, text in diagnostic.fix.edits
        ]
        change = {"artifactLocation": _artifact(diagnostic), "replacements": replacements}
        description = sarif_message(diagnostic.fix.description)
        result["fixes"] = [{"description": description, "artifactChanges": [change]}]
    return result


def _location(diagnostic: Diagnostic) -> dict[str, Any]:
    if diagnostic.function:
        return {"logicalLocations": [{"name": diagnostic.function, "kind": "function"}]}
    location: dict[str, Any] = {"artifactLocation": _artifact(diagnostic)}
    if diagnostic.place is not None:
        snippet = {} if diagnostic.snippet is None else {"snippet": {"text": diagnostic.snippet}}
        location["region"] = {**_region(diagnostic.place), **snippet}
    return {"physicalLocation": location}


def _region(place: Place) -> dict[str, Any]:
    last = {"endLine": place.end_line} if place.end_line else {}
    return {"startLine": place.line, "startColumn": place.column, **last, "endColumn": place.end_column}


def _artifact(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the artifactLocation (section 3.4) of a file, or of a source outside the file system."""
    if diagnostic.is_file:
        return {"uri": file_uri(diagnostic.path)}
    return {"description": sarif_message(escape(diagnostic.path))}


def sarif_message(text: str) -> dict[str, str]:
    """Return a SARIF message; braces would be placeholders (section 3.11.5) and are doubled."""
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def file_uri(source: str) -> str:
    """Return a path as a URI reference (RFC 3986): relative paths stay relative."""
    try:
        source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no file can have this name, but a caller of the library can pass it
        source = source.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    # A first segment with a colon would be parsed as a scheme (RFC 3986, 4.2); quote() encodes it.
    return quote(path.as_posix().encode("utf-8", "surrogateescape"))
