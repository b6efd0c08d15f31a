"""Values of reports: examples and their results, generated strings, deviations of implementations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from abnforge.charset import BYTES
from abnforge.errors import LimitExceeded
from abnforge.records import attributes
from abnforge.text import LATIN_1, ByteText

if TYPE_CHECKING:
    from abnforge.conformance.causes import Deviation
    from abnforge.conformance.matrix import Matrix
    from abnforge.conformance.running import Report, Triage
    from abnforge.engine.examples import ExampleResult
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule
    from abnforge.grammar.annotations import Example
    from abnforge.grammar.extract import DocumentExample
    from abnforge.text import Source


@dataclass(frozen=True, slots=True)
class Generated:
    """A string, and whether ``rule`` matches it. ``both`` says whether the report mixes both kinds."""

    rule: Rule
    text: str
    valid: bool
    both: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the string as a test vector (``abnforge.conformance.vectors``)."""
        from abnforge.conformance.vectors import record

        return record(self.rule, self.text, self.valid)


@dataclass(frozen=True, slots=True)
class Listed:
    """A grammar that loads by name; ``origin`` is the package that ships it.

    ``rules`` (their number) and ``default_rule`` are None unless they are known without loading it.
    """

    name: str
    origin: str
    rules: int | None = None
    default_rule: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def listed_grammars() -> list[Listed]:
    """Return every grammar that loads by name, the built-in ones first."""
    import abnforge

    # The grammars of the package ``abnf`` are not loaded, because that takes seconds.
    bundled = [abnforge.load(name) for name in abnforge.grammar_names()]
    return [
        *(Listed(g.name, "abnforge", len(g.own_rules), g.start.name) for g in bundled),
        *(Listed(name, "abnf") for name in abnforge.package_names()),
    ]


MOST_SHOWN = 20  # maximum number of deviations of each kind in text output without --all


@dataclass(frozen=True)
class ConformanceResult:
    """The report on an implementation. Text shows at most ``most`` deviations of each kind."""

    report: Report
    sorted: Triage
    name: str
    most: int | None = MOST_SHOWN

    @property
    def kinds(self) -> Sequence[tuple[str, Sequence[Deviation]]]:
        """The new deviations by kind."""
        return (
            ("accepted, but invalid", [each for each in self.sorted.new if not each.valid]),
            ("rejected, but valid", [each for each in self.sorted.new if each.valid]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, with the known deviations."""
        reasons = {each.cause: reason for each, reason in self.sorted.accepted}
        deviations = [{**each.to_dict(), "known": reasons.get(each.cause)} for each in self.report.deviations]
        return {
            "implementation": self.name,
            **self.report.to_dict(),
            "deviations": deviations,
            "vanished": [attributes(each, "text valid reason") for each in self.sorted.vanished],
        }


@dataclass(frozen=True)
class MatrixResult:
    """The reports on several implementations, and how these compare with each other."""

    matrix: Matrix
    results: Sequence[ConformanceResult]
    most: int | None = MOST_SHOWN

    def to_dict(self) -> dict[str, Any]:
        """Return the reports as JSON values, with the known deviations."""
        return {**self.matrix.to_dict(), "implementations": [each.to_dict() for each in self.results]}


PASSED, FAILED, UNDECIDED, LISTED, MISSING = "passed", "failed", "undecided", "listed", "missing"


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """One example, or a rule without enough examples (``text`` is None and ``status`` is ``"missing"``).

    ``line`` and ``column`` count from 1; ``end_column`` is after the last character; ``excerpt`` is the line.
    ``is_file`` says whether ``path`` is a user's file.
    """

    path: str
    line: int
    column: int
    end_column: int
    excerpt: str
    is_file: bool
    rule: str
    status: str
    message: str = ""
    text: str | None = None
    valid: bool | None = None
    note: str | None = None
    code: str | None = None
    offset: int | None = None

    @property
    def name(self) -> str:
        """A short name for the example."""
        from abnforge.engine.examples import label_of

        return f"{self.rule}: examples" if self.text is None else label_of(self.rule, self.valid, self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values; the keys are stable."""
        return attributes(self, "path line column rule text valid note status code offset message")


def results(grammar: Grammar, is_file: bool, tested: Iterable[ExampleResult]) -> Iterator[ExampleOutcome]:
    """Yield the results of examples."""
    for each in tested:
        rejected = {} if each.rejection is None else attributes(each.rejection, "code offset")
        yield _outcome(grammar, is_file, each.example, each.status, message=each.message, **rejected)


def listed(grammar: Grammar, is_file: bool, examples: Iterable[Example]) -> Iterator[ExampleOutcome]:
    """Return examples that are not run."""
    return (_outcome(grammar, is_file, each, LISTED) for each in examples)


def document_results(
    document: Source, rule: Rule, examples: Iterable[DocumentExample], *, valid: bool, listing: bool = False
) -> Iterator[ExampleOutcome]:
    """Yield the results of a document's examples; a failed example has the line of its mistake.

    An example matches if one of its ``texts`` does. A rule of bytes matches them in UTF-8. With ``listing``,
    examples are not run.
    """
    from abnforge.engine.examples import tried
    from abnforge.grammar.annotations import Example

    for each in examples:
        line, column = document.position(each.draft.at[0])
        example = Example(rule.name, each.texts[0], valid, line, column, len(document.line(line)) + 1)
        if listing:
            yield _placed(document, example, LISTED)
            continue
        attempts = [replace(example, text=_input(rule, text)) for text in each.texts]
        tests = [test for one in attempts for test in tried({rule.name: rule}, [one], document.name)]
        result = _result(tests, valid)
        rejection, text = result.rejection, result.example.text
        example = replace(result.example, text=_characters(rule, text))
        if rejection is None:
            yield _placed(document, example, result.status, message=result.message)
            continue
        line, column = document.position(each.draft.at[len(_characters(rule, text[: rejection.offset]))])
        place = replace(example, line=line, column=column, end_column=column + 1)
        more = attributes(rejection, "code offset")
        yield _placed(document, place, result.status, message=result.message, **more)


def _input(rule: Rule, text: str) -> str:
    """Return a string of a document as the rule matches it: for a rule of bytes, in UTF-8."""
    return ByteText.of(text.encode()) if rule.grammar.alphabet == BYTES else text


def _characters(rule: Rule, text: str) -> str:
    """Return the string of a document for the input of a rule, without a character that is cut."""
    return text.encode(LATIN_1).decode(errors="ignore") if rule.grammar.alphabet == BYTES else text


def _result(tests: Collection[ExampleResult], valid: bool) -> ExampleResult:
    """Return the result of the string that matches, or else of the one with the longest valid prefix."""
    decisive = PASSED if valid else FAILED
    for status in (decisive, UNDECIDED):
        for test in tests:
            if test.status == status:
                return test
    return max(tests, key=lambda test: test.rejection.offset if test.rejection else 0)


def _placed(
    document: Source, example: Example, status: str, is_file: bool = True, **more: Any
) -> ExampleOutcome:
    return ExampleOutcome(
        path=document.name,
        excerpt=document.line(example.line),
        is_file=is_file,
        status=status,
        **attributes(example, "line column end_column rule text valid note"),
        **more,
    )


def missing(
    grammar: Grammar,
    is_file: bool,
    rules: Iterable[str] | None,
    least: int,
    more: Mapping[tuple[Rule, bool], int],
) -> Iterator[ExampleOutcome]:
    """Yield the rules with fewer than ``least`` matching or fewer than ``least`` other examples.

    Without ``rules``, the start rule and all unreferenced rules are checked. ``more`` are the numbers of
    examples in documents by rule and verdict.
    """
    from abnforge.engine.examples import count

    named = None if rules is None else dict.fromkeys(grammar[name] for name in rules)
    chosen = grammar.exported if named is None else tuple(named)
    bound = grammar.compilation.bound
    for rule in chosen:
        matches, others = count(grammar.examples.get(rule.name, ()))
        matches, others = matches + more.get((rule, True), 0), others + more.get((rule, False), 0)
        # a rule cannot have more matches than strings
        if others >= least and matches >= min(least, _strings(rule, least)):
            continue
        line = column = end = 0
        excerpt = ""
        if rule.origin == "file":
            span = bound.rules[rule.key].rule.name_span
            line, column = bound.source.position(span.start)
            end, excerpt = column + span.end - span.start, bound.source.line(line)
        note = (
            f"{rule.name} has {numbered(matches, 'match', 'matches')} and "
            f"{numbered(others, 'non-match', 'non-matches')}; --require wants {least:,} of each"
        )
        yield ExampleOutcome(bound.source.name, line, column, end, excerpt, is_file, rule.name, MISSING, note)


def _strings(rule: Rule, most: int) -> int:
    """Return the number of strings of a rule, up to ``most``."""
    if rule.grammar.compilation.prose(rule.key) is not None or not rule.regular:
        return most
    from abnforge.automata.dfa import number_of_strings

    try:
        return number_of_strings(rule.automaton, most)
    except LimitExceeded:
        return most


def numbered(number: int, one: str, several: str) -> str:
    """Return ``1 match``, ``2 matches``."""
    return f"{number:,} {one if number == 1 else several}"


def _outcome(grammar: Grammar, is_file: bool, example: Example, status: str, **more: Any) -> ExampleOutcome:
    return _placed(grammar.source, example, status, is_file=is_file, **more)
