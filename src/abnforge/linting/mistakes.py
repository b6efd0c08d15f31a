"""Findings about mistakes: directives that cannot be understood, and what is proved of the others.

A file ``NAME.mistakes.abnf`` is read with the grammar ``NAME.abnf`` beside it. Any other text with directives
is a grammar and its mistakes in one: its rules without directives are the grammar.
"""

from __future__ import annotations

from pathlib import Path

from abnforge.abnf.files import read_file
from abnforge.abnf.names import BoundGrammar, bind
from abnforge.abnf.reader import read
from abnforge.budget import Budget
from abnforge.errors import GrammarError
from abnforge.linting.finding import Finding, from_error, in_order, make
from abnforge.mistakes.binding import bind_mistakes
from abnforge.mistakes.notation import apart, read_mistakes
from abnforge.mistakes.proofs import remarks

_ENDING = ".mistakes.abnf"


def mistake_findings(text: str, path: str, budget: Budget) -> list[Finding]:
    """The findings about the mistakes of a text, in its order; ``path`` is its name in messages.

    Raises OSError where the grammar beside a file of mistakes cannot be read.
    """
    try:
        if path.endswith(_ENDING):
            made = read_mistakes(text, path)
            grammar = _beside(Path(path))
        else:
            rulelist, declared = apart(read(text, path), path)
            if declared is None:
                return []
            made, grammar = declared, bind(rulelist, name=path)
        bound = bind_mistakes(made, grammar)
    except GrammarError as error:
        return in_order(from_error(each) for each in error.errors)
    found = [
        make(
            each.kind,
            each.message,
            made.source,
            bound.by_rule[each.rule].span,
            each.rule,
            witness=each.witness,
        )
        for each in remarks(bound, budget)
    ]
    return in_order(found)


def _beside(path: Path) -> BoundGrammar:
    """The grammar that a file of mistakes is about."""
    grammar = path.with_name(path.name.removesuffix(_ENDING) + ".abnf")
    return bind(read(read_file(grammar), str(grammar)), name=grammar.stem)
