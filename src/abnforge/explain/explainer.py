"""Explain a rejection in terms of the grammar: the offset, the expected characters, and the mistake.

The parser supplies the facts (``parsing.stop``): the offset and the expected set. The cheapest interpretation
of the string by the grammar and its mistakes supplies the code, the place, the message, and a validated fix.
``Explainer`` decides which of the two a rejection reports first.

An interpretation by derived mistakes is implausible if the facts refute it. The input is valid up to the
offset, so a mistake without a fix that ends before the offset is refuted. An interpretation with an early
mistake must also be cheap. A missing comma is only noticed at the next sign, but several early mistakes are
less likely than an input that ends too early or contains one wrong character. Declared mistakes are always
plausible, since they are known to occur.

If the input only ends too early, ``unfinished`` names the missing items. ``wrong_character`` describes the
facts at the offset.

This module is long because one class chooses the first report of a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from abnforge._lazy import cached_property, lazy, lazy_pattern
from abnforge.charset import UNICODE, CharSet, union
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.fixes import FixedText, Fixer
from abnforge.explain.mistakes import (
    AFTER,
    ALL,
    ANY_RULE,
    CONTENT_IN,
    WORD_IN,
    Mistake,
    Text,
    is_refutable,
    is_space_for_sign,
    quoted,
)
from abnforge.explain.reading import (
    MAX_PLAUSIBLE_WEIGHT,
    FoundMistake,
    Interpretation,
    Interpreter,
    cuts_word,
    has_literal,
    is_implausible,
    is_past,
    is_refuted,
    refutes,
    unreadable,
)
from abnforge.records import replace
from abnforge.rejection import (
    CODE_POINTS,
    UNREADABLE,
    Edit,
    Expected,
    Hypothesis,
    OtherMistake,
    Rejection,
    Suggestion,
)

with lazy:
    from abnforge.explain import codes, rule_paths, signs, unfinished, wrong_character

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Derivatives
    from abnforge.grammar.syntax import BoundGrammar
    from abnforge.parsing.stop import Expectations, Failure


_PLACES = ("at the start of", "in or after", "between the brackets of")
_MAX_AFTER = 4  # characters that must match after a sign that replaces whitespace
_MAX_SIGNS = 3  # the maximum size of a set of signs; a larger one is content
_MAX_CASED, _MAX_CASED_TEXT = 4, 1_000  # words whose case is compared, and the length of their string
_CASED = lazy_pattern(r"[^\W\d_]+")


class GrammarStates(Protocol):
    """The states of a grammar's rules, constructed when facts about an input are first needed."""

    @property
    def derivatives(self) -> Derivatives:
        """The states."""

    @property
    def expectations(self) -> Expectations:
        """The expected characters in states, by rule."""


class Explainer:
    """Explain the rejections of one rule.

    ``interpreter`` finds the rule's mistakes; it is None if the rule is too large.
    """

    def __init__(
        self,
        states: GrammarStates,
        grammar: BoundGrammar,
        key: str,
        mistakes: BoundMistakes,
        interpreter: Interpreter | None,
    ) -> None:
        self._states = states
        self._bound = grammar
        self._grammar = grammar.name
        self._key = key
        self._rule = grammar.outline[key].name
        self._mistakes = mistakes
        self._interpreter = interpreter
        self.has_declared = mistakes.has_declared
        self._fixer = Fixer(mistakes)

    def explain(
        self,
        text: str,
        failure: Failure,
        derives: Callable[[str], bool],
        *,
        suggest: bool = True,
        hypotheses: int = 1,
    ) -> Rejection:
        """Return the rejection of a string.

        ``failure`` describes where parsing stopped, and ``derives`` validates other strings. At most
        ``hypotheses`` hypotheses are reported.
        """
        return self._explained(text, failure, derives, suggest, hypotheses)[0]

    def explain_mistake(
        self,
        text: str,
        offset: int,
        derives: Callable[[str], bool],
    ) -> tuple[Rejection, Interpretation] | None:
        """Return the rejection and its interpretation if a mistake is the reason, otherwise None.

        Only the offset is needed. The rejection does not contain the other facts or the suggestion; the
        caller attaches them.
        """
        if self._interpreter is None:
            return None
        interpretation = self._interpreter.interpret(text, offset)
        if not interpretation.mistakes or (mistake := interpretation.mistakes[0].mistake) is None:
            return None
        first = interpretation.mistakes[0]
        if self._is_implausible(interpretation, offset, derives) or _is_vague(first, offset):
            return None
        section = self.section(mistake)
        if mistake.listed or cuts_word(first, text) or (section is None and mistake.derived):
            return None
        if _missing_sign(mistake) and not text[first.start : offset].strip():
            return None  # another sign may fit as well
        if offset == len(text) and not unfinished.is_true_of_prefix(interpretation, self._fixer, derives):
            return None
        start, end = first.span
        message = first.message(text)
        hypothesis = Hypothesis._with_late(offset=start, end=end, message=message, code=first.code)
        known = {} if section is None else {"section": section[0]}
        rejection = Rejection._with_late(
            grammar=self._grammar,
            rule=self._rule,
            input=text,
            offset=offset,
            found=text[offset] if offset < len(text) else None,
            message=message,
            hypotheses=(hypothesis,),
            suggestion=None,  # defaults that are set are read faster
            offset_unit=CODE_POINTS,
            alphabet=UNICODE,
            code=first.code,
            other_mistakes=_other_mistakes(interpretation),
            component=self.component(first.code),
            **known,
        )
        return rejection, interpretation

    def facts(
        self, failure: Failure, interpretation: Interpretation
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts of a rejection and of its hypothesis, the first mistake of an interpretation."""
        first = interpretation.mistakes[0]
        rule_path = self._paths.of(first, failure, interpretation)
        facts = {
            "expected": failure.expected,
            "rule_path": self._paths.open_at_offset(failure),
            "section": self._section(rule_path, first.mistake),
            "end_expected": failure.may_end,
        }
        return facts, {
            "rule_path": rule_path,
            "expected": self._expected(failure, first.span[0], rule_path),
        }

    def _explained(
        self, text: str, failure: Failure, derives: Callable[[str], bool], suggest: bool, hypotheses: int
    ) -> tuple[Rejection, Interpretation | None]:
        """Return the rejection of a string and the interpretation that it reports."""
        offset = failure.offset
        is_only_end = False
        interpretations: Sequence[Interpretation] = ()
        if self._interpreter is not None:
            interpretations = self._interpreter.interpretations(text, hypotheses, offset)
        hypothesis_by_facts = {
            (each.code, each.offset, each.message): each
            for each in [
                self._hypothesis(interpretation, failure)
                for number, interpretation in enumerate(interpretations)
                if interpretation.mistakes
                and self._is_hypothesis(interpretation.mistakes[0], number, offset, text)
            ]
        }
        candidates = [*hypothesis_by_facts.values()]
        best = interpretations[0] if interpretations and interpretations[0].mistakes else None
        fixable = best
        if best is not None and self._is_implausible(best, offset, derives):
            likely = best.mistakes[0]
            fixable = best if has_literal(likely, text) and likely.start == likely.end else None
            best, facts = None, self._without_mistake(text, failure)
            candidates = [facts, *(each for each in candidates if each.message != facts.message)][:hypotheses]
        if (cased := self._in_other_case(text, failure, derives, candidates)) is not None:
            best, candidates = None, [cased[0], *candidates][:hypotheses]
        suggestion = cased[1] if cased is not None and suggest else None
        if fixable is not None and self._is_other_missing(fixable.mistakes[0], text, failure):
            fixable = None
        if suggest and suggestion is None and fixable is not None:
            suggestion = self.suggestion(fixable, offset, derives)
        is_unfinished = offset == len(text) and (
            self._interpreter is not None or self._key in self._states.derivatives.facts.productive
        )
        if is_unfinished and (best is None or not unfinished.is_true_of_prefix(best, self._fixer, derives)):
            claim = self._unfinished.claim(text, failure, best)
            is_only_end = best is None or claim is not best.mistakes[0]
            first = self._unfinished.hypothesis(text, failure, best, claim)
            candidates = [first, *(each for each in candidates[1:] if each.code != first.code)]
            mistakes = [each.mistake for each in (claim, best and best.mistakes[0]) if each]
            has_fix = suggestion is not None
            if suggestion is not None and any(
                edit.end < offset or _replaces(edit) for edit in suggestion.edits
            ):
                suggestion = None  # a fix of the end inserts or deletes characters there
            if suggest and not has_fix and all(each is None or each.derived for each in mistakes):
                suggestion = self._unfinished.completion(text, failure, derives)
        reported = candidates[0] if candidates else self._without_mistake(text, failure)
        mistake = best.mistakes[0].mistake if best is not None else None
        section = self._section(reported.rule_path, mistake)
        rejection = Rejection(
            grammar=self._grammar,
            rule=self._rule,
            input=text,
            offset=offset,
            found=text[offset] if offset < len(text) else None,
            expected=failure.expected,
            rule_path=self._paths.open_at_offset(failure),
            section=section,
            message=reported.message,
            hypotheses=tuple(candidates) or (reported,),
            suggestion=suggestion,
            end_expected=failure.may_end,
            code=reported.code,
            other_mistakes=() if best is None or is_only_end else _other_mistakes(best),
            component=self.component(reported.code),
        )
        return rejection, best

    def _in_other_case(
        self, text: str, failure: Failure, derives: Callable[[str], bool], candidates: Sequence[Hypothesis]
    ) -> tuple[Hypothesis, Suggestion] | None:
        """Return the hypothesis that a word before the offset has the wrong case, and its fix.

        The other hypotheses must only state the facts at the offset.

        The string with the word in the other case must match. Cost: linear in the string for each of at most
        ``_MAX_CASED`` words.
        """
        offset = failure.offset
        is_vague = candidates and candidates[0].code.startswith(UNREADABLE) and candidates[0].offset == offset
        if self.has_declared or not is_vague or not 0 < offset < len(text) <= _MAX_CASED_TEXT:
            return None
        for word in islice(_CASED.finditer(text, 0, offset), _MAX_CASED):
            for other in (word[0].lower(), word[0].upper()):
                fixed = text[: word.start()] + other + text[word.end() :]
                if other == word[0] or len(other) != len(word[0]) or not derives(fixed):
                    continue
                places = [at for at in range(*word.span()) if text[at] != fixed[at]]
                start, end = places[0], places[-1] + 1
                edits = tuple([Edit(at, at + 1, fixed[at]) for at in places])
                path = self._paths.of_correction(FixedText(fixed, edits), text, start, end)
                if not path:
                    return None
                names = self._paths.names(self._paths.without_small(path))
                expected = self._expected(failure, start, names)
                message = f"{quoted(word[0])} must be written as '{other}'"
                hypothesis = Hypothesis(names, start, end, expected, message, unreadable(names[-1]))
                return hypothesis, Suggestion(fixed, edits, 1.0)
        return None

    def first_mistakes(self, column: Any, offsets: Any, answers: Any) -> Sequence[Mistake | None] | None:
        """Find the first mistakes of a column's rows, as ``Interpreter.first_mistakes`` does."""
        if self._interpreter is None:
            return None
        heaviest = None if self._mistakes.has_declared else MAX_PLAUSIBLE_WEIGHT
        return self._interpreter.first_mistakes(column, offsets, answers, heaviest)

    def component(self, code: str) -> str:
        """Return the rule that a code is about; the start rule for mistakes before or after it."""
        return self._mistakes.component(code) or self._rule

    def section(self, mistake: Mistake) -> tuple[str | None] | None:
        """Return the section of a mistake in a tuple, or None if its section or rule depends on the string.

        Only the rules of declared mistakes, which their messages do not depend on, can.
        """
        is_fixed = mistake.section is not None or not self._sections
        if is_fixed and not mistake.derived:
            return (mistake.section,)
        rule = self._paths.static_rule(mistake)
        if is_fixed and rule is not None:
            return (mistake.section,)
        section = self._sections.get(rule or "")
        return None if section is None else (section,)

    @cached_property
    def _sections(self) -> Mapping[str, str]:
        """The sections of the rules that have one, without core rules other than the start rule."""
        return {
            key: rule.section
            for key, rule in self._bound.outline.items()
            if rule.section is not None and (rule.origin != "core" or key == self._key)
        }

    def lesson(self, text: str, failure: Failure, derives: Callable[[str], bool]) -> rule_paths.Lesson:
        """Return the lesson about the rejection of a string."""
        rejection, interpretation = self._explained(text, failure, derives, True, 1)
        rule = rule_paths.at_offset(rejection).rule_path[-1].lower()
        reached = failure.reached if len(failure.reached) > failure.offset else ()
        parts = rule_paths.parsed_parts(self._states.derivatives, text, reached, rule)
        first = None if interpretation is None else interpretation.mistakes[0]
        if first is None or first.mistake is None:
            return rule_paths.Lesson(rejection, parts, None, ())
        names = self._mistakes.names
        slots = tuple(
            rule_paths.ParsedPart(each.start, each.end, (names[each.slot.name],)) for each in first.slots
        )
        return rule_paths.Lesson(rejection, parts, codes.declared(self._mistakes, first.mistake), slots)

    def _is_implausible(
        self, interpretation: Interpretation, offset: int, derives: Callable[[str], bool]
    ) -> bool:
        """Return whether the rejection reports the facts before an interpretation."""
        if self._mistakes.has_declared:
            return bool(interpretation.mistakes) and refutes(interpretation, offset)
        if is_implausible(interpretation, offset):
            return True
        # The string before the offset is valid, so the whitespace in it is not likely to be wrong.
        early = [each.mistake for each in interpretation.mistakes[:1] if each.end < offset]
        return any(map(is_space_for_sign, filter(None, early))) and derives(interpretation.text[:offset])

    @staticmethod
    def _is_hypothesis(first: FoundMistake, number: int, offset: int, text: str) -> bool:
        """Return whether interpretation ``number``, with its first mistake, becomes a hypothesis."""
        if is_refuted(first, offset, text):
            return False
        # A catch-all is not a further hypothesis.
        return number == 0 or (first.mistake is not None and not is_past(first, offset))

    def suggestion(
        self, interpretation: Interpretation, offset: int, derives: Callable[[str], bool]
    ) -> Suggestion | None:
        """Return the string without its mistakes, if the fix is valid and unambiguous."""
        fixed = self._fixer.fix(interpretation)
        # Fixes of built-in mistakes are proved; fixes of other mistakes are not, so the result is validated.
        if fixed is None or not derives(fixed.text):
            return None
        if self._interpreter is not None and fix_is_ambiguous(
            self._interpreter, self._fixer, interpretation, offset
        ):
            return None
        return Suggestion(fixed.text, fixed.edits, interpretation.cost)

    def _hypothesis(self, interpretation: Interpretation, failure: Failure) -> Hypothesis:
        text, first = interpretation.text, interpretation.mistakes[0]
        rule_path = self._paths.of(first, failure, interpretation)
        named, first = first.code, self._in_rule(first, rule_path[-1])
        message, mistake = first.message(text), first.mistake
        is_open = mistake is None or (
            first.span[0] == failure.offset < first.span[1]
            and is_refutable(mistake)
            and self._paths.static_rule(mistake) is None
        )
        if is_open and self._paths.of_spaced(text, failure):
            return self._without_mistake(text, failure)
        if mistake is not None and mistake.derived and self._is_elsewhere(first, mistake, text, failure):
            return self._without_mistake(text, failure)
        is_located = any(f" {where} " in message for where in _PLACES) or (
            " after the " in message and not self._paths.may_end(rule_path[-1].lower(), text, failure)
        )
        if is_open and is_located and named != first.code:
            return self._without_mistake(text, failure, first, rule_path)
        if self._is_other_missing(first, text, failure):
            return self._without_mistake(text, failure)
        listed = mistake.listed if mistake is not None else None
        is_vague, is_false = _is_vague(first, failure.offset), mistake is not None and mistake.is_vague
        is_cut = mistake is not None and mistake.literal is not None and cuts_word(first, text)
        if mistake is not None and mistake.literal and is_cut:
            listed, is_false = CharSet.of(mistake.literal[0]), True
        if listed is not None:
            is_there = failure.offset in first.span and failure.offset < len(text)
            is_vague = is_there and _differ(
                listed, self._wrong_character.characters(failure), is_false and not is_cut
            )
            if is_vague and is_false:
                is_here = first.span[0] == failure.offset < first.span[1]  # such as another word
                return self._without_mistake(text, failure, first if is_here else None)
            if is_vague:
                message = message.partition("; use ")[0]
            elif is_there and failure.may_end and "; use " in message.replace("; use ASCII", ""):
                message += wrong_character.OR_END
        if is_vague:
            hypothesis = self._without_mistake(text, failure, first, rule_path if mistake is not None else ())
            following = self._wrong_character.characters(failure)
            if failure.offset < len(text) and wrong_character.resembled(text[failure.offset], following):
                return hypothesis
            few = signs.few(following, text[: failure.offset])
            is_list = not hypothesis.message.endswith((" here", f" {hypothesis.rule_path[-1]}"))
            if (few and is_list) if _is_about_end(first) else (is_list or not listed):
                return hypothesis
        start, end = first.span
        return Hypothesis(
            rule_path=rule_path,
            offset=start,
            end=end,
            expected=self._expected(failure, start, rule_path),
            message=message,
            code=first.code,
        )

    def _is_elsewhere(self, first: FoundMistake, mistake: Mistake, text: str, failure: Failure) -> bool:
        """Return whether a word or content is valid up to the offset, and not the beginning of the rule."""
        start, end = first.span
        if not start < failure.offset <= end:
            return False
        if mistake.code.startswith(WORD_IN):
            return not self._paths.is_begun(mistake.targets[0], text, failure)
        return mistake.code.startswith(CONTENT_IN)

    def _is_other_missing(self, first: FoundMistake, text: str, failure: Failure) -> bool:
        """Return whether a derived mistake says that a sign is missing where another sign fits as well."""
        offset = failure.offset
        sign = _missing_sign(first.mistake)
        if sign and first.start == offset < first.end:  # whitespace instead of the sign
            after = text[first.end : first.end + _MAX_AFTER]
            arcs = self._wrong_character.arcs(failure)
            others = union(arc.charset for arc in arcs if len(arc.charset) <= _MAX_SIGNS) & signs.PUNCTUATION
            return any(
                self._paths.matches(failure.reached[-1], f"{char}{after}")
                for char in map(chr, others)
                if char != sign
            )
        if not sign or not first.end <= offset < len(text) or text[first.start : offset].strip():
            return False
        missing, is_longer = self._wrong_character.missing_before(text, failure)
        return sign in missing and (len(missing) > 1 or is_longer)

    def _in_rule(self, first: FoundMistake, rule: str) -> FoundMistake:
        """Return a derived mistake that names ``rule``, which contains it, instead of a larger rule."""
        mistake, named = first.mistake, self.component(first.code)
        if mistake is None or not mistake.derived or rule == named:
            return first
        if mistake.is_missing:
            return first._replace(code=unreadable(rule)) if self._mistakes.is_of_core(mistake) else first
        kind = first.code.removesuffix(f"-{named}")
        code = f"{kind}-{rule}"
        if not self._mistakes.has_code(code):
            code = first.code if kind == first.code else unreadable(rule)  # such as text-after
        say = re.sub(rf"\b(the|valid|in|of) {re.escape(named)}(?![\w-])", rf"\1 {rule}", mistake.say or "")
        return first._replace(code=code, mistake=replace(mistake, say=say))

    def _without_mistake(
        self,
        text: str,
        failure: Failure,
        catch_all: FoundMistake | None = None,
        path: tuple[str, ...] = (),
    ) -> Hypothesis:
        """Return a hypothesis about the offset and the rule that the input violates there.

        The rule is in ``path``, the rule path of a mistake, if there is one.
        """
        offset = failure.offset
        facts = self._states.derivatives.facts
        if self._key not in facts.productive:
            endless = facts.recursive - facts.productive
            key = next((each for each in (self._key, *facts.reachable(self._key)) if each in endless), "")
            (name,) = self._paths.names((key or self._key,))
            message = f"no string matches the {self._rule}; every {name} requires another {name}"
            return Hypothesis((self._rule,), 0, len(text), (), message, unreadable(self._rule))
        if offset == len(text):
            return self._unfinished.hypothesis(text, failure)

        def code_of(rule: str) -> str:
            if catch_all is None or catch_all.mistake is None:
                return unreadable(rule)
            return self._in_rule(catch_all, rule).code

        return self._wrong_character.hypothesis(text, failure, path, code_of)

    def _expected(self, failure: Failure, offset: int, rule_path: tuple[str, ...]) -> tuple[Expected, ...]:
        """Return the expected characters at an offset, preferably within the innermost rule of the path."""
        if offset == failure.offset:
            return failure.expected
        if offset >= len(failure.reached):
            return ()
        states = failure.reached[offset].states
        rule = rule_path[-1].lower()
        within = tuple(state for state in states if rule in state.reading)
        return self._states.expectations.of(within or states)

    @cached_property
    def _paths(self) -> rule_paths.RulePaths:
        return rule_paths.RulePaths(self._states.derivatives, self._key, self._fixer)

    @cached_property
    def _unfinished(self) -> unfinished.UnfinishedInput:
        return unfinished.UnfinishedInput(self._states, self._key, self._mistakes, self._fixer, self._paths)

    @cached_property
    def _wrong_character(self) -> wrong_character.WrongCharacter:
        return wrong_character.WrongCharacter(self._states, self._bound, self._paths)

    def _section(self, rule_path: Iterable[str], mistake: Mistake | None) -> str | None:
        """Return the section of a mistake: its own, or that of the innermost rule with a section."""
        if mistake is not None and mistake.section is not None:
            return mistake.section
        sections = [self._sections[key] for name in rule_path if (key := name.lower()) in self._sections]
        return sections[-1] if sections else None


MAX_RIVALS = 4  # number of other interpretations compared


def fix_is_ambiguous(
    interpreter: Interpreter, fixer: Fixer, interpretation: Interpretation, offset: int | None = None
) -> bool:
    """Return whether another interpretation does not cost more and has a different fix or none.

    Only interpretations with an ``is_ambiguous`` mistake are compared. Cost: up to ``MAX_RIVALS`` further
    interpretations.
    """
    if not any(
        each.mistake is not None and each.mistake.is_ambiguous for each in interpretation.all_mistakes
    ):
        return False
    suggestion = fixer.fix(interpretation)
    for other in islice(interpreter.iterate(interpretation.text, offset), 1, MAX_RIVALS + 1):
        if other.cost > interpretation.cost:
            return False
        alternative = fixer.fix(other)
        if alternative is None or suggestion is None or alternative.text != suggestion.text:
            return True
    return False


def _is_vague(first: FoundMistake, offset: int) -> bool:
    """Return whether the facts at the offset are more exact than the message of a mistake."""
    is_vague = first.mistake is None or (first.mistake.is_vague and first.mistake.derived)
    return is_vague and first.start <= offset <= first.end


def _missing_sign(mistake: Mistake | None) -> str:
    """Return the sign that is missing according to a derived mistake, or ""; whitespace can replace it."""
    if mistake is None or not (mistake.is_missing or is_space_for_sign(mistake)):
        return ""
    texts = [each.value for each in mistake.fix or () if isinstance(each, Text)]
    sign = texts[0] if texts else mistake.literal or ""
    return sign if len(sign) == 1 else ""


def _differ(listed: CharSet, following: CharSet, is_missing: bool) -> bool:
    """Return whether a message does not list the characters that can follow; whitespace is often optional."""
    optional = signs.WHITESPACE if is_missing else CharSet()
    return bool(following) and bool((following - listed - optional) | (listed - following))


def _is_about_end(first: FoundMistake) -> bool:
    """Return whether a derived mistake is a string after another one that is complete."""
    mistake = first.mistake
    if mistake is None:
        return False
    return ANY_RULE in mistake.targets or (mistake.place, mistake.blame) == (AFTER, (ALL,))


def _replaces(edit: Edit) -> bool:
    return edit.start < edit.end and edit.text != ""


def _other_mistakes(interpretation: Interpretation) -> tuple[OtherMistake, ...]:
    return tuple([OtherMistake(each.code, *each.span) for each in interpretation.all_mistakes[1:]])
