"""Codes as reports tell them: what a code means, and its examples with what is said of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.messages import message
from abnforge.errors import UnknownNameError
from abnforge.text import citation, near_misses

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.explain.codes import Code


@dataclass(frozen=True, slots=True)
class Told:
    """A wrong text read by ``rule``: what is blamed, what is said, and what is right (None: nobody knows);
    ``offered`` is whether that is suggested.
    """

    rule: str
    wrong: str
    start: int
    end: int
    message: str
    right: str | None
    offered: bool


@dataclass(frozen=True, slots=True)
class KnownCode:
    """A code of a grammar. ``where`` cites what tells what is right."""

    grammar: str
    code: Code
    where: str | None
    examples: tuple[Told, ...]

    def to_dict(self) -> dict[str, Any]:
        """The code as plain data; its keys are stable."""
        code = self.code
        return {
            "code": code.code,
            "grammar": self.grammar,
            "meaning": code.meaning,
            "rule": code.rule,
            "place": code.place,
            "section": code.section,
            "examples": [
                {
                    "rule": e.rule,
                    "wrong": e.wrong,
                    "right": e.right if e.offered else None,
                    "message": e.message,
                }
                for e in self.examples
            ],
            "valid_examples": [{"rule": near.rule, "valid": near.valid} for near in code.valid_examples],
            "sources": list(code.sources),
            "definition": code.definition,
        }


def known_code(grammar: Grammar, name: str) -> KnownCode:
    """A code by name, without regard to case. Raises UnknownNameError with near misses."""
    from abnforge.engine.set_algebra import codes_of_sets
    from abnforge.explain.codes import Code

    code = next((each for each in grammar.codes.values() if each.code.lower() == name.strip().lower()), None)
    if code is None:
        general = {**other_codes(), **codes_of_sets(grammar.rules)}
        for known, meaning in general.items():
            if known.lower() == name.strip().lower():
                return KnownCode(grammar.name, Code(known, meaning), None, ())
        near = tuple(near_misses(name, [*grammar.codes, *general]))
        raise UnknownNameError(message("code-unknown", name=name, grammar=grammar.name, near=near))
    return _known(grammar, code)


def other_codes() -> dict[str, str]:
    """The codes that rejections have whatever the grammar, and their meanings."""
    from abnforge.rejection import ROW_CODES
    from abnforge.uri.policies import POLICY_CODES

    return {**ROW_CODES, **POLICY_CODES}


def known_codes(grammar: Grammar, *, derived: bool = False) -> Iterator[KnownCode]:
    """The mistakes that are declared for the grammar, or those ``derived`` from it, in the order in which
    they are preferred.
    """
    for code in grammar.codes.values():
        if code.definition is not None and code.derived is derived:
            yield _known(grammar, code)


def _known(grammar: Grammar, code: Code) -> KnownCode:
    told = []
    for example in code.examples:
        rule = grammar.start if example.rule is None else grammar[example.rule]
        rejection = rule.explain(example.wrong)
        # The examples of a family show one of its members each.
        if rejection is not None and rejection.code == code.code:
            message = rejection.message
            offered = rejection.suggestion is not None
            told.append(Told(rule.name, example.wrong, *rejection.span, message, example.right, offered))
    where = None if code.section is None else citation(grammar.name, code.section)
    return KnownCode(grammar.name, code, where, tuple(told))
