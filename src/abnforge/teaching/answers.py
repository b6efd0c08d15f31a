"""An answer as a rule: its text is a student's, who is trusted with nothing but a budget."""

from __future__ import annotations

from functools import lru_cache

from abnforge.abnf.bundled import bundled_names
from abnforge.abnf.linking import wishes
from abnforge.abnf.reader import read_partial
from abnforge.budget import Budget
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.near_misses import did_you_mean
from abnforge.teaching.exercises import Exercise

MOST = 100_000
"""Characters of an answer that are read. The longest reference has some hundreds."""


def answered(exercise: Exercise, text: str, budget: Budget | None = None, name: str = "answer") -> Rule:
    """The rule that an answer to an exercise defines. Nothing is read from disk for it, nor kept there: it
    can import bundled grammars alone. Raises GrammarError for an answer that does not load, or has no such
    rule.
    """
    if len(text) > MOST:
        raise GrammarError(
            f"an answer has at most {MOST:,} characters, and this has {len(text):,}", code="file-too-large"
        )
    text = text if text.endswith("\n") else f"{text}\n"
    rulelist, _ = read_partial(text, name)
    for wish in wishes(rulelist):
        if wish.grammar not in bundled_names():
            raise GrammarError(
                f"an answer can import bundled grammars, and {wish.grammar!r} is none",
                code="import-directive",
                source=wish.source,
                span=wish.span,
            )
    grammar = loads(text, name=name, imports=exercise.imports, budget=budget, cache=False)
    own = {rule.name.lower() for rule in rulelist.rules}
    if exercise.rule.lower() not in own:
        names = [rule.name for rule in grammar.own_rules]
        hint = did_you_mean(exercise.rule, names)
        raise GrammarError(
            f"the answer defines no rule {exercise.rule}{hint}", code="undefined-rule", path=name
        )
    rule = grammar[exercise.rule]
    grammar.compilation.refuse_prose(rule.key)
    return rule


@lru_cache(maxsize=100)
def reference(exercise: Exercise) -> Rule:
    """The rule that is wanted. Raises GrammarError."""
    return answered(exercise, exercise.reference, name="reference")


@lru_cache(maxsize=500)
def misconceived(exercise: Exercise, number: int) -> Rule:
    """The rule of a misconception. Raises GrammarError."""
    return answered(exercise, exercise.misconceptions[number].abnf, name=f"misconception {number + 1}")
