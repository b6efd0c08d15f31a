"""Frames: the ordered states of one open call of a rule, and the moves between them.

A *frame* is a tuple of alternatives in order of preference. An alternative is a position within the call, or
a return position and the nested frame of a called rule. Frames are interned by content. Alternatives that
call one rule at one position share its frame, so the width of a frame does not grow with the nesting.

*Order.* Alternatives are ordered by the decisions that led to them, compared from left to right. Decisions
before a call precede those inside it, which precede those after it. So the alternatives of a nested frame
take the place of the alternative that contains it. A call that can end splits it in three: the steps of its
frame that are preferred to ending (``end_index``), the steps after the call, the other steps of its frame. So
a move has two halves, before and after the first point at which the frame can end.

*First wins.* Two equal alternatives have the same future, so the first one has the preferred derivation and
the other one is dropped. The same holds for two alternatives with one return position, as far as their nested
frames have equal alternatives. The first alternative at the end of the string is the contract's choice
(regular expressions: Frisch and Cardelli 2004; Laurikari 2000). So a move only stores the origin of each
alternative (``Backpointers``), and the path back from the end is the derivation. A *path* is a tuple of
indices: one for the frame, one for the nested frame, and so on.

The result is exact without left recursion and cycles. With left recursion as loops (``loops``) it is exact if
no choice was made on the path, which ``ambiguous`` records. A move costs linear time in the frame and its
nested frames, and is cached.
"""

from __future__ import annotations

from abnforge.parsing.positions import (
    Call,
    Closure,
    Events,
    GrammarPosition,
    GrammarPositions,
    NextSteps,
    Read,
)
from abnforge.parsing.trace import AMBIGUOUS, RETURN, TOO_DEEP, TOO_WIDE, TransducerError

# The memory of a frame and of an alternative, in bytes.
FRAME_OCTETS = 1_500
ALTERNATIVE_OCTETS = 400

Path = tuple[int, ...]
Alternative = tuple["GrammarPosition | None", "Frame | None"]

# The path to an alternative that ends, the events after it, and whether there was a choice.
Final = tuple[Path, Events, bool]


class ClosureStep:
    """The steps of a closure on one side of its end, after a path of the frame and some events."""

    __slots__ = ("ambiguous", "events", "following", "path")

    def __init__(self, following: NextSteps, path: Path, events: Events, ambiguous: bool) -> None:
        self.following = following
        self.path = path
        self.events = events
        self.ambiguous = ambiguous


class NestedStep:
    """A step of the nested frame of the alternative at ``path``.

    ``half``: 0 before the point at which the nested frame can end first, 1 after it.
    """

    __slots__ = ("frame", "half", "path", "rest")

    ambiguous = False

    def __init__(self, path: Path, rest: GrammarPosition | None, frame: Frame, half: int) -> None:
        self.path = path
        self.rest = rest
        self.frame = frame
        self.half = half


# The steps of a frame; None marks the first point at which it can end.
Step = ClosureStep | NestedStep | None

# The origin of an alternative: the step of the frame, and its step of the closure if it has one; for an
# alternative with a nested frame the move of that frame, and the alternatives of it that are left if not all.
Origin = tuple[ClosureStep | NestedStep, Read | Call | None, "Backpointers | None", Path | None]


class Backpointers(dict[Path, tuple[Path, Events]]):
    """The origins of the alternatives of a frame that ``frame`` moved to.

    Path after the move -> path before it and the events between them; computed on access, since a derivation
    needs few paths. ``ambiguous`` has the indices of alternatives that two paths lead to; one of them on the
    path raises TransducerError if frames are strict. ``cost`` is the work of the move.
    """

    __slots__ = ("_ambiguous", "_origins", "_strict", "cost")

    __hash__ = object.__hash__  # type: ignore[assignment]

    octets = 0
    contents = ()

    def __init__(self, frame: Frame, origins: list[Origin], ambiguous: list[bool], strict: bool) -> None:
        super().__init__()
        self.cost = frame.weight + 1
        self._origins = origins
        self._ambiguous = ambiguous
        self._strict = strict

    def __missing__(self, path: Path) -> tuple[Path, Events]:
        index = path[0]
        if self._strict and self._ambiguous[index]:
            raise TransducerError(AMBIGUOUS)
        step, following, inside, kept = self._origins[index]
        events: Events = ()
        before: Path = ()
        if inside is not None:
            before, events = inside[path[1:] if kept is None else (kept[path[1]], *path[2:])]
        if isinstance(step, NestedStep):
            origin = (*step.path, *before), events
        else:
            assert following is not None
            origin = step.path, step.events + following.events + events
        self[path] = origin
        return origin


# The frame after a character and its backpointers.
HalfMove = tuple["Frame", Backpointers]


class Frame(dict[str, "Frame"]):
    """Alternatives in order, and as a dict the next frame by character if the move needs no other work.

    ``final``: the path to the first alternative that ends, the events after it, and whether there was a
    choice; None if the frame cannot end. ``root``: no call is open around the frame. ``cost`` is the number of
    its steps, ``weight`` that with those of all nested frames. ``contents`` are these frames, and the closures
    that the steps of all of them come from. ``spilled_form``: the return positions and the nested frame, if
    all alternatives wait for one nested frame that cannot end yet.
    """

    __slots__ = (
        "alternatives",
        "backpointers",
        "contents",
        "cost",
        "depth",
        "final",
        "inside",
        "moves",
        "octets",
        "restored",
        "root",
        "spilled_form",
        "splits",
        "steps",
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
        self.spilled_form: tuple[tuple[GrammarPosition | None, ...], Frame] | None = None
        self.splits: dict[str, tuple[HalfMove | None, HalfMove | None]] = {}
        self.moves: dict[str, Frame | None] = {}
        self.backpointers: dict[str, Backpointers] = {}
        self.restored: dict[tuple[tuple[GrammarPosition | None, ...], bool], Frame] = {}
        self.octets = FRAME_OCTETS + ALTERNATIVE_OCTETS * len(alternatives)
        self.contents: frozenset[Frame | Closure] = frozenset()
        self.cost = 0
        self.weight = 0

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


# The nesting of frames; moves recurse as deep.
MAX_DEPTH = 40

# The nesting up to which frames are not spilled, which is faster once they are cached.
MAX_INLINE_DEPTH = 2

# The alternatives of a frame, in addition to one for each rule of the grammar.
MAX_WIDTH = 200


class Frames:
    """The frames of a grammar of some rules. ``strict``: a choice on the path raises TransducerError."""

    def __init__(self, positions: GrammarPositions, strict: bool, rules: int) -> None:
        self._positions = positions
        self._strict = strict
        self._max_width = MAX_WIDTH + rules
        self._known: dict[tuple[object, ...], Frame] = {}
        self._entries: dict[str, Frame] = {}

    @property
    def size(self) -> int:
        return len(self._known)

    def forget(self) -> None:
        self._known.clear()
        self._entries.clear()

    def check(self, ambiguous: bool) -> None:
        """Raise TransducerError for a choice if frames are strict."""
        if ambiguous and self._strict:
            raise TransducerError(AMBIGUOUS)

    def start(self, key: str) -> Frame:
        """Return the frame at the start of a string of a rule."""
        return self.frame(((self._positions.start(key), None),), True)

    def frame(self, alternatives: tuple[Alternative, ...], root: bool = False) -> Frame:
        """Return the frame with some alternatives.

        Raises: TransducerError beyond MAX_DEPTH nested frames, or too many alternatives.
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
        """Return the moves by a character before and after the point at which a frame can end first.

        The move of a root is in the first half. Raises: TransducerError, without caching incomplete moves.
        """
        split = frame.splits.get(char)
        if split is not None:
            return split
        target = _FrameBuilder()
        # Return position -> the alternatives of nested frames so far, and the index of the one that has them.
        nested: dict[GrammarPosition | None, dict[Alternative, int]] = {}
        # The position after a character of the frame itself -> the index of its alternative.
        read: dict[GrammarPosition | None, int] = {}
        # The number of alternatives before the point at which the frame can end first.
        first = None
        for step in frame.steps:
            if step is None:
                first = len(target.alternatives)
            elif isinstance(step, NestedStep):
                half = self.move(step.frame, char)[step.half]
                self._add_nested(target, nested.setdefault(step.rest, {}), step, None, step.rest, half)
            else:
                for following in step.following[char]:
                    rest = following.rest
                    if isinstance(following, Call):
                        half = self.move(self._entry(following.key), char)[following.after_end]
                        self._add_nested(target, nested.setdefault(rest, {}), step, following, rest, half)
                    elif rest in read:
                        target.ambiguous[read[rest]] = True
                    else:
                        read[rest] = len(target.alternatives)
                        target.add((rest, None), (step, following, None, None), step.ambiguous)
        if frame.root:
            first = None
        split = frame.splits[char] = (
            self._half_move(frame, target, slice(first)),
            None if first is None else self._half_move(frame, target, slice(first, None)),
        )
        return split

    def _add_nested(
        self,
        target: _FrameBuilder,
        previous: dict[Alternative, int],
        step: ClosureStep | NestedStep,
        following: Call | None,
        rest: GrammarPosition | None,
        half: HalfMove | None,
    ) -> None:
        """Add the move of a nested frame without alternatives that precede it."""
        if half is None:
            return
        frame, backpointers = half
        kept = []
        for index, alternative in enumerate(frame.alternatives):
            if alternative in previous:
                target.ambiguous[previous[alternative]] = True
            else:
                kept.append(index)
        if not kept:
            return
        selected: Path | None = None
        if len(kept) < len(frame.alternatives):
            selected = tuple(kept)
            frame = self.frame(tuple(frame.alternatives[index] for index in kept))
        previous.update(dict.fromkeys(frame.alternatives, len(target.alternatives)))
        target.add((rest, frame), (step, following, backpointers, selected), step.ambiguous)

    def _half_move(self, frame: Frame, builder: _FrameBuilder, half: slice) -> HalfMove | None:
        alternatives = tuple(builder.alternatives[half])
        if not alternatives:
            return None
        backpointers = Backpointers(frame, builder.origins[half], builder.ambiguous[half], self._strict)
        return self.frame(alternatives, frame.root), backpointers

    def _entry(self, key: str) -> Frame:
        """Return the frame at the start of a called rule."""
        frame = self._entries.get(key)
        if frame is None:
            frame = self._entries[key] = self.frame(((self._positions.entry(key), None),))
        return frame

    def _close(self, frame: Frame) -> None:
        """Compute the steps of a frame, and its contents."""
        steps: list[Step] = []
        closures: list[Closure] = []
        for index, (position, inside) in enumerate(frame.alternatives):
            path = (index,)
            if inside is None:
                self._enter(frame, steps, closures, position, (path, (), False))
                continue
            steps.append(NestedStep(path, position, inside, 0))
            if inside.final is not None:
                final_path, events, ambiguous = inside.final
                way = (*path, *final_path), (*events, RETURN), ambiguous
                self._enter(frame, steps, closures, position, way)
                steps.append(NestedStep(path, position, inside, 1))
        frame.steps = tuple(steps)
        frame.cost += len(steps)
        frame.contents = frozenset(closures).union(
            frame.inside, *(nested.contents for nested in frame.inside)
        )
        frame.weight = frame.cost + sum(one.cost for one in frame.contents if isinstance(one, Frame))

    def _enter(
        self,
        frame: Frame,
        steps: list[Step],
        closures: list[Closure],
        position: GrammarPosition | None,
        way: Final,
    ) -> None:
        """Add the steps at a position that a path of the frame leads to."""
        if position is None:
            _add_end(frame, steps, way)
            return
        path, before, ambiguous = way
        closure = self._positions.closure(position)
        closures.append(closure)
        ambiguous = ambiguous or closure.ambiguous
        if closure.before_end.steps:
            steps.append(ClosureStep(closure.before_end, path, before, ambiguous))
            frame.cost += len(closure.before_end.steps)
        if closure.final is not None:
            _add_end(frame, steps, (path, before + closure.final, ambiguous))
            if closure.after_end.steps:
                steps.append(ClosureStep(closure.after_end, path, before, ambiguous))
                frame.cost += len(closure.after_end.steps)


class _FrameBuilder:
    """The alternatives of a frame under construction, their origins, and whether two paths lead to one."""

    __slots__ = ("alternatives", "ambiguous", "origins")

    def __init__(self) -> None:
        self.alternatives: list[Alternative] = []
        self.origins: list[Origin] = []
        self.ambiguous: list[bool] = []

    def add(self, alternative: Alternative, origin: Origin, ambiguous: bool) -> None:
        self.alternatives.append(alternative)
        self.origins.append(origin)
        self.ambiguous.append(ambiguous)


def _add_end(frame: Frame, steps: list[Step], way: Final) -> None:
    """Record that a frame can end."""
    if frame.final is None:
        frame.final = way
        steps.append(None)
    else:
        frame.final = *frame.final[:2], True
