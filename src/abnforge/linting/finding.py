"""Findings: suspicious places of a grammar, and the edits that fix them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pkgutil import get_data
from types import MappingProxyType
from typing import Any, NamedTuple

from abnforge._lazy import NotebookView
from abnforge.catalog import Message
from abnforge.errors import GrammarError, RelatedPlace, source_of
from abnforge.grammar.source_map import apply, carried, disjoint, edits_in_order
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    Element,
    Group,
    Option,
    Repetition,
)
from abnforge.records import attributes
from abnforge.rejection import Edit
from abnforge.text import Source, Span

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding; ``bad`` is a small grammar that triggers it, ``good`` one that does not."""

    code: str
    name: str
    severity: str
    summary: str
    explanation: str
    bad: str
    good: str

    def to_dict(self) -> dict[str, str]:
        """Return the kind as plain data; the keys are stable."""
        return {
            **attributes(self, "code name severity"),
            "title": self.summary,
            **attributes(self, "explanation bad good"),
        }


def _read() -> Iterator[Kind]:
    text = get_data("abnforge.linting", "kinds.toml") or b""
    return (Kind(**each) for each in tomllib.loads(text.decode())["kind"])


KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _read()})
"""Every kind of finding by name, in the order of the codes."""


def kind_of(code: str) -> Kind:
    """Return the kind of finding that a message is about: the code of the message starts with its name.

    Raises KeyError for another code.
    """
    name = code
    while name and name not in KINDS:
        name = name.rpartition("-")[0]
    return KINDS[name]


def find(code_or_name: str) -> Kind | None:
    """Return the kind with a code or a name, without regard to case."""
    key = code_or_name.strip().lower()
    return next((k for k in KINDS.values() if key in (k.code.lower(), k.name)), None)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Finding(NotebookView):
    """A finding.

    ``line`` and ``column`` count from 1, ``end_line`` and ``end_column`` are after the last character; all
    four are 0 for a finding without a place. ``rule`` is the rule it is about or None. ``witness`` is a
    string that demonstrates it, or None; ``derivations`` are two short S-expressions for an ambiguous string.
    ``related`` are further places, ``fix`` is a suggestion in words or ABNF. ``accepted`` is the reason from
    the comment that accepts the finding, or None. ``excerpt`` is the line of the grammar.
    """

    code: str
    name: str
    severity: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    rule: str | None
    message: str
    witness: str | None = None
    derivations: tuple[str, ...] = ()
    related: tuple[RelatedPlace, ...] = ()
    fix: str | None = None
    accepted: str | None = None
    excerpt: str = ""
    edits: tuple[Edit, ...] = ()

    @property
    def counts(self) -> bool:
        """Return whether this finding fails a run: an error or a warning that the grammar does not accept."""
        return self.is_failure()

    def is_failure(self, *, strict: bool = False) -> bool:
        """Return whether this finding fails a run; if ``strict``, info that is not accepted also fails it."""
        return self.accepted is None and (strict or self.severity != "info")

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data; the keys are stable."""
        return {
            **attributes(
                self, "code name severity path line column end_line end_column rule message witness"
            ),
            "derivations": list(self.derivations),
            "related": [
                {"path": place.path, "line": place.line, "column": place.column, "note": place.note}
                for place in self.related
            ],
            "fix": self.fix,
            "edits": [{"start": each.start, "end": each.end, "text": each.text} for each in self.edits],
            "accepted": self.accepted,
        }


class Linted(NamedTuple):
    """The findings about one grammar.

    ``is_file`` says whether they have places in a file of the caller. ``text`` is the grammar text if the
    edits are to be shown.
    """

    findings: list[Finding]
    is_file: bool
    text: str = ""

    def without_accepted(self) -> Linted:
        """Return the findings that the grammar does not accept."""
        return self._replace(findings=[finding for finding in self.findings if finding.accepted is None])


def make(
    source: Source,
    rule: str | None,
    span: Span | None,
    problem: Message,
    *,
    kind: str | None = None,
    related: Sequence[tuple[Span, str]] = (),
    witness: str | None = None,
    derivations: tuple[str, ...] = (),
    fix: str | None = None,
    edits: Sequence[Edit] = (),
) -> Finding:
    """Return a finding about a rule of a source, at a span (None for a finding without a place).

    Its kind is ``kind``, or the one whose name is the code of the message or a prefix of it.
    """
    lint_rule = KINDS[kind] if kind is not None else kind_of(problem.code)
    line, column = source.position(span.start) if span else (0, 0)
    end_line, end_column = source.position(span.end) if span else (0, 0)
    return Finding(
        lint_rule.code,
        lint_rule.name,
        lint_rule.severity,
        source.name,
        line,
        column,
        end_line,
        end_column,
        rule,
        problem,
        witness,
        derivations,
        tuple(RelatedPlace(source.name, *source.position(other.start), note) for other, note in related),
        fix,
        excerpt=source.line(line) if line else "",
        edits=carried(source, edits),
    )


def from_error(error: GrammarError, source: Source | None = None, name: str | None = None) -> Finding:
    """Return an error or warning as a finding; ``name`` is its kind if that differs from the code.

    An error whose code is not the name of a kind is a ``syntax-error``.
    """
    kind = KINDS.get(name or error.code, KINDS["syntax-error"])
    source = source or source_of(error)
    return Finding(
        kind.code,
        kind.name,
        kind.severity,
        error.path,
        error.line,
        error.column,
        error.line,
        error.end_column,
        error.rule,
        error.message,
        related=error.related,
        excerpt=source.line(error.line) if source and error.line else "",
        edits=carried(source, error.edits),
    )


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in text order; those at the same place are ordered by code, rule and example."""
    return sorted(
        findings, key=lambda f: (f.line, f.column, f.code, f.rule or "", f.witness or "", f.message)
    )


MAX_ROUNDS = 20
"""Maximum number of rounds of lint and edits. A round makes all edits that do not overlap."""


class Fixed(NamedTuple):
    """A grammar text after edits, the number of findings corrected, and the remaining findings."""

    text: str
    corrected: int
    findings: list[Finding]


def fix(text: str, lint: Callable[[str], list[Finding]]) -> Fixed:
    """Apply the edits of findings that are not accepted, until none are left.

    ``lint`` returns the findings of a grammar text. Complexity: at most :data:`MAX_ROUNDS` calls of ``lint``,
    usually two.
    """
    corrected = 0
    findings = lint(text)
    for _ in range(MAX_ROUNDS):
        edits, count = together(findings)
        if not edits:
            break
        text = apply(text, edits)
        corrected += count
        findings = lint(text)
    return Fixed(text, corrected, findings)


def together(findings: Iterable[Finding]) -> tuple[list[Edit], int]:
    """Return the edits of findings that do not overlap, in order, and the number of these findings."""
    edits: list[Edit] = []
    count = 0
    for finding in findings:
        if finding.accepted is not None or not finding.edits:
            continue
        joined = edits_in_order([*edits, *finding.edits])
        if disjoint(joined):
            edits, count = joined, count + 1
    return edits, count


# Places of the parts of a rule in the file.
#
# A rule that the file extends with ``=/`` may begin with alternatives from a core rule or an import, whose
# spans belong to another text. Every check includes them, but they do not have a place.


LABEL_LENGTH = 60  # maximum number of characters of a quoted part of a rule: enough to recognize it

_COMMENT = re.compile(r'("[^"\n]*"|<[^>\n]*>)|;[^\n]*')


def own_rules(grammar: BoundGrammar) -> Iterator[tuple[str, BoundRule]]:
    """Return the rules that the file itself defines or extends, by key."""
    return ((key, rule) for key, rule in grammar.rules.items() if rule.origin == "file")


def own_alternatives(rule: BoundRule) -> tuple[Concatenation, ...]:
    """Return the alternatives of a rule that are in the file."""
    alternatives = rule.elements.alternatives
    if not rule.rule.incremental:
        return alternatives
    begin = rule.rule.elements.alternatives[0].span
    return alternatives[next(i for i, each in enumerate(alternatives) if each.span == begin) :]


def concatenations(alternatives: Iterable[Concatenation]) -> Iterator[Concatenation]:
    """Yield all alternatives, and those inside groups and options, in text order."""
    for alternative in alternatives:
        yield alternative
        for item in alternative.items:
            inner = inside(item.element)
            if inner is not None:
                yield from concatenations(inner.alternatives)


def repetitions(rule: BoundRule) -> Iterator[Repetition]:
    """Yield all repetitions in the file, including elements without a count."""
    for alternative in concatenations(own_alternatives(rule)):
        yield from alternative.items


def inside(element: Element) -> Alternation | None:
    """Return the alternation in brackets, if the element is a group or an option."""
    return element.alternation if isinstance(element, Group | Option) else None


def label(source: Source, span: Span) -> str:
    """Return a part of a rule on a single line, without comments."""
    text = _COMMENT.sub(lambda match: match[1] or "", source.text[span.start : span.end])
    text = " ".join(text.split())
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 3] + "..."
