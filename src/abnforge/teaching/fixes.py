"""Find the mistakes in a wrong answer: changes that correct strings, and break none.

The search tries the changes of ``changes``. It accepts a change only if the changed answer is proved better.
It must match every required string that the answer matches. Every string that it matches must match the
answer or the reference. The search ends when the changed answer equals the reference. If no changes make the
answer right, ``contents`` finds parts that must match other strings.

Imported rules are large, so a character replaces each of them at first. If the answer equals the reference
with the characters, it also equals the reference with the rules.

For a recursive reference, the search accepts a single change, whose answer equals the reference by the
structure of the rules. The message says where to look, but not what to write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, product

from abnforge.automata.algebra import (
    ONLY_LEFT,
    ONLY_RIGHT,
    difference,
    everything,
    included,
    intersection,
    shortest,
    union,
)
from abnforge.automata.dfa import Automaton, at_most, number_of_strings
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.charset import CharSet
from abnforge.comparison.rules import compare
from abnforge.comparison.structure import provably_empty_regions
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.engine.writing import abnf_of
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import RuleDefinition, references
from abnforge.teaching.changes import (
    BOTH,
    CERTAIN,
    COUNT,
    EXTRA,
    LIST,
    MANY,
    MISSING,
    MORE,
    NAME,
    OTHERS,
    OVER,
    RANKS,
    SURE,
    UNDER,
    WORD,
    AnswerEdit,
    alternation_of,
    changes,
    everywhere,
    letters,
    parts,
    sequences,
    text_of,
)
from abnforge.teaching.contents import MARK, contents
from abnforge.teaching.exercises import Exercise, load_answer
from abnforge.teaching.messages import message
from abnforge.teaching.summaries import MOST_CHANGES, described, is_rewritten, summary
from abnforge.teaching.vocabulary import Vocabulary, vocabulary
from abnforge.text import Span

MOST = 1_200  # maximum number of grammars that are tried for an answer; a large automaton counts as several
LONGEST = 1000  # the maximum length of an answer whose changes are tried, since each change is parsed again
MOST_NEAREST = 2  # maximum number of first changes that are continued since few strings are wrong after them
MOST_BOTH = 400  # maximum number of pairs of changes in two places
MOST_PATHS = 7  # maximum number of first changes that are continued

_LONGER = 3  # number of characters that wrong strings can have more than a shortest one, to be counted
_MANY = 10**9  # the greatest count of wrong strings
_NAMED = 3  # maximum number of missing strings of a part that a change can add one by one
_STATES = 8  # number of states that count as a grammar
_BEYOND = 25  # number of grammars that a grammar beyond its budget counts as

_FIRST = 0x10FE00  # the character that replaces the first imported rule; no exercise uses it
_ANY = "( *%x0-10FFFF )"
_GAP = 8  # a place where an element can be missing comes after places of fewer characters
_WIDER = frozenset({LIST, MISSING, NAME, UNDER, BOTH, MANY, MORE, OTHERS})  # changes that add strings
_NOTHING, _NO_STRING = "( no-string )", "\nno-string = 2no-string\n"
_UPPER = CharSet.from_ranges([(0x41, 0x5A)])
_MARK = f"%x{ord(MARK):X}"

_BUDGET = Budget(steps=100_000, per_character=10)


def repair(
    exercise: Exercise, required: Rule, text: str, accepted: str | None, refused: str | None
) -> Message | None:
    """Return the places where changes make the answer right, or better; None if no tried change does.

    ``accepted`` and ``refused`` are strings that the answer gets wrong. Cost: up to ``MOST`` parses of an
    answer.
    """
    if len(text) > LONGEST:
        return None
    try:
        most = MOST
        if required.regular and (names := _imported(exercise, text)):
            most = (
                MOST * 2 // 3
            )  # automata of imported rules are large, and the first search is usually enough
            with suppress(GrammarError):
                if found := _without_imports(exercise, text, names):
                    return found
        answer = load_answer(exercise, text, _BUDGET)
        known = vocabulary(required, exercise.valid, refused)
        search = _Search(exercise, required, known, most=most)
        if required.regular:
            return search.run(text, answer) if answer.regular else None
        return search.run_recursive(text, answer, accepted, refused)
    except GrammarError:  # a limit
        return None


def _imported(exercise: Exercise, text: str) -> dict[str, str]:
    """Return the imported rules of the reference and the answer, each by the character that replaces it."""
    names: dict[str, str] = {}
    for rules in map(_rules, (exercise.reference, text) if exercise.imports else ()):
        own = {each.name.lower() for each in rules} | set(core_rules())
        used = [each for rule in rules for each in references(rule.elements)]
        names |= {each.name.lower(): each.name for each in used if each.name.lower() not in own}
    return {chr(_FIRST + number): name for number, name in enumerate(names.values())}


def _rules(text: str) -> tuple[RuleDefinition, ...]:
    return read(text).rules


def _without_imports(exercise: Exercise, text: str, names: Mapping[str, str]) -> Message | None:
    """Return changes that make an answer right, with a character instead of each imported rule."""
    plain = replace(exercise, imports=(), valid=(), invalid=())
    required = load_answer(plain, exercise.reference + _definitions(names, exercise.reference))
    answer = load_answer(plain, f"{text}\n{_definitions(names, text)}", _BUDGET)
    if not (required.regular and answer.regular):
        return None
    known = vocabulary(required, (), compare(answer, required).only_right)
    known = replace(known, ranges=(*known.ranges, *names.values()), imported=names)
    return _Search(plain, required, known, shown=exercise).run(text, answer)


def _definitions(names: Mapping[str, str], text: str) -> str:
    """Return a definition of each imported rule that a grammar does not define."""
    own = {each.name.lower() for each in _rules(text)}
    return "".join(f"{name} = %x{ord(char):X}\n" for char, name in names.items() if name.lower() not in own)


@dataclass(slots=True)
class _Search:
    """A search for changes; ``tried`` counts the grammars, up to ``most``.

    ``shown`` has the imports that are replaced. Strings of at most ``short`` characters are counted.
    """

    exercise: Exercise
    required: Rule
    known: Vocabulary
    shown: Exercise | None = None
    short: int = 0
    most: int = field(default_factory=lambda: MOST)
    tried: int = 0
    loaded: dict[str, Rule | None] = field(default_factory=dict)

    def run(self, text: str, answer: Rule) -> Message | None:
        wrong = compare(answer, self.required)
        self.short = _LONGER + max(len(wrong.only_left or ""), len(wrong.only_right or ""))
        most, best = self.most, list[Message]()
        paths: list[tuple[str, Rule, list[Message]]] = [(text, answer, [])]
        by_parts = replace(self, most=MOST // 3, loaded={})
        for number in range(MOST_CHANGES):
            following: list[tuple[str, Rule, list[Message]]] = []
            for before, rule, found in paths[:MOST_PATHS]:
                for edit, changed, is_equal in (search := self._better(before, rule)):
                    texts = [*found, described(edit, before, text, found)]
                    if is_equal and (is_rewritten(texts) or self._replaces(edit, before)):
                        continue
                    if (
                        is_equal
                        and found
                        and self._has_needless((_whole(text, _applied(edit, before)),), text)
                    ):
                        continue
                    if is_equal and not found:
                        clear = _preferred(edit, search, text)
                        texts = [] if clear is None else [described(clear, text, text, [])]
                        return summary(texts, text, is_enough=True) if texts else None
                    if is_equal:
                        return summary(texts, text, is_enough=True)
                    following.append((_applied(edit, before), changed, texts))
            if number == 0 and (part := by_parts.find_part(text, answer, is_simple=True)):
                return part
            best = best or next((each[2] for each in following if each[2][0].code in CERTAIN), [])
            self.most += most if number == 0 else 0
            nearest = sorted(following, key=lambda each: self._wrong(each[1]))[:MOST_NEAREST]
            paths = [*{each[2][-1].code: each for each in reversed(following)}.values()][::-1]
            paths[2:2] = nearest
        return (
            replace(self, tried=0, most=most * 6 // 5).find_pair(text, answer)
            or by_parts.find_parts(text, answer)
            or by_parts.find_part(text, answer, is_simple=False)
            or (summary(best, text, is_enough=False) if best else None)
        )

    def _wrong(self, rule: Rule) -> int:
        """Return the number of short strings that an answer gets wrong."""
        own, required = rule.automaton, self.required.automaton
        meter = _BUDGET.meter("comparing an answer", code="automaton-too-large")
        try:
            wrong = union(difference(own, required, meter), difference(required, own, meter), meter)
            return number_of_strings(at_most(wrong, self.short, meter), _MANY)
        except LimitExceeded:
            return _MANY

    def _replaces(self, edit: AnswerEdit, text: str) -> bool:
        """Return whether a change makes a neighbor or an alternative needless: then that part is wrong."""
        is_literal = edit.code != NAME or text_of(edit.span, text).endswith('"')
        if edit.code in _WIDER and is_literal and self._has_needless((edit,), text):
            return True
        if edit.code != MISSING or edit.span.end > edit.span.start or edit.place is None:
            return False
        items = [
            each.span
            for sequence in sequences(text)
            if len(sequence) > 1
            for each in sequence
            if not each.code
        ]
        return any(
            edit.span.start in (each.start, each.end + 1, each.end)
            and edit.place.start <= each.start
            and each.end <= edit.place.end
            and self._is_right(_all_applied((edit, AnswerEdit(each, "", "")), text))
            for each in items
        )

    def _has_needless(self, edits: Collection[AnswerEdit], text: str) -> bool:
        """Return whether changes that make the answer right make an alternative around them needless."""
        changed = _all_applied(edits, text)
        needless = [each for each in _shorter(changed) if self._is_right(_applied(each, changed))]
        parts = {text_of(each.place or each.span, changed) for each in needless}
        own = self._load(text)
        for shorter in _shorter(text) if parts else ():
            around, place = shorter.span, shorter.place or shorter.span
            is_near = any(
                each.span == Span(0, len(text))
                or (around.start <= each.span.start and each.span.end <= around.end)
                for each in edits
            )
            if is_near and text_of(place, text) in parts and own is not None:
                rest = self._load(_applied(shorter, text))
                if rest is not None and rest.automaton != own.automaton:
                    return True
        return False

    def _loses(self, edits: Collection[AnswerEdit], text: str) -> bool:
        """Return whether the answer loses a right string without an element that is not needed."""
        own = self._load(text)
        for rest in (self._load(_applied(each, text)) for each in edits if each.code == EXTRA):
            if own and rest:
                right = intersection(own.automaton, self.required.automaton)
                if not included(right, rest.automaton):
                    return True
        return False

    def find_pair(self, text: str, answer: Rule) -> Message | None:
        """Return two changes in different places that together make the answer right."""
        for pair in self._pairs(text, answer):
            if self._is_right(_all_applied(pair, text)):
                needed = [edit for edit in pair if self._is_right(_applied(edit, text))][:1] or pair
                texts = [described(edit, text, text, []) for edit in needed]
                is_replaced = self._has_needless(needed, text) or self._replaces(needed[0], text)
                if not (is_replaced or is_rewritten(texts) or self._loses(needed, text)):
                    return summary(texts, text, is_enough=True)
        return None

    def _pairs(self, text: str, answer: Rule) -> Iterator[tuple[AnswerEdit, AnswerEdit]]:
        """Yield pairs of changes in different places that can make the answer right together.

        A pair of places is tried only if anything there makes the answer match every required string, and
        nothing there leaves it no other string. The same holds for a change in one place.
        """
        edits: dict[Span, list[AnswerEdit]] = {}
        for edit in sorted(changes(text, self.known), key=_rank):
            edits.setdefault(edit.span, []).append(edit)
        accepted = {each for each, accepts in self._wrong_strings(answer) if accepts}
        avoids = {each: self._avoids(each, text, accepted) for each in edits}
        spans = sorted(edits, key=lambda each: (each.start, each.end))
        places = [
            (one, two)
            for one, two in combinations(spans, 2)
            if one.end <= two.start and len(avoids[one] | avoids[two]) == len(accepted)
        ]
        for one, two in sorted(places, key=lambda pair: sum(each.end - each.start or _GAP for each in pair)):
            if self._is_possible(text, (), one, two):
                first = [edit for edit in edits[one] if self._is_possible(text, (edit,), two)]
                second = [edit for edit in edits[two] if self._is_possible(text, (edit,), one)]
                pairs = sorted(product(first, second), key=lambda pair: _rank(pair[0])[0] + _rank(pair[1])[0])
                yield from (pair for pair in pairs[:MOST_BOTH] if not _is_replacement(*pair))

    def _avoids(self, span: Span, text: str, accepted: set[str]) -> set[str]:
        """Return the strings that an answer does not match if nothing matches at a span."""
        rule = self._load(_applied(_filled(span, _NOTHING), text) + _NO_STRING)
        return set() if rule is None else {each for each in accepted if not _matches(rule, each)}

    def _is_possible(self, text: str, edits: tuple[AnswerEdit, ...], *holes: Span) -> bool:
        """Return whether an answer with edits can become right if other strings match in some places."""
        required = self.required.automaton

        def filled(hole: str) -> Automaton | None:
            changes = (*edits, *(_filled(each, hole) for each in holes))
            rule = self._load(_all_applied(changes, text) + _NO_STRING)
            return None if rule is None else rule.automaton

        none = filled(_NOTHING)
        if none is None or not included(none, required):
            return False
        anything = filled(_ANY)
        return anything is not None and included(required, anything)

    def find_part(self, text: str, answer: Rule, *, is_simple: bool) -> Message | None:
        """Return a part that makes the answer right if it matches other strings, whatever its notation.

        A simple part is not a group, an option, a rule of the answer or a missing alternative.
        """
        names = {each.name.lower() for each in _rules(text)}
        edits = [
            edit
            for part in parts(text, self.exercise.rule)
            if (part.code == LIST or part.text.lower() in names or bool(re.search(r"[(\[/]", part.text)))
            is not is_simple
            for edit in self._fitting(part, text, answer)
        ]
        for edit in sorted(
            edits, key=lambda each: (len(each.over or each.under or ""), len(text_of(each.span, text)))
        ):
            if self._is_right(_applied(edit, text)) and not self._has_needless((edit,), text):
                return summary([described(edit, text, text, [])], text, is_enough=True)
        return None

    def find_parts(self, text: str, answer: Rule) -> Message | None:
        """Return several parts of a sequence that make the answer right if they match other strings."""
        for sequence in sequences(text):
            before, rule, found, growth = text, answer, list[Message](), 0
            for each in sequence if len(sequence) > 1 else ():
                moved = Span(each.span.start + growth, each.span.end + growth)
                place = each.place and Span(each.place.start, each.place.end + growth)
                part = replace(each, span=moved, place=place)
                edits = list(islice(self._fitting(part, before, rule), 1))
                if not edits:
                    continue
                [edit] = edits
                found.append(described(edit, before, text, found))
                before, growth = _applied(edit, before), growth + len(edit.text) - len(part.text)
                if len(found) > MOST_CHANGES or (changed := self._load(before)) is None:
                    break
                rule = changed
                if rule.automaton == self.required.automaton and not is_rewritten(found):
                    return summary(found, text, is_enough=True)
        return None

    def _is_right(self, text: str) -> bool:
        rule = self._load(text)
        return rule is not None and rule.automaton == self.required.automaton

    def run_recursive(
        self, text: str, answer: Rule, accepted: str | None, refused: str | None
    ) -> Message | None:
        """Return a change that makes an answer equal to a recursive reference, or what the answer lacks."""
        names = tuple(each.name for each in answer.grammar.own_rules)
        verdicts = dict.fromkeys(self.exercise.valid, True) | dict.fromkeys(self.exercise.invalid, False)
        verdicts |= {each: each == refused for each in (accepted, refused) if each is not None}
        edits = sorted(changes(text, replace(self.known, names=names)), key=_rank)
        for edit in edits:
            changed = self._load(_applied(edit, text))
            if changed is not None and all(
                changed.matches(each, engine="general") is verdict for each, verdict in verdicts.items()
            ):
                meter = _BUDGET.meter("comparing an answer", code="automaton-too-large")
                if {ONLY_LEFT, ONLY_RIGHT} <= provably_empty_regions(changed, self.required, meter):
                    return summary([described(edit, text, text, [])], text, is_enough=True)
        return message("answer-not-nested") if answer.regular else None

    def _better(self, text: str, rule: Rule) -> Iterator[tuple[AnswerEdit, Rule, bool]]:
        """Yield changes that make an answer better, each with its rule and whether it is right."""
        own, required = rule.automaton, self.required.automaton
        both, either = intersection(own, required), union(own, required)
        wrong = self._wrong_strings(rule)
        useful: dict[Span, bool] = {}
        edits = sorted(changes(text, self.known), key=_rank)
        for edit in chain(edits, self._words(text)):
            if edit.span not in useful:
                useful[edit.span] = self._useful(edit.span, text, wrong)
            changed = self._load(_applied(edit, text)) if useful[edit.span] else None
            if changed is None or not any(_matches(changed, each) is not accepts for each, accepts in wrong):
                continue
            automaton = changed.automaton
            if not included(both, automaton) or not included(automaton, either):
                continue
            is_wider = edit.code == NAME and included(own, automaton)
            if is_wider and (place := alternation_of(edit.span, text)):
                edit = replace(edit, code=LIST, place=place)  # the element itself is right
            if automaton == required:
                yield edit, changed, True
            elif both.table or not included(
                automaton, own
            ):  # fewer strings, all of them wrong, are not better
                yield edit, changed, False
        for edit in everywhere(edits, text):
            changed = self._load(_applied(edit, text))
            if changed is not None and changed.automaton == required:
                yield edit, changed, True

    def _wrong_strings(self, rule: Rule) -> list[tuple[str, bool]]:
        """Return strings that an answer gets wrong, and whether the answer accepts them."""
        difference = compare(rule, self.required)
        shown = dict.fromkeys(self.exercise.valid, False) | dict.fromkeys(self.exercise.invalid, True)
        wrong = [(each, accepts) for each, accepts in shown.items() if _matches(rule, each) is accepts]
        found = ((difference.only_left, True), (difference.only_right, False))
        return [*((each, accepts) for each, accepts in found if each is not None), *wrong]

    def _useful(self, span: Span, text: str, wrong: list[tuple[str, bool]]) -> bool:
        """Return whether a change of a span can correct a string: if anything, or nothing, matches there."""
        replaced = {
            accepts: _applied(_filled(span, each), text) + _NO_STRING
            for accepts, each in ((False, _ANY), (True, _NOTHING))
        }
        for accepts in {accepts for _, accepts in wrong}:
            rule = self._load(replaced[accepts])
            if rule is not None and any(
                _matches(rule, each) is not accepts for each, same in wrong if same is accepts
            ):
                return True
        return False

    def _load(self, text: str) -> Rule | None:
        """Return the rule of a changed answer, or None; different changes often write the same text."""
        if text not in self.loaded and self.tried < self.most:
            self.loaded[text] = self._loaded(text)
        return self.loaded.get(text)

    def _loaded(self, text: str) -> Rule | None:
        self.tried += 1
        try:
            defined = f"\n{_definitions(self.known.imported, text)}" if self.known.imported else ""
            rule = load_answer(self.exercise, text + defined, _BUDGET)
            self.tried += rule.automaton.states // _STATES if rule.regular else 0
        except GrammarError as error:
            self.tried += _BEYOND if isinstance(error, LimitExceeded) else 0
            return None
        return rule if rule.regular or not self.required.regular else None

    def _words(self, text: str) -> Iterator[AnswerEdit]:
        """Yield edits that replace any letters by the words that lead to a required string."""
        for item in letters(text):
            words = []
            for literal in map(self.known.literal, self.known.words):
                rule = self._load(_applied(AnswerEdit(item.span, literal, ""), text))
                if rule is not None and intersection(rule.automaton, self.required.automaton).table:
                    words.append(literal)
            if words:
                yield AnswerEdit(item.span, f"( {' / '.join(words)} )", WORD)

    def _fitting(self, part: AnswerEdit, text: str, answer: Rule) -> Iterator[AnswerEdit]:
        sign = " / " if part.code == LIST else " "
        marked = self._load(_applied(replace(part, text=f"{sign}{_MARK} "), text))
        content = self._load(f"{text}\ncontent-of = {f'( {part.text} )' if part.text else '2content-of'}\n")
        if marked is None or content is None:
            return
        own, required = content.grammar["content-of"].automaton, self.required.automaton
        meter = _BUDGET.meter("comparing an answer", code="automaton-too-large")
        try:
            for fits, lacking in contents(marked.automaton, answer.automaton, required, own, meter):
                new = intersection(fits, own) if part.code == OVER else fits
                written = abnf_of(new, "content-of") if new.table and new != own else ""
                if not written or written.count("content-of") > 1:
                    continue
                more = difference(new, own, meter)
                if _is_infinite(more) and (part.code != MISSING or new.accepts("")):
                    continue  # an example would be one of too many
                over, under = (
                    shortest(each, meter) for each in (difference(own, new), intersection(more, lacking))
                )
                if not part.code and under and not own.read(under)[0]:
                    continue  # the string is hardly one of this part
                is_extra = not part.code and new.accepts("") and not any(each >= 0 for each in new.table)
                code = part.code or (UNDER if over is None else OVER if under is None else BOTH)
                code = EXTRA if is_extra else code
                if code in (UNDER, BOTH) and number_of_strings(_in_lower_case(more), _NAMED + 1) > _NAMED:
                    bare = re.sub('"[^"\n]*"', "", part.text)
                    code = OTHERS if code == BOTH else MORE if re.search(r"\w", bare) else MANY
                body = " ".join(written.partition("=")[2].split())
                over, under = self._with_imports(over), self._with_imports(under)
                yield AnswerEdit(part.span, f"{sign}( {body} ) ", code, part.place, over, under)
        except LimitExceeded:
            return

    def _with_imports(self, text: str | None) -> str | None:
        """Return a string with shortest strings of the imported rules that characters replace."""
        for char, name in self.known.imported.items():
            if text and char in text and self.shown:
                rule = loads("", imports=self.shown.imports, cache=False)[name]
                text = text.replace(char, shortest(rule.automaton) or "")
        return text


def _rank(edit: AnswerEdit) -> tuple[int, bool, bool]:
    """Return the rank of a change: that of its kind; a new option comes after other changes of that rank.

    A new option of one element comes before one of several elements.
    """
    return RANKS[edit.code], edit.text.startswith(("*1", "[")), edit.text.startswith("[")


def _matches(rule: Rule, text: str) -> bool:
    """Match a string with the automaton, which the comparison also needs."""
    return rule.automaton.accepts(text)


def _is_replacement(one: AnswerEdit, two: AnswerEdit) -> bool:
    """Return whether two changes write another element instead of one: neither is the mistake."""
    return {one.code, two.code} == {EXTRA, MISSING} and two.span.start - one.span.end <= 1


def _is_infinite(automaton: Automaton) -> bool:
    """Return whether some string has as many characters as the automaton has states."""
    rows = {0} if automaton.table else set()
    for _ in range(automaton.states):
        rows = {each for row in rows for each in automaton.table[row : row + automaton.width] if each >= 0}
    return bool(rows)


def _shorter(text: str) -> Iterator[AnswerEdit]:
    """Yield the edits that remove an alternative of an answer."""
    return (each for each in changes(text) if each.code == EXTRA and each.place)


def _whole(text: str, changed: str) -> AnswerEdit:
    """Return the edit that replaces a whole answer."""
    return AnswerEdit(Span(0, len(text)), changed, "")


def _in_lower_case(automaton: Automaton) -> Automaton:
    """Return the strings without uppercase letters, or all if each string has one."""
    return lower if (lower := intersection(automaton, everything(~_UPPER))).table else automaton


def _applied(edit: AnswerEdit, text: str) -> str:
    return f"{text[: edit.span.start]}{edit.text}{text[edit.span.end :]}"


def _filled(span: Span, element: str) -> AnswerEdit:
    """Return an edit that writes an element, with whitespace around it where an element can be missing."""
    return AnswerEdit(span, element if span.end > span.start else f" {element} ", "")


def _all_applied(edits: Iterable[AnswerEdit], text: str) -> str:
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end), reverse=True):
        text = _applied(edit, text)
    return text


def _preferred(
    edit: AnswerEdit, search: Iterator[tuple[AnswerEdit, Rule, bool]], text: str
) -> AnswerEdit | None:
    """Return an edit, one in the definition that it names, or None if one of another rule is enough, too."""
    if edit.code == COUNT and " " in text_of(edit.span, text):  # rather the same count of equal elements
        return next((each for each, _, is_equal in search if is_equal and each.is_each), edit)
    rules = {rule.elements.span: rule.name.lower() for rule in _rules(text)}
    if len(rules) == 1 or edit.code in SURE:
        return edit

    def home(span: Span) -> str | None:
        return next((name for each, name in rules.items() if each.start <= span.start <= each.end), None)

    def used(span: Span) -> str:
        return text_of(span, text).lstrip("*0123456789").lower()

    own = home(edit.span)
    for other, _, is_equal in search:
        if is_equal and own != (place := home(other.span)) and used(other.span) != own:
            if used(edit.span) == place:
                return other
            if edit.code != other.code:
                return None
    return edit
