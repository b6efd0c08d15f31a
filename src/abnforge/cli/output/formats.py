"""Every format. A new one is a class in this package, and a line here for each kind of value that it shows.

The names are those of ``--format``, in the order of its choices. A format is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

import click

from abnforge.cli.common.output import Style, write, write_file
from abnforge.cli.output.base import Report

F = TypeVar("F", bound=Callable[..., Any])

JSON_LINES = "abnforge.cli.output.base:JsonLines"
JSON_ARRAY = "abnforge.cli.output.base:JsonArray"
GITHUB = "abnforge.cli.output.github:Github"
SARIF = "abnforge.cli.output.sarif:Sarif"
JUNIT = "abnforge.cli.output.junit:Junit"

FORMATS: Mapping[str, Mapping[str, str]] = {
    "outcome": {  # strings, and whether they are valid
        "text": "abnforge.cli.output.text:OutcomeText",
        "jsonl": JSON_LINES,
        "json": JSON_ARRAY,
        "github": GITHUB,
        "sarif": SARIF,
        "junit": JUNIT,
    },
    "explanation": {  # the same, with everything there is to say
        "text": "abnforge.cli.output.text:ExplanationText",
        "json": JSON_ARRAY,
        "jsonl": JSON_LINES,
    },
    "structure": {  # what strings are made of
        "components": "abnforge.cli.output.trees:Components",
        "tree": "abnforge.cli.output.trees:Tree",
        "json": "abnforge.cli.output.trees:StructureLines",
        "trace": "abnforge.cli.output.attempts:Trace",
        "svg": "abnforge.cli.output.trees:TreeSvg",
        "dot": "abnforge.cli.output.trees:TreeDot",
        "html": "abnforge.cli.output.trees:TreePage",
        "derivation": "abnforge.cli.output.derivations:Derivation",
        "derivations": "abnforge.cli.output.derivations:Derivations",
    },
    "result": {  # URIs made of strings
        "text": "abnforge.cli.output.uris:ResultText",
        "json": JSON_LINES,
    },
    "equivalence": {  # two URIs compared
        "text": "abnforge.cli.output.uris:EquivalenceText",
        "json": JSON_LINES,
    },
    "change": {  # what changes for strings between two RFCs
        "text": "abnforge.cli.output.uris:ChangeText",
        "json": JSON_LINES,
    },
    "place": {  # URIs found in a text
        "text": "abnforge.cli.output.uris:PlaceText",
        "uris": "abnforge.cli.output.uris:Uris",
        "jsonl": "abnforge.cli.output.uris:PlaceLines",
    },
    "finding": {  # what is doubtful about grammars
        "text": "abnforge.cli.output.text:FindingText",
        "json": JSON_ARRAY,
        "github": GITHUB,
        "sarif": SARIF,
    },
    "example": {  # examples beside rules, and what became of them
        "text": "abnforge.cli.output.text:ExampleText",
        "jsonl": JSON_LINES,
        "json": JSON_ARRAY,
        "github": GITHUB,
        "junit": JUNIT,
    },
    "coverage": {  # what texts use of a grammar
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
    "compatibility": {  # two grammars, one of them before a change
        "text": "abnforge.cli.output.differences:CompatibilityText",
        "json": JSON_LINES,
        "github": GITHUB,
        "markdown": "abnforge.cli.output.differences:CompatibilityTable",
    },
    "rule": {  # rules of a grammar
        "abnf": "abnforge.cli.output.rules:RuleText",
        "json": "abnforge.cli.output.rules:RuleArray",
        "words": "abnforge.cli.output.rules:RuleWords",
        "svg": "abnforge.cli.output.rules:RuleAutomaton",
    },
    "grammar": {  # grammars that load by name
        "text": "abnforge.cli.output.rules:GrammarText",
        "json": JSON_ARRAY,
    },
    "code": {  # what rejections are told by
        "text": "abnforge.cli.output.codes:CodeText",
        "json": JSON_ARRAY,
        "markdown": "abnforge.cli.output.codes:CodePage",
    },
    "conformed": {  # what an implementation does otherwise than a rule
        "text": "abnforge.cli.output.text:ConformedText",
        "json": JSON_LINES,
        "junit": JUNIT,
        "github": GITHUB,
        "sarif": SARIF,
    },
    "exercise": {  # exercises, in short
        "text": "abnforge.cli.output.exercises:ExerciseText",
        "json": JSON_ARRAY,
    },
    "task": {  # one of them, with what is shown of it
        "text": "abnforge.cli.output.exercises:TaskText",
        "json": JSON_LINES,
    },
    "grade": {  # answers to them
        "text": "abnforge.cli.output.exercises:GradeText",
        "json": JSON_ARRAY,
        "csv": "abnforge.cli.output.exercises:GradeTable",
    },
    "sentence": {  # strings that a rule derives
        "text": "abnforge.cli.output.rules:SentenceText",
        "json": "abnforge.cli.output.rules:SentenceArray",
        "jsonl": JSON_LINES,
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
    destination = write_file if found.is_file else write
    return found(destination, Style.detect(), full=full, null=null, kind=kind)


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
