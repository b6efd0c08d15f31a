"""Edits of matching strings, and other strings that find mistakes of implementations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from unicodedata import lookup

from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor, Word

# Characters that distinguish implementations: the ends of classes, and characters that some library confuses
# with ASCII.

# Some library confuses each of these with another character, or removes it. Some are digits of ``\d`` and
# ``isdigit``, letters that case folding or normalization turns into ASCII, and stripped whitespace. Others
# are dots and ignored characters of IDNA, and the end of a string in C.

_NAMED = (
    "LATIN SMALL LETTER LONG S",
    "KELVIN SIGN",
    "ANGSTROM SIGN",
    "LATIN CAPITAL LETTER I WITH DOT ABOVE",
    "LATIN SMALL LETTER DOTLESS I",
    "LATIN SMALL LETTER SHARP S",
    "LATIN CAPITAL LETTER SHARP S",
    "LATIN SMALL LIGATURE FF",
    "MICRO SIGN",
    "FEMININE ORDINAL INDICATOR",
    "LATIN SMALL LETTER E WITH ACUTE",
    "COMBINING ACUTE ACCENT",
    "ARABIC-INDIC DIGIT ONE",
    "EXTENDED ARABIC-INDIC DIGIT ONE",
    "DEVANAGARI DIGIT ONE",
    "FULLWIDTH DIGIT ONE",
    "MATHEMATICAL BOLD DIGIT ONE",
    "SUPERSCRIPT ONE",
    "SUPERSCRIPT TWO",
    "CIRCLED DIGIT ONE",
    "VULGAR FRACTION ONE HALF",
    "ROMAN NUMERAL ONE",
    "CJK UNIFIED IDEOGRAPH-4E00",
    "FULLWIDTH LATIN SMALL LETTER A",
    "FULLWIDTH LATIN CAPITAL LETTER A",
    "MATHEMATICAL BOLD SMALL A",
    "CYRILLIC SMALL LETTER A",
    "GREEK SMALL LETTER FINAL SIGMA",
    "FULLWIDTH COLON",
    "FULLWIDTH SOLIDUS",
    "FULLWIDTH FULL STOP",
    "FULLWIDTH COMMERCIAL AT",
    "FULLWIDTH NUMBER SIGN",
    "FULLWIDTH PERCENT SIGN",
    "FULLWIDTH LEFT SQUARE BRACKET",
    "IDEOGRAPHIC FULL STOP",
    "HALFWIDTH IDEOGRAPHIC FULL STOP",
    "MINUS SIGN",
    "HYPHEN",
    "SOFT HYPHEN",
    "FRACTION SLASH",
    "CARE OF",
    "ACCOUNT OF",
    "NO-BREAK SPACE",
    "IDEOGRAPHIC SPACE",
    "EN QUAD",
    "OGHAM SPACE MARK",
    "LINE SEPARATOR",
    "PARAGRAPH SEPARATOR",
    "ZERO WIDTH SPACE",
    "ZERO WIDTH JOINER",
    "ZERO WIDTH NON-JOINER",
    "ZERO WIDTH NO-BREAK SPACE",
    "RIGHT-TO-LEFT OVERRIDE",
    "REPLACEMENT CHARACTER",
)
_CONTROLS = "\0\t\n\x0b\x0c\r\x1a\x1b\x1c\x1d\x1e\x1f \x7f\x80\x85\x9f"
_CORNERS = (0xFF, 0x100, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF)

TRAPS = tuple(sorted({*map(lookup, _NAMED), *_CONTROLS, *map(chr, _CORNERS)}))
"""The characters of these tables, in order."""

ASCII = tuple(map(chr, range(0x80)))


def edges(classes: Iterable[CharSet]) -> list[str]:
    """Return the ends of all ranges of a partition, so that the neighbors of each range are among them."""
    return sorted({chr(code) for charset in classes for pair in charset.ranges for code in pair})


def distinguishing_characters(classes: Iterable[CharSet]) -> list[str]:
    """Return the characters that are tested at every state: boundaries, ASCII and traps, in order."""
    return sorted({*edges(classes), *ASCII, *TRAPS})


def wrong_characters(acceptor: Acceptor) -> Iterator[str]:
    """Yield, for every live state, strings with an invalid character there and a valid continuation.

    The characters are ASCII and traps. The continuation follows a valid character, as if the invalid one were
    mistaken for it, such as a comma for a decimal point. Strings with the first continuation of each state
    come first.
    """
    characters = dict.fromkeys((*ASCII, *TRAPS))
    places: list[tuple[str, list[str], list[str]]] = []
    for state in acceptor.live:
        row = acceptor.rows[state]
        targets = [target for number in acceptor.order if (target := row[number]) != acceptor.dead]
        ends = dict.fromkeys(_end(acceptor, target) for target in targets)
        wrong = [char for char in characters if row[acceptor.automaton.class_of(char)] == acceptor.dead]
        places.append((acceptor.text(acceptor.cover[state]), wrong, list(ends)))
    for turn in range(max((len(others) for _, _, others in places), default=0)):
        for before, wrong, others in places:
            if turn < len(others):
                for char in wrong:
                    yield before + char + others[turn]


def _end(acceptor: Acceptor, state: int) -> str:
    behind = acceptor.completions[state]
    assert behind is not None
    return acceptor.text(behind)


def edit_all_occurrences(texts: Iterable[str]) -> Iterator[str]:
    """Yield strings with each occurrence of a character removed or doubled, and in the other case."""
    for text in texts:
        for char in dict.fromkeys(text):
            if not char.isalnum():
                yield text.replace(char, "")
                yield text.replace(char, 2 * char)
        yield text.swapcase()


def single_edits(texts: Iterable[str], characters: Sequence[str]) -> Iterator[str]:
    """Yield single edits of strings: a character removed, inserted or replaced."""
    for text in texts:
        for place in range(len(text) + 1):
            before, behind = text[:place], text[place:]
            for char in characters:
                yield before + char + behind
                if behind:
                    yield before + char + behind[1:]
            if behind:
                yield before + behind[1:]


# Strings that a suite of representatives lacks, but that find mistakes of libraries.

# Iteration counts near the limits of buffers, of bytes, and of labels in host names.
TURNS = (
    *range(2, 12), 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 253, 254, 255, 256, 257, 300,
)  # fmt: skip

# Iteration counts for a few loops, near the limits of URL lengths.
LONG_TURNS = (1_025, 2_049)

# Words that implementations treat specially.
WORDS = (
    "http", "https", "ftp", "file", "mailto", "data", "javascript", "urn", "ws", "tel", "news", "localhost",
    "www.example.com", "xn--a", "v1.", "fe80", "%25", "..", "//", "null", "true", "NaN", "Infinity",
    "-Infinity", "nan", "inf", "0x1", "1e1", "1_0", "+1", "-0", "01", "1.", ".5", "'", "/**/",
    "%40", "%2F", "%00", "\\u0000", "\\ud800",
)  # fmt: skip


def boundaries(acceptor: Acceptor) -> Iterator[str]:
    """Yield, for every live state and distinguishing character, a shortest string through both.

    The string ends with a shortest continuation, or with that of the state if the character cannot follow.
    """
    characters = distinguishing_characters(acceptor.automaton.charsets)
    for state in acceptor.live:
        for char in characters:
            yield with_character(acceptor, state, char)


def with_character(acceptor: Acceptor, state: int, char: str) -> str:
    """Return a shortest string to a live state, a character, and a shortest continuation."""
    target = acceptor.rows[state][acceptor.automaton.class_of(char)]
    return acceptor.text(acceptor.cover[state]) + char + _word_end(acceptor, state, target)


def repeat_cycles(acceptor: Acceptor, long: Sequence[int] = ()) -> Iterator[str]:
    """Yield strings that test limits of lengths and values, by repeating cycles.

    A shortest cycle of every live state is repeated two to 300 times. The first cycle of each kind is also
    repeated ``long`` times.
    """
    met: set[Word] = set()
    for state in acceptor.live:
        turn = _turn(acceptor, state)
        if turn is None:
            continue
        before, once = acceptor.text(acceptor.cover[state]), acceptor.text(turn)
        end = _word_end(acceptor, state, state)
        for count in (*TURNS, *(() if turn in met else long)):
            yield before + once * count + end
        met.add(turn)


def _word_end(acceptor: Acceptor, state: int, target: int) -> str:
    """Return a shortest continuation after a transition; that of the source state if the target is dead."""
    behind = acceptor.completions[target]
    if behind is None:
        behind = acceptor.completions[state]
    assert behind is not None
    return acceptor.text(behind)


def _turn(acceptor: Acceptor, state: int) -> Word | None:
    """Return a shortest nonempty word from a state back to it."""
    words: dict[int, Word] = {}
    queue: deque[tuple[int, Word]] = deque([(state, ())])
    while queue:
        current, word = queue.popleft()
        for number in acceptor.order:
            target = acceptor.rows[current][number]
            if target == state:
                return (*word, number)
            if target != acceptor.dead and target not in words:
                words[target] = (*word, number)
                queue.append((target, words[target]))
    return None


def insert_words(acceptor: Acceptor, inserted: Sequence[str] = WORDS) -> Iterator[str]:
    """Yield words that implementations treat specially, at every live state."""
    for state in acceptor.live:
        before = acceptor.text(acceptor.cover[state])
        for word in inserted:
            target = acceptor.run(tuple(map(acceptor.automaton.class_of, word)), state)
            yield before + word + _word_end(acceptor, state, target)


def fuzz(acceptor: Acceptor, count: int, seed: int, characters: Sequence[str] | None = None) -> Iterator[str]:
    """Yield random strings with up to two edits by some characters, deterministic for a seed."""
    if not acceptor.live:
        return
    source = Random(seed)
    characters = distinguishing_characters(acceptor.automaton.charsets) if characters is None else characters
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
