"""Group the deviations of an implementation by cause.

Two strings have the same cause if the implementation and the rule diverge at the same transition of the
product of their automata. For the rule, the state and the class of the character are known. An implementation
that accepts too much diverges after the longest viable prefix; for one that rejects too much, bisection finds
a transition after which it rejects valid continuations.

Causes with the same rule and the same class of the next character are one deviation: "_" in a number is the
same mistake after every digit. Characters that the rule does not name are five classes: control characters,
spaces, other ASCII characters, digits of other scripts, and the rest. Wrong digits, and strings with a
declared mistake, are one deviation if the rejections have the same code.

For a recursive rule, strings that are wrongly accepted have the same cause if the states before the wrong
character and the character are the same. Strings that are wrongly rejected have the same cause if the deepest
rule in their trees and the wording of the error are the same.

The shortest string of each cause is reduced by removing slices and taking shortest paths to its states (delta
debugging: Zeller and Hildebrandt 2002). A reduced string that is wrongly accepted keeps its deviation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import category

from abnforge._lazy import cached_property
from abnforge.charset import MAX_CODE_POINT
from abnforge.comparison.rules import quoted, reason
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.judges import Answer, Judge
from abnforge.conformance.near_misses import classes_of
from abnforge.conformance.vectors import Vector
from abnforge.engine.rule import Rule
from abnforge.explain.codes import Code
from abnforge.records import attributes
from abnforge.rejection import Rejection
from abnforge.text import escape


@dataclass(frozen=True)
class Deviation:
    """A difference between an implementation and a rule.

    ``text`` is the shortest string found, ``valid`` the rule's verdict. ``count`` strings of the suite have
    this cause. ``error`` is the implementation's exception, which counts as a rejection. The two diverge at
    ``offset``. Deviations with the same rule and class of character have the same ``cause``. ``everything``
    says whether the implementation rejects every string.
    """

    rule: Rule
    text: str
    valid: bool
    count: int
    offset: int
    error: str | None = None
    cause: tuple[object, ...] = field(default=(), repr=False)
    everything: bool = field(default=False, repr=False)

    @cached_property
    def rejection(self) -> Rejection | None:
        """The rejection of the string by the rule, or None."""
        return None if self.valid else self.rule.explain(self.rule._as_input(self.text))

    @cached_property
    def rule_path(self) -> tuple[str, ...]:
        """The rules being parsed at the difference, from the start rule to the innermost one."""
        if self.rejection is not None:
            return tuple((self.rejection.hypotheses or (self.rejection,))[0].rule_path)
        names = []
        # Preorder: outer rules come first. At the end of the string, rules that end there are included.
        place = min(self.offset, max(0, len(self.text) - 1))
        last = len(self.text)
        for name, start, end in self.rule.events(self.rule._as_input(self.text)):
            if start <= place < end <= last or not self.text:
                names.append(name)
                last = end
        return tuple(names)

    @property
    def section(self) -> str | None:
        """The relevant section of the specification."""
        if self.rejection is not None:
            return self.rejection.section
        for name in reversed(self.rule_path):
            inside = self.rule.grammar[name]
            if inside.section is not None and inside.origin != "core":
                return inside.section
        return self.rule.section

    @property
    def code(self) -> str | None:
        """The code of the rule's rejection."""
        return None if self.rejection is None else self.rejection.code

    @property
    def reason(self) -> str:
        """The reason of the rule's verdict, in a sentence."""
        if self.everything:
            return "the implementation rejects every string"
        if self.rejection is not None:
            return reason(self.rejection)
        inside = self.rule_path[-1] if self.rule_path else self.rule.name
        return f"{self.rule.name} matches the string" + (f" ({inside})" if inside != self.rule.name else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the deviation as JSON values; the keys are stable."""
        return {
            **attributes(self, "text valid count offset code"),
            "rule_path": list(self.rule_path),
            "section": self.section,
            "message": self.reason,
            "error": self.error,
        }

    def __str__(self) -> str:
        verb = "wrongly rejects" if self.valid else "wrongly accepts"
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        failed = f" [{escape(self.error)}]" if self.error else ""
        return f"{verb} {quoted(self.text)}{more}: {escape(self.reason)}{failed}"


MAX_SHRUNK = 300  # the number of causes, for each verdict, whose strings are reduced
MAX_TRIES = 400  # the maximum number of verdicts to reduce one string
MAX_SHORTCUT = 400  # the maximum length of a string with shortcuts; longer ones are only reduced by slices
MAX_SLOW = 3_000  # the maximum number of verdicts to find causes if each takes long

Cause = tuple[object, ...]

_ABOUT_THE_TEXT = re.compile(r"\(at [^()]*\)|'[^']*'|\"[^\"]*\"|`[^`]*`|[0-9]+")
"""Matches the parts of an error that depend on the string: positions, quotations and numbers."""


def _kind_of_unnamed(char: str) -> str:
    """Return the kind of a character that a rule does not name."""
    if char.isdecimal():
        return "digit"
    kinds = {"Cc": "control", "Zs": "space"}
    return kinds.get(category(char), "ASCII" if char.isascii() else "other")


@dataclass(frozen=True, slots=True)
class CauseStrings:
    """The strings of a cause: the shortest one, and their number."""

    cause: Cause
    text: str
    valid: bool
    count: int
    offset: int


class Causes:
    """The causes of the differences between an implementation and a rule.

    They take at most ``most`` verdicts of the implementation, and fewer if a verdict takes long.
    """

    def __init__(self, rule: Rule, judge: Judge, most: int = 1 << 30) -> None:
        self._rule = rule
        self._judge = judge
        self._acceptor = Acceptor(rule.automaton) if rule.regular else None
        if self._acceptor is not None:
            self._rest = self._acceptor.automaton.class_of(chr(MAX_CODE_POINT))
        else:
            self._classes = classes_of(rule)
        self._left = min(most, MAX_SLOW) if judge.is_slow else most
        self._errors: dict[str, str] = {}
        self._kind_of: dict[Cause, Cause] = {}

    @cached_property
    def _codes(self) -> Mapping[str, Code]:
        return self._rule.grammar.compilation.codes((self._rule.key,))

    def found(self, differing: Sequence[tuple[Vector, Answer]]) -> list[Deviation]:
        """Return the deviations, those with the shortest strings first."""
        self._errors = {vector.text: answer.error for vector, answer in differing if answer.error is not None}
        by_cause: dict[Cause, CauseStrings] = {}
        for vector, _ in differing:  # shortest first, so the first of a cause represents it
            self._put(by_cause, vector.text, vector.valid, 1)
        smaller: dict[Cause, CauseStrings] = {}
        for valid in (False, True):
            for number, each in enumerate(one for one in by_cause.values() if one.valid is valid):
                text = self._shrunk(each.text, valid) if number < MAX_SHRUNK else each.text
                self._put(smaller, text, valid, each.count)
        together: dict[Cause, CauseStrings] = {}
        for each in sorted(smaller.values(), key=lambda each: (len(each.text), each.text)):
            kind = self._kind(each.text, each.valid)
            first = together.get(kind, replace(each, cause=kind, count=0))
            together[kind] = replace(first, count=first.count + each.count)
        return [
            Deviation(
                self._rule,
                self._rule._as_input(each.text),
                each.valid,
                each.count,
                each.offset,
                self._errors.get(each.text),
                each.cause,
            )
            for each in together.values()
        ]

    def settled(self, text: str, valid: bool) -> Cause:
        """Return the cause of a string with a wrong verdict, after shrinking the string."""
        return self._kind(self._shrunk(text, valid), valid)

    def everything(self, differing: Sequence[tuple[Vector, Answer]]) -> Deviation:
        """Return the deviation of an implementation that rejects every string."""
        errors = [answer.error for _, answer in differing if answer.error is not None]
        vector = differing[0][0]
        cause = self._kind(vector.text, vector.valid)
        return Deviation(
            self._rule,
            self._rule._as_input(vector.text),
            vector.valid,
            len(differing),
            len(vector.text),
            errors[0] if errors else None,
            cause,
            everything=True,
        )

    def _kind(self, text: str, valid: bool) -> Cause:
        """Return the reported cause: the innermost rule at the difference, and the character there."""
        if not valid:
            return self._kind_of_invalid(text)
        if self._acceptor is not None:
            cause, place = self.cause(text, valid)
            return (valid, self._rule_at(text, place), *cause[2:])
        name, start, end = self._deepest(text)
        error = self._errors.get(text)
        return (valid, name, _ABOUT_THE_TEXT.sub("", error) if error else self._kinds(text[start:end]))

    def _kind_of_invalid(self, text: str) -> Cause:
        """Return the reported cause of an invalid string: that of the first string with the same cause."""
        key, place = self.cause(text, False)
        kind = self._kind_of.get(key)
        if kind is None:
            rejection = self._rule.explain(self._rule._as_input(text), suggest=False)
            assert rejection is not None
            char, characters = text[place : place + 1], key[2:]
            code = self._codes.get(rejection.code)
            if char and self._acceptor is not None and self._acceptor.automaton.class_of(char) == self._rest:
                characters = (_kind_of_unnamed(char),)
            elif code is not None and code.definition is not None and not code.derived:
                characters = (rejection.code,)
            elif char.isascii() and char.isdecimal():
                # Some rules distinguish digits, but a wrong digit is one mistake.
                characters = rejection.code, "digit"
            kind = self._kind_of[key] = (False, self._own(rejection.rule_path), *characters)
        return kind

    def _rule_at(self, text: str, place: int) -> str:
        """Return the innermost rule that derives the character of a valid string at an offset."""
        events, last = self._rule.events(self._rule._as_input(text)), min(place, len(text) - 1)
        return self._own([name for name, start, end in events if start <= last < end])

    def _own(self, names: Sequence[str]) -> str:
        grammar = self._rule.grammar
        return next((name for name in reversed(names) if grammar[name].origin != "core"), self._rule.name)

    def _deepest(self, text: str) -> tuple[str, int, int]:
        """Return the last of the deepest rules in the tree of a string, with its place."""
        grammar = self._rule.grammar
        deepest, depth = (self._rule.name, 0, len(text)), 0
        around: list[int] = []
        for name, start, end in self._rule.events(self._rule._as_input(text)):
            while around and not start < around[-1]:
                around.pop()
            around.append(end)
            if len(around) >= depth and end > start and grammar[name].origin != "core":
                deepest, depth = (name, start, end), len(around)
        return deepest

    def cause(self, text: str, valid: bool) -> tuple[Cause, int]:
        """Return the cause of a deviation, and its offset."""
        if self._acceptor is None:
            return self._recursive(text, valid)
        if valid:
            place = self._refused_at(text)
        else:
            place, _ = self._acceptor.automaton.read(text)
        if place >= len(text):
            return (valid, self._state(text, len(text)), None), len(text)
        char = text[place]
        number = self._acceptor.automaton.class_of(char)
        # Characters that a rule does not name form one large class. But a newline is a different mistake than
        # a symbol, or a letter that resembles an ASCII letter.
        kind = category(char) if number == self._rest or not "\x20" < char < "\x7f" else None
        return (valid, self._state(text, place), number, kind), place

    def _put(self, by_cause: dict[Cause, CauseStrings], text: str, valid: bool, count: int) -> None:
        cause, place = self.cause(text, valid)
        before = by_cause.get(cause)
        if before is None:
            by_cause[cause] = CauseStrings(cause, text, valid, count, place)
            return
        if (len(before.text), before.text) <= (len(text), text):
            text, place = before.text, before.offset
        by_cause[cause] = CauseStrings(cause, text, valid, before.count + count, place)

    def _state(self, text: str, length: int) -> int:
        assert self._acceptor is not None
        return self._acceptor.run(tuple(map(self._acceptor.automaton.class_of, text[:length])))

    def _refused_at(self, text: str) -> int:
        """Return the offset at which the implementation starts to reject.

        The implementation accepts a continuation of the prefix up to there, but none of a longer prefix.
        """
        assert self._acceptor is not None
        automaton = self._acceptor.automaton
        states = [0]
        for char in text:
            states.append(self._acceptor.rows[states[-1]][automaton.class_of(char)])

        def goes_on(length: int) -> bool:
            assert self._acceptor is not None
            behind = self._acceptor.completions[states[length]]
            assert behind is not None
            answer = self._ask(text[:length] + self._acceptor.text(behind))
            return answer is not None and answer.yes

        # If the implementation rejects all strings, the offset is the end of the string.
        if self._left <= 0 or not goes_on(0):
            return len(text)
        good, bad = 0, len(text)
        if self._acceptor.completions[states[bad]] != ():
            return bad
        while bad - good > 1:
            middle = (good + bad) // 2
            if goes_on(middle):
                good = middle
            else:
                bad = middle
        return good

    def _recursive(self, text: str, valid: bool) -> tuple[Cause, int]:
        """Return the cause for a recursive rule.

        The cause consists of the character classes of a valid string, or of the states and the character at
        the offset of the rejection. Beyond the limits of the states, the whole string replaces them.
        """
        if valid:
            return (valid, self._kinds(text)), 0
        rule = self._rule
        with rule.grammar.readers.taken() as readers:
            failure = readers.engine(rule.key, "general", rule._lark).failure(text)
        assert failure is not None
        offset, reached = failure.offset, failure.reached
        states = reached[offset].states if offset < len(reached) else text
        return (valid, states, text[offset : offset + 1]), offset

    def _kinds(self, text: str) -> tuple[int | str, ...]:
        return tuple(
            next((number for number, charset in enumerate(self._classes) if ord(char) in charset), char)
            for char in text
        )

    def _ask(self, text: str) -> Answer | None:
        self._left -= 1
        answer = self._judge.ask(text)
        if answer is not None and answer.error is not None:
            self._errors[text] = answer.error
        return answer

    def _shrunk(self, text: str, valid: bool) -> str:
        """Return a string that is as short as possible and has the same wrong verdict.

        An invalid string also keeps its reported cause: a shorter one can be wrong for another reason.
        """
        tries = min(MAX_TRIES, self._left)
        kind = None if valid else self._kind_of_invalid(text)

        def differs(shorter: str) -> bool:
            nonlocal tries
            if self._rule._is_match(shorter) is not valid:
                return False
            tries -= 1
            answer = self._ask(shorter)
            if answer is None or answer.yes is valid:
                return False
            return valid or self._kind_of_invalid(shorter) == kind

        size = max(1, len(text) // 2)
        while size and tries > 0:
            place = 0
            while place < len(text) and tries > 0:
                shorter = text[:place] + text[place + size :]
                if differs(shorter):
                    text = shorter
                else:
                    place += size
            size //= 2
        again = True
        while again and tries > 0:
            again = False
            for shorter in self._shortcuts(text):
                if tries <= 0:
                    break
                if differs(shorter):
                    text, again = shorter, True
                    break
        # Among strings of one length, representatives of classes are the most readable.
        for place, char in enumerate(text if self._acceptor is not None else ""):
            plain = self._plain(char)
            if tries > 0 and char != plain and differs(simpler := text[:place] + plain + text[place + 1 :]):
                text = simpler
        return text

    def _plain(self, char: str) -> str:
        """Return the representative of a character's class, or a character that the rule does not name."""
        assert self._acceptor is not None
        number = self._acceptor.automaton.class_of(char)
        return char if number == self._rest else self._acceptor.representatives[number]

    def _shortcuts(self, text: str) -> Iterator[str]:
        """Yield shorter strings with other paths, the shortest first.

        Either end is replaced by the shortest path from or to a state of the string, or a slice by one
        character.
        """
        acceptor = self._acceptor
        if acceptor is None or len(text) > MAX_SHORTCUT:
            return
        shorter: set[str] = set()
        state = 0
        states = [0]
        for char in text:
            state = acceptor.rows[state][acceptor.automaton.class_of(char)]
            states.append(state)
        for place, state in enumerate(states):
            shorter.add(acceptor.text(acceptor.cover[state]) + text[place:])
            behind = acceptor.completions[state]
            if behind is not None:
                shorter.add(text[:place] + acceptor.text(behind))
            for end in range(place + 2, min(len(text), place + 8) + 1):
                shorter.update(text[:place] + char + text[end:] for char in acceptor.representatives)
        yield from sorted(
            (each for each in shorter if len(each) < len(text)), key=lambda each: (len(each), each)
        )
