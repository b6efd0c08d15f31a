"""Explain the first wrong character of an input: the characters that can be there, and the rule.

These are the facts at the offset, which are true of every rejected input. They are reported if a mistake is
not plausible, or does not say more. ``unfinished`` explains an input without a wrong character.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from abnforge._lazy import lazy, lazy_pattern
from abnforge.charset import CharSet, union
from abnforge.explain import fixes, signs
from abnforge.explain.mistakes import ALONE, in_ascii, neighbor, quoted
from abnforge.explain.reading import unreadable
from abnforge.rejection import Hypothesis
from abnforge.text import show_char

with lazy:
    from abnforge.explain import unfinished

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Arc, StateSet
    from abnforge.explain.explainer import GrammarStates
    from abnforge.explain.rule_paths import RulePaths
    from abnforge.grammar.syntax import BoundGrammar
    from abnforge.parsing.stop import Failure

OR_END = ", or end the input"
_WORD = lazy_pattern(r"[^\W_]{1,24}\s?\S?")


class WrongCharacter:
    """Explain the wrong character of inputs by the states before it."""

    def __init__(self, states: GrammarStates, grammar: BoundGrammar, paths: RulePaths) -> None:
        self._states = states
        self._bound = grammar
        self._paths = paths

    def hypothesis(
        self,
        text: str,
        failure: Failure,
        path: tuple[str, ...] = (),
        code_of: Callable[[str], str] = unreadable,
    ) -> Hypothesis:
        """Return a hypothesis about the character at the offset and the rule that contains it.

        The rule is in ``path``, the rule path of a mistake, if there is one. ``code_of`` returns the code of
        a mistake in a rule.
        """
        offset = failure.offset
        if spaced := self._paths.names(self._paths.of_spaced(text, failure)):
            message = f"a space is missing{neighbor(text, offset)}"
            return Hypothesis(spaced, offset, offset, failure.expected, message, unreadable(spaced[-1]))
        chars = self.characters(failure)
        missing, is_longer = self.missing_before(text, failure)
        missing = CharSet() if is_longer else missing
        rule_path = self._paths.names(self._paths.without_small(self._paths.of_next(failure, missing)))
        rule_path = rule_path or self._paths.names(self._paths.of_character(text, failure))
        while len(rule_path) > 1 and self._bound.outline[rule_path[-1].lower()].origin == "core":
            rule_path = rule_path[:-1]  # such as DIGIT
        if (
            path
            and not missing
            and rule_path[: len(path)] != path
            and self._paths.is_near(path[-1].lower(), text, failure)
        ):
            rule_path = path
        end = offset + 1
        if missing:
            end, message = offset, f"{signs.few(missing, text[:offset])} is missing{neighbor(text, offset)}"
        elif alike := self._replacement(text, failure, chars):
            message = f"{show_char(text[offset])} looks like '{alike}'; write '{alike}'"
        elif not chars and 0 < offset < len(failure.reached):
            message = f"{quoted(text[offset:])} is not allowed after the {rule_path[-1]}"
        else:
            place, rule_path = self._place(rule_path, text, failure)
            message = f"{show_char(text[offset])} is not allowed {place}{self._advice(text, failure, chars)}"
        rule = rule_path[-1]
        code = unreadable(rule) if resembled(text[offset], chars) else code_of(rule)
        return Hypothesis(rule_path, offset, end, failure.expected, message, code)

    def _place(self, rule_path: tuple[str, ...], text: str, failure: Failure) -> tuple[str, tuple[str, ...]]:
        """Return the place of the wrong character in the last rule of a path for a message, and the path.

        If the rule is only in some parses, it is not the place. The path of a letter or digit then ends
        earlier, unless the character resembles another one.
        """
        rule, expectations = rule_path[-1], self._states.expectations
        key = rule.lower()
        is_ended = self._paths.is_ended(key, text, failure)
        open_path = expectations.open_path(failure, True)
        # A rule of this name around the wrong character can be another one.
        is_outer = rule_path.count(rule) > 1 and len(open_path) < len(rule_path)
        if (key in open_path and not is_outer) or (not is_ended and key in expectations.open_path(failure)):
            return f"in the {rule} here", rule_path
        if self._paths.is_near(key, text, failure):
            is_start = all(key in arc.rule_path for arc in self.arcs(failure))
            start = f"at the start of the {rule}" if is_start else "here"
            return f"in or after the {rule}" if is_ended else start, rule_path
        if text[failure.offset].isalnum() and not self._paths.of_similar(text, failure):
            while len(rule_path) > 1 and not self._paths.is_near(rule_path[-1].lower(), text, failure):
                rule_path = rule_path[:-1]
        return "here", rule_path

    def _advice(self, text: str, failure: Failure, chars: CharSet) -> str:
        """Return the end of a message about the wrong character at the offset: its fix, or ""."""
        offset = failure.offset
        before, char, after = text[:offset], text[offset], text[offset + 1 : offset + 2]
        derivatives = self._states.derivatives
        following = derivatives.step(failure.reached[-1], after) if after and failure.reached else None
        can_remove = following is not None if after else failure.may_end
        if can_remove and not char.isalnum() and before.endswith(char):
            return "; remove it"
        few = signs.few(chars, before)
        is_fixable = not few or self._has_fix(text, failure, chars)
        if few and not is_fixable and following is not None:
            return "; remove it"
        listed = (few or signs.briefly(chars)) if is_fixable else ""
        is_inside = before[-1:].isalpha() or (before[-1:].isdecimal() and not chars & signs.LETTERS)
        if not is_inside:  # a word
            arcs = self.arcs(failure)
            listed = unfinished.next_words(derivatives, self._bound, arcs, before) or listed
        if not listed:
            return ""
        return in_ascii(f"; use {listed}", char) + (OR_END if failure.may_end else "")

    def missing_before(self, text: str, failure: Failure) -> tuple[CharSet, bool]:
        """Return the few signs that can be inserted before a word at the offset, and whether longer ones can.

        A sign must fit the word and the character after it, and no other character can be inserted instead.
        """
        offset = failure.offset
        word = _WORD.match(text, offset)
        if len(failure.reached) <= offset or word is None or text[:offset][-1:].isalnum():
            return CharSet(), False
        if word[0].split()[0] in text[:offset].split()[-1:]:
            return CharSet(), False  # the word is doubled
        derivatives = self._states.derivatives
        fitting: list[CharSet] = []
        is_longer = False
        others = [arc.charset - signs.PUNCTUATION for arc in self.arcs(failure)]
        chars = self.characters(failure) & signs.PUNCTUATION
        for char in [*map(chr, chars), *(each.min() for each in others if each)]:
            states = derivatives.step(failure.reached[-1], char)
            if states is not None and self._states.expectations.characters(states.states).almost_all:
                return CharSet(), False  # any string can follow, for example in a comment
            if states is not None and char in signs.PUNCTUATION:
                is_longer = is_longer or self._begins_longer(char, states, failure, word[0])
            if self._paths.matches(states, word[0]):
                fitting.append(CharSet.of(char))
        missing = union(fitting)
        is_few = not missing - signs.PUNCTUATION and signs.few(missing, text)
        return missing if is_few else CharSet(), is_longer

    def _begins_longer(self, char: str, states: StateSet, failure: Failure, word: str) -> bool:
        """Return whether a sign begins a longer one of the same rule, and a word can follow only that."""
        derivatives = self._states.derivatives
        if derivatives.step(states, word[0]) is not None:
            return False
        paths = {arc.rule_path for arc in self.arcs(failure) if char in arc.charset}
        arcs = (arc for state in states.states for arc in derivatives.arcs(state) if arc.rule_path in paths)
        second = union(arc.charset for arc in arcs if len(arc.charset) == 1) & signs.PUNCTUATION
        following = (derivatives.step(states, other) for other in map(chr, second))
        return any(each is not None and derivatives.step(each, word[0]) is not None for each in following)

    def _replacement(self, text: str, failure: Failure, chars: CharSet) -> str:
        """Return a character that the one at the offset resembles and that can replace it, or "".

        It is one of ``chars``, the next characters, or the only such character of a literal.
        """
        char = text[failure.offset]
        alike = resembled(char, chars)
        if alike in ALONE and text[: failure.offset].endswith(alike):
            return ""
        if not alike and char.isalnum():
            literals = union(arc.charset for arc in self.arcs(failure) if len(arc.charset) == 1)
            others = [each for each in fixes.similar(char) if len(each) == 1 and each in literals]
            alike = others[0] if len(others) == 1 else ""
        return alike if alike and self._has_fix(text, failure, CharSet.of(alike)) else ""

    def arcs(self, failure: Failure) -> list[Arc]:
        states = failure.reached[-1].states if failure.reached else ()
        return [arc for state in states for arc in self._states.derivatives.arcs(state)]

    def _has_fix(self, text: str, failure: Failure, chars: CharSet) -> bool:
        """Return whether one of the characters makes a string viable beyond the offset.

        The character is inserted or replaces the character at the offset. Cost: a step for each character.
        """
        following = text[failure.offset : failure.offset + 2]
        derivatives = self._states.derivatives
        for char in map(chr, chars):
            states = derivatives.step(failure.reached[-1], char)
            if states is not None and (
                len(following) < 2 or any(derivatives.step(states, other) is not None for other in following)
            ):
                return True
        return False

    def characters(self, failure: Failure) -> CharSet:
        """Return the characters that can follow at the offset; empty if the states there are unknown."""
        if len(failure.reached) != failure.offset + 1:
            return CharSet()
        return self._states.expectations.characters(failure.reached[-1].states)


def resembled(char: str, chars: CharSet) -> str:
    """Return the character of a set that another one resembles, or ""."""
    alike = fixes.look_alike(char)
    return alike if alike != char and len(alike) == 1 and alike in chars else ""
