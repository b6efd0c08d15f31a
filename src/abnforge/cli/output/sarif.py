"""SARIF 2.1.0 (OASIS), one run. Columns count code points."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from abnforge.cli.common.output import dumps
from abnforge.cli.output.diagnostic import ERROR, FAILED, SOURCES, Diagnostic, Help, Place
from abnforge.cli.output.formats import ResultReport
from abnforge.text import escape

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


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
        rule["defaultConfiguration"] = {"level": _LEVELS[text.severity]}
    return rule


def _result(diagnostic: Diagnostic, number: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": number,
        "level": _LEVELS[diagnostic.severity],
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
    except UnicodeEncodeError:  # no file can have this name, but a caller of the library can give it
        source = source.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    # A first segment with a colon would read as a scheme (RFC 3986, 4.2); quote() encodes it.
    return quote(path.as_posix().encode("utf-8", "surrogateescape"))
