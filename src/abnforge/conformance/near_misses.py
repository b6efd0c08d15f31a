"""Generate near misses: strings that one edit separates from a matching string."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from abnforge._arguments import instance_argument
from abnforge._lazy import cached_property
from abnforge.automata.algebra import preference
from abnforge.automata.dfa import character_classes
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.edits import TRAPS, TURNS, WORDS, edges, edit_all_occurrences, single_edits
from abnforge.engine.grammar import sentences, source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.rejection import Rejection

# Strings of a recursive rule: short ones that cover rules, alternatives, counts and ranges (Purdom 1972,
# Laemmel 2001), random ones, and edits of both, which the rule validates.

_PRINTABLE = CharSet.from_ranges([(0x20, 0x7E)])
_WORD = re.compile(r"[A-Za-z0-9]+")
_TOLD = 40  # number of strings whose first word is replaced
_EDITED = 60  # number of strings whose single edits are tested
_TRAPPED = 12  # number of strings with confusable characters

# sizes of random strings, in characters and rules
_SIZES = (10, 30, 60, 120)


def sentences_of(rule: Rule, count: int, seed: int) -> Iterator[str]:
    """Yield short strings that cover the grammar, then a number of random ones. Raises LimitExceeded."""
    yield from sentences(rule, systematic=True)
    for number, size in enumerate(_SIZES):
        yield from sentences(rule, count=count // len(_SIZES), seed=seed + number, size=size)


def with_words(texts: Sequence[str]) -> Iterator[str]:
    """Yield the shortest strings with their first word replaced by each of ``WORDS``."""
    with_word = sorted({text for text in texts if _WORD.search(text)}, key=lambda text: (len(text), text))
    for text in with_word[:_TOLD]:
        for word in WORDS:
            yield _WORD.sub(lambda _, word=word: word, text, count=1)  # type: ignore[misc]


def nested(rule: Rule) -> Iterator[str]:
    """Yield deeply nested strings for every recursive rule, to test depth limits."""
    source, facts = source_of(rule), rule.grammar.facts
    if expression_of(rule) is not None:
        return
    around = {rule.key: ("", ""), **source.contexts(rule.key)}
    for key, (before, behind) in around.items():
        if key not in facts.recursive or (within := source.contexts(key).get(key)) is None:
            continue
        once = source.shortest(key)
        for count in TURNS:
            yield before + within[0] * count + once + within[1] * count + behind


def edited(rule: Rule, texts: Sequence[str]) -> Iterator[str]:
    """Yield single edits of the shortest strings that cover the grammar, with a character for each class.

    In all strings, each occurrence of a character is also removed or doubled.
    """
    covering = sorted(sentences(rule, systematic=True), key=lambda text: (len(text), text))
    characters = [preference(charset)[1] for charset in classes_of(rule)]
    yield from single_edits(covering[:_EDITED], characters)
    yield from single_edits(covering[:_TRAPPED], TRAPS)
    yield from edit_all_occurrences(texts)


def classes_of(rule: Rule) -> list[CharSet]:
    """Return the character classes that the rule and its dependencies distinguish."""
    core, facts = rule.grammar.core, rule.grammar.facts
    return character_classes(core.rules[key] for key in facts.reachable(rule.key))


def inserted_characters(rule: Rule) -> list[str]:
    """Return the characters that ``mutate`` inserts: the ends of the rule's character ranges, and traps."""
    return sorted({*edges(classes_of(rule)), *TRAPS})


def mutate(texts: Sequence[str], characters: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield a number of strings with one or two random edits, which insert ``characters``."""
    source = Random(seed)
    # A single edit matters more in a short string.
    short = sorted(texts, key=len)
    for _ in range(count if short else 0):
        text = short[int(len(short) * source.random() ** 2)]
        for _ in range(source.choice((1, 1, 1, 2))):
            place = source.randint(0, len(text))
            kind = source.randint(0, 4)
            char = source.choice(text) if text and source.randint(0, 1) else source.choice(characters)
            if kind == 0:
                text = text[:place] + char + text[place:]
            elif kind == 1:
                text = text[:place] + char + text[place + 1 :]
            elif kind == 2:
                text = text[:place] + text[place + source.randint(1, 3) :]
            elif kind == 3:
                text = text[:place] + source.choice(WORDS) + text[place + source.randint(0, 1) :]
            else:
                end = min(len(text), place + source.randint(1, 4))
                text = text[:end] + text[place:end] + text[end:]
        yield text


# maximum number of near misses of a recursive rule
_COUNT = 2_000
_SEED = 3986


@dataclass(frozen=True)
class NearMiss:
    """A string that ``rule`` does not match, and a matching string that differs by one edit.

    ``code``, ``offset`` and ``section`` describe the rejection, which is computed on request.
    """

    rule: Rule
    text: str
    sample: str
    valid: bool = False

    @cached_property
    def rejection(self) -> Rejection:
        result = self.rule.explain(self.text)
        assert result is not None
        return result

    @property
    def code(self) -> str:
        """The rejection's code."""
        return self.rejection.code

    @property
    def offset(self) -> int:
        """The offset of the rejection, in code points."""
        return self.rejection.offset

    @property
    def section(self) -> str | None:
        """The section of the specification that the rejection cites."""
        return self.rejection.section


def near_misses(rule: Rule) -> Iterator[NearMiss]:
    """Yield strings that almost match a rule, each once: shortest first, and unusual characters last.

    For a regular rule, a shortest string through every state of the automaton gets a character that cannot
    follow there, one of each class. If a state lacks only one character, the string is also returned without
    it. For a recursive rule, near misses are single edits of strings that cover its grammar; a character is
    usual if the rule allows it and it is printable ASCII. Raises TypeError, GrammarError for a rule that
    needs a prose-val, LimitExceeded.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    rule.grammar.compilation.refuse_prose(rule.key)
    pairs = _regular(Acceptor(rule.automaton)) if rule.regular else _recursive(rule)
    samples: dict[str, str] = {}
    for text, sentence in pairs:
        samples.setdefault(text, sentence)
    unusual = CharSet()
    if not rule.regular:
        unusual = ~(rule.grammar.facts.language_bounds[rule.key].alphabet & _PRINTABLE)
    order = {text: (any(char in unusual for char in text), len(text), text) for text in samples}
    for text in rule._inputs(sorted(samples, key=order.__getitem__)):
        yield NearMiss(rule, text, rule._as_input(samples[text]))


def _regular(acceptor: Acceptor) -> Iterator[tuple[str, str]]:
    for state in acceptor.live:
        before, behind = acceptor.cover[state], acceptor.completions[state]
        assert behind is not None
        start, end = acceptor.text(before), acceptor.text(behind)
        if len(behind) == 1:
            yield start, start + end
        for number in acceptor.order:
            if acceptor.rows[state][number] == acceptor.dead:
                yield start + acceptor.representatives[number] + end, start + end


def _recursive(rule: Rule) -> Iterator[tuple[str, str]]:
    texts = list(dict.fromkeys(sentences_of(rule, 0, _SEED)))
    characters = inserted_characters(rule)
    for number, text in enumerate(texts):
        for spoiled in mutate([text], characters, max(1, _COUNT // len(texts)), _SEED + number):
            if _edits(spoiled, text) == 1 and not rule._is_match(spoiled):
                yield spoiled, text


def _edits(one: str, other: str) -> int:
    """Return 1 if one inserted, removed or replaced character turns one string into the other, else 2."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return 2
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rests = one[start:], other[start:]
    ways = {(rests[0][1:], rests[1][1:]), (rests[0], rests[1][1:]), (rests[0][1:], rests[1])}
    return 1 if any(a == b for a, b in ways) else 2
