"""Findings about mistakes: directives that cannot be understood, and what is proved of the others.

A file ``NAME.mistakes.abnf`` is read with the grammar ``NAME.abnf`` beside it. Any other text with directives
is a grammar and its mistakes in one: its rules without directives are the grammar.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from abnforge.abnf.files import read_file
from abnforge.abnf.names import BoundGrammar, bind
from abnforge.abnf.reader import read
from abnforge.budget import Budget
from abnforge.errors import GrammarError
from abnforge.linting.finding import Finding, from_error, in_order, make
from abnforge.mistakes.adoption import with_adopted
from abnforge.mistakes.binding import bind_mistakes
from abnforge.mistakes.model import Mistakes
from abnforge.mistakes.notation import apart, read_mistakes
from abnforge.mistakes.proofs import OVERLAP, remarks
from abnforge.source import Span

_ENDING = ".mistakes.abnf"


def mistake_findings(text: str, path: str, budget: Budget) -> list[Finding]:
    """The findings about the mistakes of a text, in its order; ``path`` is its name in messages.

    Raises OSError where the grammar beside a file of mistakes cannot be read.
    """
    try:
        if path.endswith(_ENDING):
            own = read_mistakes(text, path)
            made, grammar = with_adopted(own, _mistakes_beside(Path(path))), _beside(Path(path))
        else:
            rulelist, declared = apart(read(text, path), path)
            if declared is None:
                return []
            own = made = declared
            grammar = bind(rulelist, name=path)
        bound = bind_mistakes(made, grammar)
    except GrammarError as error:
        return in_order(from_error(each) for each in error.errors)
    found = [
        make(
            each.kind,
            each.message,
            made.source,
            _place(own, each.rule),
            each.rule,
            witness=each.witness,
        )
        for each in remarks(bound, budget)
        # What mistakes have in common is told where they are written.
        if each.kind != OVERLAP or each.rule in {mistake.rule.name for mistake in own.mistakes}
    ]
    return in_order(found)


def _place(own: Mistakes, rule: str) -> Span:
    """Where a mistake is declared; of one that is taken over, where that is said."""
    spans = {mistake.rule.name: mistake.span for mistake in own.mistakes}
    return spans.get(rule) or own.adopts[0].span


def _mistakes_beside(path: Path) -> Callable[[str], Mistakes | None]:
    """What finds the mistakes of other grammars: files beside one."""

    def find(name: str) -> Mistakes | None:
        other = path.with_name(name + _ENDING)
        if not other.is_file():
            return None
        return with_adopted(read_mistakes(read_file(other), str(other)), find)

    return find


def _beside(path: Path) -> BoundGrammar:
    """The grammar that a file of mistakes is about."""
    grammar = path.with_name(path.name.removesuffix(_ENDING) + ".abnf")
    return bind(read(read_file(grammar), str(grammar)), name=grammar.stem)
