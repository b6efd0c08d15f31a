"""Prove properties of mistakes for all strings, by set algebra.

* Every fix is a string of its target, for all contents of its slots. The grammar is context-free, so
  replacing a mistake by a string of the same rule makes the whole input valid, and fixes can be combined. The
  language of a fix is the concatenation of its parts, where a slot contributes all strings of its rule. This
  ignores dependencies between slots, so a proof can fail for a correct fix.

* A mistake is never reported if its target, or an earlier mistake of this target that does not cost more,
  covers it.

* Strings that a mistake shares with its target or with another mistake belong to the cheaper of the two; a
  remark shows a shortest such string.

The proofs assume that inner mistakes are fixed. Nothing is proved about rules that cannot be shown to be
regular.

The image of a regular language under a map is regular. The automaton guesses whether a percent sign begins a
triplet and checks the next characters. The image of a non-ASCII character under ``encode`` is every sequence
of triplets of the same number of bytes. The image under ``idna`` is every string of characters in the set and
triplets. Both are over-approximations, which are sound for a proof of inclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abnforge.automata.algebra import included, witnesses
from abnforge.automata.dfa import DEAD, Automaton, build, determinize, minimal
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.catalog import Message
from abnforge.charset import ANY, CharSet, partition
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.fixes import HEX, decoded, mapped_character
from abnforge.explain.mistakes import (
    AFTER,
    ALL,
    ANY_RULE,
    BEFORE,
    DECODE,
    ENCODE,
    IDNA,
    OF,
    UNESCAPE,
    Mapped,
    Mistake,
    Slot,
    Substituted,
    Text,
    literal_key,
    slots,
)
from abnforge.explain.signs import ASCII
from abnforge.grammar.core import EPSILON, Chars, Core, Literal, Node, Ref, with_references
from abnforge.grammar.facts import Facts
from abnforge.grammar.regular import regular_bodies
from abnforge.messages import message

FIX, NEVER_READ, OVERLAP, UNPROVED = (
    "mistake-fix",
    "mistake-never-read",
    "mistake-overlap",
    "mistake-unproved",
)
"""Kinds of remarks: a fix outside its target; a mistake that its target or an earlier one covers; shared
strings; an undecided proof.
"""

ERRORS = frozenset({FIX, NEVER_READ})


@dataclass(frozen=True, slots=True)
class ProofRemark:
    """A remark about a mistake: its kind, the other rule that it concerns, and a shortest string.

    ``rule`` and ``other`` are rule names, since several mistakes may share a code.
    """

    kind: str
    rule: str
    other: str
    witness: str | None
    message: Message

    @property
    def is_error(self) -> bool:
        """Return whether the mistake must be changed."""
        return self.kind in ERRORS


def remarks(bound: BoundMistakes, budget: Budget = DEFAULT) -> list[ProofRemark]:
    """Return the remarks about a mistakes file, in file order; ``budget`` limits each proof.

    Cost: milliseconds for each fix, seconds for the start rule; quadratic in the mistakes of a target.
    """
    prover = Prover(bound, budget)
    result: list[ProofRemark] = []
    for mistake in bound.mistakes.mistakes:
        result += prover.fix_remarks(mistake)
        result += prover.overlaps(mistake)
    return result


class Prover:
    """Prove properties of the mistakes in one file. Each automaton is built once."""

    def __init__(self, bound: BoundMistakes, budget: Budget = DEFAULT) -> None:
        self._bound = bound
        self._budget = budget
        self._bodies: Mapping[str, Node] = regular_bodies(bound.facts)
        self._automata: dict[str, Automaton | LimitExceeded] = {}

    def fix_remarks(self, mistake: Mistake) -> list[ProofRemark]:
        """Return remarks if the fix for a mistake is not in each of its targets."""
        if mistake.fix is None or (mistake.place != OF and mistake.fix == (Text(""),)):
            return []
        result: list[ProofRemark] = []
        for target in mistake.targets:
            name = self._bound.core.names.get(target, target)
            try:
                witness = self._counterexample(mistake, target)
            except (LimitExceeded, _NotRegularError) as error:
                undecided = message("proof-undecided", rule=mistake.rule.name, reason=str(error))
                result.append(ProofRemark(UNPROVED, mistake.rule.name, name, None, undecided))
                continue
            if witness is not None:
                problem = message("proof-fix", rule=mistake.rule.name, string=witness, target=name)
                result.append(ProofRemark(FIX, mistake.rule.name, name, witness, problem))
        return result

    def overlaps(self, mistake: Mistake) -> list[ProofRemark]:
        """Return remarks about strings shared with targets and with earlier mistakes of the same place."""
        result: list[ProofRemark] = []
        names = self._bound.core.names
        meter = self._budget.meter(f"comparing {mistake.rule.name} with others")
        try:
            automaton = self._automaton(mistake.key)
            for target in mistake.targets if mistake.place == OF else ():
                key = target if mistake.literal is None else literal_key(target, mistake.literal)
                result += self._with_target(mistake, automaton, key, names[key], meter)
            for other in self._bound.mistakes.mistakes:
                if other is not mistake and _weight(other) < _weight(mistake) and _same_place(other, mistake):
                    result += self._with_other(mistake, automaton, other, meter)
        except (LimitExceeded, _NotRegularError) as error:
            undecided = message("proof-meeting-undecided", rule=mistake.rule.name, reason=str(error))
            result.append(ProofRemark(UNPROVED, mistake.rule.name, "", None, undecided))
        return result

    def _with_target(
        self, mistake: Mistake, automaton: Automaton, key: str, name: str, meter: Meter
    ) -> list[ProofRemark]:
        common_strings = witnesses(automaton, self._automaton(key), meter)
        if common_strings.only_left is None and not mistake.inner:
            covered = message("proof-valid", rule=mistake.rule.name, target=name)
            return [ProofRemark(NEVER_READ, mistake.rule.name, name, common_strings.common, covered)]
        if common_strings.common is not None:
            overlap = message(
                "proof-overlap-target", rule=mistake.rule.name, string=common_strings.common, target=name
            )
            return [ProofRemark(OVERLAP, mistake.rule.name, name, common_strings.common, overlap)]
        return []

    def _with_other(
        self, mistake: Mistake, automaton: Automaton, other: Mistake, meter: Meter
    ) -> list[ProofRemark]:
        other_automaton = self._automaton(other.key)
        is_subset = set(mistake.targets) <= set(other.targets) and not mistake.inner
        if is_subset and included(automaton, other_automaton, meter):
            covered = message("proof-covered", rule=mistake.rule.name, other=other.rule.name)
            return [ProofRemark(NEVER_READ, mistake.rule.name, other.rule.name, None, covered)]
        common = witnesses(automaton, other_automaton, meter).common
        if common is None:
            return []
        name, first = mistake.rule.name, other.rule.name
        overlap = message("proof-overlap", rule=name, other=first, string=common)
        return [ProofRemark(OVERLAP, name, first, common, overlap)]

    def _counterexample(self, mistake: Mistake, target: str) -> str | None:
        """Return a shortest string that the fix can yield and the target does not derive, or None."""
        if target == ANY_RULE:
            raise _NotRegularError("with '*', only a fix that removes the mistake can be proved")
        key = target if mistake.literal is None else literal_key(target, mistake.literal)
        valid = self._automaton(key)
        meter = self._budget.meter(f"proof of {mistake.rule.name}")
        languages = LanguageBuilder(meter)
        start = end = languages.state()
        if mistake.place == AFTER:
            end = self._append(languages, end, valid)
        for part in mistake.fix or ():
            end = self._append_part(languages, end, mistake, part)
        if mistake.place == BEFORE:
            end = self._append(languages, end, valid)
        return witnesses(languages.determinized(start, end), valid, meter).only_left

    def _append(self, languages: LanguageBuilder, start: int, automaton: Automaton) -> int:
        end = languages.state()
        languages.image(start, automaton, end)
        return end

    def _append_part(
        self,
        languages: LanguageBuilder,
        start: int,
        mistake: Mistake,
        part: Slot | Text | Mapped | Substituted,
    ) -> int:
        end = languages.state()
        match part:
            case Text(value=value):
                languages.word(start, tuple(CharSet.of(char) for char in value), end)
            case Slot():
                languages.image(start, self._slot(mistake, part), end)
                if _can_lack(mistake, part):
                    languages.join(start, end)
            case Mapped(how=how, slot=slot, rule=rule):
                charset = None if rule is None else self._bound.single_character_strings(rule)
                languages.image(start, self._slot(mistake, slot), end, how, charset)
                if _can_lack(mistake, slot):
                    languages.join(start, end)
            case Substituted(pairs=pairs):
                body = _substituted(self._bound.core.rules[mistake.key], dict(pairs))
                languages.image(start, self._build("", body), end)
        return end

    def _slot(self, mistake: Mistake, slot: Slot) -> Automaton:
        return self._automaton(mistake.key if slot == ALL else slot.name)

    def _automaton(self, key: str) -> Automaton:
        automaton = self._automata.get(key)
        if automaton is None:
            try:
                if key not in self._bodies:
                    raise _NotRegularError(f"{self._bound.core.names[key]} is not known to be regular")
                automaton = self._build(key, self._bodies[key])
            except LimitExceeded as error:
                automaton = error
            self._automata[key] = automaton
        if isinstance(automaton, LimitExceeded):
            raise automaton.with_traceback(None)
        return automaton

    def _build(self, key: str, body: Node) -> Automaton:
        """Return the automaton of a rule or of another body with references to rules."""
        name = self._bound.core.names.get(key, "a fix")
        meter = self._budget.meter(f"automaton of {name}", code="automaton-too-large")
        bodies = {**self._bodies, key: body}
        needed = Facts(Core(bodies, self._bound.core.names)).references
        if any(other not in bodies for other in needed[key]):
            raise _NotRegularError(f"{name} needs a rule that is not known to be regular")
        return build(Core(bodies, self._bound.core.names), bodies, key, meter)


_PERCENT = CharSet.of("%")
_TRIPLET = (_PERCENT, HEX, HEX)
# Code points by the number of their UTF-8 bytes.
_LENGTHS = ((2, (0x80, 0x7FF)), (3, (0x800, 0xFFFF)), (4, (0x10000, 0x10FFFF)))

Word = tuple[CharSet, ...]  # a sequence of sets; its strings have one character of each

# The first mode is without a pending percent sign. The next two are after a percent sign that does not begin
# a triplet, and after a digit that follows it. The last two are after the percent sign of a triplet and after
# its first digit.
_FREE, _STRAY, _STRAY_DIGIT, _TRIPLET_SIGN, _TRIPLET_DIGIT = "", "%?", "%?d", "%", "%d"


class LanguageBuilder:
    """A nondeterministic automaton under construction, charged to ``meter``."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._moves: list[list[tuple[CharSet, int]]] = []
        self._empty: list[list[int]] = []

    def state(self) -> int:
        self._meter.charge()
        self._moves.append([])
        self._empty.append([])
        return len(self._moves) - 1

    def join(self, source: int, target: int) -> None:
        """Add a move without a character."""
        self._empty[source].append(target)

    def word(self, source: int, word: Word, target: int) -> None:
        for charset in word[:-1]:
            following = self.state()
            self._moves[source].append((charset, following))
            source = following
        if word:
            self._meter.charge()
            self._moves[source].append((word[-1], target))
        else:
            self.join(source, target)

    def image(
        self,
        source: int,
        automaton: Automaton,
        target: int,
        how: str | None = None,
        charset: CharSet | None = None,
    ) -> None:
        """Add moves for the image of an automaton's strings under the map ``how`` (None: the identity)."""
        if not automaton.table:
            return
        if how in (IDNA, UNESCAPE):
            assert charset is not None
            loop = self.state()
            self.join(source, loop)
            self.word(loop, (charset,), loop)
            self.word(loop, _TRIPLET, loop)
            self.join(loop, target)
            return
        mapping = _CharacterMap(how, charset, self._meter)
        states: dict[tuple[int, str], int] = {(0, _FREE): self.state()}
        self.join(source, states[0, _FREE])
        for row, mode in (queue := [(0, _FREE)]):
            state = states[row, mode]
            if (
                row in automaton.accepting
                and not mode.startswith(_TRIPLET_SIGN + "d")
                and mode != _TRIPLET_SIGN
            ):
                self.join(state, target)
            for number, letters in enumerate(automaton.charsets):
                next_row = automaton.table[row + number]
                if next_row == DEAD:
                    continue
                for word, next_mode in mapping.written(letters, mode):
                    key = next_row, next_mode
                    if key not in states:
                        states[key] = self.state()
                        queue.append(key)
                    self.word(state, word, states[key])

    def determinized(self, start: int, end: int) -> Automaton:
        """Return the minimal automaton of the strings that lead from one state to another."""
        classes = partition([charset for moves in self._moves for charset, _ in moves] or [ANY])
        samples = [charset.min() for charset in classes]
        columns: dict[CharSet, list[int]] = {}

        def moves(state: int) -> Iterator[tuple[int, list[int]]]:
            for charset, target in self._moves[state]:
                if charset not in columns:
                    columns[charset] = [n for n, char in enumerate(samples) if char in charset]
                yield target, columns[charset]

        rows, accepting = determinize([start], moves, end.__eq__, len(classes), self._meter, self._closed)
        return minimal(rows, accepting, classes)

    def _closed(self, states: Iterable[int]) -> list[int]:
        """Return states and the states that they reach without a character."""
        closed = dict.fromkeys(states)
        for state in (queue := list(closed)):
            for target in self._empty[state]:
                if target not in closed:
                    closed[target] = None
                    queue.append(target)
        self._meter.charge(len(closed))
        return queue


class _CharacterMap:
    """The output of a map for a character, given the characters before it."""

    def __init__(self, how: str | None, charset: CharSet | None, meter: Meter) -> None:
        self._how = how
        self._charset = charset
        self._meter = meter
        self._plain: dict[CharSet, list[Word]] = {}

    def written(self, charset: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        """Yield words for the characters of a set, each with the next mode."""
        if self._how is None:
            yield (charset,), _FREE
        elif self._how == ENCODE:
            yield from self._encoded(charset, mode)
        elif self._how == DECODE:
            yield from self._decoded(charset, mode)
        else:
            for word in self._words(charset):
                yield word, _FREE

    def _encoded(self, charset: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        digits = charset & HEX
        if mode in (_TRIPLET_SIGN, _TRIPLET_DIGIT):
            if digits:
                yield (digits,), _TRIPLET_DIGIT if mode == _TRIPLET_SIGN else _FREE
            return
        if "%" in charset:
            yield (_PERCENT,), _TRIPLET_SIGN
            yield (_PERCENT, CharSet.of("2"), CharSet.of("5")), _STRAY
        for word in self._words(charset - HEX - _PERCENT):
            yield word, _FREE
        if mode != _STRAY_DIGIT:
            for word in self._words(digits):
                yield word, _STRAY_DIGIT if mode == _STRAY else _FREE

    def _decoded(self, charset: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        if mode.startswith("%d"):  # a percent sign and a digit, not yet output
            for code in charset & HEX:
                char = decoded(mode[2:] + chr(code), self._charset)
                if char is not None:
                    yield (CharSet.of(char),), _FREE
            return
        if mode == _TRIPLET_SIGN:
            for code in charset & HEX:
                yield (), "%d" + chr(code)
            return
        excluded = CharSet()
        if mode.startswith("%?d"):
            excluded = CharSet.of("".join(chr(c) for c in HEX if decoded(mode[3:] + chr(c), self._charset)))
        remaining = charset - excluded
        if "%" in remaining:
            yield (), _TRIPLET_SIGN
            yield (_PERCENT,), _STRAY
        remaining -= _PERCENT
        if mode == _STRAY:
            for code in remaining & HEX:
                yield (CharSet.of(chr(code)),), "%?d" + chr(code)
            remaining -= HEX
        if remaining:
            yield (remaining,), _FREE

    def _words(self, charset: CharSet) -> list[Word]:
        """Return the output for characters that the map handles one by one."""
        words = self._plain.get(charset)
        if words is None:
            assert self._charset is not None
            unmapped, others = charset & self._charset, charset - self._charset
            words = self._plain[charset] = [(unmapped,)] if unmapped else []
            if self._how == ENCODE:
                for length, (low, high) in _LENGTHS:
                    if others & CharSet.from_ranges([(low, high)]):
                        words.append(_TRIPLET * length)
                others &= ASCII
            by_prefix: dict[str, str] = {}  # output without its last character -> its last characters
            unchanged: list[tuple[int, int]] = []
            for code in others:
                self._meter.charge()
                output = mapped_character(str(self._how), chr(code), self._charset)
                if output == chr(code):
                    unchanged.append((code, code))
                elif output:
                    by_prefix[output[:-1]] = by_prefix.get(output[:-1], "") + output[-1]
                elif () not in words:
                    words.append(())
            words += [(*map(CharSet.of, output), CharSet.of(ends)) for output, ends in by_prefix.items()]
            if unchanged:
                words.append((CharSet.from_ranges(unchanged),))
        return words


class _NotRegularError(Exception):
    """No automaton can be built for a rule."""


def _weight(mistake: Mistake) -> tuple[int, int]:
    return mistake.cost, mistake.order


def _same_place(one: Mistake, other: Mistake) -> bool:
    is_same_literal = (one.literal or "").lower() == (other.literal or "").lower()
    return one.place == other.place and is_same_literal and bool(set(one.targets) & set(other.targets))


def _can_lack(mistake: Mistake, slot: Slot) -> bool:
    """Return whether strings of a mistake can lack a slot."""
    return slot != ALL and slot.turn > slots(mistake.rule.elements)[slot.name].least


def _substituted(node: Node, texts: dict[str, str]) -> Node:
    """Replace some rules in a body by strings."""

    def change(reference: Ref) -> Node:
        if reference.key not in texts:
            return reference
        letters = tuple(Chars(CharSet.of(char)) for char in texts[reference.key])
        return Literal(letters) if len(letters) > 1 else letters[0] if letters else EPSILON

    return with_references(node, change)
