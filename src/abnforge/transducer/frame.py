"""One frame: its alternatives, what can be done in it, and where its alternatives came from."""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.transducer.places import Call, Events, Place
from abnforge.transducer.refusal import AMBIGUOUS, TransducerError

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
