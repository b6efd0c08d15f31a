"""Create test suites of a rule, and describe their guarantees.

A regular rule has a suite that is complete for implementations that treat the characters of a class the same
way and need at most a certain number of states. Each of these that passes equals the rule. Other strings test
typical mistakes of implementations. A recursive rule has no complete suite, but one that covers its grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from abnforge._arguments import choice_argument, instance_argument, wrong_value
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget, Meter
from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.complete import complete_texts, modules
from abnforge.conformance.edits import (
    LONG_TURNS,
    boundaries,
    edit_all_occurrences,
    fuzz,
    insert_words,
    repeat_cycles,
    wrong_characters,
)
from abnforge.conformance.messages import message
from abnforge.conformance.near_misses import (
    edited,
    inserted_characters,
    mutate,
    nested,
    sentences_of,
    with_words,
)
from abnforge.conformance.sentences import of_transitions
from abnforge.conformance.vectors import Vector
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import LimitExceeded
from abnforge.records import Frozen
from abnforge.text import LAST_BYTE, ByteText

# Strings for the rules below a rule, in their contexts. ``reg-name`` of RFC 3986 matches all strings of
# ``IPv4address``, so the automaton of URI has no state for addresses. But implementations distinguish them.


def in_contexts(rule: Rule, most: int, meter: Meter) -> Iterator[str]:
    """Yield the complete suites of the rules below a rule, each within a short string.

    ``most`` limits the number of strings per rule. Equal rules are tested once; those without an automaton
    are skipped.
    """
    if expression_of(rule) is not None:
        return
    met: set[Automaton] = {rule.automaton} if rule.regular else set()
    for key, (before, behind) in source_of(rule).contexts(rule.key).items():
        below = rule.grammar[rule.grammar.core.names[key]]
        if not below.regular:
            continue
        try:
            automaton = below.automaton
        except LimitExceeded:
            continue
        if automaton in met:
            continue
        met.add(automaton)
        acceptor = Acceptor(automaton)
        texts = sorted(
            (text for text, _ in complete_texts(acceptor, 0, meter)), key=lambda text: (len(text), text)
        )
        for text in texts[:most]:
            yield before + text + behind


def _of_bytes(vectors: Iterable[Vector]) -> Iterator[Vector]:
    """Yield the vectors whose strings are bytes."""
    for vector in vectors:
        if not vector.text or max(vector.text) <= LAST_BYTE:
            yield Vector(ByteText(vector.text), vector.valid, vector.why)


LEVELS = ("quick", "complete", "extra")
"""The levels: only the complete suite; also strings for typical mistakes; more of such strings."""

BUDGET = Budget(steps=20_000_000, memory=4_000_000_000, seconds=600)
"""The default budget: enough for one additional state of URI's automaton, or two of its modules."""

MODULAR_EXTRA, MODULAR_STATES = 2, 30
"""The minimum numbers of extra states and of a rule's states for splitting the rule into modules."""

FUZZ = {"quick": 0, "complete": 10_000, "extra": 100_000}
_IN_CONTEXT = {"quick": 0, "complete": 1_500, "extra": 20_000}
_EDITS = {"quick": 0, "complete": 40_000, "extra": 200_000}
_SENTENCES = {"quick": 200, "complete": 3_000, "extra": 30_000}
_SEED = 3986


class Suite(Frozen, Sequence[Vector]):
    """The vectors of a rule, shortest first, each string once; deterministic.

    ``guarantee`` describes the meaning of passing. ``states`` is the number of states up to which the suite
    is complete; None for a recursive rule, and for modules. ``lost`` lists the parts that are omitted because
    of the budget. Suites with equal rules, vectors and guarantees are equal.
    """

    rule: Rule
    states: int | None
    guarantee: str
    lost: tuple[str, ...]
    _vectors: tuple[Vector, ...]

    def __init__(
        self,
        rule: Rule,
        vectors: Iterable[Vector],
        states: int | None,
        guarantee: str,
        lost: Sequence[str] = (),
    ) -> None:
        by_text: dict[str, Vector] = {}
        if rule.grammar.alphabet == BYTES:
            vectors = _of_bytes(vectors)
        for vector in vectors:
            by_text.setdefault(vector.text, vector)
        ordered = sorted(by_text.values(), key=lambda vector: (len(vector.text), vector.text))
        self._fill(rule=rule, states=states, guarantee=guarantee, lost=tuple(lost), _vectors=tuple(ordered))

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, index: int | slice) -> Vector | Sequence[Vector]:  # type: ignore[override]
        return self._vectors[index]

    def __iter__(self) -> Iterator[Vector]:
        return iter(self._vectors)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Suite) and self.__dict__ == other.__dict__)

    def __hash__(self) -> int:
        return hash((self.rule, self.guarantee, len(self)))

    def __repr__(self) -> str:
        return f"<Suite of {self.rule.name}: {len(self):,} strings>"


def suite(
    rule: Rule, level: str = "complete", extra_states: int = 0, *, budget: Budget | None = None
) -> Suite:
    """Create the suite of a rule.

    ``level`` is one of ``LEVELS``. With ``extra_states``, the suite is complete for implementations with that
    many additional states; from two on, large rules are split into modules. If ``budget`` is exceeded, the
    suite is complete for fewer states, as ``lost`` and ``guarantee`` say. Raises TypeError, ValueError;
    GrammarError for a rule that needs a prose-val; LimitExceeded for a rule whose automaton exceeds its
    grammar's budget. Cost: for URI of RFC 3986, 36,239 strings (815,322 with one additional state), and about
    55,000 others.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    choice_argument(level, "level", LEVELS)
    instance_argument(extra_states, "extra_states", int, "an int")
    if extra_states < 0:
        raise wrong_value("extra_states", "at least 0", extra_states)
    rule.grammar.compilation.refuse_prose(rule.key)
    budget = budget or BUDGET
    if not rule.regular:
        if extra_states:
            raise ArgumentError(message("suite-not-regular", rule=rule.name))
        return _recursive(rule, level, budget)
    acceptor = Acceptor(rule.automaton)
    complete = _complete(rule, acceptor, extra_states, budget)
    vectors = list(complete.vectors)
    lost = list(complete.lost)
    if level != "quick":
        try:
            vectors += _further(rule, acceptor, level, _meter(rule, budget))
        except LimitExceeded:
            lost.append("some strings that libraries often get wrong")
    return Suite(rule, vectors, complete.states, " ".join(_guarantee(complete, level, lost)), lost)


@dataclass(frozen=True, slots=True)
class _Complete:
    """The complete part of a suite, its number of states, and its omissions."""

    vectors: Sequence[Vector]
    states: int | None
    said: str
    lost: Sequence[str]


def _complete(rule: Rule, acceptor: Acceptor, extra_states: int, budget: Budget) -> _Complete:
    lost: list[str] = []
    for extra in range(extra_states, -1, -1):
        try:
            build = _modular if extra >= MODULAR_EXTRA and acceptor.size > MODULAR_STATES else _plain
            vectors, states, guarantee = build(rule, acceptor, extra, _meter(rule, budget))
            return _Complete(vectors, states, guarantee, lost)
        except LimitExceeded as limit:
            with_extra = f"with {_numbered(extra, 'extra state')}" if extra else "without extra states"
            lost.append(f"a complete suite {with_extra} ({limit.setting} is {limit.limit:,})")
    guarantee = f"The suite of {rule.name} ({rule.grammar.name}) is not complete."
    return _Complete((), None, guarantee, lost)


def _plain(rule: Rule, acceptor: Acceptor, extra: int, meter: Meter) -> tuple[Sequence[Vector], int, str]:
    vectors = [Vector(text, valid, "complete") for text, valid in complete_texts(acceptor, extra, meter)]
    states = acceptor.size + extra
    guarantee = (
        f"An implementation that passes accepts exactly the strings of {rule.name} ({rule.grammar.name}), if "
        f"an automaton of at most {_numbered(states, 'state')} describes it (the rule's has {acceptor.size}) "
        "and it treats all characters of each of "
        f"{_numbered(acceptor.classes, 'class', 'classes')} the same way."
    )
    return vectors, states, guarantee


def _modular(rule: Rule, acceptor: Acceptor, extra: int, meter: Meter) -> tuple[Sequence[Vector], None, str]:
    vectors = []
    parts = modules(rule, extra, meter)
    for module in parts:
        for inside, _ in complete_texts(module.acceptor, extra, meter):
            text = module.before + inside + module.behind
            vectors.append(Vector(text, acceptor.automaton.accepts(text), "complete"))
    sizes = ", ".join(f"{module.name} ({module.acceptor.size})" for module in parts)
    guarantee = (
        f"An implementation that passes accepts exactly the strings of {rule.name} ({rule.grammar.name}), if "
        f"for each of these modules it needs at most {_numbered(extra, 'state')} more than the rule, treats "
        f"all characters of a class the same way, and ignores the context of the module: {sizes}."
    )
    return vectors, None, guarantee


def _further(rule: Rule, acceptor: Acceptor, level: str, meter: Meter) -> Iterator[Vector]:
    transitions = of_transitions(acceptor, pairs=False, meter=meter)
    passes = (
        ("boundaries", boundaries(acceptor)),
        ("loops", repeat_cycles(acceptor, LONG_TURNS)),
        ("words", insert_words(acceptor)),
        ("contexts", in_contexts(rule, _IN_CONTEXT[level], meter)),
        ("sentences", sentences_of(rule, _SENTENCES[level] // 3, _SEED)),
        ("edits", islice(wrong_characters(acceptor), _EDITS[level])),
        ("edits", edit_all_occurrences(islice(transitions, _EDITS[level] // 8))),
        ("fuzz", fuzz(acceptor, FUZZ[level], _SEED)),
    )
    for why, texts in passes:
        for text in texts:
            meter.charge(1)
            yield Vector(text, acceptor.automaton.accepts(text), why)


def _guarantee(complete: _Complete, level: str, lost: Sequence[str]) -> Iterator[str]:
    yield complete.said
    if level == "quick":
        yield "Only one character of each class was tried."
    else:
        yield (
            "Tried without a guarantee: at every state the ends of all ranges, ASCII, and characters that "
            "look like ASCII; every loop up to 300 times, some up to 2,000; well-known words; strings that "
            f"cover the grammar; up to {_IN_CONTEXT[level]:,} strings for the rules used, in context; up to "
            f"{_EDITS[level]:,} replaced characters; omitted and doubled characters; {FUZZ[level]:,} random "
            "strings with up to two edits."
        )
    yield from _told(lost)


def _told(lost: Sequence[str]) -> Iterator[str]:
    return (f"Omitted, because the budget was exceeded: {each}." for each in lost)


def _recursive(rule: Rule, level: str, budget: Budget) -> Suite:
    meter = _meter(rule, budget)
    base = dict.fromkeys(sentences_of(rule, _SENTENCES[level], _SEED))
    texts = base | dict.fromkeys(with_words(list(base)))
    texts |= dict.fromkeys(nested(rule))
    texts |= dict.fromkeys(mutate(list(base), inserted_characters(rule), _SENTENCES[level], _SEED))
    lost = []
    vectors = []
    try:
        if level != "quick":
            texts |= dict.fromkeys(in_contexts(rule, _IN_CONTEXT[level], meter))
            texts |= dict.fromkeys(islice(edited(rule, list(base)), _EDITS[level]))
        for text in rule._inputs(texts):
            meter.charge(10 + 10 * len(text))
            vectors.append(Vector(text, rule.matches(text), "sentences" if text in base else "near misses"))
    except LimitExceeded as limit:
        lost.append(f"the remaining strings ({limit.setting} is {limit.limit:,})")
    guarantee = (
        f"The suite of {rule.name} ({rule.grammar.name}) cannot be complete, because the rule is recursive. "
        "It has short strings that cover every alternative, count and end of a range, random strings, rules "
        "nested up to 300 times, these strings with one or two edits, and the regular rules used, in context."
    )
    return Suite(rule, vectors, None, " ".join([guarantee, *_told(lost)]), lost)


def _meter(rule: Rule, budget: Budget) -> Meter:
    return budget.meter(f"suite of {rule.name}", rule=rule.name)


def _numbered(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
