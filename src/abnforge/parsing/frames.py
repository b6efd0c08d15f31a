"""Frames: all that can be going on in one open call of a rule, in order of preference, and the moves between
them.

A *frame* is a tuple of alternatives. Each is a place within the call; or, where another rule is being read
inside, the place to return to and the frame of that call. Frames are interned by content, alternatives that
call one rule at one place share its frame, and so nesting is as deep as it is, and no wider.

*Order.* Alternatives stand in the order of the decisions that led to them, compared from left to right.
Decisions before a call come before those inside it, and these before what follows it: so the alternatives of
a frame inside take the place of the one that they belong to. A call that may end splits it: first what its
frame does before the place where it would end (``cut``), then what follows the call, then the rest. Thus a
move of a frame has two halves, before and behind the first place where the frame may end.

*First wins.* Two alternatives that are equal have the same future, so the first of them has the preferred
derivation whatever comes, and the other is dropped; likewise two alternatives with one place to return to, as
far as the frames inside have equal alternatives. What is left at the end of the text is, first of all, the
contract's choice (regular expressions: Frisch and Cardelli 2004; Laurikari 2000). So a move only has to note
where each alternative came from (``Origins``), and the way back from the end is the derivation.

*Paths.* One alternative of a frame, one of the frame inside it, and so on: a tuple of indices.

Exact for grammars without left recursion and cycles; for those whose left recursion is a loop (``loops``)
where no choice was made on the way, which is noted. Cost of a move: linear in the frame with those inside it;
moves are kept. TransducerError when a frame has more than MAX_WIDTH alternatives, or MAX_DEPTH frames inside
one another: deeper stacks are kept elsewhere, as long as they end one by one (``reading``).
"""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.parsing.places import Call, Events, Place, Places, Read
from abnforge.parsing.trace import AMBIGUOUS, RETURN, TOO_DEEP, TOO_WIDE, TransducerError

# What a frame takes in octets, and an alternative of it.
FRAME_OCTETS = 1_500
ALTERNATIVE_OCTETS = 400

Path = tuple[int, ...]
Alternative = tuple["Place | None", "Frame | None"]

# The path to an alternative that ends, the events behind it, and whether there was a choice.
Final = tuple[Path, Events, bool]


class Origins(dict[Path, tuple[Path, Events]]):
    """Where the alternatives of a frame come from that ``frame`` moved to: path after the move -> path before
    it, and the events between them. Found when asked for: few paths are on the way back of any text.
    """

    __slots__ = ("_entries", "_strict", "frame")

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, frame: Frame, entries: list[Entry], strict: bool) -> None:
        super().__init__()
        self.frame = frame
        self._entries = entries
        self._strict = strict

    def __missing__(self, path: Path) -> tuple[Path, Events]:
        """Raises TransducerError where a choice was made on the way, if this must not be."""
        entry = self._entries[path[0]]
        if entry.twice and self._strict:
            raise TransducerError(AMBIGUOUS)
        if entry.inside is None:
            found = entry.source, entry.events
        else:
            below = path[1:] if entry.kept is None else (entry.kept[path[1]], *path[2:])
            before, events = entry.inside[below]
            if entry.opened:
                found = entry.source, entry.events + events
            else:
                found = (*entry.source, *before), events
        self[path] = found
        return found


class Entry:
    """Where one alternative comes from: a path and the events, if it read a character itself; or a frame
    inside did (``inside``, of whose alternatives those in ``kept`` are left), that was ``opened`` by this
    move or stood at that path before.
    """

    __slots__ = ("events", "inside", "kept", "opened", "source", "twice")

    def __init__(
        self,
        source: Path,
        events: Events,
        inside: Origins | None,
        kept: Path | None,
        opened: bool,
        twice: bool,
    ) -> None:
        self.source = source
        self.events = events
        self.inside = inside
        self.kept = kept
        self.opened = opened
        self.twice = twice


class Reading:
    """A frame can read a character: an alternative does, after the events."""

    __slots__ = ("charset", "events", "path", "rest", "twice")

    def __init__(self, charset: CharSet, rest: Place | None, path: Path, events: Events, twice: bool) -> None:
        self.charset = charset
        self.rest = rest
        self.path = path
        self.events = events
        self.twice = twice


class Opening:
    """A frame can call a rule. ``half``: 0 for what comes before the rule would end at once, 1 behind."""

    __slots__ = ("events", "half", "key", "path", "rest", "twice")

    def __init__(self, call: Call, path: Path, events: Events, twice: bool) -> None:
        self.key = call.key
        self.rest = call.rest
        self.half = int(call.behind)
        self.path = path
        self.events = events
        self.twice = twice


class Inside:
    """A frame inside can go on, that of the alternative at ``index``. ``half``: as of ``Opening``."""

    __slots__ = ("frame", "half", "index", "rest")

    def __init__(self, index: int, rest: Place | None, frame: Frame, half: int) -> None:
        self.index = index
        self.rest = rest
        self.frame = frame
        self.half = half


# What can be done in a frame; None stands where it may end first.
Step = Reading | Opening | Inside | None

# The frame after a character, and where its alternatives come from.
Half = tuple["Frame", Origins]


class Frame(dict[str, "Frame"]):
    """Alternatives, and where known characters lead from here when nothing else has to be done.

    ``final``: the path to the alternative that ends first, the events behind it, and whether there was a
    choice; None when the frame cannot end here. ``root``: no call is open around it. ``cost`` is what finding
    out about it took, ``weight`` the steps of the frame and of all those inside it. ``folded``: where all
    alternatives wait for one frame inside that cannot end yet, the places to return to, and it.
    """

    __slots__ = (
        "alternatives",
        "cost",
        "depth",
        "final",
        "folded",
        "halves",
        "inside",
        "moves",
        "octets",
        "origins",
        "root",
        "steps",
        "unfolded",
        "weight",
    )

    def __init__(self, alternatives: tuple[Alternative, ...], root: bool) -> None:
        super().__init__()
        self.alternatives = alternatives
        self.root = root
        self.inside = tuple(dict.fromkeys(frame for _, frame in alternatives if frame is not None))
        self.depth: int = 1 + max((frame.depth for frame in self.inside), default=0)
        self.final: Final | None = None
        self.steps: tuple[Step, ...] = ()
        self.folded: tuple[tuple[Place | None, ...], Frame] | None = None
        self.halves: dict[str, tuple[Half | None, Half | None]] = {}
        self.moves: dict[str, Frame | None] = {}
        self.origins: dict[str, Origins] = {}
        self.unfolded: dict[tuple[tuple[Place | None, ...], bool], Frame] = {}
        self.octets = FRAME_OCTETS + ALTERNATIVE_OCTETS * len(alternatives)
        self.cost = 0
        self.weight = 0

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


def with_inside(frame: Frame) -> set[Frame]:
    """A frame, and all those inside it."""
    found = {frame}
    waiting = [frame]
    while waiting:
        for one in waiting.pop().inside:
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


# Frames inside one another: moves recurse as deep.
MAX_DEPTH = 40

# So few frames inside one another are moved as one, and not put on a list: that is quicker, once known.
FLAT = 2

# Alternatives of a frame.
MAX_WIDTH = 200


class Frames:
    """The frames of one grammar. ``strict``: a choice on the way is refused."""

    def __init__(self, places: Places, strict: bool) -> None:
        self._places = places
        self._strict = strict
        self._known: dict[tuple[object, ...], Frame] = {}
        self._entries: dict[str, Frame] = {}

    @property
    def size(self) -> int:
        """How many frames there are."""
        return len(self._known)

    def forget(self) -> None:
        """Drop all frames."""
        self._known.clear()
        self._entries.clear()

    def check(self, twice: bool) -> None:
        """Refuse a choice, if this must not be."""
        if twice and self._strict:
            raise TransducerError(AMBIGUOUS)

    def start(self, key: str) -> Frame:
        """The frame that reading a text by a rule begins in."""
        return self.frame(((self._places.start(key), None),), True)

    def frame(self, alternatives: tuple[Alternative, ...], root: bool = False) -> Frame:
        """The frame with these alternatives. Raises TransducerError when there are too many of them, or too
        deep.
        """
        key = (root, *alternatives)
        found = self._known.get(key)
        if found is None:
            found = Frame(alternatives, root)
            if found.depth > MAX_DEPTH:
                raise TransducerError(TOO_DEEP)
            if len(alternatives) > MAX_WIDTH:
                raise TransducerError(TOO_WIDE)
            self._close(found)
            inside = alternatives[0][1]
            if (
                found.depth > FLAT
                and inside is not None
                and inside.final is None
                and all(frame is inside for _, frame in alternatives)
            ):
                found.folded = tuple(place for place, _ in alternatives), inside
            self._known[key] = found
        return found

    def unfold(self, frame: Frame, places: tuple[Place | None, ...], root: bool) -> Frame:
        """The frame whose alternatives return from this one to the places."""
        key = places, root
        found = frame.unfolded.get(key)
        if found is None:
            found = frame.unfolded[key] = self.frame(tuple((place, frame) for place in places), root)
        return found

    def move(self, frame: Frame, char: str) -> tuple[Half | None, Half | None]:
        """Where a character leads from a frame: before the place where the frame may end first, and behind.

        Of a root, all is in the first half. Raises TransducerError; then nothing is kept that is not whole.
        """
        found = frame.halves.get(char)
        if found is not None:
            return found
        first = target = _Building()
        second = _Building()
        # The alternatives that there are already, by the place to return to.
        known: dict[Place | None, dict[Alternative, Entry]] = {}
        for step in frame.steps:
            if step is None:
                target = first if frame.root else second
            elif isinstance(step, Reading):
                if char in step.charset:
                    entry = Entry(step.path, step.events, None, None, False, step.twice)
                    target.add(known.setdefault(_NOWHERE, {}), (step.rest, None), entry)
            else:
                inside = self._entry(step.key) if isinstance(step, Opening) else step.frame
                half = self.move(inside, char)[step.half]
                if half is not None:
                    self._add_inside(target, known.setdefault(step.rest, {}), step, half)
        found = frame.halves[char] = self._made(frame, first), self._made(frame, second)
        return found

    def _add_inside(
        self, target: _Building, known: dict[Alternative, Entry], step: Opening | Inside, half: Half
    ) -> None:
        """Add what a frame inside has read, but for alternatives that are there already."""
        frame, origins = half
        kept = []
        for index, alternative in enumerate(frame.alternatives):
            if alternative in known:
                known[alternative].twice = True
            else:
                kept.append(index)
        if not kept:
            return
        selected: Path | None = None
        if len(kept) < len(frame.alternatives):
            selected = tuple(kept)
            frame = self.frame(tuple(frame.alternatives[index] for index in kept))
        if isinstance(step, Opening):
            entry = Entry(step.path, step.events, origins, selected, True, step.twice)
        else:
            entry = Entry((step.index,), (), origins, selected, False, False)
        known.update(dict.fromkeys(frame.alternatives, entry))
        target.alternatives.append((step.rest, frame))
        target.entries.append(entry)

    def _made(self, frame: Frame, building: _Building) -> Half | None:
        if not building.alternatives:
            return None
        target = self.frame(tuple(building.alternatives), frame.root)
        return target, Origins(frame, building.entries, self._strict)

    def _entry(self, key: str) -> Frame:
        """The frame that a called rule begins in."""
        found = self._entries.get(key)
        if found is None:
            found = self._entries[key] = self.frame(((self._places.entry(key), None),))
        return found

    def _close(self, frame: Frame) -> None:
        """Find out what can be done in a frame."""
        steps: list[Step] = []
        for index, (place, inside) in enumerate(frame.alternatives):
            if inside is None:
                self._enter(frame, steps, place, ((index,), (), False))
                continue
            steps.append(Inside(index, place, inside, 0))
            if inside.final is not None:
                path, events, twice = inside.final
                self._enter(frame, steps, place, ((index, *path), (*events, RETURN), twice))
                steps.append(Inside(index, place, inside, 1))
        frame.steps = tuple(steps)
        frame.cost += len(steps)
        frame.weight = sum(len(one.steps) for one in with_inside(frame))

    def _enter(self, frame: Frame, steps: list[Step], place: Place | None, way: Final) -> None:
        """Add what can be done at a place, which some way of the frame leads to."""
        if place is None:
            _end(frame, steps, way)
            return
        path, before, twice = way
        closure = self._places.closure(place)
        frame.cost += closure.cost
        twice = twice or closure.twice
        for number, step in enumerate(closure.steps):
            if number == closure.cut and closure.final is not None:
                _end(frame, steps, (path, before + closure.final, twice))
            if isinstance(step, Read):
                steps.append(Reading(step.charset, step.rest, path, before + step.events, twice))
            else:
                steps.append(Opening(step, path, before + step.events, twice))
        if closure.final is not None and closure.cut == len(closure.steps):
            _end(frame, steps, (path, before + closure.final, twice))


class _Building:
    """A frame in the making."""

    __slots__ = ("alternatives", "entries")

    def __init__(self) -> None:
        self.alternatives: list[Alternative] = []
        self.entries: list[Entry] = []

    def add(self, known: dict[Alternative, Entry], alternative: Alternative, entry: Entry) -> None:
        """Add an alternative, unless it is there already."""
        if alternative in known:
            known[alternative].twice = True
            return
        known[alternative] = entry
        self.alternatives.append(alternative)
        self.entries.append(entry)


def _end(frame: Frame, steps: list[Step], way: Final) -> None:
    """Note that a frame may end."""
    if frame.final is None:
        frame.final = way
        steps.append(None)
    else:
        frame.final = *frame.final[:2], True


# Under which alternatives are known that read in the frame itself: none of them returns anywhere.
_NOWHERE = Place("", 0, None)
