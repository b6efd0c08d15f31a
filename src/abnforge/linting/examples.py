"""Findings about examples that cannot be understood, or are at no rule.

Whether the others are what they say is asked by ``abnforge grammar test``: a lint answers the same however
many there are, and need not match anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from abnforge.abnf.examples import read_examples
from abnforge.abnf.names import BoundGrammar
from abnforge.abnf.reader import read_partial
from abnforge.linting.finding import Finding, from_error
from abnforge.mistakes.directives import MAY_DECLARE
from abnforge.mistakes.notation import apart


def example_directives(grammar: BoundGrammar) -> Iterator[Finding]:
    """A finding for each. Cost: linear; a text without structured comments is not read again."""
    if ";@" not in grammar.source.text:
        return
    rulelist, _ = read_partial(grammar.source.text, grammar.source.name)
    known: Collection[str] = grammar.rules
    if MAY_DECLARE.search(grammar.source.text):
        # Lint looks at mistakes as at rules; their examples are of another kind.
        known = {rule.name.lower() for rule in apart(rulelist, grammar.name)[0].rules}
    for error in read_examples(rulelist, known)[1]:
        yield from_error(error, grammar.source)
