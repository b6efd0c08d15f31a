"""Families of grammars that are small to write and large to work on, each with a size ``n``.

They are Python expressions for the text, since a test of a case says the same; beside each, the greatest size
that is drawn.
"""

from __future__ import annotations


def _each(body: str, last: str = "", count: str = "n") -> str:
    """``count`` rules of one form (``i`` is the number), and the last line."""
    return f'"".join(f"{body}\\n" for i in range({count}))' + (f' + f"{last}\\n"' if last else "")


_LAST = "r{n} = %x61"

FAMILIES: dict[str, tuple[str, int]] = {
    # Rules that use rules.
    "doubling": (_each("r{i} = r{i + 1} r{i + 1}", _LAST), 60),
    "doubling options": (_each("r{i} = [ r{i + 1} ] [ r{i + 1} ]", _LAST), 60),
    "doubling loops": (_each("r{i} = *r{i + 1} *r{i + 1}", _LAST), 40),
    "doubling choices": (_each("r{i} = r{i + 1} / %x62 r{i + 1}", _LAST), 60),
    "chain": (_each("r{i} = r{i + 1}", _LAST), 10_000),
    "choice chain": (_each("r{i} = %x61 / r{i + 1}", _LAST), 3_000),
    "circle": (_each("r{i} = r{(i + 1) % n} / %x61"), 2_000),
    "left circle": (_each("r{i} = r{(i + 1) % n} %x61 / %x62"), 500),
    "everyone": (
        '"".join(f"r{i} = %x61 / " + " / ".join(f"r{j} r{i}" for j in range(n)) + "\\n" for i in range(n))',
        40,
    ),
    "calls": ('"r0 = %x28 [ r0 ] %x29" + " / %x61" * n + "\\n"', 1_000),
    "sums": ('"r0 = %x61" + "".join(f" / r0 %x{0x2A + i:X} r0" for i in range(n)) + "\\n"', 20),
    "empty circle": ('"r0 = *r1 / " + "r0 " * n + "\\nr1 = [ r0 ] / %x61\\n"', 50),
    "empties": ('"r0 = " + "r1 " * n + "%x62\\nr1 = *r2\\nr2 = [ %x61 ]\\n"', 200),
    # Brackets and counts.
    "brackets": ('"r0 = " + "(" * n + "%x61" + ")" * n + "\\n"', 20_000),
    "options": ('"r0 = " + "[" * n + "%x61" + "]" * n + "\\n"', 60),
    "loops": ('"r0 = " + "*( " * n + "%x61" + " )" * n + "\\n"', 50),
    "counts": ('f"r0 = {n}%x61\\n"', 999_999_999),
    "counts of optional": ('f"r0 = {n}[ %x61 ]\\n"', 999_999_999),
    "up to": ('f"r0 = *{n}%x61 *{n}%x62\\n"', 100_000),
    "counts in counts": ('f"r0 = {n}( *{n}( {n}%x61 / %x62 ) )\\n"', 1_000_000),
    # Automata.
    "blow-up": ('f"r0 = *( %x61 / %x62 ) %x61 {n}( %x61 / %x62 )\\n"', 30),
    "blow-up of options": ('"r0 = " + "[ %x61 ] " * n + "%x61 " * n + "\\n"', 400),
    "optional parts": ('"r0 = " + " ".join(f"[ %x61 %x{0x62 + i:X} ]" for i in range(n)) + "\\n"', 300),
    "overlapping": ('"r0 = " + " / ".join(f"{i}*%x61" for i in range(1, n + 1)) + "\\n"', 300),
    "any order": ('"r0 = *( " + " / ".join(f"%x61 {i}%x62" for i in range(1, n + 1)) + " )\\n"', 300),
    "ranges": ('"r0 = " + " / ".join(f"%x{3 * i:X}-{3 * i + 1:X}" for i in range(1, n + 1)) + "\\n"', 20_000),
    # Much text.
    "long literal": ('"r0 = \\"" + "ab" * n + "\\"\\n"', 500_000),
    "long series": ('"r0 = %x61" + ".62" * n + "\\n"', 100_000),
    "words": ('"r0 = " + " / ".join(f"\\"word{i * 7919 % 100003}\\"" for i in range(n)) + "\\n"', 5_000),
    "words apart": (
        '"r0 = " + " / ".join(f"w{i}" for i in range(n)) + "\\n" + ' + _each('w{i} = \\"word{i}\\"'),
        2_000,
    ),
    "unused": ('"r0 = %x61\\n" + ' + _each("u{i} = %x61"), 5_000),
    "unknown": ('"r0 = " + " ".join(f"u{i}" for i in range(n)) + "\\n"', 5_000),
    "twice": ('"r0 = %x61\\n" * n', 5_000),
    "comments": ('";\\n" * n + "r0 = %x61\\n"', 50_000),
}
