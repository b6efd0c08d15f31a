"""Near misses: one edit from a string that a rule derives, and not one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge._arguments import instance_argument
from abnforge._lazy import cached_property
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.recursive import sentences_of, spoilt
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection

# Near misses of a rule that recurses, at most.
_COUNT = 2_000
_SEED = 3986


@dataclass(frozen=True)
class NearMiss:
    """A string that ``rule`` does not derive, and one that it does, an edit away.

    ``code``, ``offset`` and ``section`` are those of the rejection, which is made when first asked for.
    """

    rule: Rule
    text: str
    sample: str
    valid: bool = False

    @cached_property
    def rejection(self) -> Rejection:
        """Why the rule does not derive it."""
        found = self.rule.explain(self.text)
        assert found is not None
        return found

    @property
    def code(self) -> str:
        """The rejection's code."""
        return self.rejection.code

    @property
    def offset(self) -> int:
        """Where the rejection is, in code points."""
        return self.rejection.offset

    @property
    def section(self) -> str | None:
        """The section of the specification that the rejection cites."""
        return self.rejection.section


def near_misses(rule: Rule) -> Iterator[NearMiss]:
    """Strings that a rule just does not derive, shortest first, each once.

    Of a regular rule: for every state of its automaton and every class of characters that cannot stand there
    a shortest sentence by way of the state with such a character put in; and for every state that accepts
    with one more character the string without it. Of a rule that recurses: what one edit makes of sentences
    that cover its grammar. Raises TypeError, GrammarError for a rule that needs a prose-val, LimitExceeded.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    rule.grammar.compilation.refuse_prose(rule.key)
    pairs = _regular(Acceptor(rule.automaton)) if rule.regular else _recursive(rule)
    found: dict[str, str] = {}
    for text, sentence in pairs:
        found.setdefault(text, sentence)
    for text in sorted(found, key=lambda text: (len(text), text)):
        yield NearMiss(rule, text, found[text])


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
    for number, text in enumerate(texts):
        for spoiled in spoilt(rule, [text], max(1, _COUNT // len(texts)), _SEED + number):
            if _edits(spoiled, text) == 1 and not rule.matches(spoiled):
                yield spoiled, text


def _edits(one: str, other: str) -> int:
    """1 where one character put in, left out or replaced makes one text the other; 2 for more."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return 2
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rests = one[start:], other[start:]
    ways = {(rests[0][1:], rests[1][1:]), (rests[0], rests[1][1:]), (rests[0][1:], rests[1])}
    return 1 if any(a == b for a, b in ways) else 2
