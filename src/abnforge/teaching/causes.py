"""Name the probable mistake in an answer: misunderstood notation, or the difference of two strings.

``misread`` finds notation by its structure, and proves from the language of the reference that the answer
cannot mean it. ``guess`` depends only on two strings that the answer gets wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from abnforge.automata.algebra import difference, everything, intersection, shortest
from abnforge.automata.dfa import at_most, number_of_strings
from abnforge.budget import DEFAULT
from abnforge.catalog import Message
from abnforge.charset import MAX_CODE_POINT, CharSet, union
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import CharVal, Element, Group, NumVal, Option, walk
from abnforge.teaching.messages import message
from abnforge.teaching.vocabulary import literal_value, literals_of, signs_in

# A reference with fewer than MANY strings can be a list of all of them. It cannot if it has at least FEW
# strings, and TIMES as many as the answer has literals.
MANY, FEW, TIMES = 1_000, 50, 10

# Notation that a string contains: a choice, a count, a prefix.
_NOTATION = re.compile(r"\S ?/ ?\S|\d\*|\*\d|%[sixdb]")
_BRACKETS = (("[", "]"), ("(", ")"))
# A comment that continues a definition: a string follows the semicolon.
_COMMENT = re.compile(r"""^[^;"\n]*=(?:[^;"\n]|"[^"\n]*")*;[ \t]*(?:%[si])?"[^"\n]+\"""", re.MULTILINE)
_UPPER, _LOWER = CharSet.from_ranges([(0x41, 0x5A)]), CharSet.from_ranges([(0x61, 0x7A)])
_ZERO = 0x30
_CONTROL = 0x09  # smaller code points are control characters that no exercise uses


def misread(required: Rule, text: str, accepted: str | None) -> Message | None:
    """Return notation that a wrong answer misunderstands, or None: quotes, signs, numbers, examples.

    ``accepted`` is a string that the answer wrongly accepts. Cost: an intersection of automata for each
    suspicious string of the answer.
    """
    try:
        if (cause := _unquoted(required, text)) or not required.regular:
            return cause
        return _quoted(required, text) or _numbers(required, text) or _examples(required, text, accepted)
    except GrammarError:  # a limit
        return None


def _unquoted(required: Rule, text: str) -> Message | None:
    """Return a message about a sign of the task that the answer only has as notation, or about a comment."""
    signs = signs_in(literals_of(required)) - signs_in(literal_value(each) for each, _, _ in _elements(text))
    definitions = [" ".join(rule.definition.split()) for rule in required.grammar.own_rules]
    for item in (each for rule in read(text).rules for each in walk(rule.elements)):
        is_group = isinstance(item.element, Group) and len(item.element.alternation.alternatives) == 1
        is_needless = is_group and (item.min, item.max) == (1, 1)
        sign = "#" if item.listed else "(" if is_needless else ""
        if isinstance(item.element, Option):
            content = text[item.element.alternation.span.start : item.element.alternation.span.end]
            sign = "[" if any(f'"[" {content} "]"' in each for each in definitions) else ""
        if sign and sign in signs:
            part = text[item.span.start : item.span.end]
            place = f"line {_line(text, item.span.start)}: "
            return message("notation-unquoted", place=place, part=part, sign=sign)
    if comment := _COMMENT.search(text):
        return message("notation-comment", line=_line(text, comment.start()))
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _quoted(required: Rule, text: str) -> Message | None:
    alphabet = _alphabet(required)
    hidden = {rule.name for rule in required.grammar.own_rules}
    imported = {name.lower() for name in required.grammar.rules if name not in hidden}
    names = {*core_rules(), *imported, *(rule.name.lower() for rule in read(text).rules)}
    for element, line, part in _elements(text):
        if not isinstance(element, CharVal) or len(element.value) < 2:
            continue
        value = element.value
        words = {
            each.lower() for each in re.findall(r"[A-Za-z]+", value) + re.findall(r"[A-Za-z][\w-]+", value)
        }
        unused = [each for each in _BRACKETS if each[0] not in alphabet]
        brackets = any(value.find(opening) < value.find(closing) for opening, closing in unused)
        is_notation = _NOTATION.search(value) or words & names or brackets or _has_range(value)
        other = _other_letters(value)
        if is_notation and (not _occurs(value, required) or (other != value and _occurs(other, required))):
            written = re.findall(r"[A-Za-z][\w-]+", value)
            name = next((each for each in written if each.lower() in names), None)
            if name:
                return message("name-quoted", line=line, part=part, name=name)
            return message("notation-quoted", line=line, part=part)
    return None


def _alphabet(rule: Rule) -> CharSet:
    """Return the characters of all strings that a rule matches."""
    automaton = rule.automaton
    return union(automaton.expected(row) for row in range(0, len(automaton.table), automaton.width))


def _has_range(value: str) -> bool:
    numbers = re.findall(r"(?<!\w)(\d{1,9})-(\d{1,9})(?!\w)", value)
    return any(a < b for a, b in re.findall(r"(?<!\w)(\w)-(\w)(?!\w)", value)) or any(
        int(low) < int(high) for low, high in numbers
    )


def _occurs(value: str, required: Rule) -> bool:
    """Return whether a required string contains ``value``, in upper or lower case."""
    around = loads(f'all = *%x0-10FFFF "{value}" *%x0-10FFFF\n', cache=False)["all"]
    return bool(intersection(around.automaton, required.automaton).table)


def _other_letters(value: str) -> str:
    """Return a string with other letters: it occurs, too, if other strings are required there.

    A range of two characters has other digits, too.
    """
    changed = "[0-8A-Ya-y]" if re.fullmatch(r"\W*\w-\w\W*", value) else "[A-Ya-y]"
    return re.sub(changed, lambda match: chr(ord(match[0]) + 1), value)


def _numbers(required: Rule, text: str) -> Message | None:
    alphabet = _alphabet(required)
    numbers = [
        (each, _charset(each.values, each.is_range), line, part)
        for each, line, part in _elements(text)
        if isinstance(each, NumVal) and each.values[-1] <= MAX_CODE_POINT
    ]
    for element, _, line, part in numbers:
        number = re.split("[.-]", part[2:])[-1]
        is_digit = element.is_range and element.values[0] == _ZERO and not (_UPPER | _LOWER) & alphabet
        is_decimal = number.isdecimal() and len(number) > (1 if is_digit else 2)
        if is_decimal and chr(element.values[-1]) not in alphabet and _occurs(number, required):
            return message("numbers-of-characters", line=line, part=part)
    if any(not chars - alphabet for _, chars, _, _ in numbers):
        return None  # the answer has the number of a required character
    for element, chars, line, part in numbers:
        if not chars - alphabet:
            continue
        if not chars - (_UPPER | _LOWER) and CharSet.of("".join(map(chr, chars)).swapcase()) & alphabet:
            continue  # letters of the other case
        if element.values[0] < _CONTROL and element.values[0] not in alphabet:
            return message("numbers-of-characters", line=line, part=part)
        digits = re.findall(r"[0-9A-Fa-f]+", part[2:])
        if chars & alphabet:
            continue
        if any(not each - alphabet for each in _in_other_bases(digits, element)):
            return message("numbers-of-base", line=line, part=part)
        if not CharSet.of("".join(digits)) - alphabet:
            return message("numbers-of-characters", line=line, part=part)
    return None


def _charset(values: Sequence[int], is_range: bool) -> CharSet:
    return CharSet.from_ranges([(values[0], values[-1])] if is_range else [(each, each) for each in values])


def _in_other_bases(digits: list[str], element: NumVal) -> Iterator[CharSet]:
    """Yield the characters of a number, if its digits have another base."""
    for base in (10, 16):
        try:
            values = [int(each, base) for each in digits]
        except ValueError:
            continue
        if values[0] <= values[-1] <= MAX_CODE_POINT:
            yield _charset(values, element.is_range)


def _examples(required: Rule, text: str, accepted: str | None) -> Message | None:
    """Return a message for an answer that lists some of many required strings."""
    automaton = required.automaton
    one_case = [intersection(automaton, everything(~letters)) for letters in (_LOWER, _UPPER)]
    items = [item for rule in read(text).rules for item in walk(rule.elements)]
    listed = sum(1 for each in items if isinstance(each.element, CharVal))
    most = min(MANY, max(FEW, TIMES * listed))
    if accepted is not None or all(number_of_strings(each, most) < most for each in one_case):
        return None
    if all(isinstance(each.element, CharVal | Group) and each.min == each.max == 1 for each in items):
        return message("examples-listed")
    return None


def _elements(text: str) -> Iterator[tuple[Element, int, str]]:
    """Yield the elements of an answer, with their lines and their notation."""
    for rule in read(text).rules:
        for item in walk(rule.elements):
            span = item.element.span
            yield item.element, _line(text, span.start), text[span.start : span.end]


# The probable mistake in an answer, from two strings.


def guess(required: Rule, answer: Rule, accepted: str | None, refused: str | None) -> Message | None:
    """Return the probable mistake, by shortest strings that are wrongly ``accepted`` and ``refused``.

    Returns None if the kind of mistake is unknown. Cost: a few matches, and one more for each character.
    """
    if "" in (accepted, refused) and None not in (accepted, refused):
        return None  # other strings are wrong, too
    for accepts, rejects, is_cause in _KINDS:
        if accepted is not None and is_cause(required, accepted):
            return message(accepts)
        if refused is not None and is_cause(answer, refused):
            return message(rejects)
    return None


def misfit(required: Rule, answer: Rule, text: str) -> Message | None:
    """Return a literal that matches a character of no required string, or a character that nothing matches.

    Cost: linear in the size of both automata.
    """
    if not (required.regular and answer.regular):
        return None
    needed, own = _alphabet(required), _alphabet(answer)
    for element, line, part in _elements(text):
        value = literal_value(element)
        if extra := (CharSet.of(value) & own) - needed:
            return message("never-required", line=line, part=part, character=extra.min())
    signs = CharSet.of("".join(signs_in(literals_of(required)))) & needed
    lacking = needed - own
    rejected = difference(required.automaton, answer.automaton)
    few = at_most(rejected, len(shortest(rejected) or ""), DEFAULT.meter("comparing an answer"))
    if intersection(few, everything(~lacking)).table:
        return None  # other characters are missing, too
    for chars in (signs & lacking, lacking):
        for character in map(
            chr, islice(chain.from_iterable(range(a, b + 1) for a, b in chars.spans()), MANY)
        ):
            if difference(few, everything(~CharSet.of(character))).table:
                return message("never-matched", character=character)
    return None


def _other_case(rule: Rule, text: str) -> bool:
    return any(other != text and rule.matches(other) for other in (text.lower(), text.upper()))


def _without_space(rule: Rule, text: str) -> bool:
    bare = "".join(char for char in text if char not in " \t\r\n")
    return bare != text and bare != "" and rule.matches(bare)


_KINDS = (
    ("accepts-empty", "rejects-empty", lambda rule, text: not text),
    ("accepts-case", "rejects-case", _other_case),
    ("accepts-space", "rejects-space", _without_space),
)
