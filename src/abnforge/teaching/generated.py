"""Generated exercises: a task, a reference, frequent wrong answers, and strings that separate them.

Each kind and level has a family of languages. The seed selects one, so two seeds below the size of the
family have different languages. A wrong answer is kept only if a comparison with the reference finds a
string that one of them accepts; this string becomes an example of the task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from math import gcd
from typing import Any

from abnforge._arguments import choice_argument, instance_argument
from abnforge.catalog import ArgumentError
from abnforge.comparison.rules import compare
from abnforge.teaching.describe import facts_about
from abnforge.teaching.exercises import (
    LESSONS,
    Exercise,
    Misconception,
    load_misconception,
    reference,
    verify,
)
from abnforge.teaching.messages import message

KINDS = ("range", "repetition", "optional", "alternation", "recursion")
LEVELS = (1, 2, 3)
MAX_SEED = 10**9

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_SIGNS = ",;:/.-+="
_CASE = " Letters match in upper and lower case."
_STEP = 7919  # a prime number, so that consecutive seeds differ in several parts

_LESSON = {
    "range": LESSONS[3],
    "repetition": LESSONS[2],
    "optional": LESSONS[2],
    "alternation": LESSONS[1],
    "recursion": LESSONS[6],
}
_HINTS = {
    "range": (
        "A range has the numbers of its first and its last character: %x30 is the digit 0.",
        "If the last digits depend on the first digit, write an alternative for each case.",
    ),
    "repetition": (
        "The number before the asterisk is the least number of repetitions, the number after it the largest.",
        "Group the parts that repeat together. Count the strings that one turn adds.",
    ),
    "optional": (
        "Brackets mean: all of this, or nothing.",
        "Put parts that need each other into the same brackets.",
    ),
    "alternation": (
        "A slash separates everything before it from everything after it.",
        "Use a group if only a part of the rule has alternatives.",
    ),
    "recursion": (
        "A rule can use itself in its own definition.",
        "Write the shortest strings first. Then describe how a string becomes longer.",
    ),
}

_Draft = tuple[str, str, list[tuple[str, str]]]  # the end of the task, the definition, and wrong answers
_Family = tuple[Sequence[tuple[Any, ...]], Callable[..., _Draft]]  # the parameters of each language


def generate(kind: str, level: int, seed: int) -> Exercise:
    """Return the exercise of a kind, a level and a seed; the result is always the same.

    Every misconception differs from the reference, and the strings of the task show each difference. Raises
    ValueError for an unknown kind or level, or a seed that is not from 0 to ``MAX_SEED``. Cost: a comparison
    of rules for each misconception.
    """
    choice_argument(kind, "kind", KINDS)
    instance_argument(level, "level", int, "a number from 1 to 3")
    instance_argument(seed, "seed", int, "a number")
    if level not in LEVELS or not 0 <= seed <= MAX_SEED:
        raise ArgumentError(message("generated-range", level=level, seed=seed, limit=MAX_SEED))
    parameters, write = _FAMILIES[kind, level]
    size = len(parameters)
    step = next(each for each in range(_STEP, _STEP + size) if gcd(each, size) == 1)
    task, body, wrong = write(*parameters[(seed * step + _STEP) % size])
    case = _CASE if re.search('"[A-Z]', body) else ""
    exercise = Exercise(
        id=f"{kind}-{level}-{seed}",
        title=f"{kind.capitalize()}, level {level}, number {seed}",
        level=level,
        lesson=_LESSON[kind],
        task=f"Write a rule that matches {task}{case}",
        rule="r",
        reference=f"r = {body}\n",
        hints=_HINTS[kind],
        misconceptions=tuple(Misconception(f"r = {each}\n", why) for each, why in wrong),
    )
    exercise = _with_examples(exercise)
    verify(exercise)
    return exercise


def family_size(kind: str, level: int) -> int:
    """Return the number of languages of a kind and a level."""
    return len(_FAMILIES[kind, level][0])


def _with_examples(exercise: Exercise) -> Exercise:
    """Return an exercise with its strings, and with those misconceptions that differ from the reference."""
    required = reference(exercise)
    facts = facts_about(required)
    valid = dict.fromkeys(facts.sentences)
    invalid = dict.fromkeys(facts.misses)
    kept = []
    for number, misconception in enumerate(exercise.misconceptions):
        comparison = compare(required, load_misconception(exercise, number))
        if comparison.only_left is None and comparison.only_right is None:
            continue
        kept.append(misconception)
        differences = ((comparison.only_right, invalid), (comparison.only_left, valid))
        known = [(text, texts) for text, texts in differences if text is not None]
        text, texts = next((each for each in known if each[0].isprintable()), known[0])
        texts[text] = None
    return replace(exercise, valid=tuple(valid), invalid=tuple(invalid), misconceptions=tuple(kept))


def _family(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all combinations; a tuple in a parameter counts as several."""
    return [
        tuple(each for part in parts for each in (part if isinstance(part, tuple) else (part,)))
        for parts in product(*parameters)
    ]


def _times(count: int) -> str:
    return "DIGIT" if count == 1 else f"{count}DIGIT"


def _up_to(digit: int) -> str:
    return f"%x30-3{digit}" if digit else '"0"'


def _digits(count: int) -> str:
    return "one digit" if count == 1 else f"{count} digits"


def _digit_range(letter: str, low: int, high: int) -> _Draft:
    return (
        f"the letter {letter}, and then one digit from {low} to {high}.",
        f'"{letter}" %x3{low}-3{high}',
        [
            (f'"{letter}" DIGIT', "DIGIT matches every digit."),
            (
                f'"{letter}" %d{low}-{high}',
                f"%d{low} is the character with this number, not the digit {low}.",
            ),
            (f'"{letter}" ( "{low}" / "{high}" )', "Two alternatives are not a range."),
            (f'%s"{letter}" %x3{low}-3{high}', "The prefix %s matches one case only."),
            (f'"{letter}" 1*%x3{low}-3{high}', "There is one digit only."),
        ],
    )


def _two_digits(letter: str, tens: int, units: int) -> _Draft:
    lower = f"%x31-3{tens - 1}" if tens > 2 else '"1"'
    return (
        f"the letter {letter}, and then a number from 10 to {tens}{units}.",
        f'"{letter}" ( {lower} DIGIT / "{tens}" {_up_to(units)} )',
        [
            (
                f'"{letter}" %x31-3{tens} {_up_to(units)}',
                f"The last digit ends at {units} only after the digit {tens}.",
            ),
            (f'"{letter}" 2DIGIT', "2DIGIT matches 00 to 99."),
            (
                f'"{letter}" %d10-{tens}{units}',
                "%d10 is the character with this number, not the digits 1 and 0.",
            ),
            (f'"{letter}" %x31-3{tens} DIGIT', f"The numbers after {tens}{units} are too large."),
            (f'"{letter}" {lower} DIGIT / "{tens}" {_up_to(units)}', "The slash also separates the letter."),
        ],
    )


def _three_digits(hundreds: int, tens: int, units: int) -> _Draft:
    lower = f"%x31-3{hundreds - 1}" if hundreds > 2 else '"1"'
    parts = [
        "DIGIT / %x31-39 DIGIT",
        f"{lower} 2DIGIT",
        f'"{hundreds}" {_up_to(tens - 1)} DIGIT',
        f'"{hundreds}{tens}" {_up_to(units)}',
    ]
    top = f"{hundreds}{tens}{units}"
    return (
        f"the numbers from 0 to {top} without leading zeros.",
        " / ".join(parts),
        [
            ("1*3DIGIT", "1*3DIGIT matches 000 to 999."),
            (" / ".join(["1*2DIGIT", *parts[1:]]), "A number of two digits does not begin with 0."),
            (
                f"DIGIT / %x31-39 DIGIT / %x31-3{hundreds} {_up_to(tens)} {_up_to(units)}",
                f"The second digit ends at {tens} only after the digit {hundreds}.",
            ),
            (" / ".join(parts[1:]), "The numbers from 0 to 9 are missing."),
            (f"%d0-{top}", f"%d0-{top} matches one character, by its number."),
        ],
    )


def _digit_count(letter: str, low: int, high: int) -> _Draft:
    return (
        f"the letter {letter}, and then {low} to {high} digits.",
        f'"{letter}" {low}*{high}DIGIT',
        [
            (f'"{letter}" {_times(low)}', "A number without an asterisk is an exact number."),
            (f'"{letter}" *{high}DIGIT', "Without a number before the asterisk, zero digits are allowed."),
            (f'"{letter}" {low}*DIGIT', "Without a number after the asterisk, the count is not limited."),
            (f'{low}*{high}( "{letter}" DIGIT )', "The letter occurs once."),
            (f'"{letter}" {low}*{high + 1}DIGIT', f"{high + 1} digits are too many."),
        ],
    )


def _list(letter: str, count: int, sign: str) -> _Draft:
    item = _times(count)
    return (
        f"the letter {letter}, and then one or more numbers of {_digits(count)}, "
        f'with "{sign}" between two numbers.',
        f'"{letter}" {item} *( "{sign}" {item} )',
        [
            (f'"{letter}" 1*( {item} "{sign}" )', f'The string does not end with "{sign}".'),
            (f'"{letter}" 1*( {item} ["{sign}"] )', f'The "{sign}" between two numbers is required.'),
            (f'"{letter}" {item} [ "{sign}" {item} ]', "Brackets allow one further number at most."),
            (f'"{letter}" {item} 1*( "{sign}" {item} )', "A single number is allowed."),
            (f'"{letter}" *( {item} "{sign}" ) {item} ["{sign}"]', f'The string does not end with "{sign}".'),
        ],
    )


def _counted_list(sign: str, count: int, low: int, high: int) -> _Draft:
    item = _times(count)
    return (
        f'{low} to {high} numbers of {_digits(count)}, with "{sign}" between two numbers.',
        f'{item} {low - 1}*{high - 1}( "{sign}" {item} )',
        [
            (f'{item} {low}*{high}( "{sign}" {item} )', "The first number counts, too."),
            (f'{low}*{high}( {item} "{sign}" )', f'The string does not end with "{sign}".'),
            (f'{low}*{high}( {item} ["{sign}"] )', f'The "{sign}" between two numbers is required.'),
            (f'{item} *( "{sign}" {item} )', "The number of repetitions is limited."),
        ],
    )


def _optional_sign(sign: str, count: int, letter: str) -> _Draft:
    item = _times(count)
    return (
        f'{_digits(count)} and then the letter {letter}; a "{sign}" before the digits is optional.',
        f'["{sign}"] {item} "{letter}"',
        [
            (f'"{sign}" {item} "{letter}"', "Without brackets, the sign is required."),
            (f'*"{sign}" {item} "{letter}"', "An asterisk allows any number of signs."),
            (f'["{sign}" {item}] "{letter}"', "The brackets contain the digits, too."),
            (f'( "{sign}" / {item} ) "{letter}"', "A slash separates alternatives: the sign or the digits."),
            (f'["{sign}"] {item} ["{letter}"]', "The letter is required."),
        ],
    )


def _optional_fraction(sign: str, count: int, letter: str) -> _Draft:
    item = _times(count)
    return (
        f'one or more digits, and then optionally "{sign}" and {_digits(count)}. '
        f"The string ends with the letter {letter}.",
        f'1*DIGIT ["{sign}" {item}] "{letter}"',
        [
            (f'1*DIGIT ["{sign}"] {item} "{letter}"', "The sign and its digits are optional together."),
            (f'1*DIGIT ["{sign}"] [{item}] "{letter}"', f'After "{sign}", the digits are required.'),
            (f'1*DIGIT "{sign}" {item} "{letter}"', "Without brackets, the part is required."),
            (f'[1*DIGIT "{sign}"] {item} "{letter}"', "The digits before the sign are required."),
            (f'1*DIGIT *("{sign}" {item}) "{letter}"', "An asterisk allows the part more than once."),
        ],
    )


def _nested_options(first: str, second: str, count: int, letter: str) -> _Draft:
    item = _times(count)
    return (
        f'one or more digits, and then optionally a part of "{first}" and one or more digits. This part can '
        f'end with "{second}" and {_digits(count)}. The string ends with the letter {letter}.',
        f'1*DIGIT ["{first}" 1*DIGIT ["{second}" {item}]] "{letter}"',
        [
            (
                f'1*DIGIT ["{first}" 1*DIGIT] ["{second}" {item}] "{letter}"',
                f'"{second}" requires "{first}" before it.',
            ),
            (
                f'1*DIGIT ["{first}" 1*DIGIT "{second}" {item}] "{letter}"',
                "The last part is optional by itself.",
            ),
            (f'1*DIGIT "{first}" 1*DIGIT ["{second}" {item}] "{letter}"', "The middle part is optional."),
            (
                f'1*DIGIT *("{first}" 1*DIGIT ["{second}" {item}]) "{letter}"',
                "Each part occurs once at most.",
            ),
        ],
    )


def _common_end(one: str, other: str, count: int) -> _Draft:
    item = _times(count)
    return (
        f"the letter {one} or the letter {other}, and then {_digits(count)}.",
        f'( "{one}" / "{other}" ) {item}',
        [
            (
                f'"{one}" / "{other}" {item}',
                "Without a group, the digits belong to the last alternative only.",
            ),
            (f'"{one}" "{other}" {item}', "A sequence requires both letters."),
            (f'["{one}"] ["{other}"] {item}', "Two options also allow both letters, or none."),
            (f'"{one}/{other}" {item}', "In quotes, a slash is a character."),
            (f'1*( "{one}" / "{other}" ) {item}', "There is one letter only."),
        ],
    )


def _two_forms(one: str, other: str, first: int, second: int) -> _Draft:
    return (
        f"the letter {one} with {_digits(first)}, or the letter {other} with {_digits(second)}.",
        f'"{one}" {_times(first)} / "{other}" {_times(second)}',
        [
            (
                f'( "{one}" / "{other}" ) ( {_times(first)} / {_times(second)} )',
                "The letter decides the number of digits.",
            ),
            (
                f'"{one}" ( {_times(first)} / "{other}" ) {_times(second)}',
                "A group changes what the slash separates.",
            ),
            (
                f'["{one}" {_times(first)}] ["{other}" {_times(second)}]',
                "Two options also allow both, or none.",
            ),
            (f'"{one}" {_times(second)} / "{other}" {_times(first)}', "The numbers of digits are exchanged."),
        ],
    )


def _three_forms(one: str, other: str, first: int, second: int) -> _Draft:
    return (
        f"the letter {one} with {_digits(first)}, the letter {other} with {_digits(second)}, or "
        "both letters in any order without digits.",
        f'"{one}" {_times(first)} / "{other}" {_times(second)} / "{one}{other}" / "{other}{one}"',
        [
            (
                f'"{one}" {_times(first)} / "{other}" {_times(second)} / "{one}{other}"',
                "One order is missing.",
            ),
            (
                f'"{one}" {_times(first)} / "{other}" {_times(second)} / 2( "{one}" / "{other}" )',
                "Each letter occurs once.",
            ),
            (
                f'"{one}" [{_times(first)} / "{other}"] / "{other}" [{_times(second)} / "{one}"]',
                "Brackets also allow a single letter.",
            ),
            (
                f'"{one}" {_times(first)} / "{other}" {_times(second)} / ["{one}"] ["{other}"]',
                "Two options allow one order only, and also a single letter or none.",
            ),
        ],
    )


def _nesting(one: str, other: str, core: int) -> _Draft:
    return (
        f"the digit {core} between letters: any number of {one} before it, and the same number of "
        f"{other} after it.",
        f'"{one}" r "{other}" / "{core}"',
        [
            (f'*"{one}" "{core}" *"{other}"', "Two repetitions are independent: their numbers can differ."),
            (f'"{one}" "{core}" "{other}" / "{core}"', "Without recursion, there is one pair at most."),
            (f'"{one}" r "{other}" / "{one}{core}{other}"', "The digit by itself is missing."),
            (f'["{one}"] r ["{other}"] / "{core}"', "With options, the numbers of both letters can differ."),
        ],
    )


def _double_nesting(one: str, other: str, core: int, many: int) -> _Draft:
    return (
        f"the digit {core} between letters: any number of {one} before it, and {many} times as many "
        f"{other} after it.",
        f'"{one}" r {many}"{other}" / "{core}"',
        [
            (f'"{one}" r "{other}" / "{core}"', f"Each letter {one} requires {many} letters {other}."),
            (
                f'*"{one}" "{core}" *( {many}"{other}" )',
                "Two repetitions are independent: their numbers can differ.",
            ),
            (f'"{one}" r {many}*"{other}" / "{core}"', "The asterisk allows more letters."),
            (f'{many}"{one}" r "{other}" / "{core}"', "The letters are exchanged."),
        ],
    )


def _nested_lists(letter: str, sign: str, brackets: str) -> _Draft:
    opening, closing = f'"{brackets[0]}"', f'"{brackets[1]}"'
    return (
        f"the letter {letter}, or a list between {opening} and {closing}. A list has any number of "
        f'elements with "{sign}" between two of them; each element is the letter or a list.',
        f'"{letter}" / {opening} [ r *( "{sign}" r ) ] {closing}',
        [
            (f'"{letter}" / {opening} r *( "{sign}" r ) {closing}', "An empty list is allowed."),
            (
                f'"{letter}" / {opening} [ "{letter}" *( "{sign}" "{letter}" ) ] {closing}',
                "A list can contain lists.",
            ),
            (f'"{letter}" / {opening} *( r "{sign}" ) {closing}', f'A list does not end with "{sign}".'),
            (
                f'"{letter}" / {opening} *( r ["{sign}"] ) {closing}',
                f'The "{sign}" between two elements is required.',
            ),
            (f'{opening} [ r *( "{sign}" r ) ] {closing}', "The letter by itself is missing."),
        ],
    )


_COUNTS = range(1, 5)
_UNORDERED = list(combinations(_LETTERS, 2))
_ORDERED = list(permutations(_LETTERS, 2))
_UNEQUAL = list(permutations(_COUNTS, 2))

_FAMILIES: dict[tuple[str, int], _Family] = {
    ("range", 1): (
        _family(_LETTERS, [(a, b) for a, b in combinations(range(10), 2) if b - a in range(2, 9)]),
        _digit_range,
    ),
    ("range", 2): (_family(_LETTERS, range(2, 10), range(9)), _two_digits),
    ("range", 3): (_family(range(2, 10), range(1, 10), range(9)), _three_digits),
    ("repetition", 1): (_family(_LETTERS, list(combinations(range(1, 9), 2))), _digit_count),
    ("repetition", 2): (_family(_LETTERS, _COUNTS, _SIGNS), _list),
    ("repetition", 3): (_family(_SIGNS, _COUNTS, list(combinations(range(2, 8), 2))), _counted_list),
    ("optional", 1): (_family(_SIGNS, _COUNTS, _LETTERS), _optional_sign),
    ("optional", 2): (_family(_SIGNS, _COUNTS, _LETTERS), _optional_fraction),
    ("optional", 3): (_family(list(permutations(_SIGNS, 2)), _COUNTS, _LETTERS), _nested_options),
    ("alternation", 1): (_family(_UNORDERED, _COUNTS), _common_end),
    ("alternation", 2): (_family(_UNORDERED, _UNEQUAL), _two_forms),
    ("alternation", 3): (_family(_UNORDERED, _UNEQUAL), _three_forms),
    ("recursion", 1): (_family(_ORDERED, range(10)), _nesting),
    ("recursion", 2): (_family(_ORDERED, range(10), (2, 3)), _double_nesting),
    ("recursion", 3): (_family(_LETTERS, _SIGNS, ("()", "[]", "{}", "<>")), _nested_lists),
}
