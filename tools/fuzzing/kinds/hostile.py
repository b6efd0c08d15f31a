"""Grammars that are small to write and large to work on: every question ends, in time and in memory.

A case is a family of grammars with a size, one question, and a string. Its answer may be any, or one of the
errors that say by name what is too much; it may not be an overdue one, nor an error that tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import abnforge
from abnforge.engine.grammar import sentences
from fuzzing.kind import Kind
from fuzzing.kinds.families import FAMILIES
from fuzzing.questions import Name, Questions

STRINGS = (
    *('"a" * m', '"a" * m + "!"', '"ab" * m', '"b" * m', '"!" * m', '"ab" * m + "a!"'),
    *('"(" * m + ")" * m', '"a" + "+a" * m', '"word1" * m'),
)  # fmt: skip

QUESTIONS = (
    *("loads", "loads", "lint", "matches", "lark", "automaton", "pattern", "export", "parse", "check"),
    *("explain", "suggest", "compare", "sentences", "definition", "lark_text"),
)
LONGEST = 3_000


@dataclass(frozen=True, slots=True)
class HostileCase:
    """A family's name, its size ``n``, what is asked, and a string of ``m`` parts."""

    family: str
    n: int
    question: str
    string: str
    m: int
    strings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return self.n + self.m

    @property
    def text(self) -> str:
        """The grammar."""
        return str(eval(FAMILIES[self.family][0], {"n": self.n}))

    def setup(self) -> list[str]:
        return [
            f"n, m = {self.n}, {self.m}",
            f"text = {FAMILIES[self.family][0]}",
            f"string = {self.string}",
            "grammar = abnforge.loads(text)",
            "rule = grammar.start",
        ]

    def smaller(self) -> Iterator[HostileCase]:
        for n in (1, self.n // 8, self.n // 2, self.n * 7 // 8, self.n - 1):
            if 0 < n < self.n:
                yield replace(self, n=n)
        for m in (0, self.m // 8, self.m // 2, self.m - 1):
            if 0 <= m < self.m:
                yield replace(self, m=m)


def draw(chance: Random) -> HostileCase:
    """Sizes are drawn by their number of digits: small ones are as likely as large ones."""
    family = chance.choice(sorted(FAMILIES))
    n = round(FAMILIES[family][1] ** chance.uniform(0.2, 1))
    m = round(LONGEST ** chance.uniform(0, 1)) if chance.random() < 0.9 else 0
    return HostileCase(family, max(n, 1), chance.choice(QUESTIONS), chance.choice(STRINGS), m)


def check(case: HostileCase, ask: Questions) -> None:
    """One question. LimitExceeded, GrammarError, and ValueError where the question has it, are answers."""
    ask.names["abnforge"] = abnforge
    ask.names["text"] = case.text
    string = ask.names["string"] = str(eval(case.string, {"m": case.m}))
    ask.law = case.question
    if case.question == "lint":
        ask.call("abnforge.lint", Name("text"))
        return
    try:
        grammar = ask.names["grammar"] = ask.call("abnforge.loads", Name("text"))
    except abnforge.GrammarError as error:
        ask.asked = "str(error)"
        str(error)
        return
    ask.names["rule"] = rule = grammar.start
    try:
        _ask(case.question, ask, string)
    except abnforge.Rejected:
        if rule.matches(string):
            ask.fail(f"{ask.asked}", "it is rejected and matches")
    except ValueError:
        # GrammarError by name: the rule needs too much. ValueError: no such pattern, no automaton.
        if case.question not in ("export", "automaton", "compare"):
            raise


def _ask(question: str, ask: Questions, string: str) -> None:
    match question:
        case "matches":
            ask.call("rule.matches", Name("string"))
        case "lark":
            ask.call("rule.matches", Name("string"), engine="lark")
        case "parse":
            ask.call("rule.parse", Name("string"))
        case "check" if hasattr(abnforge.Rule, "check"):
            ask.call("rule.check", Name("string"))
        case "explain":
            ask.call("rule.explain", Name("string"), suggest=False)
        case "suggest":
            ask.call("rule.explain", Name("string"))
        case "automaton":
            ask.get("rule.automaton")
        case "pattern":
            ask.get("rule.pattern")
        case "export":
            for dialect in ("re2", "java"):
                ask.call("rule.export", dialect)
        case "compare":
            ask.call("abnforge.compare", Name("rule"), Name("rule"))
        case "definition":
            ask.get("rule.definition")
        case "lark_text":
            ask.get("rule.lark_text")
        case "sentences":
            ask.asked = "list(sentences(rule, count=3, seed=1))"
            list(sentences(ask.names["rule"], count=3, seed=1))


KIND = Kind(
    "hostile", "every question about a hostile grammar ends in time and memory", draw, check, isolated=True
)
