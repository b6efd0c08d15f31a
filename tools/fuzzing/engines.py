"""Exported patterns in the engines that they are for, as far as those are on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import pytest

import abnforge
from fuzzing import reference  # noqa: F401 -- tests can be imported from here on
from fuzzing.questions import Questions
from tests.reference.engines import ENGINES, holds

# Another process, or a database: asked where that is wanted.
DISTANT = ("ecmascript", "java", "sql")


@cache
def available(distant: bool = True) -> tuple[str, ...]:
    """The dialects whose engine answers. Starts the engines that are other processes."""
    found = []
    for dialect, engine in ENGINES.items():
        if not distant and dialect in DISTANT:
            continue
        try:
            engine([("a", (), ["a"])])
        except pytest.skip.Exception:
            continue
        found.append(dialect)
    return tuple(found)


def exports(
    ask: Questions, rule: abnforge.Rule, verdicts: Mapping[str, bool], dialects: Sequence[str]
) -> None:
    """Each exported pattern accepts in its own engine what the rule derives, and nothing else."""
    if not ask.about("exports"):
        return
    for dialect in dialects:
        try:
            pattern = ask.call("rule.export", dialect)
        except abnforge.LimitExceeded:
            raise
        except ValueError:
            continue  # no such pattern, by name
        texts = [text for text in verdicts if text.isascii() or holds(dialect, text)]

        def asked(text: str, dialect: str = dialect) -> str:
            return f'ENGINES["{dialect}"]([(rule.export("{dialect}"), (), [{text!r}])])'

        try:
            answers = ENGINES[dialect]([(pattern, (), texts)])[0]
        except AssertionError:  # the engine gave up: once more, to know on which text
            for text in texts:
                ask.asked = asked(text)
                ENGINES[dialect]([(pattern, (), [text])])
            raise
        for text, answer in zip(texts, answers, strict=True):
            valid = verdicts[text]
            if (answer is not None) is not valid:
                job = asked(text)
                ask.fail(
                    f"({job} != [[None]]) is {valid}",
                    f"{pattern} says {not valid} of {text!r} in its engine, which is wrong",
                )
