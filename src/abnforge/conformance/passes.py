"""What libraries get wrong and no suite over representatives sees: passes beside the complete one.

Each gives strings; what the rule says of them is asked of its automaton.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from random import Random

from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.edits import telling

# How often a loop is gone through: where buffers, bytes and labels of host names end, and behind it.
TURNS = (
    *range(2, 12), 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 253, 254, 255, 256, 257, 300,
)  # fmt: skip

# The same for few loops: where lengths of URLs end, and behind it.
LONG_TURNS = (1_025, 2_049)

# Words that implementations know by heart; what begins with them is often treated apart.
WORDS = (
    "http", "https", "ftp", "file", "mailto", "data", "javascript", "urn", "ws", "tel", "news", "localhost",
    "www.example.com", "xn--a", "v1.", "fe80", "%25", "..", "//", "null", "true", "NaN", "Infinity",
    "-Infinity", "nan", "inf", "0x1", "1e1", "1_0", "+1", "-0", "01", "1.", ".5", "'", "/**/",
    "%40", "%2F", "%00", "\\u0000", "\\ud800",
)  # fmt: skip


def boundaries(acceptor: Acceptor) -> Iterator[str]:
    """At every live state every character that tells: a shortest string to the state, the character, and a
    shortest end. What cannot stand there is followed by the end of the state itself.
    """
    characters = telling(acceptor.automaton.charsets)
    for state in acceptor.live:
        for char in characters:
            yield ended(acceptor, state, char)


def ended(acceptor: Acceptor, state: int, char: str) -> str:
    """A shortest string to a live state, a character, and a shortest end."""
    target = acceptor.rows[state][acceptor.automaton.class_of(char)]
    return acceptor.text(acceptor.cover[state]) + char + _end(acceptor, state, target)


def loops(acceptor: Acceptor, long: Sequence[int] = ()) -> Iterator[str]:
    """A shortest way from every live state back to itself, gone through two to three hundred times, and
    the first one of each kind ``long`` times: limits on lengths and on values are many states more than a
    rule has.
    """
    met: set[Word] = set()
    for state in acceptor.live:
        turn = _turn(acceptor, state)
        if turn is None:
            continue
        before, once = acceptor.text(acceptor.cover[state]), acceptor.text(turn)
        end = _end(acceptor, state, state)
        for count in (*TURNS, *(() if turn in met else long)):
            yield before + once * count + end
        met.add(turn)


def _end(acceptor: Acceptor, state: int, target: int) -> str:
    """A shortest end behind what led from a live state to another one; its own where that is the dead one."""
    behind = acceptor.completions[target]
    if behind is None:
        behind = acceptor.completions[state]
    assert behind is not None
    return acceptor.text(behind)


def _turn(acceptor: Acceptor, state: int) -> Word | None:
    """A shortest word from a state back to it, of at least one character."""
    found: dict[int, Word] = {}
    queue: deque[tuple[int, Word]] = deque([(state, ())])
    while queue:
        current, word = queue.popleft()
        for number in acceptor.order:
            target = acceptor.rows[current][number]
            if target == state:
                return (*word, number)
            if target != acceptor.dead and target not in found:
                found[target] = (*word, number)
                queue.append((target, found[target]))
    return None


def words(acceptor: Acceptor, known: Sequence[str] = WORDS) -> Iterator[str]:
    """Words that are known by heart, at every live state."""
    for state in acceptor.live:
        before = acceptor.text(acceptor.cover[state])
        for word in known:
            target = acceptor.run(tuple(map(acceptor.automaton.class_of, word)), state)
            yield before + word + _end(acceptor, state, target)


def fuzz(acceptor: Acceptor, count: int, seed: int, characters: Sequence[str] | None = None) -> Iterator[str]:
    """Random strings of the language with up to two edits, the same for the same seed; of characters that
    tell, or of others that are given, of which there is one in each class.
    """
    if not acceptor.live:
        return
    source = Random(seed)
    characters = telling(acceptor.automaton.charsets) if characters is None else characters
    members = [
        [char for char in characters if acceptor.automaton.class_of(char) == number]
        for number in range(acceptor.classes)
    ]
    moves = [
        [number for number in range(acceptor.classes) if acceptor.rows[state][number] != acceptor.dead]
        for state in acceptor.live
    ]
    for _ in range(count):
        state, text = 0, []
        for _ in range(source.choice((2, 5, 10, 20, 40))):
            if not moves[state]:
                break
            number = source.choice(moves[state])
            text.append(source.choice(members[number]))
            state = acceptor.rows[state][number]
        behind = acceptor.completions[state]
        assert behind is not None
        text += [source.choice(members[number]) for number in behind]
        for _ in range(source.choice((0, 0, 1, 1, 2))):
            place = source.randint(0, len(text))
            kind = source.randint(0, 3)
            if kind == 3:
                text = text[:place] + text[place + source.randint(1, 5) :]
            elif kind == 2 and text:
                end = min(len(text), place + source.randint(1, 5))
                text = text[:end] + text[place:end] + text[end:]
            else:
                text = [*text[:place], source.choice(characters), *text[place + kind :]]
        yield "".join(text)
