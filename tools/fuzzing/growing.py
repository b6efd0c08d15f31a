"""Long sentences grown from a random grammar, and mutants of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

from fuzzing.notation import (
    Alternation,
    Concatenation,
    Literal,
    Node,
    Option,
    Range,
    Reference,
    Repetition,
    Rules,
)

ATTEMPTS = 5

# Beside the characters of the grammar's own.
FOREIGN = ("c", "\x00", "\u00e8", "\u4e2e", "\U0001f601", "\U0010ffff")


def costs(rules: Rules) -> Mapping[str, float]:
    """What it takes at least to derive something of each rule: characters and nodes; infinite if nothing
    can be derived.
    """
    known = dict.fromkeys((name for name, _ in rules), math.inf)
    while True:
        following = {name: _cost(node, known) for name, node in rules}
        if following == known:
            return known
        known = following


def _cost(node: Node, known: Mapping[str, float]) -> float:
    match node:
        case Literal(text=text):
            return 1.0 + len(text)
        case Range():
            return 2.0
        case Reference(name=name):
            return 1 + known[name]
        case Concatenation(items=items):
            return 1 + sum(_cost(item, known) for item in items)
        case Alternation(items=items):
            return 1 + min(_cost(item, known) for item in items)
        case Option():
            return 1.0
        case Repetition(item=item, least=least):
            return 1 + (least * _cost(item, known) if least else 0)


def grown(rules: Rules, chance: Random, size: int) -> str | None:
    """A sentence of the first rule, the longest of a few, of up to some times ``size`` characters; None if it
    derives nothing.
    """
    known = costs(rules)
    if known[rules[0][0]] == math.inf:
        return None
    longest = ""
    for _ in range(ATTEMPTS):
        longest = max(longest, _grown(rules, known, chance, size), key=len)
        if len(longest) >= size // 2:
            break
    return longest


def _grown(rules: Rules, known: Mapping[str, float], chance: Random, size: int) -> str:
    """The nodes yet to derive are a stack, so sentences nest as deep as they are long. While there is room,
    any way is taken that still fits, then the shortest: so it ends.
    """
    bodies = dict(rules)
    cost = {id(node): _cost(node, known) for node in _all_nodes(rules)}
    room = 4.0 * size  # nodes count, too
    stack: list[Node] = [Reference(rules[0][0])]
    chars: list[str] = []
    deep = chance.random() < 0.7  # whether the ways that lead on are preferred

    def price(node: Node) -> float:
        return cost.get(id(node)) or _cost(node, known)

    while stack:
        node = stack.pop()
        room -= 1
        match node:
            case Literal(text=text):
                chars.append(text)
            case Range(first=first, last=last):
                chars.append(chr(chance.randint(ord(first), ord(last))))
            case Reference(name=name):
                stack.append(bodies[name])
            case Concatenation(items=items):
                stack.extend(reversed(items))
            case Alternation(items=items):
                least = min(map(price, items))
                fitting = [item for item in items if price(item) <= max(room, least)]
                leading = [item for item in fitting if price(item) > least]
                stack.append(chance.choice(leading if deep and leading else fitting))
            case Option(item=item):
                if price(item) <= room and chance.random() < (0.85 if deep else 0.5):
                    stack.append(item)
            case Repetition(item=item, least=least, most=most):
                count = least
                spare = room - least * price(item)
                while (most is None or count < most) and spare > price(item) and chance.random() < 0.6:
                    count += 1
                    spare -= price(item)
                stack.extend([item] * count)
                room = min(room, room - count * price(item) / 2)
        if len(chars) > 8 * size:
            room = 0
    return "".join(chars)


def _all_nodes(rules: Rules) -> list[Node]:
    found: list[Node] = []
    todo = [node for _, node in rules]
    while todo:
        node = todo.pop()
        found.append(node)
        match node:
            case Concatenation(items=items) | Alternation(items=items):
                todo.extend(items)
            case Option(item=item) | Repetition(item=item):
                todo.append(item)
    return found


def mutant(text: str, chance: Random, alphabet: str) -> str:
    """A text changed in a place or two: cut off, a character more, less or another, a part twice, moved or
    turned around.
    """
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        a, b = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        char = chance.choice(FOREIGN) if chance.random() < 0.15 or not alphabet else chance.choice(alphabet)
        match chance.randrange(8):
            case 0:
                text = text[:b]
            case 1:
                text = text[:a] + char + text[a:]
            case 2:
                text = text[:a] + text[a + 1 :]
            case 3:
                text = text[:a] + char + text[a + 1 :]
            case 4:
                text = text[:b] + text[a:b] + text[b:]
            case 5:
                text = text[:a] + text[b:]
            case 6:
                text = text[:a] + text[a:b][::-1] + text[b:]
            case 7:
                place = chance.randint(0, len(text) - (b - a))
                rest = text[:a] + text[b:]
                text = rest[:place] + text[a:b] + rest[place:]
    return text
