"""Smaller variants of a case: what a failing case is made small by, one step at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    children,
    references,
    used,
)


def smaller_rules(rules: Rules, starts: tuple[str, ...]) -> Iterator[Rules]:
    """Variants of a grammar, the ones that leave out most first; they keep the start rules."""
    bodies = dict(rules)
    yield used(rules, starts)
    for name, body in rules:
        if name not in starts:
            replacements: list[Node] = [Literal("")]
            if name not in references(body):
                replacements.append(body)
            for replacement in replacements:
                yield tuple(
                    (other, _replaced(node, name, replacement)) for other, node in rules if other != name
                )
    for name in bodies:
        for node in smaller_nodes(bodies[name]):
            yield tuple((other, node if other == name else body) for other, body in rules)


def smaller_nodes(node: Node) -> Iterator[Node]:
    """Variants of a node: what is below it, itself with less, and itself with something smaller below.

    None has a letter that stands for its capital, too, where the node had none: brute force need not know
    capitals.
    """
    yield from children(node)
    if node != Literal(""):
        yield Literal("")
    match node:
        case Literal(text=text, sensitive=sensitive):
            yield from (Literal(smaller, sensitive) for smaller in smaller_texts(text, "a"))
        case Range(first=first):
            yield Literal(first, True)
        case Reference():
            yield Literal("a", True)
        case Concatenation(items=items) | Alternation(items=items):
            kind = type(node)
            for index, item in enumerate(items):
                rest = items[:index] + items[index + 1 :]
                yield rest[0] if len(rest) == 1 else kind(rest)
                for variant in smaller_nodes(item):
                    yield kind((*items[:index], variant, *items[index + 1 :]))
        case Option(item=item):
            yield from map(Option, smaller_nodes(item))
        case Repetition(item=item, least=least, most=most):
            if (least, most) == (0, 1):
                yield Option(item)
            bounds = [(0, 1), (least - 1, most), (least - 1, most and most - 1), (least, most and most - 1)]
            for low, high in bounds:
                if low >= 0 and (high is None or low <= high):
                    yield Repetition(item, low, high)
            yield from (Repetition(variant, least, most) for variant in smaller_nodes(item))


def smaller_texts(text: str, plain: str = "") -> Iterator[str]:
    """A text without a half, a quarter, ..., a character; then with a plain character in place of another."""
    length = len(text) // 2 or 1
    while text:
        for start in range(0, len(text), length):
            yield text[:start] + text[start + length :]
        if length == 1:
            break
        length //= 2
    for index, char in enumerate(text if plain else ""):
        if char != plain:
            yield text[:index] + plain + text[index + 1 :]


def smaller_sources(text: str) -> Iterator[str]:
    """A grammar's text without some lines, without some words, with smaller numbers, without some characters.

    Words are tried one by one only where there are few of them, and characters likewise.
    """
    lines = text.splitlines(keepends=True)
    yield from _without(lines)
    words = re.findall(r"\s+|\w+|.", text, re.DOTALL)
    if len(words) <= 400:
        yield from _without(words)
    for index, word in enumerate(words if len(words) <= 4000 else []):
        if word.isascii() and word.isdigit() and int(word) > 1:
            for value in (1, int(word) // 2, int(word) - 1):
                yield "".join([*words[:index], str(value), *words[index + 1 :]])
    if len(text) <= 400:
        yield from smaller_texts(text)


def _without(parts: list[str]) -> Iterator[str]:
    length = max(len(parts) // 2, 1)
    while parts:
        for start in range(0, len(parts), length):
            yield "".join(parts[:start] + parts[start + length :])
        if length == 1:
            return
        length //= 2


def _replaced(node: Node, name: str, replacement: Node) -> Node:
    """A node with something else wherever it refers to a rule."""
    match node:
        case Reference(name=found) if found == name:
            return replacement
        case Concatenation(items=items) | Alternation(items=items):
            return type(node)(tuple(_replaced(item, name, replacement) for item in items))
        case Option(item=item):
            return Option(_replaced(item, name, replacement))
        case Repetition(item=item, least=least, most=most):
            return Repetition(_replaced(item, name, replacement), least, most)
    return node
