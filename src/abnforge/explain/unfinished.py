"""Explain an input that is valid so far but ends too early.

No character of such an input is wrong, and unfinished input is common. So a rejection reports the missing
items first. Three kinds of mistakes are true of such an input.

A mistake can name an item that is missing at the end, if every completion continues its rule. A mistake
can be declared for the whole last part of the input, such as a placeholder. A declared mistake can have a
valid fix, such as the scheme before ``www.example.com``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, lazy
from abnforge.catalog import listed
from abnforge.charset import CharSet, union
from abnforge.explain.mistakes import AFTER, END, OF, Mistake, Text, is_placeholder, literal_text, neighbor
from abnforge.explain.reading import FoundMistake, Interpretation, unreadable
from abnforge.grammar.core import Ref
from abnforge.grammar.syntax import elements
from abnforge.rejection import Edit, Hypothesis, Suggestion

with lazy:
    from abnforge.explain import rule_paths, signs
    from abnforge.parsing import stop

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Arc, Derivatives, State
    from abnforge.explain.bind import BoundMistakes
    from abnforge.explain.explainer import GrammarStates
    from abnforge.explain.fixes import Fixer
    from abnforge.grammar.syntax import BoundGrammar
    from abnforge.parsing.stop import Failure

_MAX_WORD, _MAX_WORDS = 24, 6
_MAX_LITERALS = 1_000  # the maximum number of literals of a rule that are compared with a word
_MAX_MISSING = 128  # the maximum count of missing characters in a message
_MAX_COUNTED = 8  # the maximum number of continuations whose missing characters are counted


class UnfinishedInput:
    """Find the missing items at the end of inputs of one rule (a key)."""

    def __init__(
        self,
        states: GrammarStates,
        key: str,
        mistakes: BoundMistakes,
        fixer: Fixer,
        paths: rule_paths.RulePaths,
    ) -> None:
        self._states = states
        self._key = key
        self._rule = mistakes.grammar.outline[key].name
        self._mistakes = mistakes
        self._fixer = fixer
        self._paths = paths

    def claim(
        self, text: str, failure: Failure, interpretation: Interpretation | None
    ) -> FoundMistake | None:
        """Return a mistake that names the missing item of an unfinished input, or None."""
        states = self._required(failure)
        arcs = self._required_arcs(states)
        if not arcs:
            return None
        all_mistakes = () if interpretation is None else interpretation.all_mistakes
        at_end = [(each, each.mistake) for each in all_mistakes if each.mistake and _is_at_end(each, text)]
        for each, mistake in at_end:
            if not mistake.derived and interpretation is not None:
                open_path = self._paths.names(stop.common_prefix([_open_rules(state) for state in states]))
                if self._paths.of(each, failure, interpretation)[: len(open_path)] == open_path:
                    return each
        paths = [arc.rule_path for arc in arcs]
        open_path, begun = _open_and_begun(states, paths)
        chars = union(arc.charset for arc in arcs)
        sign = chars.min() if len(chars) == 1 else ""
        missing = [(key, "") for key in begun]
        missing += [(key, sign) for key in (*begun, *open_path[-1:]) if sign]
        for key, literal in missing:
            found = self._missing_items.get((key, literal))
            if found is not None and (found.blame != (END,) or key in open_path):
                path, end = (*open_path, *begun), len(text)
                key = found.about if found.about in path else key
                names = self._paths.names(path[: len(path) - path[::-1].index(key)])
                return FoundMistake(found.code, found, end, end, (), (), names)
        if len({self._states.expectations.characters((state,)) for state in states}) == 1:
            for each, mistake in at_end:
                is_sign = mistake.literal is not None and mistake.part is None
                fix = [part.value for part in mistake.fix or () if isinstance(part, Text) and part.value]
                is_next = not is_sign and (not fix or fix[0][0] in chars)
                if mistake.derived and is_next and all(mistake.targets[0] in path for path in paths):
                    return each
        return None

    @cached_property
    def _missing_items(self) -> Mapping[tuple[str, str], Mistake]:
        """The derived mistakes of missing items by rule and sign, which is "" if the rule is missing."""
        result: dict[tuple[str, str], Mistake] = {}
        for mistake in () if self._mistakes.stored is not None else self._mistakes.mistakes.mistakes:
            sign = (mistake.literal or "")[:1]
            last = mistake.fix[-1] if mistake.fix else None
            if is_unclosed := mistake.blame == (END,) and isinstance(last, Text):
                sign = last.value
            is_item = mistake.derived and mistake.place == OF and mistake.part is None
            if is_item and (is_unclosed or _can_be_empty(mistake)):
                for target in mistake.targets:
                    result.setdefault((target, sign), mistake)
        return result

    def completion(self, text: str, failure: Failure, derives: Callable[[str], bool]) -> Suggestion | None:
        """Return a viable input completed by literals, if the rule requires exactly these."""
        completions = {self._required_text(state, text) for state in self._required(failure)}
        completion = completions.pop() if len(completions) == 1 else ""
        if not completion or not derives(text + completion):
            return None
        return Suggestion(text + completion, (Edit(len(text), len(text), completion),), 1.0)

    def _required_arcs(self, states: Iterable[State]) -> tuple[Arc, ...]:
        """Return the arcs of required states, without characters after which nothing else is required.

        Such a character is optional: whitespace before a bracket, or another digit of a number.
        """
        arcs: dict[CharSet, dict[Arc, State]] = {}
        for arc in (arc for state in states for arc in self._states.derivatives.arcs(state)):
            arcs.setdefault(arc.charset, {})[arc] = arc.target
        needed = [charset for charset in arcs if not self._is_optional(charset, arcs)]
        if not needed or any(charset & union(needed) for charset in arcs.keys() - {*needed}):
            needed = [*arcs]
        return tuple([arc for charset in needed for arc in arcs[charset]])

    def _is_optional(self, charset: CharSet, arcs: Mapping[CharSet, Mapping[Arc, State]]) -> bool:
        derivatives = self._states.derivatives
        targets = arcs[charset].values()
        if any(map(derivatives.accepts, targets)):
            return False
        following: dict[CharSet, set[State]] = {}
        for state in self._states.expectations.required(tuple(targets)):
            for arc in derivatives.arcs(state):
                following.setdefault(arc.charset, set()).add(arc.target)
        alike = {other for other, after in arcs.items() if {*after.values()} == {*targets}}
        return not following.keys() <= alike and all(
            other in alike or not other - union(each for each in arcs if after <= {*arcs[each].values()})
            for other, after in following.items()
        )

    def _required_text(self, state: State | None, before: str) -> str:
        """Return the only string that completes a state without optional items; "" if there are several.

        It is upper case if all letters before it are.
        """
        result = ""
        is_upper = before.isupper()  # such as a date with T
        while state is not None and len(result) <= _MAX_WORD:
            arcs = self._required_arcs((state,))
            chars = arcs[0].charset if len(arcs) == 1 else CharSet()
            if len(chars) > 2 or len({chr(code).lower() for code in chars}) != 1:
                return ""
            result += chars.min() if len(chars) == 1 or is_upper else chars.min().lower()
            state = next(iter(self._states.expectations.required((arcs[0].target,))), None)
        return result if state is None else ""

    def _required(self, failure: Failure) -> tuple[State, ...]:
        """Return the states that every completion of a viable input continues; () if they are unknown."""
        if len(failure.reached) != failure.offset + 1:
            return ()
        return self._states.expectations.required(failure.reached[-1].states)

    def hypothesis(
        self,
        text: str,
        failure: Failure,
        interpretation: Interpretation | None = None,
        claim: FoundMistake | None = None,
    ) -> Hypothesis:
        """Return a hypothesis about the items that are missing at the end of a viable input.

        ``claim`` is the mistake of the interpretation that names them. Without it, the code is kept if the
        input ends in an item that another item must follow.
        """
        end, code = len(text), ""
        likely_path: tuple[str, ...] = ()
        if claim is not None:
            path = claim.rule_path
            if interpretation is not None:
                path = self._paths.of(claim, failure, interpretation)
            message, mistake = claim.message(text), claim.mistake
            if mistake is not None and (mistake.is_short or self._paths.is_too_small(mistake.targets[0])):
                message = self._several_missing(text, failure) or message
            is_of_core = mistake is not None and mistake.derived and self._mistakes.is_of_core(mistake)
            code = unreadable(path[-1]) if is_of_core else claim.code
            return Hypothesis(path, end, end, failure.expected, message, code)
        first = None if interpretation is None else interpretation.mistakes[0]
        mistake = None if first is None else first.mistake
        if interpretation is not None and first is not None and mistake is not None:
            if first.end == end and not text[first.start : end].isspace():
                fixed = self._fixer.fix(interpretation, include_unwanted=True)
                appends = mistake.derived and fixed is not None and fixed.text.startswith(text)
                if _is_trailing(first, end) or appends:
                    code, likely_path = first.code, first.rule_path
            if first.span[0] == end:
                likely_path = self._paths.of(first, failure, interpretation)
                if mistake.literal is None and mistake.place == OF:
                    likely_path = likely_path[:-1]  # the rule that contains the missing one
        states = self._required(failure)
        arcs = self._required_arcs(states)
        chars = union(arc.charset for arc in arcs)
        keys = stop.common_prefix({state.reading for state in states})
        is_rule = len(keys) > 1 and all(
            isinstance(state.item, Ref) and state.reading == keys for state in states
        )
        shared = rule_paths.shared_path([state.reading for state in states])
        rule_path = self._paths.names(self._paths.without_small(shared))
        rule_path = rule_path or self._paths.open_at_offset(failure)
        if likely_path[: len(rule_path)] == rule_path:
            rule_path = likely_path
        if code and mistake is not None and mistake.is_missing and mistake.targets[0] in shared:
            sign = mistake.literal or ""
            if sign in signs.PAIRS.values() and sign in chars:  # other signs only continue the item before it
                chars, arcs = CharSet.of(sign), tuple([arc for arc in arcs if sign in arc.charset])
        words = next_words(self._states.derivatives, self._mistakes.grammar, arcs, text)
        begun = self._begun(failure, arcs)
        if begun:
            rule_path, message = begun, f"the {begun[-1]} is missing{neighbor(text, end)}"
        elif expected := words or signs.few(chars, text) or signs.briefly(chars):
            following = "" if chars - signs.WHITESPACE else self._following_rule(arcs)
            what = f"{expected} and the {following} are" if following else f"{expected} is"
            message = self._several_missing(text, failure) or f"{what} missing{neighbor(text, end)}"
        elif is_rule:
            rule_path = self._paths.names(keys)  # it can be a character
            message = f"the {rule_path[-1]} is missing{neighbor(text, end)}"
        else:
            rule = self._incomplete_rule(failure)
            rule_path = rule_path[: rule_path.index(rule) + 1] if rule in rule_path else (self._rule,)
            message = f"the input ends before the {rule_path[-1]} is complete"
        if self._mistakes.component(code) not in (None, rule_path[-1]):
            code = ""  # it names another rule than the message
        return Hypothesis(rule_path, end, end, failure.expected, message, code or unreadable(rule_path[-1]))

    def _several_missing(self, text: str, failure: Failure) -> str:
        """Return the message that several digits or letters are missing at the end, or ""."""
        arcs = self._required_arcs(self._required(failure))
        chars, count = union(arc.charset for arc in arcs), 0
        is_class = len(chars) > 2 and not chars - signs.DIGITS - signs.LETTERS
        while is_class and count < _MAX_MISSING and union(arc.charset for arc in arcs) == chars:
            count += 1
            targets = tuple(dict.fromkeys([arc.target for arc in arcs]))
            if len(targets) > _MAX_COUNTED:
                return ""
            is_end = any(map(self._states.derivatives.accepts, targets))
            arcs = () if is_end else self._required_arcs(self._states.expectations.required(targets))
        if count < 2:
            return ""
        return f"{count} {signs.described(chars, several=True)} are missing{neighbor(text, len(text))}"

    def _begun(self, failure: Failure, arcs: Iterable[Arc]) -> tuple[str, ...]:
        """Return the path to the outermost rule with which every completion begins; () if none is large."""
        open_path, begun = _open_and_begun(self._required(failure), [arc.rule_path for arc in arcs])
        path = self._paths.without_small((*open_path, *begun))
        return self._paths.names(path[: len(open_path) + 1]) if len(path) > len(open_path) else ()

    def _following_rule(self, arcs: Iterable[Arc]) -> str:
        """Return the only rule that is required after some arcs, or ""."""
        states = self._states.expectations.required(tuple([arc.target for arc in arcs]))
        keys = {state.item.key if isinstance(state.item, Ref) else "" for state in states}
        key = keys.pop() if len(keys) == 1 else ""
        return self._states.derivatives.core.names[key] if key and not self._paths.is_too_small(key) else ""

    def _incomplete_rule(self, failure: Failure) -> str:
        """Return the innermost rule that is open in every parse that continues, so it is incomplete."""
        path = self._states.expectations.open_path(failure, True)
        key = next((each for each in reversed(path) if not self._paths.is_too_small(each)), self._key)
        return self._states.derivatives.core.names[key]


def is_true_of_prefix(interpretation: Interpretation, fixer: Fixer, derives: Callable[[str], bool]) -> bool:
    """Return whether an interpretation is true of an input that only ends too early."""
    text, first = interpretation.text, interpretation.mistakes[0]
    start, end = first.span
    mistake = first.mistake
    if mistake is not None and is_placeholder(mistake) and end == len(text) and (start < end or end == 0):
        return True
    if mistake is None or start == len(text) or mistake.is_short:
        return False  # see ``UnfinishedInput.claim``
    if mistake.is_exception:
        return True
    if mistake.fix is None:  # the string is valid without its last part, which usually is a mistake
        is_last_part = not mistake.derived and len(interpretation.all_mistakes) == 1
        return is_last_part and start < end == len(text) and derives(text[:start])
    if mistake.derived and mistake.blame != (END,):
        # The mistake is a missing item at the end of a line.
        return start == end and text[start:].isspace() and len(interpretation.mistakes) == 1
    is_only = len(interpretation.all_mistakes) == 1
    if text[end:].isspace() or (mistake.derived and not is_only):
        return False  # an unclosed quote, which the whitespace or the rest belongs to
    fixed = fixer.fix(interpretation, include_unwanted=is_only)
    return fixed is not None and derives(fixed.text)


def next_words(
    derivatives: Derivatives, grammar: BoundGrammar, first_arcs: Iterable[Arc], before: str
) -> str:
    """List the words that begin with some arcs, and the other characters, or return "".

    A word is a literal of the grammar, or the rest of one after the string ``before``.
    """
    words: dict[str, CharSet] = {}
    others: list[CharSet] = []
    for arc in first_arcs:
        word = _word(derivatives, grammar, arc, before)
        if len(word) > 1 or word.isalpha():
            words[word] = arc.charset
        else:
            others.append(arc.charset)
    chars = union(others)
    names = [word for word, charset in words.items() if charset - chars]
    if not names or (chars and not signs.briefly(chars)):
        return ""
    is_useful = chars or max(map(len, names)) > 1
    parts = signs.kinds(chars, words=names)
    if chars and len(parts) > _MAX_WORDS:
        parts = [*parts[:_MAX_WORDS], "another"]
    return listed(parts, "or", _MAX_WORDS + bool(chars)) if is_useful else ""


def _word(derivatives: Derivatives, grammar: BoundGrammar, arc: Arc, before: str) -> str:
    """Return the word that begins with an arc, or "" if its first character is one of several.

    It is spelled as in a literal, or in the case of the letters before it.
    """
    word, charsets = "", []
    literals: list[str] = []
    arcs: tuple[Arc, ...] = (arc,)
    while len(arcs) == 1 and len(word) < _MAX_WORD and (char := _letter(arcs[0].charset)):
        if not literals and (word or char.isalpha()):
            literals = _literals(grammar, arc) or [""]
        if word and not any((word + char).lower() in literal.lower() for literal in literals):
            break  # another literal
        word += char
        charsets.append(arcs[0].charset)
        target = arcs[0].target
        is_end = arcs[0].ends or derivatives.accepts(target)
        arcs = () if is_end else derivatives.arcs(target)
    if len(word) == _MAX_WORD:
        return ""
    spelled = [each[-len(word) :] for each in literals if word and each.lower().endswith(word.lower())]
    if before[-1:].islower() or not spelled:
        spelled = [word.lower()]
    elif len(before) > 1 and before[-1].isalpha() and before[-2:].isupper():
        spelled = [word.upper()]
    pairs = zip(spelled[0], word, charsets, strict=True)
    return "".join(char if char in charset else other for char, other, charset in pairs)


def _literals(grammar: BoundGrammar, arc: Arc) -> list[str]:
    """Return the literals of the rule that contains the character of an arc."""
    texts = map(literal_text, elements(grammar.rules[arc.rule_path[-1]].elements))
    return [*islice(filter(None, texts), _MAX_LITERALS)]


def _is_at_end(found: FoundMistake, text: str) -> bool:
    """Return whether a mistake is about the end of the input, and nothing inside it is a mistake."""
    mistake, rest = found.mistake, text[found.span[0] :]
    if mistake is None or found.inner:
        return False
    if mistake.is_short:
        return found.end == len(text)
    return not rest or (mistake.derived and mistake.blame == (END,) and rest.isspace())


def _is_trailing(found: FoundMistake, offset: int) -> bool:
    """Return whether an item at the end is wrong, or another item is missing after it."""
    mistake = found.mistake
    is_removed = mistake is not None and mistake.place == AFTER and mistake.fix == (Text(""),)
    return is_removed and found.end == offset


def _can_be_empty(mistake: Mistake) -> bool:
    """Return whether a mistake has no characters, apart from repetitions."""
    items = mistake.rule.elements.alternatives[0].items
    return all(item.min == 0 or literal_text(item.element) == "" for item in items)


def _open_and_begun(
    states: Iterable[State], paths: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the rules that are open in all states, and those inside them that begin in all following paths.

    No rule begins in all of them if it is open in one of the states.
    """
    all_open = [_open_rules(state) for state in states]
    open_path = stop.common_prefix(all_open)
    begun = stop.common_prefix(paths)[len(open_path) :]
    is_open = any(key in begun for path in all_open for key in path[len(open_path) :])
    return open_path, () if is_open else begun


def _open_rules(state: State) -> tuple[str, ...]:
    """Return the rules that are open in a state, without a rule that begins there."""
    return state.reading[:-1] if isinstance(state.item, Ref) else state.reading


def _letter(charset: CharSet) -> str:
    """Return the only character of a set, in lower case if both cases match; or ""."""
    if len(charset) > 2 or charset - signs.VISIBLE:
        return ""
    characters = {chr(code).lower() if len(charset) > 1 else chr(code) for code in charset}
    char = characters.pop()
    return "" if characters else char
