"""What set algebra says about mistakes, once for all texts.

* Every fix lies in its target, whatever its slots hold. As the repaired piece is derived by the rule that it
  is in the place of, and the grammar is context-free, the whole is valid; and several fixes compose. The
  language of a fix is that of its parts one behind the other, each slot with all that its rule derives: that
  several slots of one text hang together is not looked at, so a proof may fail where every text is right.
* A mistake that an earlier and no dearer one of the same target covers, or that its target derives, never
  counts in any reading.
* Texts that a mistake shares with its target or with another mistake are read by the cheaper: worth knowing,
  and shown with a shortest one.

Nested mistakes are taken to be repaired. For rules that are not known to be regular nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abnforge.automata.algebra import included, witnesses
from abnforge.automata.dfa import DEAD, Automaton, build, determinize, minimal
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.charset import ANY, CharSet, partition
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.character_sets import single_character_strings
from abnforge.explain.fixes import HEX, decoded, mapped_character
from abnforge.explain.messages import message
from abnforge.explain.mistakes import (
    AFTER,
    ALL,
    ANY_RULE,
    BEFORE,
    DECODE,
    ENCODE,
    IDNA,
    OF,
    Mapped,
    Mistake,
    Slot,
    Substituted,
    Text,
    literal_key,
    slots,
)
from abnforge.grammar.core import EPSILON, Chars, Core, Literal, Node, Ref, with_references
from abnforge.grammar.facts import Facts
from abnforge.grammar.regular import regular_bodies

# Languages put together for a proof: nondeterministic automata of texts, automata and their images by maps.
#
# The image of a regular language by a map is regular. One letter is a choice of texts; whether a percent
# sign begins a triplet is guessed, and checked on the letters behind it. What ``encode`` writes for a
# letter beyond ASCII is taken to be any triplets of as many octets, and what ``idna`` writes to be any text
# of its set and triplets: over-approximations, which a proof of inclusion may use.


_PERCENT = CharSet.of("%")
_TRIPLET = (_PERCENT, HEX, HEX)
_ASCII = CharSet.from_ranges([(0, 0x7F)])
# Code points by the octets of their UTF-8 form.
_LENGTHS = ((2, (0x80, 0x7FF)), (3, (0x800, 0xFFFF)), (4, (0x10000, 0x10FFFF)))

Word = tuple[CharSet, ...]
"""What may be written: one of each set, one behind the other."""

# What is known of the letters before: nothing; a percent sign that begins no triplet, and a digit behind it;
# a triplet's percent sign, and its first digit.
_FREE, _STRAY, _STRAY_DIGIT, _TRIPLET_SIGN, _TRIPLET_DIGIT = "", "%?", "%?d", "%", "%d"


class LanguageBuilder:
    """A nondeterministic automaton under construction. What is added is charged to ``meter``."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._moves: list[list[tuple[CharSet, int]]] = []
        self._empty: list[list[int]] = []

    def state(self) -> int:
        """A new state."""
        self._meter.charge()
        self._moves.append([])
        self._empty.append([])
        return len(self._moves) - 1

    def join(self, source: int, target: int) -> None:
        """A move that reads nothing."""
        self._empty[source].append(target)

    def word(self, source: int, word: Word, target: int) -> None:
        """Moves that read a word."""
        for charset in word[:-1]:
            following = self.state()
            self._moves[source].append((charset, following))
            source = following
        if word:
            self._meter.charge()
            self._moves[source].append((word[-1], target))
        else:
            self.join(source, target)

    def automaton(self, source: int, automaton: Automaton, target: int) -> None:
        """Moves that read a string of an automaton's language."""
        self._image(source, automaton, target, None, None)

    def image(
        self, source: int, automaton: Automaton, target: int, how: str, charset: CharSet | None
    ) -> None:
        """Moves that read what a map makes of a string of an automaton's language."""
        self._image(source, automaton, target, how, charset)

    def _image(
        self, source: int, automaton: Automaton, target: int, how: str | None, charset: CharSet | None
    ) -> None:
        if not automaton.table:
            return
        if how == IDNA:
            assert charset is not None
            within = self.state()
            self.join(source, within)
            self.word(within, (charset,), within)
            self.word(within, _TRIPLET, within)
            self.join(within, target)
            return
        letters = _Letters(how, charset, self._meter)
        numbers: dict[tuple[int, str], int] = {(0, _FREE): self.state()}
        self.join(source, numbers[0, _FREE])
        for row, mode in (queue := [(0, _FREE)]):
            here = numbers[row, mode]
            if (
                row in automaton.accepting
                and not mode.startswith(_TRIPLET_SIGN + "d")
                and mode != _TRIPLET_SIGN
            ):
                self.join(here, target)
            for number, read in enumerate(automaton.charsets):
                following = automaton.table[row + number]
                if following == DEAD:
                    continue
                for word, after in letters.written(read, mode):
                    place = following, after
                    if place not in numbers:
                        numbers[place] = self.state()
                        queue.append(place)
                    self.word(here, word, numbers[place])

    def determinized(self, start: int, end: int) -> Automaton:
        """Return the minimal automaton of the strings between two states."""
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
        """Return states and the states that they reach without reading."""
        closed = dict.fromkeys(states)
        for state in (queue := list(closed)):
            for target in self._empty[state]:
                if target not in closed:
                    closed[target] = None
                    queue.append(target)
        self._meter.charge(len(closed))
        return queue


class _Letters:
    """What a map writes for a letter, given what is known of the letters before."""

    def __init__(self, how: str | None, charset: CharSet | None, meter: Meter) -> None:
        self._how = how
        self._charset = charset
        self._meter = meter
        self._plain: dict[CharSet, list[Word]] = {}

    def written(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        """Words for the letters of a set, each with what is known behind it."""
        if self._how is None:
            yield (read,), _FREE
        elif self._how == ENCODE:
            yield from self._encoded(read, mode)
        elif self._how == DECODE:
            yield from self._decoded(read, mode)
        else:
            for word in self._words(read):
                yield word, _FREE

    def _encoded(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        digits = read & HEX
        if mode in (_TRIPLET_SIGN, _TRIPLET_DIGIT):
            if digits:
                yield (digits,), _TRIPLET_DIGIT if mode == _TRIPLET_SIGN else _FREE
            return
        if "%" in read:
            yield (_PERCENT,), _TRIPLET_SIGN
            yield (_PERCENT, CharSet.of("2"), CharSet.of("5")), _STRAY
        for word in self._words(read - HEX - _PERCENT):
            yield word, _FREE
        if mode != _STRAY_DIGIT:
            for word in self._words(digits):
                yield word, _STRAY_DIGIT if mode == _STRAY else _FREE

    def _decoded(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        if mode.startswith("%d"):  # the sign, and one digit, which is not written yet
            for code in read & HEX:
                made = decoded(mode[2:] + chr(code), self._charset)
                if made is not None:
                    yield (CharSet.of(made),), _FREE
            return
        if mode == _TRIPLET_SIGN:
            for code in read & HEX:
                yield (), "%d" + chr(code)
            return
        refused = CharSet()
        if mode.startswith("%?d"):
            refused = CharSet.of("".join(chr(c) for c in HEX if decoded(mode[3:] + chr(c), self._charset)))
        left = read - refused
        if "%" in left:
            yield (), _TRIPLET_SIGN
            yield (_PERCENT,), _STRAY
        left -= _PERCENT
        if mode == _STRAY:
            for code in left & HEX:
                yield (CharSet.of(chr(code)),), "%?d" + chr(code)
            left -= HEX
        if left:
            yield (left,), _FREE

    def _words(self, read: CharSet) -> list[Word]:
        """What is written for letters that the map looks at one by one."""
        found = self._plain.get(read)
        if found is None:
            assert self._charset is not None
            kept, others = read & self._charset, read - self._charset
            found = self._plain[read] = [(kept,)] if kept else []
            if self._how == ENCODE:
                for length, (low, high) in _LENGTHS:
                    if others & CharSet.from_ranges([(low, high)]):
                        found.append(_TRIPLET * length)
                others &= _ASCII
            words: dict[str, str] = {}  # what is written but for its last character -> all such characters
            same: list[tuple[int, int]] = []
            for code in others:
                self._meter.charge()
                made = mapped_character(str(self._how), chr(code), self._charset)
                if made == chr(code):
                    same.append((code, code))
                elif made:
                    words[made[:-1]] = words.get(made[:-1], "") + made[-1]
                elif () not in found:
                    found.append(())
            found += [(*map(CharSet.of, made), CharSet.of(ends)) for made, ends in words.items()]
            if same:
                found.append((CharSet.from_ranges(same),))
        return found


FIX, NEVER_READ, OVERLAP, UNPROVED = (
    "mistake-fix",
    "mistake-never-read",
    "mistake-overlap",
    "mistake-unproved",
)
"""Kinds of what is found: a fix outside its target; a mistake that its target or an earlier one covers; texts
shared with these; and what could not be decided."""

ERRORS = frozenset({FIX, NEVER_READ})


@dataclass(frozen=True, slots=True)
class ProofRemark:
    """Something found about a mistake: its kind, the other rule it is about, and a shortest text.

    Mistakes are told by the names of their rules, since several may have one code.
    """

    kind: str
    rule: str
    other: str
    witness: str | None
    message: str

    @property
    def is_error(self) -> bool:
        """Whether the mistake must not stay as it is."""
        return self.kind in ERRORS


def remarks(bound: BoundMistakes, budget: Budget = DEFAULT) -> list[ProofRemark]:
    """Everything found about a file of mistakes, in its order; ``budget`` is what each question may cost.

    Cost: milliseconds a fix, and the square of the mistakes of one target; seconds where a start rule is one.
    """
    prover = Prover(bound, budget)
    found: list[ProofRemark] = []
    for mistake in bound.mistakes.mistakes:
        found += prover.fix(mistake)
        found += prover.meetings(mistake)
    return found


class Prover:
    """Questions about the mistakes of one file. Automata are built once."""

    def __init__(self, bound: BoundMistakes, budget: Budget = DEFAULT) -> None:
        self._bound = bound
        self._budget = budget
        self._bodies: Mapping[str, Node] = regular_bodies(bound.facts)
        self._automata: dict[str, Automaton | LimitExceeded] = {}
        self._sets: dict[str, CharSet] = {}

    def fix(self, mistake: Mistake) -> list[ProofRemark]:
        """Whether the fix of a mistake lies in each of its targets: nothing found if it does."""
        if mistake.fix is None or (mistake.place != OF and mistake.fix == (Text(""),)):
            return []
        found: list[ProofRemark] = []
        for target in mistake.targets:
            name = self._bound.core.names.get(target, target)
            try:
                witness = self._outside(mistake, target)
            except (LimitExceeded, _NotRegularError) as error:
                undecided = message("proof-undecided", rule=mistake.rule.name, reason=str(error))
                found.append(ProofRemark(UNPROVED, mistake.rule.name, name, None, undecided))
                continue
            if witness is not None:
                wrong = message("proof-fix", rule=mistake.rule.name, string=witness, target=name)
                found.append(ProofRemark(FIX, mistake.rule.name, name, witness, wrong))
        return found

    def meetings(self, mistake: Mistake) -> list[ProofRemark]:
        """What a mistake shares with its targets, and with earlier mistakes of the same place."""
        found: list[ProofRemark] = []
        names = self._bound.core.names
        meter = self._budget.meter(f"comparing {mistake.rule.name} with others")
        try:
            own = self._automaton(mistake.key)
            for target in mistake.targets if mistake.place == OF else ():
                key = target if mistake.literal is None else literal_key(target, mistake.literal)
                found += self._with_target(mistake, own, key, names[key], meter)
            for other in self._bound.mistakes.mistakes:
                if other is not mistake and _weight(other) < _weight(mistake) and _same_place(other, mistake):
                    found += self._with_other(mistake, own, other, meter)
        except (LimitExceeded, _NotRegularError) as error:
            undecided = message("proof-meeting-undecided", rule=mistake.rule.name, reason=str(error))
            found.append(ProofRemark(UNPROVED, mistake.rule.name, "", None, undecided))
        return found

    def _with_target(
        self, mistake: Mistake, own: Automaton, key: str, name: str, meter: Meter
    ) -> list[ProofRemark]:
        seen = witnesses(own, self._automaton(key), meter)
        if seen.only_left is None and not mistake.inner:
            never = message("proof-valid", rule=mistake.rule.name, target=name)
            return [ProofRemark(NEVER_READ, mistake.rule.name, name, seen.common, never)]
        if seen.common is not None:
            valid = message("proof-overlap-target", rule=mistake.rule.name, string=seen.common, target=name)
            return [ProofRemark(OVERLAP, mistake.rule.name, name, seen.common, valid)]
        return []

    def _with_other(
        self, mistake: Mistake, own: Automaton, other: Mistake, meter: Meter
    ) -> list[ProofRemark]:
        theirs = self._automaton(other.key)
        covered = set(mistake.targets) <= set(other.targets) and not mistake.inner
        if covered and included(own, theirs, meter):
            never = message("proof-covered", rule=mistake.rule.name, other=other.rule.name)
            return [ProofRemark(NEVER_READ, mistake.rule.name, other.rule.name, None, never)]
        common = witnesses(own, theirs, meter).common
        if common is None:
            return []
        name, first = mistake.rule.name, other.rule.name
        shared = message("proof-overlap", rule=name, other=first, string=common)
        return [ProofRemark(OVERLAP, name, first, common, shared)]

    def _outside(self, mistake: Mistake, target: str) -> str | None:
        """A shortest text that the fix can give and that the target does not derive."""
        if target == ANY_RULE:
            raise _NotRegularError("with '*', only a fix that removes the mistake can be proved")
        key = target if mistake.literal is None else literal_key(target, mistake.literal)
        wanted = self._automaton(key)
        meter = self._budget.meter(f"proof of {mistake.rule.name}")
        languages = LanguageBuilder(meter)
        start = at = languages.state()
        if mistake.place == AFTER:
            at = self._read(languages, at, wanted)
        for part in mistake.fix or ():
            at = self._part(languages, at, mistake, part)
        if mistake.place == BEFORE:
            at = self._read(languages, at, wanted)
        return witnesses(languages.determinized(start, at), wanted, meter).only_left

    def _read(self, languages: LanguageBuilder, at: int, automaton: Automaton) -> int:
        end = languages.state()
        languages.automaton(at, automaton, end)
        return end

    def _part(
        self, languages: LanguageBuilder, at: int, mistake: Mistake, part: Slot | Text | Mapped | Substituted
    ) -> int:
        end = languages.state()
        match part:
            case Text(value=value):
                languages.word(at, tuple(CharSet.of(char) for char in value), end)
            case Slot():
                languages.automaton(at, self._slot(mistake, part), end)
                if _may_miss(mistake, part):
                    languages.join(at, end)
            case Mapped(how=how, slot=slot, rule=rule):
                charset = None if rule is None else self._set(rule)
                languages.image(at, self._slot(mistake, slot), end, how, charset)
                if _may_miss(mistake, slot):
                    languages.join(at, end)
            case Substituted(pairs=pairs):
                body = _substituted(self._bound.core.rules[mistake.key], dict(pairs))
                languages.automaton(at, self._built("", body), end)
        return end

    def _slot(self, mistake: Mistake, slot: Slot) -> Automaton:
        return self._automaton(mistake.key if slot == ALL else slot.name)

    def _set(self, rule: str) -> CharSet:
        if rule not in self._sets:
            self._sets[rule] = single_character_strings(self._bound.core, rule)
        return self._sets[rule]

    def _automaton(self, key: str) -> Automaton:
        found = self._automata.get(key)
        if found is None:
            try:
                if key not in self._bodies:
                    raise _NotRegularError(f"{self._bound.core.names[key]} is not known to be regular")
                found = self._built(key, self._bodies[key])
            except LimitExceeded as error:
                found = error
            self._automata[key] = found
        if isinstance(found, LimitExceeded):
            raise found.with_traceback(None)
        return found

    def _built(self, key: str, body: Node) -> Automaton:
        """The automaton of a rule, or of another body over the rules."""
        name = self._bound.core.names.get(key, "a fix")
        meter = self._budget.meter(f"automaton of {name}", code="automaton-too-large")
        bodies = {**self._bodies, key: body}
        needed = Facts(Core(bodies, self._bound.core.names)).references
        if any(other not in bodies for other in needed[key]):
            raise _NotRegularError(f"{name} needs a rule that is not known to be regular")
        return build(Core(bodies, self._bound.core.names), bodies, key, meter)


class _NotRegularError(Exception):
    """A question about a rule that has no automaton."""


def _weight(mistake: Mistake) -> tuple[int, int]:
    return mistake.cost, mistake.order


def _same_place(one: Mistake, other: Mistake) -> bool:
    same = (one.literal or "").lower() == (other.literal or "").lower()
    return one.place == other.place and same and bool(set(one.targets) & set(other.targets))


def _may_miss(mistake: Mistake, slot: Slot) -> bool:
    """Whether a text of a mistake may lack a slot."""
    return slot != ALL and slot.turn > slots(mistake.rule.elements)[slot.name].least


def _substituted(node: Node, texts: dict[str, str]) -> Node:
    """A body with texts in the place of the rules that it names."""

    def change(reference: Ref) -> Node:
        if reference.key not in texts:
            return reference
        letters = tuple(Chars(CharSet.of(char)) for char in texts[reference.key])
        return Literal(letters) if len(letters) > 1 else letters[0] if letters else EPSILON

    return with_references(node, change)
