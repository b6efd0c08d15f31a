"""Lint grammar text, a file or a loaded grammar: run every check, and apply accepted findings.

:func:`mistake_findings` checks mistakes: malformed directives, and the results of proofs about the others. A
file ``NAME.mistakes.abnf`` belongs to the grammar ``NAME.abnf`` in its directory, or to the built-in grammar
of that name. Another file with directives contains both the grammar and its mistakes: the rules without
directives are the grammar.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from errno import ENOENT
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from abnforge._arguments import choice_argument, instance_argument, names_argument, plain_argument
from abnforge._lazy import gc_paused
from abnforge.automata.algebra import EQUAL, witnesses
from abnforge.automata.dfa import build
from abnforge.automata.expressions import core_form
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.catalog import ArgumentTypeError, CodedError, Message
from abnforge.charset import BYTES
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.declare import MAY_DECLARE
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import Mistakes
from abnforge.explain.mistakes_file import read_mistakes, split_mistakes, with_inherited
from abnforge.explain.proofs import OVERLAP, remarks
from abnforge.explain.reading import Interpretation, Interpreter
from abnforge.explain.shipped import shipped_mistakes
from abnforge.grammar.annotations import Allow, read_allows
from abnforge.grammar.binding import bind
from abnforge.grammar.core import Core, Node, lower
from abnforge.grammar.facts import Facts
from abnforge.grammar.files import GrammarSource, linked, read_grammar, resolve_imports
from abnforge.grammar.imports import LinkOptions, link, link_errors
from abnforge.grammar.lexer import DIALECTS
from abnforge.grammar.parser import CORE_RULES
from abnforge.grammar.reader import read, read_file, read_partial
from abnforge.grammar.regular import regular_bodies
from abnforge.grammar.shipped import bundled_names, generated, start_of
from abnforge.grammar.source_map import ExtractedSource
from abnforge.grammar.syntax import (
    RECIPIENT,
    Alternation,
    BoundGrammar,
    Concatenation,
    ProseVal,
    Repetition,
    RuleDefinition,
    Rulelist,
)
from abnforge.linting.ambiguity import ambiguities
from abnforge.linting.comments import comments, reserved_words
from abnforge.linting.finding import ERROR, INFO, KINDS, Finding, from_error, in_order, make, own_rules
from abnforge.linting.first_match import cut_off_alternatives
from abnforge.linting.messages import message
from abnforge.linting.recursion import recursion
from abnforge.linting.slips import (
    core_rules_redefined,
    example_directives,
    list_notation,
    literals,
    names_in_another_case,
    notation,
    quoted_names,
    slips,
    unused_rules,
)
from abnforge.messages import message as _message
from abnforge.text import ByteText, Source, Span, near_misses, with_bytes

# The share of the lint budget for the comparison of a rule with the core rule of the same name.
CORE_SHARE = 0.02


def check(
    grammar: BoundGrammar,
    facts: Facts,
    bodies: Mapping[str, Node],
    starts: Iterable[str] | None = None,
    budget: Budget = DEFAULT,
    *,
    first_match: bool = False,
) -> list[Finding]:
    """Return all findings about a grammar, in text order.

    ``facts`` describe its core form; ``bodies`` are the recursion-free bodies of its regular rules.
    ``starts`` are names of start rules; None means every rule that no other rule refers to. ``first_match``
    adds alternatives that first-match parsers cut off. Raises UnknownNameError for an unknown start.

    The checks cover the rules of the grammar's own text. A finding reports checks that exceeded ``budget``.
    Complexity: tenths of a second for most grammars of RFCs, a few seconds for the largest.
    """
    meter = budget.meter(f"lint of {grammar.name}")
    with gc_paused(len(grammar.source.text)):
        return _check(grammar, facts, bodies, starts, budget, meter, first_match)


def _check(
    grammar: BoundGrammar,
    facts: Facts,
    bodies: Mapping[str, Node],
    starts: Iterable[str] | None,
    budget: Budget,
    meter: Meter,
    first_match: bool,
) -> list[Finding]:
    begin = None if starts is None else [grammar.key(name) for name in starts]
    findings = [
        *unused_rules(grammar, facts, begin),
        *quoted_names(grammar, facts),
        *names_in_another_case(grammar),
        *core_rules_redefined(grammar, lambda key: _is_core(key, facts.core, bodies, meter)),
        *recursion(grammar, facts),
        *literals(grammar),
        *slips(grammar),
        *comments(grammar),
        *reserved_words(grammar, facts, bodies, budget),
        *list_notation(grammar),
        *example_directives(grammar),
        *_noticed(grammar),
        *(notation(grammar.source, (r.rule for _, r in own_rules(grammar))) if grammar.recognized else ()),
        *ambiguities(grammar, facts, bodies, meter),
        *(cut_off_alternatives(grammar, facts, bodies, budget) if first_match else ()),
    ]
    findings = list(dict.fromkeys(findings))  # an expanded list contains its elements twice
    if grammar.alphabet == BYTES:
        findings = [_of_bytes(finding) for finding in findings]
    unchecked = [] if begin is not None else ["unused-rule"]
    if not first_match:
        unchecked.append("cut-off-alternative")
    allowed = list(read_allows(grammar.source, grammar.annotations)) if grammar.annotations else []
    return in_order(accept(findings, allowed, grammar.source, unchecked))


def _of_bytes(finding: Finding) -> Finding:
    """Return a finding about a grammar of bytes, whose strings have a character for each byte."""
    derivations = tuple(map(with_bytes, finding.derivations))
    witness = None if finding.witness is None else ByteText(finding.witness)
    return replace(finding, message=with_bytes(finding.message), derivations=derivations, witness=witness)


def _noticed(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield the warnings of binding that no check here covers."""
    for warning in grammar.warnings:
        if warning.code == "import-collision":
            yield from_error(warning, grammar.source)
        elif warning.code in ("undefined-rule", "incremental-without-base"):
            yield replace(from_error(warning, grammar.source), severity=INFO)


def _is_core(key: str, core: Core, bodies: Mapping[str, Node], meter: Meter) -> bool:
    """Return whether a rule with a core rule's name derives exactly what the core rule does."""
    if key not in bodies:
        return False
    standard = _standard()
    try:
        own = build(core, bodies, key, meter.share("a core rule", CORE_SHARE))
    except LimitExceeded:
        return False
    return witnesses(own, build(standard, standard.rules, key)).relation == EQUAL


@cache
def _standard() -> Core:
    """Return the core rules alone, built from each other as in RFC 5234."""
    return lower(bind(read(CORE_RULES, "RFC 5234, appendix B.1", "abnf"), name="core"))


def accept(
    findings: Iterable[Finding], allowed: Sequence[Allow], source: Source, unchecked: Iterable[str] = ()
) -> list[Finding]:
    """Return the findings, accepted ones with the reason, and a finding for each unused suppression comment.

    Findings named in ``unchecked`` are not expected in this run.
    """
    reasons = {(allow.rule, allow.name): allow.reason for allow in allowed if allow.reason}
    used: set[tuple[str, str]] = set()
    result: list[Finding] = []
    for finding in findings:
        key = (finding.rule or "").lower(), finding.name
        if key in reasons:
            used.add(key)
            finding = replace(finding, accepted=reasons[key])
        result.append(finding)
    for allow in allowed:
        if not allow.name:
            problem = message("useless-allow-nameless")
        elif allow.name not in KINDS:
            problem = message("useless-allow-unknown", name=allow.name)
        elif not allow.reason:
            problem = message("useless-allow-unexplained")
        elif allow.rule is None:
            problem = message("useless-allow-misplaced")
        elif (allow.rule, allow.name) not in used and allow.name not in unchecked:
            problem = message("useless-allow", name=allow.name)
        else:
            continue
        result.append(make(source, allow.rule, allow.span, problem))
    return result


@runtime_checkable
class Lints(Protocol):
    """A loaded grammar that can lint itself."""

    def lint(self, starts: Iterable[str] | None = None, *, first_match: bool = False) -> list[Finding]:
        """Return the findings about this grammar, in text order."""


def lint(
    source: str | Path | Lints,
    starts: Iterable[str] | None = None,
    *,
    dialect: str | None = None,
    imports: Sequence[GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str | None = None,
    budget: Budget | None = None,
    first_match: bool = False,
) -> list[Finding]:
    """Return the findings about a grammar, in text order.

    ``source`` is a grammar as a str, the path of a file, or a loaded grammar. If a grammar does not load,
    its errors are the only findings. ``starts`` are the start
    rules; None means every rule that no other rule refers to. ``dialect`` is ``"abnf"``, ``"rfc822"`` (the
    notation with "|"), or None to recognize it, which is a finding then. ``budget`` limits the work.
    ``imports``, ``define``, ``allow_undefined`` and ``lists`` are as for ``abnforge.load``; ``lists=None``
    reports lists as a finding. A loaded grammar already has values for all of these.
    ``first_match`` also reports alternatives that a first-match parser cuts off (``cut-off-alternative``).

    Mistakes (``;@ of ...``) are also checked. A file ``NAME.mistakes.abnf`` is checked with the grammar
    ``NAME.abnf`` in its directory, or with the built-in grammar of that name.

    Raises UnknownNameError for a start that is not a rule of a grammar that loads, OSError for a file that
    cannot be read, TypeError for any other source.
    """
    starts = None if starts is None else names_argument(starts, "starts")
    if dialect is not None:
        dialect = choice_argument(dialect, "dialect", DIALECTS)
    if budget is not None:
        instance_argument(budget, "budget", Budget, "an abnforge.Budget or None")
    if isinstance(source, Mapping) and isinstance(source, Lints):
        return source.lint(starts, first_match=first_match)
    if isinstance(source, str):
        path = name = "<string>"
        text: str | ExtractedSource = plain_argument(source, "source")
    elif isinstance(source, Path):
        try:
            text = read_grammar(source)
        except GrammarError as error:
            return [from_error(each) for each in error.errors]
        path, name = str(source), source.stem
    else:
        expected = "a Grammar, a str with a grammar or a Path"
        kind = type(source).__name__
        raise ArgumentTypeError(_message("argument-type", name="source", expected=expected, type=kind))
    linking = linked(imports, define, allow_undefined, lists or RECIPIENT)
    findings = lint_text(
        text, path, name, starts, dialect=dialect, budget=budget, linking=linking, first_match=first_match
    )
    return findings if lists is None else without_lists(findings)


def lint_text(
    text: str | ExtractedSource,
    path: str,
    name: str,
    starts: Iterable[str] | None,
    *,
    dialect: str | None = None,
    budget: Budget | None = None,
    about: str | None = None,
    linking: LinkOptions | None = None,
    first_match: bool = False,
) -> list[Finding]:
    """Return the findings about grammar text from a path, or extracted from the document there.

    ``name`` is the name of the grammar; ``about`` is the grammar of a mistakes file, a bundled name or a
    path.
    """
    mistakes: list[Finding] = []
    if about is not None or MAY_DECLARE.search(text if isinstance(text, str) else text.text):
        mistakes = mistake_findings(text, path, budget or DEFAULT, about)
        if (
            about is not None
            or path.endswith(".mistakes.abnf")
            or any(each.severity == ERROR for each in mistakes)
        ):
            return mistakes
    rulelist, errors = read_partial(text, path, dialect)
    linking = linking or LinkOptions()
    try:
        linking = resolve_imports(rulelist, linking, Path(path).parent, (os.path.realpath(path),))
    except GrammarError as error:
        errors.append(error)
    completed = _completed(rulelist, errors)
    if completed.rules or not errors:  # do not report a missing rule in addition to other errors
        errors += link_errors(completed, linking)
    if errors:
        findings = [from_error(e, rulelist.source, _kind(e, rulelist)) for e in errors]
        if rulelist.recognized:
            findings += notation(rulelist.source, rulelist.rules)
        return in_order(findings)
    bound = link(rulelist, name, linking)
    if bound.has_exceptions:
        try:
            core_form(bound, budget or DEFAULT)
        except GrammarError as error:
            mistakes.append(from_error(error, rulelist.source))
    facts = Facts(lower(bound))
    findings = check(bound, facts, regular_bodies(facts), starts, budget or DEFAULT, first_match=first_match)
    return in_order((*mistakes, *findings)) if mistakes else findings


def without_lists(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings about a grammar text, without the one about lists."""
    return [each for each in findings if each.name != "list-notation"]


def _completed(rulelist: Rulelist, errors: Iterable[GrammarError]) -> Rulelist:
    """Return the rules that parse, and a placeholder for each malformed rule, so that it is not undefined."""
    read = {rule.name.lower() for rule in rulelist.rules}
    missing = dict.fromkeys(e.rule for e in errors if e.rule is not None and e.rule.lower() not in read)
    annotations = rulelist.annotations
    if missing:  # a comment without a rule may belong to a malformed rule
        annotations = tuple(annotation for annotation in annotations if annotation.rule is not None)
    return replace(rulelist, items=(*rulelist.items, *_stand_ins(missing)), annotations=annotations)


def _stand_ins(names: Iterable[str]) -> Iterator[RuleDefinition]:
    for name in names:
        yield RuleDefinition(name, Alternation((Concatenation((Repetition(ProseVal("malformed")),)),)))


def _kind(error: GrammarError, rulelist: Rulelist) -> str | None:
    """Return ``case-collision`` for a duplicate with another spelling, otherwise the error's own kind."""
    if error.code == "duplicate-rule" and error.rule is not None:
        first = next((r.name for r in rulelist.rules if r.name.lower() == error.rule.lower()), error.rule)
        if first != error.rule:
            return "case-collision"
    return None


_ENDING = ".mistakes.abnf"


class MissingGrammarError(CodedError, FileNotFoundError):
    """An error: the grammar of a mistakes file does not exist."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.errno, self.strerror, self.filename = ENOENT, message, message.data["file"]


def mistake_findings(
    text: str | Source, path: str, budget: Budget, about: str | None = None
) -> list[Finding]:
    """Return the findings about mistakes in text order; ``path`` is its name in messages.

    ``about`` is the grammar of a mistakes file, a built-in name or a path, if the file is not named after it.
    Raises OSError if that grammar cannot be read, FileNotFoundError if it does not exist.
    """
    try:
        if about is not None or path.endswith(_ENDING):
            own = read_mistakes(text, path)
            mistakes = with_inherited(own, _mistakes_beside(Path(path)))
            grammar = _grammar_of(Path(path), about)
        else:
            rulelist, declared = split_mistakes(read(text, path), path)
            if declared is None:
                return []
            own = mistakes = declared
            grammar = bind(rulelist, name=path)
        bound = bind_mistakes(mistakes, grammar)
    except GrammarError as error:
        return in_order(from_error(each) for each in error.errors)
    findings = [
        make(
            mistakes.source,
            each.rule,
            _place_of(own, each.rule),
            each.message,
            witness=each.witness,
            kind=each.kind,
        )
        for each in remarks(bound, budget)
        # A finding about the shared rules of mistakes has the place of these rules.
        if each.kind != OVERLAP or each.rule in {mistake.rule.name for mistake in own.mistakes}
    ]
    return in_order([*findings, *_mistake_examples(own, bound)])


def _mistake_examples(own: Mistakes, bound: BoundMistakes) -> Iterator[Finding]:
    """Yield examples that do not match their mistake or are not fixed as stated, and invalid near misses."""
    readers: dict[str, Interpreter] = {}
    fixer = Fixer(bound)
    start = start_of(bound.grammar)

    def read(rule: str | None, text: str) -> Interpretation:
        name = rule or start
        if name not in readers:
            readers[name] = Interpreter(bound, name)
        return readers[name].interpret(text)

    for mistake in own.mistakes:
        code = mistake.code
        failures: list[tuple[str, Message]] = []
        for example in mistake.examples:
            reading = read(example.rule, example.wrong)
            if not reading.mistakes:
                problem = message("mistake-example-valid", example=example.wrong, mistake=code)
                failures.append((example.wrong, problem))
                continue
            # An example of a family may be an example of any of its members.
            family = {each.code for each in own.mistakes if each.family and each.family == mistake.family}
            if not {mistake.code, *family} & set(reading.codes):
                other = reading.codes[0]
                problem = message("mistake-example-other", example=example.wrong, mistake=code, code=other)
                failures.append((example.wrong, problem))
                continue
            mended = fixer.fix(reading, include_unwanted=True)
            if (mended and mended.text) != example.right:
                if mended is None:
                    problem = message("mistake-example-unfixed", example=example.wrong, mistake=code)
                else:
                    problem = message(
                        "mistake-example-fix", example=example.wrong, mistake=code, fixed=mended.text
                    )
                failures.append((example.wrong, problem))
        for near in mistake.near:
            if read(near.rule, near.valid).mistakes:
                problem = message("mistake-example-near", example=near.valid, mistake=code)
                failures.append((near.valid, problem))
        for witness, problem in failures:
            yield make(own.source, mistake.rule.name, mistake.span, problem, witness=witness)


def _place_of(own: Mistakes, rule: str) -> Span:
    """Return the place where a mistake is declared; for an inherited one, its directive."""
    spans = {mistake.rule.name: mistake.span for mistake in own.mistakes}
    return spans.get(rule) or own.adopts[0].span


def _mistakes_beside(path: Path) -> Callable[[str], Mistakes | None]:
    """Return a function that finds the mistakes of other grammars: in files, or built in."""

    def find(name: str) -> Mistakes | None:
        other = path.with_name(name + _ENDING)
        if not other.is_file():
            return shipped_mistakes(generated(), name)
        return with_inherited(read_mistakes(read_file(other), str(other)), find)

    return find


def _grammar_of(path: Path, about: str | None) -> BoundGrammar:
    """Return the grammar that a mistakes file is about."""
    name = about or path.name.removesuffix(_ENDING)
    file = path.with_name(f"{name}.abnf") if about is None else Path(about)
    if file.is_file():
        return bind(read(read_file(file), str(file)), name=file.stem)
    if name in bundled_names():
        text = (generated() / f"{name}.abnf").read_text("utf-8")
        return bind(read(text, f"{name}.abnf"), name=name)
    near = tuple(near_misses(name, bundled_names()))
    raise MissingGrammarError(message("mistakes-grammar-unknown", file=str(file), near=near))
