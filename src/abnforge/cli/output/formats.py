"""All formats. A new format needs a report class in this package, and an entry here for each kind of value.

Reports write values as soon as they receive them. JSON formats are the same for all kinds. The names are the
choices of ``--format``, in this order; a format is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

import click

from abnforge.cli.common.groups import option
from abnforge.cli.common.output import PLAIN, Style, Write, dumps, write, write_file

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class ResultReport(Generic[T]):
    """Base of all formats. A report takes one value at a time, so that its memory does not grow.

    ``begin`` and ``finish`` write the beginning and the end. Some formats support two options: ``full``
    reports all facts, ``null`` ends strings with NUL, and ``theme`` is the theme of diagrams. ``kind`` is the
    kind of the values, for formats of several kinds.
    """

    is_file = False  # True for output that programs read, which is always UTF-8
    shows_warnings = False  # True if it shows the warnings of --security

    def __init__(
        self,
        write: Write,
        style: Style = PLAIN,
        *,
        full: bool = False,
        null: bool = False,
        kind: str = "",
        theme: str | None = None,
    ) -> None:
        self.write = write
        self.style = style
        self.full = full
        self.null = null
        self.kind = kind
        self.theme = theme

    def begin(self) -> None:
        """Write the beginning."""

    def add(self, value: T, /) -> None:
        """Write one value."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write the end."""

    def feed(self, values: Iterable[T]) -> None:
        """Write all values, with beginning and end."""
        self.begin()
        for value in values:
            self.add(value)
        self.finish()


class LineReport(ResultReport[T]):
    """Base of formats that write lines for each value, with empty lines between values if ``spaced``.

    At a terminal, lines are wrapped, unless they are results to copy (``wraps`` is False).
    """

    spaced = False
    wraps = True
    _separator = ""

    def add(self, value: T, /) -> None:
        self.write(self._separator)
        for line in self.lines(value):
            for each in self.style.wrap_all(line) if self.wraps else [line]:
                self.write(f"{each}\n")
        if self.spaced:
            self._separator = "\n"

    def lines(self, value: T, /) -> Iterable[str]:
        """Return the lines of a value."""
        raise NotImplementedError


class JsonLines(ResultReport[Any]):
    """One JSON object per line."""

    shows_warnings = True

    def add(self, value: Any) -> None:
        for each in self.objects(value):
            self.put(dumps(each))

    def put(self, text: str) -> None:
        """Write one object."""
        self.write(f"{text}\n")

    def objects(self, value: Any) -> Iterable[Any]:
        """Return the plain data of a value. Verdicts and explanations have all keys only in a full report."""
        if self.kind == "outcome":
            return (value.to_dict(full=self.full),)
        if self.kind == "explanation":
            return (value.to_dict(attempts=self.full),)
        if self.kind == "finding":
            return (each.to_dict() for each in value.findings)
        if self.kind == "difference":
            return (each.to_dict() for each in value.rules)
        return (value.to_dict(),)


class JsonArray(JsonLines):
    """One JSON array with an element per line."""

    separator = "[\n"

    def put(self, text: str) -> None:
        self.write(self.separator + text)
        self.separator = ",\n"

    def finish(self) -> None:
        self.write("[]\n" if self.separator == "[\n" else "\n]\n")


JSON_LINES = "abnforge.cli.output.formats:JsonLines"
JSON_ARRAY = "abnforge.cli.output.formats:JsonArray"
GITHUB = "abnforge.cli.output.ci:Github"
SARIF = "abnforge.cli.output.ci:Sarif"
JUNIT = "abnforge.cli.output.ci:Junit"

_CONFORMANCE = {
    "json": JSON_LINES,
    "junit": JUNIT,
    "github": GITHUB,
    "sarif": SARIF,
    "markdown": "abnforge.cli.output.matrix:MatrixTable",
    "html": "abnforge.cli.output.matrix:MatrixPage",
}

FORMATS: Mapping[str, Mapping[str, str]] = {
    "outcome": {  # strings and their verdicts
        "text": "abnforge.cli.output.text:OutcomeText",
        "jsonl": JSON_LINES,
        "json": JSON_ARRAY,
        "github": GITHUB,
        "sarif": SARIF,
        "junit": JUNIT,
    },
    "explanation": {  # strings, their verdicts and all facts
        "text": "abnforge.cli.output.text:ExplanationText",
        "json": JSON_ARRAY,
        "jsonl": JSON_LINES,
    },
    "structure": {  # components and trees of strings
        "components": "abnforge.cli.output.trees:Components",
        "tree": "abnforge.cli.output.trees:TreeLines",
        "json": "abnforge.cli.output.trees:StructureLines",
        "trace": "abnforge.cli.output.attempts:Trace",
        **dict.fromkeys(("svg", "png", "pdf"), "abnforge.cli.output.trees:TreeSvg"),
        "dot": "abnforge.cli.output.trees:TreeDot",
        "html": "abnforge.cli.output.trees:TreePage",
        "derivation": "abnforge.cli.output.derivations:Derivation",
        "derivations": "abnforge.cli.output.derivations:Derivations",
    },
    "result": {  # URIs computed from strings
        "text": "abnforge.cli.output.uris:ResultText",
        "json": JSON_LINES,
    },
    "equivalence": {  # two URIs compared
        "text": "abnforge.cli.output.uris:EquivalenceText",
        "json": JSON_LINES,
    },
    "change": {  # changes for strings between two RFCs
        "text": "abnforge.cli.output.uris:ChangeText",
        "json": JSON_LINES,
    },
    "place": {  # URIs in files
        "text": "abnforge.cli.output.uris:PlaceText",
        "uris": "abnforge.cli.output.uris:Uris",
        "jsonl": "abnforge.cli.output.uris:PlaceLines",
    },
    "finding": {  # findings about grammars
        "text": "abnforge.cli.output.text:FindingText",
        "json": JSON_ARRAY,
        "github": GITHUB,
        "sarif": SARIF,
    },
    "example": {  # examples of rules, and their results
        "text": "abnforge.cli.output.text:ExampleText",
        "jsonl": JSON_LINES,
        "json": JSON_ARRAY,
        "github": GITHUB,
        "junit": JUNIT,
    },
    "coverage": {  # coverage of a grammar
        "text": "abnforge.cli.output.coverage:CoverageText",
        "json": JSON_LINES,
        "html": "abnforge.cli.output.coverage:CoveragePage",
    },
    "difference": {  # two grammars compared
        "text": "abnforge.cli.output.differences:DifferenceText",
        "json": JSON_ARRAY,
        "github": GITHUB,
        "markdown": "abnforge.cli.output.differences:DifferenceTable",
    },
    "compatibility": {  # two versions of a grammar
        "text": "abnforge.cli.output.differences:CompatibilityText",
        "json": JSON_LINES,
        "github": GITHUB,
        "markdown": "abnforge.cli.output.differences:CompatibilityTable",
    },
    "rule": {  # rules of a grammar
        "abnf": "abnforge.cli.output.rules:RuleText",
        "json": "abnforge.cli.output.rules:RuleArray",
        "words": "abnforge.cli.output.rules:RuleWords",
        **dict.fromkeys(("svg", "png", "pdf"), "abnforge.cli.output.automata:AutomatonSvg"),
        "dot": "abnforge.cli.output.automata:AutomatonDot",
        "jff": "abnforge.cli.output.automata:AutomatonJflap",
        "transitions": "abnforge.cli.output.automata:TransitionText",
        "csv": "abnforge.cli.output.automata:TransitionCsv",
        "html": "abnforge.cli.output.automata:AutomatonPage",
        "tables": "abnforge.cli.output.constructions:RuleTables",
        "steps": "abnforge.cli.output.constructions:RuleSteps",
        "left-recursion": "abnforge.cli.output.constructions:RuleWithoutLeftRecursion",
        "normal-form": "abnforge.cli.output.constructions:RuleNormalForm",
        "derivatives": "abnforge.cli.output.constructions:RuleDerivatives",
        "cyk": "abnforge.cli.output.constructions:RuleSpans",
        "constructions": "abnforge.cli.output.constructions:RuleConstructions",
        "lecture": "abnforge.cli.output.constructions:RulePage",
    },
    "grammar": {  # grammars that load by name
        "text": "abnforge.cli.output.rules:GrammarText",
        "json": JSON_ARRAY,
    },
    "code": {  # codes of messages
        "text": "abnforge.cli.output.codes:CodeText",
        "json": JSON_ARRAY,
        "markdown": "abnforge.cli.output.codes:CodePage",
    },
    "conformed": {  # deviations of an implementation
        "text": "abnforge.cli.output.text:ConformedText",
        **_CONFORMANCE,
    },
    "matrix": {  # several implementations compared
        "text": "abnforge.cli.output.matrix:MatrixText",
        **_CONFORMANCE,
    },
    "exercise": {  # exercises, in short
        "text": "abnforge.cli.output.exercises:ExerciseText",
        "json": JSON_ARRAY,
    },
    "task": {  # an exercise in full
        "text": "abnforge.cli.output.exercises:TaskText",
        "json": JSON_LINES,
    },
    "grade": {  # graded answers
        "text": "abnforge.cli.output.exercises:GradeText",
        "json": JSON_ARRAY,
        "csv": "abnforge.cli.output.exercises:GradeTable",
        "matrix": "abnforge.cli.output.gradebook:ClassTable",
    },
    "sentence": {  # strings that match a rule
        "text": "abnforge.cli.output.rules:SentenceText",
        "json": "abnforge.cli.output.rules:SentenceArray",
        "jsonl": JSON_LINES,
    },
}
"""Kind of value -> name of a format -> ``module:class``, a :class:`ResultReport` of such values."""


LISTED = 10  # the number of formats that fit into a line of the help


def report_class(kind: str, name: str) -> type[ResultReport[Any]]:
    """Return the class that writes values of a kind in a format."""
    module, attribute = FORMATS[kind][name].split(":")
    report: type[ResultReport[Any]] = getattr(import_module(module), attribute)
    return report


def make_report(
    kind: str,
    name: str,
    *,
    full: bool = False,
    null: bool = False,
    theme: str | None = None,
    destination: Write | None = None,
) -> ResultReport[Any]:
    """Return a report on values of a kind to a destination, or to standard output in its style."""
    report = report_class(kind, name)
    style = Style.detect() if destination is None else PLAIN
    destination = destination or (write_file if report.is_file else write)
    return report(destination, style, full=full, null=null, kind=kind, theme=theme)


def showing_warnings(kind: str) -> list[str]:
    """Return the formats that can show warnings of ``--security``."""
    return [name for name in FORMATS[kind] if report_class(kind, name).shows_warnings]


def format_option(
    *kinds: str,
    default: str | None = "text",
    help: str = "Output format.",
    callback: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Declare ``--format`` for values of a kind, or with the common formats of several kinds.

    The help lists more than ``LISTED`` formats in its own words.
    The command's function receives the format as ``report_format``.
    """
    names = [name for name in FORMATS[kinds[0]] if all(name in FORMATS[kind] for kind in kinds)]
    return option(
        "-f",
        "--format",
        "report_format",
        type=click.Choice(names),
        metavar="FORMAT" if len(names) > LISTED else None,
        default=default,
        show_default=True,
        help=help,
        callback=callback,
    )
