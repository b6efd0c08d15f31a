"""Frames: the ordered states of one open call of a rule, and the moves between them.

A *frame* is a tuple of alternatives in order of preference. An alternative is a position within the call, or
a return position and the nested frame of a called rule. Frames are interned by content. Alternatives that
call the same rule at the same position share its frame, so the width of a frame does not grow with the
nesting.

*Order.* Alternatives are ordered by the decisions that led to them, compared from left to right. Decisions
before a call precede those inside it, which precede those after it. So the alternatives of a nested frame
take the place of the alternative that contains it. If a nested frame can end, its alternative is split in
three: the frame's steps preferred to ending (``before_end``), the steps after the call, and the frame's other
steps. So a move has two halves: before and after the first point at which the frame can end.

*First wins.* Two equal alternatives have the same future, so the first has the preferred derivation and the
second is dropped. If two alternatives have the same return position, the second loses the alternatives that
both nested frames contain. The first alternative that ends at the end of the string is the contract's choice
(for regular expressions: Frisch and Cardelli 2004; Laurikari 2000). So a move only stores the origin of each
alternative (``Backpointers``), and the path back from the end is the derivation. A *path* is a tuple of
indices: one for the frame, one for the nested frame, and so on.

The result is exact without left recursion and cycles. If left recursion is parsed as loops
(``grammar.loops``), it is exact if the path contains no choice; ``ambiguous`` records choices. A move takes
linear time in the size of the frame and its nested frames, and is cached.
"""

from __future__ import annotations

from abnforge.parsing.positions import Call, Closure, Events, GrammarPosition, GrammarPositions, Read
from abnforge.parsing.trace import AMBIGUOUS, RETURN, TOO_DEEP, TOO_WIDE, TransducerError

Path = tuple[int, ...]
Alternative = tuple["GrammarPosition | None", "Frame | None"]

# The path to an alternative that can end, the events after it, and whether there was a choice.
Final = tuple[Path, Events, bool]

# The step that leads to an alternative: a step of a closure, or the move of a nested frame. A nested frame is
# represented as its call if that begins here, its move, and the indices of its kept alternatives if some are
# dropped. A closure's step is not in a tuple: frames can have hundreds of steps, and the garbage collector
# searches tuples.
Origin = Read | tuple[Call | None, "Backpointers", Path | None]


class Backpointers(dict[Path, tuple[Path, Events]]):
    """The origins of a frame's alternatives, after a move.

    Maps each path after the move to the path before it and the events between them. Entries are computed on
    access, since a derivation needs few paths. ``ambiguous`` states for each alternative whether two paths
    lead to it; access to such a path raises TransducerError if frames are strict. ``cost`` is the number of
    steps of the move.
    """

    __slots__ = ("_ambiguous", "_frame", "_origins", "_sources", "_strict", "cost")

    __hash__ = object.__hash__  # type: ignore[assignment]

    contents = ()

    def __init__(
        self, frame: Frame, sources: list[int], origins: list[Origin], ambiguous: list[bool], strict: bool
    ) -> None:
        super().__init__()
        self.cost = frame.weight + 1
        self._frame = frame
        self._sources = sources
        self._origins = origins
        self._ambiguous = ambiguous
        self._strict = strict

    def __missing__(self, path: Path) -> tuple[Path, Events]:
        number = path[0]
        index, origin, ambiguous = self._sources[number], self._origins[number], self._ambiguous[number]
        before: Path = ()
        events: Events = ()
        step: Read | Call | None
        if isinstance(origin, Read):
            step = origin
        else:
            step, move, selected = origin
            before, events = move[path[1:] if selected is None else (selected[path[1]], *path[2:])]
        if step is None:
            before = index, *before
        else:
            before, returning, choice = self._frame.to_closure(index)
            events = returning + step.events + events
            ambiguous = ambiguous or choice
        if ambiguous and self._strict:
            raise TransducerError(AMBIGUOUS)
        self[path] = before, events
        return before, events


# The frame after a character and its backpointers.
HalfMove = tuple["Frame", Backpointers]


class Frame(dict[str, "Frame"]):
    """Alternatives in order; the dict maps characters to the next frames if a move is only a lookup.

    ``final`` is the path to the first alternative that ends, the events after it, and whether there was a
    choice; it is None if the frame cannot end. ``root`` means that no call is open around the frame.
    ``closures`` are the closures of the alternatives' positions, or None while a nested frame cannot end.
    ``cost`` is the number of steps; ``weight`` includes the cost of all nested frames. ``contents`` are the
    nested frames and all closures. If all alternatives wait for one nested frame that cannot end yet,
    ``spilled_form`` is the return positions and that frame.
    """

    __slots__ = (
        "alternatives",
        "backpointers",
        "closures",
        "contents",
        "cost",
        "depth",
        "final",
        "inside",
        "moves",
        "restored",
        "root",
        "spilled_form",
        "splits",
        "weight",
    )

    def __init__(self, alternatives: tuple[Alternative, ...], root: bool) -> None:
        super().__init__()
        self.alternatives = alternatives
        self.root = root
        self.inside = tuple(dict.fromkeys(frame for _, frame in alternatives if frame is not None))
        self.depth: int = 1 + max((frame.depth for frame in self.inside), default=0)
        self.final: Final | None = None
        self.closures: tuple[Closure | None, ...] = ()
        self.spilled_form: tuple[tuple[GrammarPosition | None, ...], Frame] | None = None
        self.splits: dict[str, tuple[HalfMove | None, HalfMove | None]] = {}
        self.moves: dict[str, Frame | None] = {}
        self.backpointers: dict[str, Backpointers] = {}
        self.restored: dict[tuple[tuple[GrammarPosition | None, ...], bool], Frame] = {}
        self.contents: frozenset[Frame | Closure] = frozenset()
        self.cost = 0
        self.weight = 0

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def to_closure(self, index: int) -> Final:
        """Return the path, events and choice that lead to an alternative's closure."""
        closure, (_, inside) = self.closures[index], self.alternatives[index]
        assert closure is not None
        if inside is None:
            return (index,), (), closure.ambiguous
        assert inside.final is not None
        path, events, ambiguous = inside.final
        return (index, *path), (*events, RETURN), ambiguous or closure.ambiguous


# The maximum nesting of frames: moves recurse to this depth.
MAX_DEPTH = 40

# The nesting up to which frames are not spilled, because cached frames are faster.
MAX_INLINE_DEPTH = 2

# The maximum number of alternatives of a frame, plus one for each rule of the grammar.
MAX_WIDTH = 1_000


class Frames:
    """The frames of some rules. If ``strict``, a choice on the path raises TransducerError."""

    def __init__(self, positions: GrammarPositions, strict: bool, rules: int) -> None:
        self._positions = positions
        self.strict = strict
        self._max_width = MAX_WIDTH + rules
        self._known: dict[tuple[object, ...], Frame] = {}
        self._starts: dict[str, Frame] = {}
        self._entries: dict[str, Frame] = {}

    @property
    def size(self) -> int:
        return len(self._known)

    def forget(self) -> None:
        self._known.clear()
        self._starts.clear()
        self._entries.clear()

    def check(self, ambiguous: bool) -> None:
        """Raise TransducerError for a choice if frames are strict."""
        if ambiguous and self.strict:
            raise TransducerError(AMBIGUOUS)

    def start(self, key: str) -> Frame:
        """Return the frame at the start of a rule's strings."""
        frame = self._starts.get(key)
        if frame is None:
            frame = self._starts[key] = self.frame(((self._positions.start(key), None),), True)
        return frame

    def frame(self, alternatives: tuple[Alternative, ...], root: bool = False) -> Frame:
        """Return the frame of some alternatives.

        Raises: TransducerError if frames are nested more than MAX_DEPTH deep, or for too many alternatives.
        """
        key = (root, *alternatives)
        frame = self._known.get(key)
        if frame is None:
            frame = Frame(alternatives, root)
            if frame.depth > MAX_DEPTH:
                raise TransducerError(TOO_DEEP)
            if len(alternatives) > self._max_width:
                raise TransducerError(TOO_WIDE)
            self._close(frame)
            inside = alternatives[0][1]
            if (
                frame.depth > MAX_INLINE_DEPTH
                and inside is not None
                and inside.final is None
                and all(nested is inside for _, nested in alternatives)
            ):
                frame.spilled_form = tuple(position for position, _ in alternatives), inside
            self._known[key] = frame
        return frame

    def restore(self, frame: Frame, positions: tuple[GrammarPosition | None, ...], root: bool) -> Frame:
        """Return the frame whose alternatives return from a frame to some positions."""
        key = positions, root
        restored = frame.restored.get(key)
        if restored is None:
            restored = frame.restored[key] = self.frame(
                tuple((position, frame) for position in positions), root
            )
        return restored

    def move(self, frame: Frame, char: str) -> tuple[HalfMove | None, HalfMove | None]:
        """Return the moves by a character before and after the first point at which a frame can end.

        The whole move of a root frame is in the first half. Raises: TransducerError, without caching
        incomplete moves.
        """
        split = frame.splits.get(char)
        if split is not None:
            return split
        move = _Move(self, frame, char)
        # The number of alternatives before the first point at which the frame can end.
        first = None
        for index, closure in enumerate(frame.closures):
            position, inside = frame.alternatives[index]
            if inside is not None:
                move.add_nested(index, None, position, self.move(inside, char)[0])
            if closure is None:
                continue
            move.add_steps(index, closure.before_end[char])
            if closure.final is not None:
                if first is None and not frame.root:
                    first = len(move.alternatives)
                move.add_steps(index, closure.after_end[char])
            if inside is not None:
                move.add_nested(index, None, position, self.move(inside, char)[1])
        split = frame.splits[char] = (
            move.half(slice(first)),
            None if first is None else move.half(slice(first, None)),
        )
        return split

    def entry(self, key: str) -> Frame:
        """Return the frame at the start of a called rule."""
        frame = self._entries.get(key)
        if frame is None:
            frame = self._entries[key] = self.frame(((self._positions.entry(key), None),))
        return frame

    def _close(self, frame: Frame) -> None:
        """Compute a frame's closures, final path, cost and contents."""
        frame.closures = tuple(
            self._positions.closure(position) if inside is None or inside.final is not None else None
            for position, inside in frame.alternatives
        )
        frame.cost = len(frame.alternatives)
        for index, closure in enumerate(frame.closures):
            if closure is None:
                continue
            frame.cost += closure.size
            if closure.final is None:
                continue
            if frame.final is None:
                path, events, ambiguous = frame.to_closure(index)
                frame.final = path, events + closure.final, ambiguous
            else:
                frame.final = *frame.final[:2], True
        nested = frozenset(frame.inside).union(*(inside.contents for inside in frame.inside))
        frame.contents = nested.union(filter(None, frame.closures))
        frame.weight = frame.cost + sum(one.cost for one in nested if isinstance(one, Frame))


class _Move:
    """A move of a frame by a character: alternatives, their origins, and whether two paths lead to them."""

    __slots__ = (
        "_char",
        "_frame",
        "_frames",
        "_nested",
        "_read",
        "alternatives",
        "ambiguous",
        "origins",
        "sources",
    )

    def __init__(self, frames: Frames, frame: Frame, char: str) -> None:
        self._frames = frames
        self._frame = frame
        self._char = char
        self.alternatives: list[Alternative] = []
        self.sources: list[int] = []
        self.origins: list[Origin] = []
        self.ambiguous: list[bool] = []
        # The position after a character that the frame itself reads -> the index of its alternative.
        self._read: dict[GrammarPosition | None, int] = {}
        # Return position -> the alternatives of its nested frames -> the index of the alternative with them.
        self._nested: dict[GrammarPosition | None, dict[Alternative, int]] = {}

    def add_steps(self, index: int, steps: tuple[Read | Call, ...]) -> None:
        """Add steps of an alternative's closure, except those whose position was added before."""
        for step in steps:
            rest = step.rest
            if isinstance(step, Call):
                half = self._frames.move(self._frames.entry(step.key), self._char)[step.after_end]
                self.add_nested(index, step, rest, half)
            elif rest in self._read:
                self.ambiguous[self._read[rest]] = True
            else:
                self._read[rest] = len(self.alternatives)
                self.alternatives.append(step.alternative)
                self.sources.append(index)
                self.origins.append(step)
                self.ambiguous.append(False)

    def add_nested(
        self, source: int, call: Call | None, rest: GrammarPosition | None, half: HalfMove | None
    ) -> None:
        """Add the move of a nested frame, except alternatives that were added before."""
        if half is None:
            return
        frame, backpointers = half
        previous = self._nested.setdefault(rest, {})
        new_indices = []
        for index, alternative in enumerate(frame.alternatives):
            if alternative in previous:
                self.ambiguous[previous[alternative]] = True
            else:
                new_indices.append(index)
        if not new_indices:
            return
        selected: Path | None = None
        if len(new_indices) < len(frame.alternatives):
            selected = tuple(new_indices)
            frame = self._frames.frame(tuple(frame.alternatives[index] for index in new_indices))
        previous.update(dict.fromkeys(frame.alternatives, len(self.alternatives)))
        self.alternatives.append((rest, frame))
        self.sources.append(source)
        self.origins.append((call, backpointers, selected))
        self.ambiguous.append(False)

    def half(self, half: slice) -> HalfMove | None:
        """Return the frame of a half of the alternatives and its backpointers, or None if it is empty."""
        alternatives = tuple(self.alternatives[half])
        if not alternatives:
            return None
        target = self._frames.frame(alternatives, self._frame.root)
        origins = self.sources[half], self.origins[half], self.ambiguous[half]
        return target, Backpointers(self._frame, *origins, self._frames.strict)
