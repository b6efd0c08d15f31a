"""SARIF 2.1.0 (OASIS), one run. Columns count code points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from abnforge.cli.common.conformed import Conformed
from abnforge.cli.common.inputs import in_file_system
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import dumps
from abnforge.cli.reports.base import Report, T
from abnforge.cli.reports.conformed import deviation_code, deviation_head
from abnforge.cli.reports.rejection import suggested, summary
from abnforge.text import citation, escape, position

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding, Linted

CODES = {
    "not-utf-8": "Line is not UTF-8",
    "line-too-long": "Line exceeds the limit",
    "file-too-large": "File exceeds the limit",
    "limit-exceeded": "String exceeds the budget",
}

SNIPPET_COLUMNS = 2000  # of a line of a whole file, which may be all of a document

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


class SarifLog(Report[T]):
    """A log with one run; ``rules`` are the kinds of its results, which are known when all are written."""

    separator = ""

    def rules(self) -> Sequence[Mapping[str, Any]]:
        """SARIF's reportingDescriptors (section 3.49)."""
        raise NotImplementedError

    def begin(self) -> None:
        self.write(
            '{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n'
            '"runs": [{"columnKind": "unicodeCodePoints",\n'
            '"results": ['
        )

    def put(self, result: Mapping[str, Any]) -> None:
        """One result."""
        self.write(f"{self.separator}\n{dumps(result)}")
        self.separator = ","

    def finish(self) -> None:
        driver = {"name": "abnforge", "rules": self.rules()}
        self.write(f'\n],\n"tool": {dumps({"driver": driver})}}}]}}\n')


class OutcomeSarif(SarifLog[Outcome]):
    """A result for each string that is not valid, with a fix where there is a suggestion."""

    def begin(self) -> None:
        super().begin()
        self.met: dict[str, tuple[int, Outcome]] = {}  # a number, and the first outcome, of each code

    def rules(self) -> Sequence[Mapping[str, Any]]:
        return [_kind(code, outcome) for code, (_, outcome) in self.met.items()]

    def add(self, outcome: Outcome) -> None:
        if not outcome.valid:
            index, _ = self.met.setdefault(outcome.code, (len(self.met), outcome))
            self.put(_rejected(outcome, index))


class FindingSarif(SarifLog["Linted"]):
    """A result for each finding; accepted ones are suppressed (section 3.35)."""

    def rules(self) -> Sequence[Mapping[str, Any]]:
        from abnforge.linting.registry import KINDS

        return [
            {
                "id": kind.code,
                "name": kind.name,
                "shortDescription": {"text": kind.summary},
                "fullDescription": {"text": kind.explanation},
                "defaultConfiguration": {"level": _LEVELS[kind.severity]},
            }
            for kind in KINDS.values()
        ]

    def add(self, linted: Linted) -> None:
        for finding in linted.findings:
            result = _found(finding, linted.is_file)
            if finding.edits and linted.is_file and linted.text:
                result["fixes"] = [_correction(finding, linted.text)]
            self.put(result)


class ConformedSarif(SarifLog[Conformed]):
    """A result a cause; known ones are suppressed (section 3.35)."""

    def begin(self) -> None:
        super().begin()
        self.met: dict[str, None] = {}

    def rules(self) -> Sequence[Mapping[str, Any]]:
        return [{"id": code, "shortDescription": {"text": escape(code)}} for code in self.met]

    def add(self, conformed: Conformed) -> None:
        reasons = {each.cause: reason for each, reason in conformed.sorted.accepted}
        for each in conformed.report.deviations:
            code = deviation_code(each)
            self.met.setdefault(code)
            result: dict[str, Any] = {
                "ruleId": code,
                "ruleIndex": list(self.met).index(code),
                "level": "error",
                "message": sarif_message(f'"{escape(each.text)}" {deviation_head(each)}'),
                "locations": [{"logicalLocations": [{"name": conformed.name, "kind": "function"}]}],
                "properties": {
                    "grammar": each.rule.grammar.name,
                    "rule": each.rule.name,
                    "valid": each.valid,
                    "text": escape(each.text),
                },
            }
            if each.cause in reasons:
                result["suppressions"] = [{"kind": "external", "justification": reasons[each.cause]}]
            self.put(result)


def _kind(code: str, outcome: Outcome) -> dict[str, Any]:
    """What a code means."""
    known = outcome.target.codes().get(code)
    text = CODES.get(code, code) if known is None else known.meaning
    kind: dict[str, Any] = {"id": code, "shortDescription": {"text": escape(text)}}
    if known is None:
        return kind
    if known.others:  # several mistakes, of which none speaks for the others
        kind["shortDescription"] = {"text": escape(code.replace("-", " "))}
        text = "; or ".join((text, *known.others))
    if known.section is not None:
        text = f"{text} ({citation(outcome.target.grammar, known.section)})"
    if known.section is not None or known.others:
        kind["fullDescription"] = {"text": escape(text)}
    return kind


def _rejected(outcome: Outcome, index: int) -> dict[str, Any]:
    source = outcome.record.source
    start, end = outcome.span
    region = {**_region(outcome, start, end), **_snippet(outcome, start)}
    is_file = in_file_system(source)
    converted = {"newline": outcome.record.newline} if outcome.record.newline else {}
    result: dict[str, Any] = {
        "ruleId": outcome.code,
        "ruleIndex": index,
        "level": "error",
        "message": sarif_message(summary(outcome)),
        "locations": [
            {"physicalLocation": {"artifactLocation": _artifact(source, is_file), "region": region}}
        ],
        "properties": {"grammar": outcome.target.grammar, "rule": outcome.target.rule, **converted},
    }
    suggestion = None if outcome.rejection is None else outcome.rejection.suggestion
    # A fix is for programs to carry out; of a text of which a part is masked, it may be masked too, and of
    # one whose line ends were converted it may be about line ends that the file does not have.
    if suggestion is not None and is_file and not converted and outcome.judged in ("", outcome.shown):
        replacements = [
            {"deletedRegion": _region(outcome, e.start, e.end), "insertedContent": {"text": e.text}}
            for e in suggestion.edits
        ]
        change = {"artifactLocation": _artifact(source, is_file), "replacements": replacements}
        result["fixes"] = [
            {"description": sarif_message(suggested(suggestion)), "artifactChanges": [change]},
        ]
    return result


def _snippet(outcome: Outcome, start: int) -> dict[str, Any]:
    """The string for a region to show; of a whole file the line alone, and nothing of one that is longer."""
    text = outcome.shown
    if outcome.record.whole:
        first = start - position(text, start)[1] + 1
        end = text.find("\n", start)
        text = text[first : end if end >= 0 else len(text)].removesuffix("\r")
        if len(text) > SNIPPET_COLUMNS:
            return {}
    return {"snippet": {"text": text}}


def _region(outcome: Outcome, start: int, end: int) -> dict[str, Any]:
    (line, column), (end_line, end_column) = outcome.place(start), outcome.place(end)
    last = {} if end_line == line else {"endLine": end_line}
    return {"startLine": line, "startColumn": column, **last, "endColumn": end_column}


def _found(finding: Finding, is_file: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": sarif_message(escape(finding.message)),
        "locations": [],
        "properties": {"name": finding.name, "rule": finding.rule, "witness": finding.witness},
    }
    artifact = _artifact(finding.path, is_file)
    location: dict[str, Any] = {"artifactLocation": artifact}
    if finding.line:
        location["region"] = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
    result["locations"] = [{"physicalLocation": location}]
    if finding.related:
        result["relatedLocations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": {"startLine": place.line, "startColumn": place.column},
                },
                "message": sarif_message(escape(place.note)),
            }
            for place in finding.related
        ]
    if finding.accepted is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.accepted}]
    return result


def _correction(finding: Finding, text: str) -> dict[str, Any]:
    """A finding's edits as a fix (section 3.55)."""
    replacements = []
    for edit in finding.edits:
        (line, column), (end_line, end_column) = position(text, edit.start), position(text, edit.end)
        region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        replacements.append({"deletedRegion": region, "insertedContent": {"text": edit.text}})
    change = {"artifactLocation": _artifact(finding.path, is_file=True), "replacements": replacements}
    return {"description": sarif_message(f"Correct {finding.name}"), "artifactChanges": [change]}


def _artifact(name: str, is_file: bool) -> dict[str, Any]:
    """An artifactLocation (section 3.4): of a file, or of what has no place in the file system."""
    return {"uri": file_uri(name)} if is_file else {"description": sarif_message(escape(name))}


def sarif_message(text: str) -> dict[str, str]:
    """A SARIF message; braces would be placeholders (section 3.11.5) and are doubled."""
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def file_uri(source: str) -> str:
    """A path as a URI reference (RFC 3986): relative paths stay relative."""
    try:
        source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no file can have this name, but a caller of the library can give it
        source = source.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    # A first segment with a colon would read as a scheme (RFC 3986, 4.2); quote() encodes it.
    return quote(path.as_posix().encode("utf-8", "surrogateescape"))
