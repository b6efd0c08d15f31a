"""Small recursive grammars and inputs that cause much work: less than 1 kB for both together.

Each is slow for some algorithm for recursive grammars: backtracking is exponential, tables of spans are
cubic, sets of stacks as states explode, and so do expanded counts.
"""

from __future__ import annotations

from collections.abc import Callable


def chain(count: int, rule: str, last: str) -> str:
    """Return rules ``r``, ``r1``, ... of one form and a last rule. ``{0}`` is the number of the next rule."""
    return "".join(f"r{n or ''} = {rule.format(n + 1)}\n" for n in range(count)) + f"r{count} = {last}\n"


def ring(count: int, rule: str) -> str:
    """Return the same rules, with the first one after the last."""
    return "".join(f"r{n or ''} = {rule.format((n + 1) % count or '')}\n" for n in range(count))


def everyone(count: int) -> str:
    """Return rules that all start with every rule."""
    names = [f"r{n or ''}" for n in range(count)]
    return "".join(f"{name} = %x61 / " + " / ".join(f"{n} {name}" for n in names) + "\n" for name in names)


# Name, grammar with the rule "r", and inputs with their verdicts (None if a verdict is hard to determine).
GRAMMARS: dict[str, tuple[str, list[tuple[str, bool | None]]]] = {
    "every way to bracket": ('r = r r / "a"\n', [("a" * 900, True), ("a" * 900 + "b", False)]),
    "and of three": ('r = r r r / r r / "a" / ""\n', [("a" * 400, True), ("a" * 400 + "b", False)]),
    "operators without order": (
        'r = r "+" r / r "*" r / r "-" r / "a"\n',
        [("a+a*a-" * 140 + "a", True), ("a+a*a-" * 140, False)],
    ),
    "a decision at the end": (
        'r = a / b\na = "x" r "a" / "x"\nb = "x" r "b" / "x"\n',
        [("x" * 400 + "ab" * 200, False), ("x" * 401 + "ab" * 200, True)],
    ),
    "palindromes of one letter": (
        'r = "a" r "a" / "b" r "b" / [ "a" ]\n',
        [("a" * 900, True), ("a" * 899 + "b", False)],
    ),
    "palindromes": (
        'r = "a" r "a" / "b" r "b" / ""\n',
        [("abbab" * 80 + "babba" * 80, True), ("abbab" * 80 + "babba" * 79 + "babbb", False)],
    ),
    "the brackets' kind shows late": (
        'r = "(" r ")" / "(" r "]" / "x"\n',
        [("(" * 300 + "x" + ")]" * 150, True), ("(" * 300 + "x" + ")" * 301, False)],
    ),
    "dangling else": (
        'r = "i" r [ "e" r ] / "x"\n',
        [("i" * 400 + "x" + "ex" * 200, True), ("i" * 800, False)],
    ),
    "space on both sides": (
        'r = "[" w [ r ] w [ "]" ]\nw = *" "\n',
        [("[ " * 300, True), ("[ " * 300 + "]" * 301, False)],
    ),
    "a list of lists": (
        'r = n *( "," r )\nn = "a" / "a:a"\n',
        [("a,a:a," * 130 + "a", True), ("a,a:a," * 130, False)],
    ),
    "lists at both ends": ('r = "a" r / r "a" / "a"\n', [("a" * 900, True), ("a" * 900 + "b", False)]),
    "a list of itself": ('r = *( r / "a" )\n', [("a" * 900, True), ("a" * 900 + "b", False)]),
    "a list of options of itself": ('r = 1*( [ r ] "a" [ r ] )\n', [("a" * 500, True), ("b", False)]),
    "hidden left recursion": (
        'r = [ "a" ] *"b" r "c" / "d"\n',
        [("d" + "c" * 800, True), ("abd" + "c" * 800 + "d", False)],
    ),
    "hidden on both sides": (
        'r = *w r *w / "a"\nw = [ "b" ] / r\n',
        [("ab" * 150 + "a", True), ("a" * 200 + "c", False)],
    ),
    "each rule uses the next twice, and the last the first": (
        chain(25, "r{0} r{0}", '"a" / "(" r ")"'),
        [("a" * 500, False), ("(" * 300, False)],
    ),
    "each rule may use the next twice, and the last the first": (
        chain(20, "[ r{0} ] [ r{0} ]", '"a" / "(" r ")"'),
        [("a" * 300, True), ("(" * 100 + ")" * 100, True), ("(" * 100 + ")" * 101, False)],
    ),
    "loops of loops of loops": (
        'r = *( *( *( [ "a" ] [ "b" ] [ r ] ) ) )\n',
        [("ab" * 200, True), ("ab" * 200 + "c", False)],
    ),
    "a ring to the left": (ring(30, 'r{0} "a" / "b"'), [("b" + "a" * 400, True), ("a", False)]),
    "a ring of one another": (
        ring(25, 'r{0} / "a" r{0} / ""'),
        [("a" * 300, True), ("a" * 300 + "b", False)],
    ),
    "a ring of what may be empty": (ring(20, '*r{0} [ "a" ]'), [("a" * 200, True), ("a" * 200 + "b", False)]),
    "everyone": (everyone(8), [("a" * 300, True), ("a" * 300 + "b", False)]),
    "brackets around everyone": (
        everyone(6) + 'r9 = "(" r9 ")" / r\n',
        [("a" * 300, True), ("a" * 300 + "b", False)],
    ),
    "up to 998 of what may be empty": (
        'r = *998( *"a" *"b" [ "(" r ")" ] )\n',
        [("ab" * 300, True), ("ab" * 200 + "(" * 100, False), ("(ab)" * 150 + ")", False)],
    ),
    "998 lines of up to 998": (
        'r = *( 0*998t ";" ) *998t [ "(" r ")" ]\nt = *"a" *( "b" / "c" )\n',
        [("abc" * 250, True), ("abc;" * 150 + "(" + "abc" * 30 + "))", False)],
    ),
    "counts in counts": (
        'r = 2*500( *500( r / "a" ) "b" )\n',
        [("ab" * 200, True), ("ab" * 200 + "a", False)],
    ),
    "counts that no text reaches": ('r = 999999999*( r / "a" )\n', [("a" * 500, False), ("b", False)]),
    "counts without an end": ('r = *999999999( "a" [ r ] )\n', [("a" * 400, True), ("a" * 400 + "b", False)]),
    "empty counts without an end": (
        'r = 999999999( *"a" *r )\n',
        [("a" * 300, None), ("a" * 300 + "b", False)],
    ),
    "numbers of n and of n": (
        'r = "a" r "b" "c" / 2*5( "a" r ) / "a" / r 3"b"\n',
        [("a" * 400 + "bc" * 100, True), ("a" * 400, True)],
    ),
    "options in options": (
        "r = " + "[ " * 45 + 'r "a"' + " ]" * 45 + "\n",
        [("a" * 500, True), ("b", False)],
    ),
    "sums of twenty kinds": (
        'r = "a"' + "".join(f" / r %x{0x2A + n:X} r" for n in range(20)) + "\n",
        [("a*a+a,a" * 60, False), ("a" + "*a+a" * 100, True)],
    ),
    "twenty common beginnings": (
        "r = " + " / ".join(f'"a" r %x{0x62 + n:X}' for n in range(20)) + ' / "a"\n',
        [("a" * 251 + "bcdef" * 50, True), ("a" * 250 + "bcdef" * 50, False)],
    ),
    "2**20 states between brackets": (
        'r = *( "a" / "b" ) "a" 20( "a" / "b" ) [ "(" r ")" ]\n',
        [("ab" * 200 + "a", True), (("ab" * 12 + "(") * 25, False)],
    ),
    "all that is not": (
        'r = *( x / "a" ) "b"\nx = "a" x "a" / "b" x "b" / "c"\n',
        [("a" * 400 + "b", True), ("abcba" * 100, False)],
    ),
    "two kinds of space": (
        'r = v *( s r )\nv = "a" / "(" s r s ")"\ns = *( " " / n )\nn = " " *" "\n',
        [("a    " * 100 + "a", True), ("(   " * 100 + "b", False)],
    ),
    "the wide alphabet": (
        "r = *( %x80-10FFFF / %x4E00-9FFF r %x3042 / %x1F600 [ r ] %x1F601 )\n",
        [("\U0001f600\u4e2d" * 120, True), ("\u4e2d\u3042" * 140 + "a", False)],
    ),
}


def size(grammar: str, text: str) -> int:
    """Return the number of bytes of a grammar and an input."""
    return len((grammar + text).encode())


def each(body: Callable[[int], str], count: int, last: str = "") -> str:
    """Return ``count`` rules of one form, followed by a last line."""
    return "".join(f"{body(number)}\n" for number in range(count)) + last


def joined(between: str, part: Callable[[int], str], count: int) -> str:
    return between.join(part(number) for number in range(1, count + 1))


LAST = "r{} = %x61\n".format

# Name, input as a function of its size, and the greatest size to test.
FAMILIES: dict[str, tuple[Callable[[int], str], int]] = {
    # Rules that refer to rules.
    "doubling": (lambda n: each(lambda i: f"r{i} = r{i + 1} r{i + 1}", n, LAST(n)), 60),
    "doubling options": (lambda n: each(lambda i: f"r{i} = [ r{i + 1} ] [ r{i + 1} ]", n, LAST(n)), 60),
    "doubling loops": (lambda n: each(lambda i: f"r{i} = *r{i + 1} *r{i + 1}", n, LAST(n)), 40),
    "doubling choices": (lambda n: each(lambda i: f"r{i} = r{i + 1} / %x62 r{i + 1}", n, LAST(n)), 60),
    "chain": (lambda n: each(lambda i: f"r{i} = r{i + 1}", n, LAST(n)), 10_000),
    "choice chain": (lambda n: each(lambda i: f"r{i} = %x61 / r{i + 1}", n, LAST(n)), 3_000),
    "cycle": (lambda n: each(lambda i: f"r{i} = r{(i + 1) % n} / %x61", n), 2_000),
    "left cycle": (lambda n: each(lambda i: f"r{i} = r{(i + 1) % n} %x61 / %x62", n), 500),
    "everyone": (everyone, 40),
    "calls": (lambda n: "r0 = %x28 [ r0 ] %x29" + " / %x61" * n + "\n", 1_000),
    "sums": (lambda n: "r0 = %x61 / " + joined(" / ", lambda i: f"r0 %x{0x29 + i:X} r0", n) + "\n", 20),
    "empty cycle": (lambda n: "r0 = *r1 / " + "r0 " * n + "\nr1 = [ r0 ] / %x61\n", 50),
    "empty rules": (lambda n: "r0 = " + "r1 " * n + "%x62\nr1 = *r2\nr2 = [ %x61 ]\n", 200),
    # Groups and counts.
    "groups": (lambda n: "r0 = " + "(" * n + "%x61" + ")" * n + "\n", 20_000),
    "options": (lambda n: "r0 = " + "[" * n + "%x61" + "]" * n + "\n", 60),
    "loops": (lambda n: "r0 = " + "*( " * n + "%x61" + " )" * n + "\n", 50),
    "counts": (lambda n: f"r0 = {n}%x61\n", 999_999_999),
    "counts of optional": (lambda n: f"r0 = {n}[ %x61 ]\n", 999_999_999),
    "up to": (lambda n: f"r0 = *{n}%x61 *{n}%x62\n", 100_000),
    "counts in counts": (lambda n: f"r0 = {n}( *{n}( {n}%x61 / %x62 ) )\n", 1_000_000),
    # Automata.
    "blow-up": (lambda n: f"r0 = *( %x61 / %x62 ) %x61 {n}( %x61 / %x62 )\n", 30),
    "blow-up of options": (lambda n: "r0 = " + "[ %x61 ] " * n + "%x61 " * n + "\n", 400),
    "optional parts": (lambda n: "r0 = " + joined(" ", lambda i: f"[ %x61 %x{0x61 + i:X} ]", n) + "\n", 300),
    "overlapping": (lambda n: "r0 = " + joined(" / ", lambda i: f"{i}*%x61", n) + "\n", 300),
    "any order": (lambda n: "r0 = *( " + joined(" / ", lambda i: f"%x61 {i}%x62", n) + " )\n", 300),
    "ranges": (lambda n: "r0 = " + joined(" / ", lambda i: f"%x{3 * i:X}-{3 * i + 1:X}", n) + "\n", 20_000),
    # Much text.
    "long literal": (lambda n: 'r0 = "' + "ab" * n + '"\n', 500_000),
    "long series": (lambda n: "r0 = %x61" + ".62" * n + "\n", 100_000),
    "words": (lambda n: "r0 = " + joined(" / ", lambda i: f'"word{i * 7919 % 100003}"', n) + "\n", 5_000),
    "words in rules": (
        lambda n: "r0 = " + joined(" / ", "w{}".format, n) + "\n" + each('w{0} = "word{0}"'.format, n + 1),
        2_000,
    ),
    "unused": (lambda n: "r0 = %x61\n" + each(lambda i: f"u{i} = %x61", n), 5_000),
    "undefined": (lambda n: "r0 = " + joined(" ", "u{}".format, n) + "\n", 5_000),
    "defined twice": (lambda n: "r0 = %x61\n" * n, 5_000),
    "comments": (lambda n: ";\n" * n + "r0 = %x61\n", 50_000),
}
