"""Inputs for patterns, with verdicts: fixed cases, strings of a language, and mutants of both."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache

import abnforge
from abnforge.automata.algebra import preference
from tests.places import SHARED

CASES = SHARED / "cases"

# Characters for mutants: newlines, characters that some engines handle like newlines, characters of every
# length in UTF-8 and UTF-16, a lone surrogate, and the delimiters.
POOL = [
    *"\n\r\0\t \v\x1c\x7f\x85\xa0é\u2028\ud800\udfff\ue000\uffff😀\U0010ffff",
    *"%:/?#[]@!$&'()*+,;=-._~\\^\"`|0az1fGV",
]
ALWAYS = [
    "",
    "\n",
    "a\n",
    "\na",
    "a\nb",
    "a\r\n",
    "http://a/\n",
    "http://a\n/",
    "é",
    "http://é/",
    "a:\ud800",
    "\0",
]


def spell(automaton, chance: random.Random, size: int) -> str:
    """Return a random string of a language, by a random walk that heads for acceptance once it is long."""
    text: list[str] = []
    row = 0
    while True:
        if row in automaton.accepting and chance.random() < (0.15 if len(text) < size else 0.8):
            return "".join(text)
        arcs = [c for c in range(automaton.width) if automaton.table[row + c] >= 0]
        if not arcs or len(text) > 40 * (size + 1):
            return "".join(text)
        number = chance.choice(arcs)
        low, high = chance.choice(automaton.charsets[number].ranges)
        text.append(chr(chance.choice((low, high, chance.randint(low, high)))))
        row = automaton.table[row + number]


def mutant(text: str, chance: random.Random, characters: Sequence[str] = POOL) -> str:
    """Return a string with one or two changes.

    A change cuts the string, inserts, removes or replaces a character, or doubles, moves or reverses a part.
    """
    for _ in range(chance.choice((1, 1, 1, 2))):
        start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        before, part, after = text[:start], text[start:end], text[end:]
        place = chance.randint(0, len(before + after))
        text = chance.choice(
            (
                *(before + part, before + after, before + part + part + after, before + part[::-1] + after),
                *(text + chance.choice(characters), before + chance.choice(characters) + part + after),
                *(text[:start] + text[start + 1 :], before + chance.choice(characters) + text[start + 1 :]),
                (before + after)[:place] + part + (before + after)[place:],
            )
        )
    return text


def case_texts() -> Iterator[str]:
    for path in sorted(CASES.glob("*.json")) if CASES.is_dir() else ():
        for case in json.loads(path.read_text("utf-8")):
            if isinstance(case.get("input"), str):
                yield case["input"]


@cache
def texts(grammar: str, rule: str, count: int) -> tuple[tuple[str, bool], ...]:
    """Return strings with their verdict."""
    automaton = abnforge.load(grammar)[rule].automaton
    chance = random.Random(f"{grammar} {rule}")
    result = dict.fromkeys(ALWAYS)
    for _ in range(count):
        text = spell(automaton, chance, chance.choice((0, 3, 20)))
        result[text] = None
        result[mutant(text, chance)] = None
        result[mutant(mutant(text, chance), chance)] = None
    if rule in ("URI", "URI-reference", "IRI-reference", "relative-ref", "host", "path"):
        result |= dict.fromkeys(case_texts())
    return tuple((text, automaton.accepts(text)) for text in result)


def transitions(automaton) -> Iterator[tuple[str, bool]]:
    """Yield strings for every transition of an automaton, valid and invalid, with verdicts.

    A shortest string leads to each state, where every class of characters is tested. From live states, a
    shortest string then leads to acceptance.
    """
    table = automaton.table
    chars = [preference(charset)[1] for charset in automaton.charsets]
    reached = {0: ""} if len(table) else {}
    queue = [*reached]
    for row in queue:
        for number, char in enumerate(chars):
            target = table[row + number]
            if target >= 0 and target not in reached:
                reached[target] = reached[row] + char
                queue.append(target)
    rest = dict.fromkeys(automaton.accepting, "")
    changed = True
    while changed:
        changed = False
        for row in queue:
            for number, char in enumerate(chars):
                target = table[row + number]
                if target in rest and (row not in rest or len(rest[target]) + 1 < len(rest[row])):
                    rest[row] = char + rest[target]
                    changed = True
    results: dict[str, bool] = {"": bool(len(table)) and 0 in automaton.accepting}
    for row, before in reached.items():
        results[before] = row in automaton.accepting
        for number, char in enumerate(chars):
            target = table[row + number]
            if target < 0:
                results[before + char] = False
                continue
            results[before + char + rest[target]] = True
            results[before + char + rest[target] + "\n"] = automaton.accepts(
                before + char + rest[target] + "\n"
            )
    yield from results.items()
