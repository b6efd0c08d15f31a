"""Every format there is. A new one is a file in this folder, and a line here for each kind of value it shows.

The names are those of ``--format``, in the order in which they are offered. A format is imported when it is
used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

import click

from abnforge.cli.common.output import Style, write, write_file
from abnforge.cli.reports.base import Report

F = TypeVar("F", bound=Callable[..., Any])

FORMATS: Mapping[str, Mapping[str, str]] = {
    # strings, and whether they are valid
    "outcome": {
        "text": "abnforge.cli.reports.text:OutcomeText",
        "jsonl": "abnforge.cli.reports.jsonl:OutcomeLines",
        "json": "abnforge.cli.reports.json:OutcomeArray",
        "github": "abnforge.cli.reports.github:OutcomeCommands",
        "sarif": "abnforge.cli.reports.sarif:OutcomeSarif",
        "junit": "abnforge.cli.reports.junit:OutcomeJunit",
    },
    # the same, with everything there is to say
    "explanation": {
        "text": "abnforge.cli.reports.text:ExplanationText",
        "json": "abnforge.cli.reports.json:JsonArray",
        "jsonl": "abnforge.cli.reports.jsonl:JsonLines",
    },
    # what strings are made of
    "structure": {
        "components": "abnforge.cli.reports.structure:Components",
        "tree": "abnforge.cli.reports.structure:Tree",
        "json": "abnforge.cli.reports.jsonl:StructureLines",
        "trace": "abnforge.cli.reports.traces:Trace",
        "svg": "abnforge.cli.reports.pictures:TreeSvg",
        "dot": "abnforge.cli.reports.pictures:TreeDot",
        "html": "abnforge.cli.reports.pictures:TreePage",
        "derivation": "abnforge.cli.reports.derivations:Derivation",
        "derivations": "abnforge.cli.reports.derivations:Derivations",
    },
    # URIs that are made of strings
    "result": {
        "text": "abnforge.cli.reports.text:ResultText",
        "json": "abnforge.cli.reports.jsonl:JsonLines",
    },
    # two URIs compared
    "equivalence": {
        "text": "abnforge.cli.reports.text:EquivalenceText",
        "json": "abnforge.cli.reports.jsonl:JsonLines",
    },
    # what changes for strings between two RFCs
    "change": {
        "text": "abnforge.cli.reports.text:ChangeText",
        "json": "abnforge.cli.reports.jsonl:JsonLines",
    },
    # URIs found in a text
    "place": {
        "text": "abnforge.cli.reports.text:PlaceText",
        "uris": "abnforge.cli.reports.uris:Uris",
        "jsonl": "abnforge.cli.reports.jsonl:PlaceLines",
    },
    # what is doubtful about grammars
    "finding": {
        "text": "abnforge.cli.reports.text:FindingText",
        "json": "abnforge.cli.reports.json:FindingArray",
        "github": "abnforge.cli.reports.github:FindingCommands",
        "sarif": "abnforge.cli.reports.sarif:FindingSarif",
    },
    # examples beside rules, and what became of them
    "example": {
        "text": "abnforge.cli.reports.examples:ExampleText",
        "jsonl": "abnforge.cli.reports.jsonl:JsonLines",
        "json": "abnforge.cli.reports.json:JsonArray",
        "github": "abnforge.cli.reports.github:ExampleCommands",
        "junit": "abnforge.cli.reports.junit:ExampleJunit",
    },
    # what texts use of a grammar
    "coverage": {
        "text": "abnforge.cli.reports.coverage:CoverageText",
        "json": "abnforge.cli.reports.coverage:CoverageObject",
        "html": "abnforge.cli.reports.coverage_page:CoveragePage",
    },
    # two grammars compared
    "difference": {
        "text": "abnforge.cli.reports.text:DifferenceText",
        "json": "abnforge.cli.reports.json:DifferenceArray",
        "github": "abnforge.cli.reports.compatibility:DifferenceCommands",
        "markdown": "abnforge.cli.reports.markdown:DifferenceTable",
    },
    # two grammars, one of them before a change
    "compatibility": {
        "text": "abnforge.cli.reports.compatibility:CompatibilityText",
        "json": "abnforge.cli.reports.compatibility:CompatibilityObject",
        "github": "abnforge.cli.reports.compatibility:CompatibilityCommands",
        "markdown": "abnforge.cli.reports.compatibility:CompatibilityTable",
    },
    # rules of a grammar
    "rule": {
        "text": "abnforge.cli.reports.text:RuleText",
        "json": "abnforge.cli.reports.json:RuleArray",
        "words": "abnforge.cli.reports.words:RuleWords",
    },
    # grammars that load by name
    "grammar": {
        "text": "abnforge.cli.reports.text:GrammarText",
        "json": "abnforge.cli.reports.json:JsonArray",
    },
    # what rejections are told by
    "code": {
        "text": "abnforge.cli.reports.codes:CodeText",
        "json": "abnforge.cli.reports.json:JsonArray",
        "markdown": "abnforge.cli.reports.codes:CodePage",
    },
    # what an implementation does otherwise than a rule
    "conformed": {
        "text": "abnforge.cli.reports.conformed:ConformedText",
        "json": "abnforge.cli.reports.conformed:ConformedJson",
        "junit": "abnforge.cli.reports.junit:ConformedJunit",
        "github": "abnforge.cli.reports.github:ConformedCommands",
        "sarif": "abnforge.cli.reports.sarif:ConformedSarif",
    },
    # exercises, in short
    "exercise": {
        "text": "abnforge.cli.reports.exercises:ExerciseText",
        "json": "abnforge.cli.reports.json:JsonArray",
    },
    # one of them, with what is shown of it
    "task": {
        "text": "abnforge.cli.reports.exercises:TaskText",
        "json": "abnforge.cli.reports.jsonl:JsonLines",
    },
    # answers to them
    "grade": {
        "text": "abnforge.cli.reports.exercises:GradeText",
        "json": "abnforge.cli.reports.json:JsonArray",
        "csv": "abnforge.cli.reports.grade_table:GradeTable",
    },
    # strings that a rule derives
    "sentence": {
        "text": "abnforge.cli.reports.text:SentenceText",
        "json": "abnforge.cli.reports.json:SentenceArray",
        "jsonl": "abnforge.cli.reports.jsonl:JsonLines",
    },
}
"""Kind of value -> name of a format -> ``module:class``, a :class:`Report` of such values."""


def report_class(kind: str, name: str) -> type[Report[Any]]:
    """The class that writes values of a kind in a format."""
    module, attribute = FORMATS[kind][name].split(":")
    found: type[Report[Any]] = getattr(import_module(module), attribute)
    return found


def make_report(kind: str, name: str, *, full: bool = False, null: bool = False) -> Report[Any]:
    """A report on values of a kind, writing to standard output."""
    found = report_class(kind, name)
    return found(write_file if found.is_file else write, Style.detect(), full=full, null=null)


def showing_warnings(kind: str) -> list[str]:
    """The formats that have a place for what ``--security`` finds."""
    return [name for name in FORMATS[kind] if report_class(kind, name).shows_warnings]


def format_option(*kinds: str, default: str | None = "text", help: str | None = None) -> Callable[[F], F]:
    """``--format`` for values of a kind; of several, what all of them have. Gives ``report_format``."""
    names = [name for name in FORMATS[kinds[0]] if all(name in FORMATS[kind] for kind in kinds)]
    return click.option(
        "-f",
        "--format",
        "report_format",
        type=click.Choice(names),
        default=default,
        show_default=True,
        help=help,
    )
