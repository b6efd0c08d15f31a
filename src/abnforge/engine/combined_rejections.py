"""Why a rule that is made of others rejects a text.

Where reading stops, and what could follow there, are facts about the rule itself: they are exact, by its
automaton. The mistake is what the operand says that rejects the text; or that an operand derives what the
operation leaves out, and then the code is that of a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from abnforge.arguments import Given
from abnforge.charset import CharSet
from abnforge.engine.combination import AND, NOT, OR, Combination, Operand
from abnforge.engine.messages import message as _message
from abnforge.engine.octets import not_utf8
from abnforge.engine.refusals import Refusal
from abnforge.explain.codes import Code, Codes
from abnforge.explain.failure import viable_states
from abnforge.explain.lessons import Lesson
from abnforge.rejection import CODE_POINTS, NOT_UTF8, Expected, Facts, Hypothesis, Rejection

OVER_LENGTH = "over-length"

# The beginnings of the codes of refusals: of what the other operand does not have, and of what it has.
_OUTSIDE, _EXCLUDED = "outside", "excluded"


def explain_combined(rule: Operand, it: Given, suggest: bool, hypotheses: int, engine: str) -> Rejection:
    """The rejection of a text that the rule is known to reject."""
    text = it.text
    prefix = text[: it.broken]
    offset = rule.grammar.compilation.viable(prefix)
    broken = it.broken is not None and offset == len(prefix)
    told = _refused(rule, text) if broken else _judged(rule, text, suggest, hypotheses, engine)
    suggestion = told.suggestion
    rejection = Rejection._with_late(
        grammar=rule.grammar.name,
        rule=rule.name,
        input=text,
        offset=offset,
        found=text[offset] if offset < len(text) else None,
        section=told.section,
        message=told.message,
        hypotheses=told.hypotheses,
        suggestion=suggestion if suggestion is not None and rule.matches(suggestion.text) else None,
        offset_unit=CODE_POINTS,
        code=told.code,
        other_mistakes=told.other_mistakes,
        _facts=Facts(partial(_find, rule, prefix[:offset], told)),
    )
    if broken:
        return not_utf8(rejection, text, offset).to_byte_offsets()
    return rejection.to_byte_offsets() if it.octets else rejection


def _find(rule: Operand, prefix: str, told: Rejection) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts about what follows a longest viable prefix."""
    _, allowed, may_end = rule.grammar.compilation.bounded.read(prefix)
    facts = {"expected": _told(rule, prefix, allowed), "rule_path": told.rule_path, "end_expected": may_end}
    return facts, {}


def combined_lesson(rule: Operand, text: str, engine: str) -> Lesson | None:
    """The same as steps: those of the left operand, if that rejects the text."""
    rejection: Rejection | None = rule.explain(text, suggest=True, hypotheses=1, engine=engine)
    if rejection is None:
        return None
    made: Combination = rule.grammar.compilation.combined
    lesson: Lesson | None = made.left.lesson(text, engine=engine) if made.is_narrower else None
    if lesson is None:
        return Lesson(rejection, (), rule.grammar.codes.get(rejection.code), ())
    return replace(lesson, rejection=rejection)


def codes_of(made: Combination) -> Codes:
    """Every code that a rejection by the rule can have: those of the operands that explain, and its own."""
    explaining = made.operands if made.operation == OR else () if made.operation == NOT else (made.left,)
    known: dict[str, Code] = {}
    for operand in explaining:
        known = {**operand.grammar.codes, **known}
    if made.operation == NOT:
        known[NOT_UTF8] = made.left.grammar.codes[NOT_UTF8]
    if made.operation != OR:
        refusal = refusal_of(made)
        known[refusal.code] = Code(refusal.code, refusal.meaning, refusal.part)
    return Codes(known.values())


def _judged(rule: Operand, text: str, suggest: bool, hypotheses: int, engine: str) -> Rejection:
    """What is said of a text that the rule rejects, apart from the facts: what the left operand says if it
    rejects the text; of alternatives, what the one says that reads more of it, or the first.
    """
    made: Combination | None = rule.grammar.compilation.combined
    if made is None:
        said = rule.explain(text, suggest=suggest, hypotheses=hypotheses, engine=engine)
        assert isinstance(said, Rejection), "the lanes disagree"
        return said
    if made.operation == OR:
        told: list[Rejection] = [
            each.explain(text, suggest=suggest, hypotheses=hypotheses, engine=engine)
            for each in made.operands
        ]
        return max(told, key=lambda each: each.offset)
    if made.operation == NOT or _derives(made.left, text, engine):
        return _refused(rule, text)
    return _judged(made.left, text, suggest, hypotheses, engine)


def _derives(rule: Operand, text: str, engine: str) -> bool:
    verdict: bool = rule.matches(text) if engine == "auto" else rule.matches(text, engine=engine)
    return verdict


def _refused(rule: Operand, text: str) -> Rejection:
    """The rejection of what the left operand derives and the operation leaves out, without the facts."""
    made: Combination = rule.grammar.compilation.combined
    refusal = refusal_of(made)
    place = refusal.place(text) if made.longest is None else (made.longest, len(text))
    message = refusal.message(text, place)
    if message is None and made.right is not None and made.operation == AND:
        other = made.right.explain(text, suggest=False, hypotheses=1, engine="auto")
        if other is not None:
            place = other.span
            message = _message("set-outside-reason", rule=made.right.name, reason=other.message)
    rule_path = [_plain(made.left).name]
    if place is not None and refusal.part is not None:
        rule_path.append(refusal.part)
    start, end = place or (0, 0)
    message = message or refusal.meaning
    first = Hypothesis(tuple(rule_path), start, end, (), message, refusal.code)
    return Rejection(
        grammar=rule.grammar.name,
        rule=rule.name,
        input=text,
        offset=0,
        found=None,
        expected=(),
        rule_path=first.rule_path,
        section=None,
        message=message,
        hypotheses=(first,),
        code=refusal.code,
    )


def refusal_of(made: Combination) -> Refusal:
    """What an operation says of what it leaves out."""
    if made.refusal is not None:
        return made.refusal
    left = made.left.name
    if made.longest is not None:
        return Refusal(
            OVER_LENGTH,
            _message("set-length", most=made.longest),
            _message("set-length-is", most=made.longest),
        )
    if made.right is None:
        return Refusal(_code(_EXCLUDED, left), _message("set-excluded", rule=left, name=made.name))
    right = made.right.name
    if made.operation == AND:
        return Refusal(_code(_OUTSIDE, right), _message("set-outside", left=left, rule=right))
    return Refusal(_code(_EXCLUDED, right), _message("set-excluded", rule=right, name=made.name))


def codes_of_sets(rules: Iterable[str]) -> dict[str, str]:
    """The codes that rejections by set algebra can have for these rules, and their meanings."""
    found = {}
    for rule in rules:
        found[_code(_OUTSIDE, rule)] = f"The string must also match {rule}."
        found[_code(_EXCLUDED, rule)] = f"The string matches {rule}, which is excluded."
    return found


def _code(head: str, name: str) -> str:
    """A code made of a rule's name."""
    return f"{head}-{re.sub('[^A-Za-z0-9]+', '-', name).strip('-')}"


def _plain(rule: Operand) -> Operand:
    """The rule of a grammar that a combination begins with."""
    made: Combination | None = rule.grammar.compilation.combined
    return rule if made is None else _plain(made.left)


def _told(rule: Operand, prefix: str, allowed: CharSet) -> tuple[Expected, ...]:
    if not allowed:
        return ()
    return tuple(_expected(rule, prefix, allowed)) or (Expected(rule.name, allowed.to_class()),)


def _expected(rule: Operand, prefix: str, allowed: CharSet) -> Iterator[Expected]:
    """What is allowed behind a viable prefix, by the rules of the operands that would read it."""
    made: Combination | None = rule.grammar.compilation.combined
    if made is not None and made.operation != NOT:
        known: dict[Expected, None] = {}
        for operand in made.operands if made.operation == OR else (made.left,):
            known |= dict.fromkeys(_expected(operand, prefix, allowed))
        yield from known
        return
    if made is not None:
        yield Expected(rule.name, allowed.to_class())
        return
    with rule.grammar.readers.taken() as readers:
        if rule.recursive:
            reached = viable_states(readers.derivatives, rule.key, prefix, len(prefix))
        else:
            reached = readers.derivatives.read(rule.key, prefix)
        if len(reached) > len(prefix):
            yield from readers.expectations.of(reached[-1].states, allowed)
