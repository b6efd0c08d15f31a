"""Lint of a text or a file, whether it loads or not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from abnforge.abnf.dialects import DIALECTS
from abnforge.abnf.documents import read_grammar
from abnforge.abnf.draft import Excerpt
from abnforge.abnf.linking import Linking, link, link_errors
from abnforge.abnf.lists import RECIPIENT
from abnforge.abnf.model import Alternation, Concatenation, ProseVal, Repetition, Rule, Rulelist
from abnforge.abnf.reader import read_partial
from abnforge.abnf.sources import Source, linked, with_wishes
from abnforge.analysis.core_form import lower
from abnforge.analysis.facts import Facts
from abnforge.analysis.regularity import regular_bodies
from abnforge.arguments import choice_argument, instance_argument, names_argument, plain_argument
from abnforge.automaton.differences import core_form
from abnforge.budget import DEFAULT, Budget
from abnforge.catalog import ArgumentTypeError
from abnforge.errors import GrammarError
from abnforge.linting.checks import check
from abnforge.linting.finding import Finding, from_error, in_order
from abnforge.linting.mistakes import mistake_findings
from abnforge.linting.notation import notation
from abnforge.linting.registry import ERROR
from abnforge.messages import message as _message
from abnforge.mistakes.directives import MAY_DECLARE


@runtime_checkable
class Lints(Protocol):
    """A grammar that is loaded and says itself what is doubtful about it."""

    def lint(self, starts: Iterable[str] | None = None) -> list[Finding]:
        """Its findings, in the order of its text."""


def lint(
    source: str | Path | Lints,
    starts: Iterable[str] | None = None,
    *,
    dialect: str | None = None,
    imports: Sequence[Source] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str | None = None,
    budget: Budget | None = None,
) -> list[Finding]:
    """The findings about a grammar, in the order of its text.

    ``source`` is a grammar's text, the path of a file, or a loaded grammar. The errors of a grammar that does
    not load are its findings; the other checks then wait until they are corrected. ``starts`` are the rules
    that the grammar is for; without them, all that no other rule refers to. ``dialect`` is ``"abnf"``,
    ``"rfc822"`` (the notation with "|"), or None to recognise it, which is a finding then; ``budget`` is what
    it may cost; ``imports``, ``define`` and ``allow_undefined`` are as for ``abnforge.load``, and so is
    ``lists``; None tells of lists as a finding. A loaded grammar has its own of all of these. Mistakes
    (``;@ of ...``) are looked at, too; those in a file ``NAME.mistakes.abnf`` with the grammar ``NAME.abnf``
    beside it, or the bundled one of that name.

    Raises UnknownNameError for a start that is no rule of a grammar that loads, OSError for a file that
    cannot be read, TypeError for any other source.
    """
    starts = None if starts is None else names_argument(starts, "starts")
    if dialect is not None:
        dialect = choice_argument(dialect, "dialect", DIALECTS)
    if budget is not None:
        instance_argument(budget, "budget", Budget, "an abnforge.Budget or None")
    if isinstance(source, Mapping) and isinstance(source, Lints):
        return source.lint(starts)
    if isinstance(source, str):
        path = name = "<string>"
        text: str | Excerpt = plain_argument(source, "source")
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
    found = lint_text(text, path, name, starts, dialect=dialect, budget=budget, linking=linking)
    return found if lists is None else without_lists(found)


def lint_text(
    text: str | Excerpt,
    path: str,
    name: str,
    starts: Iterable[str] | None,
    *,
    dialect: str | None = None,
    budget: Budget | None = None,
    about: str | None = None,
    linking: Linking | None = None,
) -> list[Finding]:
    """The findings about a text that stands at a path, or was taken out of the document there; ``name`` is
    what the grammar is called, ``about`` the grammar that a file of mistakes is for, by name or path.
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
    linking = linking or Linking()
    try:
        linking = with_wishes(rulelist, linking, Path(path).parent, (os.path.realpath(path),))
    except GrammarError as error:
        errors.append(error)
    completed = _completed(rulelist, errors)
    if completed.rules or not errors:  # that no rule is left is the errors' doing, and no error of its own
        errors += link_errors(completed, linking)
    if errors:
        found = [from_error(e, rulelist.source, _kind(e, rulelist)) for e in errors]
        if rulelist.recognized:
            found += notation(rulelist.source, rulelist.rules)
        return in_order(found)
    bound = link(rulelist, name, linking)
    if bound.has_exceptions:
        try:
            core_form(bound, budget or DEFAULT)
        except GrammarError as error:
            mistakes.append(from_error(error, rulelist.source))
    facts = Facts(lower(bound))
    found = check(bound, facts, regular_bodies(facts), starts, budget or DEFAULT)
    return in_order((*mistakes, *found)) if mistakes else found


def without_lists(findings: Iterable[Finding]) -> list[Finding]:
    """The findings about a text whose lists are meant so."""
    return [each for each in findings if each.name != "list-notation"]


def _completed(rulelist: Rulelist, errors: Iterable[GrammarError]) -> Rulelist:
    """The rules that could be read, and a stand-in for each that could not: it is not undefined, only
    malformed.
    """
    read = {rule.name.lower() for rule in rulelist.rules}
    missing = dict.fromkeys(e.rule for e in errors if e.rule is not None and e.rule.lower() not in read)
    return replace(rulelist, items=(*rulelist.items, *_stand_ins(missing)))


def _stand_ins(names: Iterable[str]) -> Iterator[Rule]:
    for name in names:
        yield Rule(name, Alternation((Concatenation((Repetition(ProseVal("malformed")),)),)))


def _kind(error: GrammarError, rulelist: Rulelist) -> str | None:
    """``case-collision`` for a duplicate that is spelt differently; otherwise the error's own."""
    if error.code == "duplicate-rule" and error.rule is not None:
        first = next((r.name for r in rulelist.rules if r.name.lower() == error.rule.lower()), error.rule)
        if first != error.rule:
            return "case-collision"
    return None
