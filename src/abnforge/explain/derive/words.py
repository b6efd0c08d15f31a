"""Words: literals of letters in another case, with a slip of one letter, or other words in their place.

A slip is read as the word that it is one letter away from (left out, doubled or put in, another one, or two
in the wrong order: Damerau 1964), where no other word of the same choice is as near.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from abnforge.catalog import listed
from abnforge.charset import CharSet
from abnforge.explain.derive.builder import EMPTY, MistakeBuilder, chars, choice, one, some, to_write
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.derive.signs import DIGITS, LETTERS
from abnforge.explain.mistakes import Text
from abnforge.grammar.syntax import Alternation, CharVal, Group, NumVal, Repetition, RuleName

MAX_LISTED = 6
"""Words that a sentence lists."""

MAX_SLIPS = 64
"""Words of one grammar whose slips are derived: each has some fifty ways to be written wrong."""

LEAST_SLIP, LONGEST_SLIP = 3, 16
"""Letters of a word whose slips are derived: shorter ones are near to anything, longer ones too many."""

MAX_KEPT = 4_096
"""Words, and pairs of them, that are known: each start rule of a grammar asks for the same ones."""

_MAX_DEEP = 4
_INNER = CharSet.of("-_")


@dataclass(frozen=True, slots=True)
class RequiredWord:
    """A word of a choice: its letters, and whether its case counts."""

    text: str
    exact: bool


class Words:
    """Derives the mistakes of words."""

    def __init__(self, drafting: MistakeBuilder) -> None:
        self._drafting = drafting
        self._slips = 0
        self._near: dict[str, frozenset[str]] = {}  # a rule -> words of it that others are too near to

    def unclear(self, keys: list[str]) -> None:
        """Note the choices of some rules: words that are alike are not told apart by a slip."""
        around = self._drafting.around
        for key in keys:
            words = [word for word in choice_of_words(around, key) if word is not None]
            close = [
                (one, two)
                for place, one in enumerate(words[:MAX_SLIPS])
                for two in words[place + 1 : MAX_SLIPS]
                if _alike(one.text.lower(), two.text.lower())
            ]
            for pair in close:
                for each in pair:
                    self._near[each.text.lower()] = self._near.get(each.text.lower(), frozenset()) | {key}

    def derive(self, key: str) -> None:
        """The mistakes of one rule's words."""
        around, drafting = self._drafting.around, self._drafting
        rule = drafting.shown(key)
        found: dict[str, RequiredWord] = {}
        for site in around.sites(key):
            word = _literal(site.item)
            if word is not None and any(map(str.isalpha, word.text)):
                found.setdefault(word.text, word)
        only = len(found) == 1 and around.shapes[key].longest <= max(map(len, found))
        for word in found.values():
            called = rule if only else f"{_code(word.text)}-in-{rule}"
            again = [other for other in found if other.lower() == word.text.lower()]
            if word.exact and len(again) == 1:
                drafting.add(
                    f"case-in-{rule}" if only else f"case-of-{called}",
                    (key,),
                    [[one(CharVal(word.text))]],
                    f"{{all}} must be written as {to_write(word.text)}",
                    literal=word.text,
                    fix=(Text(word.text),),
                )
            if self._has_slips(word):
                self._slips += 1
                letters = LETTERS | (DIGITS if set(word.text) & set("0123456789") else CharSet())
                drafting.add(
                    f"misspelled-{called}",
                    (key,),
                    slips(word.text, letters),
                    f"{{all}} is misspelled; write {to_write(word.text)}",
                    literal=word.text,
                    fix=(Text(word.text),),
                )
        self._unknown(key, rule)

    def _has_slips(self, word: RequiredWord) -> bool:
        return (
            LEAST_SLIP <= len(word.text) <= LONGEST_SLIP
            and self._slips < MAX_SLIPS
            and word.text.lower() not in self._near
            and sum(map(str.isalpha, word.text)) >= LEAST_SLIP
            and word.text[0].isalpha()
        )

    def _unknown(self, key: str, rule: str) -> None:
        """Another word in the place of a choice of words."""
        around, drafting = self._drafting.around, self._drafting
        alternatives = list(choice_of_words(around, key))
        words = [word for word in alternatives if word is not None]
        if not words or all(len(word.text) == 1 for word in words):
            return
        letters = LETTERS
        for each in words:
            letters |= DIGITS if set(each.text) & set("0123456789") else CharSet()
            letters |= CharSet.of("".join(set(each.text) & set("-_")))
        if len(words) < len(alternatives) and _others_begin(around, key) & around.bits(LETTERS):
            return
        needed = [to_write(word.text) for word in words[:MAX_LISTED]]
        if len(words) > MAX_LISTED or len(words) < len(alternatives):
            needed.append("another")
        drafting.add(
            f"word-in-{rule}",
            (key,),
            [[one(chars(LETTERS)), some(chars(letters))]],
            f"{{all}} is not a valid {rule}; use {listed(needed, 'or')}",
            cost=2 if around.begun[key] == around.shapes[key].first else 3,
        )


def slips(word: str, letters: CharSet) -> list[list[Repetition]]:
    """What is one slip away from a word, in any case: a letter left out, put in, or another one; two swapped.

    Of a word of three letters only those with all of its letters; signs in a word are as they are.
    """
    short = len(word) <= LEAST_SLIP
    any_letter = one(chars(letters))

    def rest(start: int) -> list[Repetition]:
        return [one(CharVal(word[start:]))] if start < len(word) else [EMPTY]

    tail: list[list[Repetition]] = [[any_letter]]
    for at in range(len(word) - 1, -1, -1):
        here = one(CharVal(word[at]))
        ways = [[here, one(choice(*tail))], [any_letter, *rest(at)]]
        if not short and word[at].isalnum():
            ways += [[any_letter, *rest(at + 1)]]
            ways += [rest(at + 1)]
        if word[at : at + 2].isalnum() and len(set(word[at : at + 2])) > 1:
            ways += [[one(CharVal(word[at + 1])), here, *rest(at + 2)]]
        tail = ways
    return tail


def choice_of_words(around: FollowSets, key: str) -> Iterator[RequiredWord | None]:
    """The alternatives of a rule: words, and None for what is no word."""
    yield from _alternatives(around, around.grammar.rules[key].elements, 0)


def _alternatives(around: FollowSets, alternation: Alternation, depth: int) -> Iterator[RequiredWord | None]:
    for each in alternation.alternatives:
        if len(each.items) != 1 or (each.items[0].min, each.items[0].max) != (1, 1):
            yield None
            continue
        element = each.items[0].element
        word = _word(each.items[0])
        if word is not None:
            yield word
        elif isinstance(element, RuleName) and depth < _MAX_DEEP:
            inner = around.grammar.rules[element.name.lower()].elements
            if len(inner.alternatives) == 1:
                yield from _alternatives(around, inner, depth + 1)
            else:
                yield None
        elif isinstance(element, Group):
            yield from _alternatives(around, element.alternation, depth + 1)
        else:
            yield None


def _others_begin(around: FollowSets, key: str) -> int:
    """What the alternatives that are no words can begin with."""
    found = 0
    for each in around.grammar.rules[key].elements.alternatives:
        made = list(_alternatives(around, Alternation((each,)), 0))
        if None in made:
            found |= around.sequence(each.items).first
    return found


def _word(item: Repetition) -> RequiredWord | None:
    """The word that an item is: letters, digits and hyphens."""
    word = _literal(item)
    if word is None or not word.text[0].isalpha():
        return None
    return word if word.text.replace("-", "").replace("_", "").isalnum() else None


def _literal(item: Repetition) -> RequiredWord | None:
    """The literal of ASCII that an item is, if that has to be there."""
    if (item.min, item.max) != (1, 1):
        return None
    match item.element:
        case CharVal(value=text, case_sensitive=exact):
            pass
        case NumVal(values=values, is_range=False):
            text, exact = "".join(map(chr, values)), True
        case _:
            return None
    return RequiredWord(text, exact) if text.isascii() and text else None


def _code(text: str) -> str:
    """A literal as a part of codes."""
    return "".join(char for char in text.lower() if char.isalnum() or char == "-").strip("-")


@lru_cache(maxsize=MAX_KEPT)
def _alike(one: str, two: str) -> bool:
    """Whether some text is at most one slip away from both words: at most four letters differ, by place."""
    if abs(len(one) - len(two)) > 2:
        return False
    ways = _patterns(one), _patterns(two)
    return any(_meet(left, right) for left in ways[0] for right in ways[1])


@lru_cache(maxsize=MAX_KEPT)
def _patterns(word: str) -> frozenset[str]:
    """What is at most one slip away from a word, with ``?`` for any letter."""
    found = {word}
    for at in range(len(word) + 1):
        found.add(f"{word[:at]}?{word[at:]}")
        if at < len(word):
            found.add(f"{word[:at]}?{word[at + 1 :]}")
            found.add(word[:at] + word[at + 1 :])
        if at + 1 < len(word):
            found.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return frozenset(found)


def _meet(one: str, two: str) -> bool:
    return len(one) == len(two) and all(a == b or "?" in (a, b) for a, b in zip(one, two, strict=True))
