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

from abnforge.charset import CharSet
from abnforge.parsing.positions import Call, Events, GrammarPosition, GrammarPositions, Read
from abnforge.parsing.trace import AMBIGUOUS, RETURN, TOO_DEEP, TOO_WIDE, TransducerError

# The memory of a frame and of an alternative, in bytes.
FRAME_OCTETS = 1_500
ALTERNATIVE_OCTETS = 400

Path = tuple[int, ...]
Alternative = tuple["GrammarPosition | None", "Frame | None"]

# The path to an alternative that ends, the events after it, and whether there was a choice.
Final = tuple[Path, Events, bool]


class Backpointers(dict[Path, tuple[Path, Events]]):
    """The origins of the alternatives of a frame that ``frame`` moved to.

    Path after the move -> path before it and the events between them; computed on access, since a derivation
    needs few paths.
    """

    __slots__ = ("_entries", "_strict", "frame")

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, frame: Frame, entries: list[AlternativeOrigin], strict: bool) -> None:
        super().__init__()
        self.frame = frame
        self._entries = entries
        self._strict = strict

    def __missing__(self, path: Path) -> tuple[Path, Events]:
        """Raise TransducerError for a choice on the path if frames are strict."""
        origin = self._entries[path[0]]
        if origin.ambiguous and self._strict:
            raise TransducerError(AMBIGUOUS)
        if origin.inside is None:
            step = origin.source, origin.events
        else:
            below = path[1:] if origin.kept is None else (origin.kept[path[1]], *path[2:])
            before, events = origin.inside[below]
            if origin.opened:
                step = origin.source, origin.events + events
            else:
                step = (*origin.source, *before), events
        self[path] = step
        return step


class AlternativeOrigin:
    """The origin of one alternative: a path and events, or the move of a nested frame (``inside``).

    ``kept`` are the alternatives of the nested frame that are left. ``opened``: this move called the rule of
    the nested frame; otherwise the frame was at ``source``.
    """

    __slots__ = ("ambiguous", "events", "inside", "kept", "opened", "source")

    def __init__(
        self,
        source: Path,
        events: Events,
        inside: Backpointers | None,
        kept: Path | None,
        opened: bool,
        ambiguous: bool,
    ) -> None:
        self.source = source
        self.events = events
        self.inside = inside
        self.kept = kept
        self.opened = opened
        self.ambiguous = ambiguous


class ReadStep:
    """A step that reads a character after some events."""

    __slots__ = ("ambiguous", "charset", "events", "path", "rest")

    def __init__(
        self, charset: CharSet, rest: GrammarPosition | None, path: Path, events: Events, ambiguous: bool
    ) -> None:
        self.charset = charset
        self.rest = rest
        self.path = path
        self.events = events
        self.ambiguous = ambiguous


class CallStep:
    """A step that calls a rule. ``half``: 0 before the point at which the rule ends empty, 1 after it."""

    __slots__ = ("ambiguous", "events", "half", "key", "path", "rest")

    def __init__(self, call: Call, path: Path, events: Events, ambiguous: bool) -> None:
        self.key = call.key
        self.rest = call.rest
        self.half = int(call.after_end)
        self.path = path
        self.events = events
        self.ambiguous = ambiguous


class NestedStep:
    """A step of the nested frame of the alternative at ``index``; ``half`` as in ``CallStep``."""

    __slots__ = ("frame", "half", "index", "rest")

    def __init__(self, index: int, rest: GrammarPosition | None, frame: Frame, half: int) -> None:
        self.index = index
        self.rest = rest
        self.frame = frame
        self.half = half


# The steps of a frame; None marks the first point at which it can end.
Step = ReadStep | CallStep | NestedStep | None

# The frame after a character and its backpointers.
HalfMove = tuple["Frame", Backpointers]


class Frame(dict[str, "Frame"]):
    """Alternatives in order, and as a dict the next frame by character if the move needs no other work.

    ``final``: the path to the first alternative that ends, the events after it, and whether there was a
    choice; None if the frame cannot end. ``root``: no call is open around the frame. ``cost`` is the work to
    construct it, ``weight`` the number of steps with those of nested frames. ``spilled_form``: the return
    positions and the nested frame, if all alternatives wait for one nested frame that cannot end yet.
    """

    __slots__ = (
        "alternatives",
        "backpointers",
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
        self.cost = 0
        self.weight = 0

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


def with_inside(frame: Frame) -> set[Frame]:
    frames = {frame}
    pending = [frame]
    while pending:
        for nested in pending.pop().inside:
            if nested not in frames:
                frames.add(nested)
                pending.append(nested)
    return frames


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
        first = target = _FrameBuilder()
        second = _FrameBuilder()
        # Return position -> the alternatives so far.
        origins_by_return: dict[GrammarPosition | None, dict[Alternative, AlternativeOrigin]] = {}
        for step in frame.steps:
            if step is None:
                target = first if frame.root else second
            elif isinstance(step, ReadStep):
                if char in step.charset:
                    origin = AlternativeOrigin(step.path, step.events, None, None, False, step.ambiguous)
                    target.add(origins_by_return.setdefault(_NO_RETURN, {}), (step.rest, None), origin)
            else:
                inside = self._entry(step.key) if isinstance(step, CallStep) else step.frame
                half = self.move(inside, char)[step.half]
                if half is not None:
                    self._add_inside(target, origins_by_return.setdefault(step.rest, {}), step, half)
        split = frame.splits[char] = self._half_move(frame, first), self._half_move(frame, second)
        return split

    def _add_inside(
        self,
        target: _FrameBuilder,
        previous: dict[Alternative, AlternativeOrigin],
        step: CallStep | NestedStep,
        half: HalfMove,
    ) -> None:
        """Add the move of a nested frame without alternatives that precede it."""
        frame, backpointers = half
        kept = []
        for index, alternative in enumerate(frame.alternatives):
            if alternative in previous:
                previous[alternative].ambiguous = True
            else:
                kept.append(index)
        if not kept:
            return
        selected: Path | None = None
        if len(kept) < len(frame.alternatives):
            selected = tuple(kept)
            frame = self.frame(tuple(frame.alternatives[index] for index in kept))
        if isinstance(step, CallStep):
            origin = AlternativeOrigin(step.path, step.events, backpointers, selected, True, step.ambiguous)
        else:
            origin = AlternativeOrigin((step.index,), (), backpointers, selected, False, False)
        previous.update(dict.fromkeys(frame.alternatives, origin))
        target.alternatives.append((step.rest, frame))
        target.origins.append(origin)

    def _half_move(self, frame: Frame, builder: _FrameBuilder) -> HalfMove | None:
        if not builder.alternatives:
            return None
        target = self.frame(tuple(builder.alternatives), frame.root)
        return target, Backpointers(frame, builder.origins, self._strict)

    def _entry(self, key: str) -> Frame:
        """Return the frame at the start of a called rule."""
        frame = self._entries.get(key)
        if frame is None:
            frame = self._entries[key] = self.frame(((self._positions.entry(key), None),))
        return frame

    def _close(self, frame: Frame) -> None:
        """Compute the steps of a frame."""
        steps: list[Step] = []
        for index, (position, inside) in enumerate(frame.alternatives):
            if inside is None:
                self._enter(frame, steps, position, ((index,), (), False))
                continue
            steps.append(NestedStep(index, position, inside, 0))
            if inside.final is not None:
                path, events, ambiguous = inside.final
                self._enter(frame, steps, position, ((index, *path), (*events, RETURN), ambiguous))
                steps.append(NestedStep(index, position, inside, 1))
        frame.steps = tuple(steps)
        frame.cost += len(steps)
        frame.weight = sum(len(one.steps) for one in with_inside(frame))

    def _enter(self, frame: Frame, steps: list[Step], position: GrammarPosition | None, way: Final) -> None:
        """Add the steps at a position that a path of the frame leads to."""
        if position is None:
            _add_end(frame, steps, way)
            return
        path, before, ambiguous = way
        closure = self._positions.closure(position)
        frame.cost += closure.cost
        ambiguous = ambiguous or closure.ambiguous
        for number, step in enumerate(closure.steps):
            if number == closure.end_index and closure.final is not None:
                _add_end(frame, steps, (path, before + closure.final, ambiguous))
            if isinstance(step, Read):
                steps.append(ReadStep(step.charset, step.rest, path, before + step.events, ambiguous))
            else:
                steps.append(CallStep(step, path, before + step.events, ambiguous))
        if closure.final is not None and closure.end_index == len(closure.steps):
            _add_end(frame, steps, (path, before + closure.final, ambiguous))


class _FrameBuilder:
    """A frame under construction."""

    __slots__ = ("alternatives", "origins")

    def __init__(self) -> None:
        self.alternatives: list[Alternative] = []
        self.origins: list[AlternativeOrigin] = []

    def add(
        self,
        previous: dict[Alternative, AlternativeOrigin],
        alternative: Alternative,
        origin: AlternativeOrigin,
    ) -> None:
        """Add an alternative, or mark an equal one as ambiguous."""
        if alternative in previous:
            previous[alternative].ambiguous = True
            return
        previous[alternative] = origin
        self.alternatives.append(alternative)
        self.origins.append(origin)


def _add_end(frame: Frame, steps: list[Step], way: Final) -> None:
    """Record that a frame can end."""
    if frame.final is None:
        frame.final = way
        steps.append(None)
    else:
        frame.final = *frame.final[:2], True


# The key of alternatives in the frame itself, which do not return anywhere.
_NO_RETURN = GrammarPosition("", 0, None)
