"""Find the innermost rule that contains a mistake, and the rules of the parts before it.

An interpretation knows the rules that are open where a mistake begins. ``RulePaths`` changes their path in
four cases, since a rule that derives the whole input does not locate a mistake:

* If a mistake is about another rule than its target (``about``), the path continues along references.

* If a derived mistake does not have a fix, the path continues to the innermost rule that contains every next
  character.

* A mistake of a *whole rule* is located in the corrected input, or, if it is after the rule or does not have
  a fix, by the next characters. A rule is whole if every reference to it is an alternative of a whole rule.

* A wrong character after a complete rule is located in the innermost rule that is incomplete.

A rule path does not end in a rule of single characters or whitespace, unless the mistake is declared for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, lazy
from abnforge.charset import CharSet
from abnforge.explain.mistakes import AFTER, ANY_RULE, WORD_IN, Mistake, is_refutable
from abnforge.explain.signs import DIGITS, PUNCTUATION
from abnforge.grammar.core import Chars, Core, Node, Ref, alternatives
from abnforge.grammar.facts import Facts
from abnforge.parsing.stop import Failure, common_prefix, viable_states
from abnforge.records import dataclass

with lazy:
    from abnforge.explain import fixes

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Arc, Derivatives, State, StateSet
    from abnforge.explain.codes import Code
    from abnforge.explain.fixes import FixedText, Fixer
    from abnforge.explain.reading import FoundMistake, Interpretation
    from abnforge.rejection import Hypothesis, Rejection

_OPENING = PUNCTUATION - CharSet.of(")]}>\"'`")
_OTHERS = ~CharSet.of("\t\n\v\f\r ")

MAX_AFTER, MAX_STATES = 16, 16  # characters after a wrong one, and states that are compared by them
MAX_NEXT = 80  # the maximum number of characters of a set that can follow a missing space

Keys = tuple[str, ...]  # a rule path by keys

MAX_CORRECTED = 20_000  # in longer inputs, mistakes of whole rules are located by the next characters


class RulePaths:
    """The rule paths of mistakes in inputs of the rule ``start`` (a key)."""

    def __init__(self, derivatives: Derivatives, start: str, fixer: Fixer) -> None:
        self._derivatives = derivatives
        self._facts: Facts = derivatives.facts
        self._start = start
        self._fixer = fixer

    def names(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the names of rules."""
        names = self._derivatives.core.names
        return tuple([names[key] for key in keys])

    def open_at_offset(self, failure: Failure) -> tuple[str, ...]:
        """Return the names of the open rules at the offset in the first parse, from the start rule on."""
        keys = failure.reached[-1].states[0].reading if failure.reached else ()
        return self.names(keys or (self._start,))

    def of(self, first: FoundMistake, failure: Failure, interpretation: Interpretation) -> tuple[str, ...]:
        """Return the path to the innermost rule that contains a mistake, by name.

        ``first.rule_path`` has the rules that are open where the mistake begins. Cost: linear in the
        corrected input for mistakes of whole rules, otherwise constant.
        """
        if first.mistake is None:
            return first.rule_path
        return self.names(self._of(first, first.mistake, failure, interpretation))

    def _of(
        self, first: FoundMistake, mistake: Mistake, failure: Failure, interpretation: Interpretation
    ) -> Keys:
        path = tuple([name.lower() for name in first.rule_path])
        text = interpretation.text
        start, end = first.span
        is_here = start == failure.offset < end and is_refutable(mistake)
        is_word = mistake.code.startswith(WORD_IN)  # it replaces the rule
        is_character = is_here and end == start + 1 and mistake.about is None and not is_word
        if is_character and (similar := self.of_similar(text, failure)):
            return similar
        if mistake.about is not None:
            is_inner = len(path) > 1 and path[-1] == mistake.about
            path = path[:-1] if is_inner else path
            nexts = [arc.rule_path for arc in self._arcs(failure) if start == failure.offset]
            open_paths = [
                each for each in nexts if each[: len(path)] == path and mistake.about in each[len(path) :]
            ]
            return self._path_to(min(open_paths, key=len, default=path), mistake.about)
        if mistake.place == AFTER and (outer := [key for key in path if key in mistake.targets]):
            path = path[: path.index(outer[-1]) + 1]  # a rule ends before a mistake after it
        inner = path
        if mistake.is_exception or self._is_named(mistake):
            return path
        if start < end and is_refutable(mistake):
            inner = self._next(failure, failure.offset if start <= failure.offset <= end else start, path)
        elif path[-1] in self._whole:
            is_fixable = mistake.place != AFTER
            fixed = self._fixer.fix(interpretation, include_unwanted=True) if is_fixable else None
            if fixed is not None and len(fixed.text) <= MAX_CORRECTED:
                inner = self.of_correction(fixed, text, start, end)
            elif ANY_RULE in mistake.targets:
                inner = self._next(failure, start, path)
        if inner[: len(path)] != path:
            inner = path
        is_after = (mistake.place, mistake.targets) == (AFTER, (ANY_RULE,)) and start == failure.offset
        while is_after and inner != path and not self.may_end(inner[-1], text, failure):
            inner = inner[:-1]
        if not mistake.derived:
            return self.without_small(inner, len(path))
        if is_here:
            begun = self.without_begun(inner, text, failure)
            is_kept = is_word and len(begun) < len(path)
            inner = self.without_complete(path if is_kept else begun, text, failure)
            inner = self._without_unchanged(inner, text, failure) if end == start + 1 else inner
        return self.without_small(inner)

    def static_rule(self, mistake: Mistake) -> str | None:
        """Return the innermost rule that contains a mistake, or None if the rule depends on the string."""
        key = mistake.about or (mistake.targets[0] if len(mistake.targets) == 1 else None)
        if key is None or mistake.about is not None or mistake.is_exception or self._is_named(mistake):
            return key
        if is_refutable(mistake) or key == ANY_RULE or key in self._whole:
            return None
        if mistake.derived and self.is_too_small(key):
            return None
        return key

    def _is_named(self, mistake: Mistake) -> bool:
        """Return whether a derived mistake is in the only rule that its code names.

        It has a fix, or its message says that the rule is missing.
        """
        if not mistake.derived or len(mistake.targets) != 1:
            return False
        key, say = mistake.targets[0], (mistake.say or "").lower()
        is_located = mistake.fix is not None or say == f"the {key} is missing"
        return is_located and key != ANY_RULE and not self.is_whitespace(key)

    def of_character(self, text: str, failure: Failure) -> Keys:
        """Return the path to the rule that contains the wrong character at the offset.

        A character that resembles a next character is in the rule of that character. A digit or letter after
        another one is in the rule that ends there if the rule contains such characters. Otherwise, the rules
        are open, without innermost whitespace.
        """
        offset, reached = failure.offset, failure.reached
        if not reached:
            return (self._start,)
        if path := self.of_similar(text, failure):
            return path
        path, found = shared_path([each.reading for each in self._likely(text, failure)]), text[offset]
        if len(reached) > offset > 0 and found.isalnum() and text[offset - 1].isalnum():
            path = self._ended(reached[offset - 1], reached[offset], text, offset) or path
        path = self.without_complete(self.without_begun(path, text, failure), text, failure)
        path = self._without_unchanged(path, text, failure)
        while len(path) > 1 and (self.is_whitespace(path[-1]) or self._is_sign(path[-1])):
            path = path[:-1]
        return path or (self._start,)

    def _likely(self, text: str, failure: Failure) -> Sequence[State]:
        """Return the states at the offset from which most of the next characters match without the wrong one.

        Cost: up to ``MAX_AFTER`` steps for each of at most ``MAX_STATES`` states.
        """
        states = failure.reached[-1].states
        if len({state.reading for state in states}) == 1:
            return states
        after = text[failure.offset + 1 : failure.offset + 1 + MAX_AFTER]
        counts = (
            [self._matched(self._derivatives.only(each), after) for each in states]
            if len(states) <= MAX_STATES
            else [0]
        )
        most = max(counts)
        return [each for each, count in zip(states, counts, strict=True) if count == most] if most else states

    def of_similar(self, text: str, failure: Failure) -> Keys:
        """Return the path to the rule of a next character that the one at the offset resembles, or ()."""
        found = text[failure.offset]
        if found in DIGITS and (path := self.of_next(failure, DIGITS)):
            return path if found != "0" else self.without_small(path)  # such as the rank 9 in chess
        similar = fixes.similar(found) if found.isalnum() else ()
        following = text[failure.offset + 1 : failure.offset + 2]
        for alike in (fixes.look_alike(found)[:1], found.swapcase()[:1], *similar):
            is_case = alike == found.swapcase()  # the other letters can have the wrong case, too
            if not is_case and not self._can_replace(alike, following, failure):
                continue
            paths = {arc.rule_path for arc in self._arcs(failure) if len(alike) == 1 and alike in arc.charset}
            if paths and alike != found:
                return self.without_small(common_prefix(paths))
        return ()

    def _can_replace(self, char: str, following: str, failure: Failure) -> bool:
        """Return whether a character matches at the offset, and the next one or, for letters, the end."""
        states: StateSet | None = failure.reached[-1]
        for each in char + following:
            states = states and self._derivatives.step(states, each)
        return states is not None and (bool(following) or not char.isalnum() or states.accepting)

    def _without_unchanged(self, path: Keys, text: str, failure: Failure) -> Keys:
        """Drop the innermost rules of a path that do not contain the correction of a sign at the offset.

        Another sign replaces it, or it is deleted, and the next two characters match. Otherwise, the path is
        unchanged. Cost: up to three steps for each continuation.
        """
        offset = failure.offset
        found, following = text[offset], text[offset + 1 : offset + 3]
        if found not in PUNCTUATION or not following or not 0 < offset < len(failure.reached):
            return path
        is_between = text[offset - 1].isalnum() and following[0].isalnum()
        arcs, before = self._arcs(failure), failure.reached[offset]
        is_after = text[offset - 1].isalnum() and not is_between
        signs = PUNCTUATION | CharSet.of(" ") if is_after else PUNCTUATION
        chars = ((arc.rule_path, char) for arc in arcs for char in map(chr, arc.charset & signs))
        paths = {path for path, char in chars if self.matches(before, char + following)}
        if not paths and is_after and self.matches(before, following):
            nexts = [arc.rule_path for arc in arcs if following[0] in arc.charset]
            paths = {common_prefix({last, path}) for last in self._of_last(text, failure) for path in nexts}
        changed = self.without_small(common_prefix(paths))
        return changed if changed and path[: len(changed)] == changed else path

    def matches(self, states: StateSet | None, text: str) -> bool:
        """Return whether a string can continue from some states."""
        return states is not None and self._matched(states, text) == len(text)

    def _matched(self, states: StateSet, text: str) -> int:
        """Return how many of the first characters of a string can continue from some states."""
        following: StateSet | None = states
        for count, char in enumerate(text):
            following = following and self._derivatives.step(following, char)
            if following is None:
                return count
        return len(text)

    def of_next(self, failure: Failure, chars: CharSet) -> Keys:
        """Return the path to the innermost rule of the next characters that are in a set, or ()."""
        return shared_path([arc.rule_path for arc in self._arcs(failure) if arc.charset & chars])

    def _arcs(self, failure: Failure) -> list[Arc]:
        """Return the continuations at the offset."""
        states = failure.reached[-1].states if failure.reached else ()
        return [arc for state in states for arc in self._derivatives.arcs(state)]

    def without_begun(self, path: Keys, text: str, failure: Failure) -> Keys:
        """Drop the inner rules of a path that begin at the offset and are optional there.

        One rule that begins there is kept after a sign of the rule around it. If the character there is
        whitespace, at most one is.
        """
        offset, reached = failure.offset, failure.reached
        if not 0 < offset < len(reached):
            return path
        lengths = [len(common_prefix({each, path})) for each in self._of_last(text, failure)]
        begun = max(lengths, default=len(path))
        if text[offset].isspace():
            path = path[: begun + 1]
        if path[:begun] in self._of_last(text, failure) and text[offset - 1] in _OPENING:
            begun += 1
        nexts = [arc.rule_path for arc in self._arcs(failure) if arc.charset & _OTHERS]
        required = () if failure.may_end else common_prefix(nexts)
        return path[: max(begun, len(common_prefix({required, path})), 1)]

    def of_spaced(self, text: str, failure: Failure) -> Keys:
        """Return the path to the rule of a sign at the offset that requires a space before it; () if none."""
        offset, reached = failure.offset, failure.reached
        if not 0 < offset < min(len(reached), len(text)):
            return ()
        around = text[offset - 1 : offset + 1]
        spaced = self._derivatives.step(reached[offset], " ")
        if spaced is None or around[1].isalnum() or around.split() != [around]:
            return ()
        arcs = [arc for state in spaced.states for arc in self._derivatives.arcs(state)]
        if any(arc.charset.almost_all or len(arc.charset) > MAX_NEXT for arc in arcs):
            return ()  # any string can follow, for example in a comment
        before = [arc for state in reached[offset].states for arc in self._derivatives.arcs(state)]
        others = [each for arc in before if (each := arc.charset - CharSet.of(" "))]
        if any(self.matches(reached[offset], f"{each.min()}{around[1]}") for each in others):
            return ()  # another character can be missing
        spaces = [arc.rule_path for arc in before if " " in arc.charset]
        signs = [arc.rule_path for arc in arcs if around[1] in arc.charset]
        both = (common_prefix({space, sign}) for space in spaces for sign in signs)
        return self.without_small(max(both, key=len, default=()))

    def is_near(self, key: str, text: str, failure: Failure) -> bool:
        """Return whether a rule contains the last character, is open, or begins, in every parse.

        Whitespace that can follow does not count.
        """
        offset, reached = failure.offset, failure.reached
        before = reached[offset - 1] if 0 < offset < len(reached) else None
        for state in reached[-1].states if reached else ():
            if key in state.reading:
                continue
            if before is not None and key in _origin(self._derivatives, before, text[offset - 1], state)[1]:
                continue
            arcs = self._derivatives.arcs(state)
            nexts = [arc.rule_path for arc in arcs if arc.charset & _OTHERS]
            if (nexts or not arcs) and key not in common_prefix(nexts):
                return False
        return bool(reached)

    def is_ended(self, key: str, text: str, failure: Failure) -> bool:
        """Return whether a rule contains the character before the offset."""
        return any(key in path for path in self._of_last(text, failure))

    def is_begun(self, key: str, text: str, failure: Failure) -> bool:
        """Return whether a rule is open at the offset or contains the character before it, in some parse."""
        states = failure.reached[-1].states if failure.reached else ()
        return self.is_ended(key, text, failure) or any(key in state.reading for state in states)

    def may_end(self, key: str, text: str, failure: Failure) -> bool:
        """Return whether a rule can be empty, or contains the character before the offset."""
        return key in self._facts.nullable or self.is_ended(key, text, failure)

    def _of_last(self, text: str, failure: Failure) -> list[Keys]:
        """Return the rules that match the character before the offset, for each state after it."""
        offset, reached = failure.offset, failure.reached
        if not 0 < offset < len(reached):
            return []
        before, states = reached[offset - 1], reached[offset].states
        return [_origin(self._derivatives, before, text[offset - 1], state)[1] for state in states]

    def without_complete(self, path: Keys, text: str, failure: Failure) -> Keys:
        """Return the path to the innermost incomplete rule if the character at the offset is wrong in it.

        A rule is complete if a parse can leave it at the offset. Whitespace after it does not count, since it
        only separates records. The path is unchanged if the input can end there, since the string after it
        is superfluous. It is also unchanged if the innermost rule begins there, or if another alternative of
        a complete rule contains the character. Cost: constant.
        """
        offset, reached = failure.offset, failure.reached
        if failure.may_end or not 0 < offset < len(reached):
            return path
        nexts: list[tuple[Keys, Keys]] = []  # the rules of the last character and of a next one
        for state in reached[offset].states:
            before = _origin(self._derivatives, reached[offset - 1], text[offset - 1], state)[1]
            arcs = self._derivatives.arcs(state)
            nexts += [(before, arc.rule_path) for arc in arcs if arc.charset & _OTHERS]
        outer = path
        while len(outer) > 1 and any(
            outer[-1] in before and outer[-1] not in after for before, after in nexts
        ):
            is_filler = outer[-1] in self._facts.nullable  # such as whitespace and comments
            if not is_filler and text[offset] in self._facts.language_bounds[outer[-1]].alphabet:
                return path if self._is_choice(outer[-1], path) else outer
            outer = outer[:-1]
        return outer

    def _is_choice(self, key: str, path: Keys) -> bool:
        """Return whether the rule after ``key`` in a path is an alternative of it."""
        body = self._derivatives.core.rules[key]
        inner = path[path.index(key) + 1 :][:1]
        return any(isinstance(each, Ref) and each.key in inner for each in alternatives(body))

    def _ended(self, before: StateSet, after: StateSet, text: str, offset: int) -> Keys:
        """Return the path to a rule that ends at an offset and contains both characters there, or ()."""
        for state in after.states:
            _, path = _origin(self._derivatives, before, text[offset - 1], state)
            while path and text[offset] not in self._facts.language_bounds[path[-1]].alphabet:
                path = path[:-1]
            path = self.without_small(path)
            if len(path) > len(common_prefix({path, state.reading})):
                return path
        return ()

    def without_small(self, path: Keys, least: int = 1) -> Keys:
        """Drop innermost rules of a path that are too small; the result has at least ``least`` rules."""
        while len(path) > least and self.is_too_small(path[-1]):
            path = path[:-1]
        return path

    def is_too_small(self, key: str) -> bool:
        """Return whether a rule is a single character or whitespace: messages name larger rules."""
        shape = self._facts.language_bounds[key]
        return shape.length == 1 or self.is_whitespace(key)

    def _is_sign(self, key: str) -> bool:
        """Return whether a rule derives only one character."""
        shape = self._facts.language_bounds[key]
        return shape.length == 1 and len(shape.alphabet) == 1

    def is_whitespace(self, key: str) -> bool:
        """Return whether a rule derives only whitespace."""
        return not self._facts.language_bounds[key].alphabet & _OTHERS

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The keys of the whole rules."""
        inner: set[str] = set()
        units: dict[str, set[str]] = {}  # the alternatives of a rule that are one rule
        for own, keys in self._facts.references.items():
            body = self._derivatives.core.rules[own]
            units[own] = {each.key for each in alternatives(body) if isinstance(each, Ref)}
            inner.update(set(keys) - units[own])
        waiting = list(inner)
        while waiting:
            more = units[waiting.pop()] - inner
            inner |= more
            waiting += more
        return frozenset(units) - inner

    def _path_to(self, path: Keys, key: str) -> Keys:
        """Return the path to a rule: a part of ``path``, or a shortest continuation along references."""
        if key in path:
            return path[: path.index(key) + 1]
        references = self._facts.references
        origins: dict[str, str] = {}
        waiting = [path[-1]]
        for each in waiting:
            for target in references.get(each, ()):
                if target not in origins and target != path[-1]:
                    origins[target] = each
                    waiting.append(target)
        if key not in origins:
            return (*path, key)
        chain = [key]
        while (origin := origins[chain[-1]]) != path[-1]:
            chain.append(origin)
        return (*path, *reversed(chain))

    def _next(self, failure: Failure, offset: int, path: Keys) -> Keys:
        """Return the path to the innermost rule below ``path`` that contains every next character."""
        if offset >= len(failure.reached):
            return path
        arcs = (arc for state in failure.reached[offset].states for arc in self._derivatives.arcs(state))
        return shared_path([arc.rule_path for arc in arcs if arc.rule_path[: len(path)] == path]) or path

    def of_correction(self, fixed: FixedText, text: str, start: int, end: int) -> Keys:
        """Return the path to the innermost rule that contains the correction of a span."""
        change = [len(edit.text) - (edit.end - edit.start) for edit in fixed.edits]
        first = start + sum(c for c, edit in zip(change, fixed.edits, strict=True) if edit.end <= start < end)
        last = end + sum(c for c, edit in zip(change, fixed.edits, strict=True) if edit.start < end)
        if first == last and fixed.text[:first].endswith(text[start:end]):
            first -= end - start  # one of two equal strings is removed
        reached = viable_states(self._derivatives, self._start, fixed.text, len(fixed.text))
        if len(reached) <= len(fixed.text):
            return ()
        final = next((each for each in reached[-1].states if self._derivatives.accepts(each)), None)
        paths = () if final is None else parsed_paths(self._derivatives, fixed.text, reached, final)
        return common_prefix(set(paths[first : max(last, first + 1)]))


def shared_path(paths: Sequence[Keys]) -> Keys:
    """Return the shortest path up to its innermost rule that all paths contain after their common prefix.

    Alternatives can contain the same rule in different rules: both ``entry > network > address`` and
    ``entry > address`` are in an address.
    """
    prefix = common_prefix(paths)
    suffixes = [path[len(prefix) :] for path in paths]
    first = min(suffixes, key=lambda path: (len(path), path), default=())
    shared = set(first).intersection(*suffixes)
    return prefix + first[: max((index + 1 for index, key in enumerate(first) if key in shared), default=0)]


def parsed_paths(
    derivatives: Derivatives, text: str, reached: Sequence[StateSet], state: State
) -> Sequence[Keys]:
    """Return the rules that match each character of the prefix of ``text`` that leads to ``state``.

    ``state`` is in the last of ``reached``, the sets of states after each prefix. Rules that derive single
    characters are omitted. The result is empty if the states do not describe the prefix. Cost: linear in the
    states of all sets.
    """
    paths: list[Keys] = []
    for index in range(len(reached) - 2, -1, -1):
        origin, path = _origin(derivatives, reached[index], text[index], state)
        if origin is None:
            return ()
        while len(path) > 1 and is_character(derivatives.core, derivatives.core.rules[path[-1]]):
            path = path[:-1]
        paths.append(path)
        state = origin
    return paths[::-1]


def _origin(
    derivatives: Derivatives, states: StateSet, char: str, target: State
) -> tuple[State | None, Keys]:
    """Return a state from which the character leads to ``target``, and the rules that match the character."""
    for state in states.states:
        for arc in derivatives.moves(state, char):
            if arc.target is target:
                return state, arc.rule_path
    return None, ()


def is_character(core: Core, node: Node, depth: int = 8) -> bool:
    """Return whether a part is a single character of a set."""
    match node:
        case Chars():
            return True
        case Ref(key=key):
            return depth > 0 and is_character(core, core.rules[key], depth - 1)
        case _:
            items = alternatives(node)
            return items != (node,) and all(is_character(core, item, depth) for item in items)


@dataclass(frozen=True, slots=True)
class ParsedPart:
    """The part ``input[start:end]`` and the rules that match it.

    The rules are ordered from the start rule to the innermost rule that derives more than one character.
    """

    start: int
    end: int
    rule_path: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The innermost rule of the rule path."""
        return self.rule_path[-1]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps of an explanation.

    ``parts`` are the parsed parts up to the offset, left to right; empty if the states are unknown. ``code``
    describes the code of the first hypothesis, and ``slots`` are the parts of its mistake. The last step is
    ``rejection.suggestion``.
    """

    rejection: Rejection
    parts: tuple[ParsedPart, ...]
    code: Code | None
    slots: tuple[ParsedPart, ...]

    @property
    def at_offset(self) -> Rejection | Hypothesis:
        """The rejection or hypothesis with the rule path at the offset (see ``at_offset``)."""
        return at_offset(self.rejection)


def at_offset(rejection: Rejection) -> Rejection | Hypothesis:
    """Return the first hypothesis if its mistake is at the offset, otherwise the rejection."""
    best = rejection.hypotheses[0]
    return best if best.offset == rejection.offset else rejection


def parsed_parts(
    derivatives: Derivatives, text: str, reached: Sequence[StateSet], rule: str
) -> tuple[ParsedPart, ...]:
    """Return the parts of a prefix of ``text`` in a parse that leads to ``rule`` (a key).

    ``reached`` are the sets of states after each of its prefixes. Cost: linear in the states of all sets.
    """
    if not reached:
        return ()
    states = reached[-1].states
    state = next((each for each in states if rule in each.reading), states[0])
    rule_paths = parsed_paths(derivatives, text, reached, state)
    names = derivatives.core.names
    parts: list[ParsedPart] = []
    start = 0
    for index in range(1, len(rule_paths) + 1):
        if index == len(rule_paths) or rule_paths[index] != rule_paths[start]:
            parts.append(ParsedPart(start, index, tuple(names[key] for key in rule_paths[start])))
            start = index
    return tuple(parts)
