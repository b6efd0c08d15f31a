"""Random grammars without recursion, with characters of every length in UTF-8, and inputs for them."""

from __future__ import annotations

import random
from itertools import product

_TERMINALS = [
    *('"a"', '"b"', '%s"c"', "%x61-63", '"ab"', "ALPHA", "%x61-7A", '""', "%x00-7F"),
    *("%xE9-FF", "%x4E00-4E10", "%x100-10FFFF", "%xD7F0-E010"),
]
_CHARACTERS = "abcABé丁😀\x7f\ud800\ue000"


def grammar(seed: int) -> str:
    """Return the source of a grammar with the rules r0, r1, ...; each refers only to later ones."""
    chance = random.Random(seed)
    rules = chance.randrange(2, 6)

    def expression(rule: int, depth: int = 0) -> str:
        kind = chance.random()
        if depth > 2 or kind < 0.3:
            if chance.random() < 0.75 or rule + 1 >= rules:
                return chance.choice(_TERMINALS)
            return f"r{chance.randrange(rule + 1, rules)}"
        if kind < 0.5:
            return " ".join(expression(rule, depth + 1) for _ in range(chance.choice((2, 2, 3))))
        if kind < 0.65:
            return "(" + " / ".join(expression(rule, depth + 1) for _ in range(chance.choice((2, 3)))) + ")"
        if kind < 0.8:
            return f"[{expression(rule, depth + 1)}]"
        return f"{chance.choice(('*', '1*', '*2', '2', '1*3'))}({expression(rule, depth + 1)})"

    lines = []
    for rule in range(rules):
        more = f" / {expression(rule)}" if chance.random() < 0.4 else ""
        lines.append(f"r{rule} = {expression(rule)}{more}\n")
    return "".join(lines)


def texts(seed: int, short: int = 4) -> list[str]:
    """Return all strings of a, b, c and A up to a length, and random strings, some several blocks long."""
    chance = random.Random(seed)
    results = ["".join(letters) for size in range(short + 1) for letters in product("abcA", repeat=size)]
    results += [
        "".join(chance.choice(_CHARACTERS) for _ in range(chance.randrange(1, 12))) for _ in range(60)
    ]
    results += [
        letter * size + end
        for letter in "abc"
        for size in chance.sample(range(1, 71), 8)
        for end in ("", "b", "é")
    ]
    return results
