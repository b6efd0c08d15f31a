"""Changes of wrong answers: the inverses of frequent mistakes.

They are another count, case, name or end of a range, an omitted element, different brackets, a slash with too
many operands. ``Vocabulary`` has the words, signs, classes and counts of the exercise, which they insert.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from abnforge.grammar.reader import read
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Concatenation,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
    walk,
)
from abnforge.teaching.vocabulary import CLASSES, MOST_WORDS, NONE, Vocabulary, alternations, is_class
from abnforge.text import Span

MOST_COUNT = 12  # a smaller maximum of a repetition is tried with every minimum
MOST_TOGETHER = 3  # maximum number of neighbors that a repetition is extended to


# The kinds of changes.
_RANGE, _CASE, _BRACKETS, COUNT = "change-range", "change-case", "change-brackets", "change-count"
_SPACE, _REACH, _STAR = "change-space", "change-reach", "change-star"
_SPACES, _TOGETHER, _MIXED, _AROUND = "change-spaces", "change-together", "change-mixed", "change-around"
_SLASH, _CHOICE, _GROUP = "change-slash", "change-choice", "change-group"
LIST, _LITERAL, WORD, NAME = "change-list", "change-literal", "change-word", "change-name"
_ZEROS, _SEPARATOR, _ORDER = "change-zeros", "change-separator", "change-order"
_SIGNS, _BASE = "change-signs", "change-base"
EXTRA, MISSING = "change-extra", "change-missing"
OVER, UNDER, BOTH = "change-over", "change-under", "change-both"
MANY, MORE, OTHERS = "change-many", "change-more", "change-others"
# Kinds in order; the most certain ones come first, and those with a comma between them have the same rank.
_ORDERED = (
    "base range case signs brackets,count,reach separator spaces,space together extra star mixed slash "
    "choice group list literal name zeros order missing,around word"
)
RANKS = {f"change-{kind}": rank for rank, kinds in enumerate(_ORDERED.split()) for kind in kinds.split(",")}


# Kinds of changes that are the cause, even if another change is enough, or the answer has other mistakes.
SURE = frozenset({_BASE, _CASE, _RANGE, _SIGNS, _SPACE, _SPACES, WORD, _ZEROS})
CERTAIN = frozenset({_BASE, _CASE, _SIGNS, WORD})


@dataclass(frozen=True, slots=True)
class AnswerEdit:
    """A replacement for a span of the answer, and the code of the message about it.

    The message shows the part of the answer in ``place``, by default the span. That part wrongly matches the
    string ``over``, and wrongly rejects the string ``under``. With ``is_each``, all equal parts have
    the same change.
    """

    span: Span
    text: str
    code: str
    place: Span | None = None
    over: str | None = None
    under: str | None = None
    is_each: bool = False


def changes(text: str, known: Vocabulary = NONE) -> Iterator[AnswerEdit]:
    """Yield changes to the rules of an answer. Cost: about a hundred for a rule of ten elements."""
    for rule in read(text).rules:
        yield from (AnswerEdit(rule.elements.span, name, NAME) for name in known.imported.values())
        yield from _of_alternation(rule.elements, text, known)
        written = text_of(rule.elements.span, text)
        for choice in known.alternatives if len(rule.elements.alternatives) == 1 else ():
            yield AnswerEdit(rule.elements.span, f"{written} / {choice}", LIST)


def _of_alternation(elements: Alternation, text: str, known: Vocabulary) -> Iterator[AnswerEdit]:
    whole = elements.alternatives
    written = [text_of(each.span, text) for each in whole]
    single = [each.items[0] for each in whole if len(each.items) == 1]
    literals = [each.element for each in single if (each.min, each.max) == (1, 1)]
    if len(whole) > 1:
        for literal in (*known.literals(), *known.alternatives, *known.ranges, "DIGIT", "ALPHA"):
            yield AnswerEdit(elements.span, " / ".join([*written, literal]), LIST)
        for literal in (*known.literals(), *known.items):
            yield AnswerEdit(elements.span, f"({' / '.join(written)}) {literal}", MISSING)
            yield AnswerEdit(elements.span, f"{literal} ({' / '.join(written)})", MISSING)
    for name in known.names:
        yield AnswerEdit(elements.span, " / ".join([*written, name]), LIST)
    if known.names:
        yield AnswerEdit(elements.span, " / ".join([*written, '""']), LIST)
    counts = {(each.items[0].min, each.items[0].max) if len(each.items) == 1 else None for each in whole}
    if len(whole) > 1 and len(counts) == 1 and not counts & {None, (1, 1)}:
        choice = " / ".join(_inside(each.items[0], text) for each in whole)
        yield AnswerEdit(
            elements.span, f"{_count(whole[0].items[0].min, whole[0].items[0].max)}({choice})", _SLASH
        )
    for number, alternative in enumerate(whole):
        yield from _of_concatenation(alternative, text, known)
        if len(whole) > 1:
            others = " / ".join(written[:number] + written[number + 1 :])
            yield AnswerEdit(elements.span, others, EXTRA, alternative.span)
    if len(whole) > 1 and all(isinstance(each, CharVal) for each in literals) and len(literals) == len(whole):
        is_sensitive = '%s"' in text_of(elements.span, text)
        prefix = "" if is_sensitive else "%s"
        changed = " / ".join(f'{prefix}"{each.value}"' for each in literals if isinstance(each, CharVal))
        if is_sensitive or known.case_sensitive:
            yield AnswerEdit(elements.span, changed, _CASE)
    for start, end in _ranges(len(whole), least=2):
        span = Span(whole[start].span.start, whole[end - 1].span.end)
        if '""' not in written[start:end]:
            yield AnswerEdit(span, " ".join(written[start:end]), _SLASH)
        if "/" in known.signs:
            yield AnswerEdit(span, f" {known.literal('/')} ".join(written[start:end]), _SIGNS)
        yield from _regrouped(whole[start:end], span, text)


def _ranges(size: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each part of a sequence with at least ``least`` items."""
    for length in range(least, size + 1):
        yield from ((start, start + length) for start in reversed(range(size - length + 1)))


def _regrouped(whole: tuple[Concatenation, ...], span: Span, text: str) -> Iterator[AnswerEdit]:
    """Yield edits that apply the start of the first alternative, and the end of the last one, to all."""
    first, last = ([text_of(item.span, text) for item in each.items] for each in (whole[0], whole[-1]))
    middle = [text_of(each.span, text) for each in whole[1:-1]]
    for low, high in product(range(len(first)), range(1, len(last) + 1)):
        head = whole[0].items[low]
        groups = [("", " / ".join([" ".join(first[low:]), *middle, " ".join(last[:high])]))]
        if head.max != 1 and not head.listed:
            count, starts = _count(head.min, head.max), [_inside(head, text), *first[low + 1 :]]
            groups.append((count, " / ".join([" ".join(starts), *middle, " ".join(last[:high])])))
        for (count, group), form in product(groups, ("({})", "[{}]")):
            changed = [*first[:low], count + form.format(group), *last[high:]]
            if len(changed) > 1 or count:
                yield AnswerEdit(span, " ".join(changed), _GROUP)
    if len(whole) == 2:
        yield AnswerEdit(span, f"{' '.join(first)} [{' '.join(last)}]", _SLASH)
        yield AnswerEdit(span, f"[{' '.join(first)}] {' '.join(last)}", _SLASH)


def _of_concatenation(concatenation: Concatenation, text: str, known: Vocabulary) -> Iterator[AnswerEdit]:
    items, span = concatenation.items, concatenation.span
    written = [text_of(item.span, text) for item in items]
    for item in items:
        yield from _of_item(item, text, known)
        if len(items) > 1:
            yield AnswerEdit(item.span, "", EXTRA)
    for start, end in _ranges(len(items), least=2):
        part, parts = Span(items[start].span.start, items[end - 1].span.end), written[start:end]
        if end - start <= MOST_TOGETHER:
            yield from _reaching(items[start:end], part, text)
        yield AnswerEdit(part, f"[{' '.join(parts)}]", _BRACKETS)
        for count in ("*", "1*", "2"):
            yield AnswerEdit(part, f"{count}({' '.join(parts)})", COUNT)
        if len({*parts}) == len(parts):  # equal elements are too many
            yield AnswerEdit(part, f"({' / '.join(parts)})", _SLASH)
    bare = [
        _inside(item, text) if isinstance(item.element, Option) else text_of(item.span, text)
        for item in items
    ]
    for cut, form in product(range(1, len(items)), [written, bare] if bare != written else [bare]):
        if form[:cut] != form[cut:]:
            code = _SLASH if form is written else _CHOICE
            yield AnswerEdit(span, f"({' '.join(form[:cut])} / {' '.join(form[cut:])})", code)
    for first, second in combinations(range(len(items)), 2):
        part = Span(items[first].span.start, items[second].span.end)
        swapped = [written[second], *written[first + 1 : second], written[first]]
        yield AnswerEdit(part, " ".join(swapped), _ORDER)
    if len(items) > 1:
        yield AnswerEdit(span, " ".join(reversed(written)), _ORDER)
    names = re.findall(r"^([A-Za-z][\w-]*)[ \t]*=", text, re.MULTILINE)
    for gap, place in enumerate(
        (*(Span(each.span.start, each.span.start) for each in items), Span(span.end, span.end))
    ):
        literals = known.literals()
        options = [f"[{each}]" for each in literals] if gap in (0, len(items)) else []
        for literal in (
            *literals,
            *known.items,
            *options,
            "SP",
            "DIGIT",
            "ALPHA",
            "CRLF",
            *names,
            *dict.fromkeys(written),
        ):
            yield AnswerEdit(place, f" {literal} ", _SPACE if literal == "SP" else MISSING, span)
    for opening, closing in ("()", "[]", "<>", "{}", '""'):
        if opening in known.signs:
            changed = f"{known.literal(opening)} {' '.join(written)} {known.literal(closing)}"
            yield AnswerEdit(span, changed, _AROUND)
    yield from _of_options(items, span, text, known)
    for start in range(len(items) - 2):
        if isinstance(items[start].element, CharVal) and isinstance(items[start + 2].element, CharVal):
            part = Span(items[start].span.start, items[start + 2].span.end)
            yield AnswerEdit(part, f"({written[start]} / {written[start + 2]})", _SLASH)


def _of_options(
    items: tuple[Repetition, ...], span: Span, text: str, known: Vocabulary
) -> Iterator[AnswerEdit]:
    """Yield edits that join neighboring options, or that require all of them in a recursive answer."""
    options = [isinstance(item.element, Option) and item.min == item.max == 1 for item in items]
    written = [text_of(item.span, text) for item in items]
    bare = [
        _inside(item, text) if option else each
        for item, option, each in zip(items, options, written, strict=True)
    ]
    joined, last = list[str](), 0
    for place, (one, two) in enumerate(pairwise(options)):
        if one and two and place >= last:
            both = f"[{bare[place]} {bare[place + 1]}]"
            part = Span(items[place].span.start, items[place + 1].span.end)
            yield AnswerEdit(part, both, _TOGETHER)
            joined, last = [*joined, *written[last:place], both], place + 2
    if sum(options) > 1 and (last < len(items) or len(joined) > 1):
        yield AnswerEdit(span, " ".join([*joined, *written[last:]]), _TOGETHER)
    if sum(options) > 1 and known.names:
        yield AnswerEdit(span, " ".join(bare), _TOGETHER)


def _reaching(items: tuple[Repetition, ...], span: Span, text: str) -> Iterator[AnswerEdit]:
    """Yield edits that apply the repetition or option at one end to all items."""
    written = [text_of(item.span, text) for item in items]
    for item, inner in (
        (items[0], [_inside(items[0], text), *written[1:]]),
        (items[-1], [*written[:-1], _inside(items[-1], text)]),
    ):
        if isinstance(item.element, Option):
            yield AnswerEdit(span, f"[{' '.join(inner)}]", _REACH, item.span)
        elif (item.min, item.max) != (1, 1):
            for sign in (" ", " / "):
                changed = f"{_count(item.min, item.max)}({sign.join(inner)})"
                yield AnswerEdit(span, changed, *((_STAR, item.span) if sign == " " else (_SLASH, span)))


def _inside(item: Repetition, text: str) -> str:
    """Return an item without its count and option."""
    element = item.element
    return (
        f"({text_of(element.alternation.span, text)})"
        if isinstance(element, Option)
        else text_of(element.span, text)
    )


def _count(least: int, most: int | None) -> str:
    return f"{least or ''}*{'' if most is None else most}"


def _of_item(item: Repetition, text: str, known: Vocabulary) -> Iterator[AnswerEdit]:
    element = item.element
    if item.listed:
        return
    inner = _inside(item, text)
    if isinstance(element, Option):
        yield AnswerEdit(element.span, inner, _BRACKETS)
        ways = [text_of(each.span, text) for each in element.alternation.alternatives]
        if len(ways) > 1:
            yield AnswerEdit(item.span, " ".join(f"[{each}]" for each in ways), _SLASH)
        for count in ("*", "1*", "*2", "*3"):
            yield AnswerEdit(item.span, count + inner, COUNT)
    else:
        for least, most in _counts(item.min, item.max, known.counts):
            optional = {(item.min, item.max), (least, most)} == {(0, 1), (1, 1)}
            yield AnswerEdit(item.span, _count(least, most) + inner, _BRACKETS if optional else COUNT)
        for number in {item.min, item.max} - {0, 1, None}:
            yield AnswerEdit(item.span, f"*({number}{inner})", _STAR)
        if item.max is None:
            yield AnswerEdit(item.span, f"{_count(item.min, None)}(2{inner})", _STAR)
            for sign in known.signs:
                yield AnswerEdit(
                    item.span, f"{_count(item.min, None)}({known.literal(sign)} {inner})", _SEPARATOR
                )
    if isinstance(element, Group) and is_class(element):
        for name in known.ranges:
            yield AnswerEdit(element.span, name, NAME)
    if isinstance(element, Group | Option):
        opening, closing = "[]" if isinstance(element, Option) else "()"
        if opening in known.signs and (item.min, item.max) == (1, 1):
            for content in dict.fromkeys((inner, f"[{text_of(element.alternation.span, text)}]")):
                changed = f"{known.literal(opening)} {content} {known.literal(closing)}"
                yield AnswerEdit(item.span, changed, _SIGNS)
        yield from _of_alternation(element.alternation, text, known)
        (only, *others) = element.alternation.alternatives
        if not others and len(only.items) > 1:
            yield from _of_separated(item, only, text)
        if len(others) == 1 and item.max is None:
            yield from _of_mixed(item, [text_of(each.span, text) for each in (only, *others)], known)
    elif isinstance(element, CharVal):
        yield from _of_literal(element, known)
    else:
        yield from _of_class(item, text, known)


def _of_separated(item: Repetition, only: Concatenation, text: str) -> Iterator[AnswerEdit]:
    """Yield edits of a repeated group, for a separator between two elements, and for one end outside it."""
    parts = [text_of(each.span, text) for each in only.items]
    for rest, separator in ((parts[:-1], parts[-1]), (parts[1:], parts[0])):
        counts = [] if item.max is None else [_count(max(item.min - 1, 0), item.max - 1)]
        for count in ("*", "1*", *counts):
            changed = f"{' '.join(rest)} {count}({separator} {' '.join(rest)})"
            yield AnswerEdit(item.span, changed, _SEPARATOR)
            yield AnswerEdit(item.span, f"[{changed}]", _SEPARATOR)
    opening, closing = "[]" if isinstance(item.element, Option) else (f"{_count(item.min, item.max)}(", ")")
    if isinstance(only.items[-1].element, Option):
        head, separator = " ".join(parts[:-1]), _inside(only.items[-1], text)
        most = "" if item.max is None else item.max - 1
        yield AnswerEdit(item.span, f"{head} {max(item.min - 1, 0)}*{most}({separator} {head})", _SEPARATOR)
    yield AnswerEdit(item.span, f"{opening}{' '.join(parts[:-1])}{closing} {parts[-1]}", _REACH)
    yield AnswerEdit(item.span, f"{parts[0]} {opening}{' '.join(parts[1:])}{closing}", _REACH)


def _of_mixed(item: Repetition, ways: list[str], known: Vocabulary) -> Iterator[AnswerEdit]:
    """Yield edits that write two repeated alternatives in order, one of them as a separator."""
    counts = [_count(*each) for each in dict.fromkeys([(0, None), (0, 1), *known.counts])]
    for one, two in (ways, ways[::-1]):
        for element, count in product((f"({one})", f"1*({one})"), counts):
            yield AnswerEdit(item.span, f"{element} {count}(({two}) {element})", _MIXED)
        yield AnswerEdit(item.span, f"{_count(item.min, None)}(({one}) ({two}))", _MIXED)


def _of_literal(element: CharVal, known: Vocabulary) -> Iterator[AnswerEdit]:
    prefix = "" if element.case_sensitive else "%s"
    if element.case_sensitive or known.case_sensitive:
        yield AnswerEdit(element.span, f'{prefix}"{element.value}"', _CASE)
    for bare in {element.value.strip(), re.sub(" +", " ", element.value)} - {element.value}:
        yield AnswerEdit(element.span, f'{element.prefix}"{bare}"', _SPACES)
    for name in known.names if len(element.value) == 2 else ():
        signs = map(known.literal, element.value)
        yield AnswerEdit(element.span, f" {name} ".join(signs), MISSING)
    if 1 < len({*element.value}) == len(element.value) <= MOST_WORDS:
        yield AnswerEdit(element.span, f"({' / '.join(map(known.literal, element.value))})", _SLASH)
    if len(parts := re.split(r"[\s,/|]+", element.value)) > 1 and all(parts):
        yield AnswerEdit(element.span, f"({' / '.join(map(known.literal, parts))})", _SLASH)
    own = f'{element.prefix}"{element.value}"'
    for literal in known.literals():
        yield AnswerEdit(element.span, literal, _LITERAL)
        if literal != own:
            yield AnswerEdit(element.span, f"({own} / {literal})", LIST)
    for word in dict.fromkeys(re.findall(r"[A-Za-z]{2,}", element.value)):
        for other in known.words if word != element.value else ():
            yield AnswerEdit(element.span, known.literal(element.value.replace(word, other)), _LITERAL)
    for name in CLASSES if len(element.value) == 1 else ():
        yield AnswerEdit(element.span, name, NAME)


def _of_class(item: Repetition, text: str, known: Vocabulary) -> Iterator[AnswerEdit]:
    element = item.element
    if isinstance(element, NumVal):
        written = text_of(element.span, text)
        for literal in known.literals() if not element.is_range and len(element.values) > 1 else ():
            yield AnswerEdit(element.span, literal, _LITERAL)
        for base in {"d", "x"} - {written[1].lower()}:
            if base == "x" or not re.search("[A-Fa-f]", written[2:]):
                yield AnswerEdit(element.span, f"%{base}{written[2:]}", _BASE)
        value = "".join(map(chr, element.values))
        if not element.is_range and value.isascii() and value.isalpha():
            yield AnswerEdit(element.span, f'"{value}"', _CASE)
        if not element.is_range and len(value) == 2 and value[0] < value[1]:
            yield AnswerEdit(element.span, written.replace(".", "-"), NAME)
    if isinstance(element, NumVal) and element.is_range:
        first, last = element.values
        for low, high in product(range(-2, 3), repeat=2):
            if (low, high) != (0, 0) and 0 <= first + low <= last + high:
                yield AnswerEdit(element.span, f"%x{first + low:X}-{last + high:X}", _RANGE)
    if isinstance(element, RuleName) or (isinstance(element, NumVal) and element.is_range):
        written = text_of(element.span, text)
        for name in (*CLASSES, *known.ranges, *known.names):
            if name != written.upper():
                yield AnswerEdit(element.span, name, NAME)
        for name in ("ALPHA", "DIGIT"):
            if isinstance(element, RuleName) and name != written.upper():
                yield AnswerEdit(element.span, f"({written} / {name})", LIST)
        if item.min > 1:
            count = _count(item.min - 1, None if item.max is None else item.max - 1)
            for name in known.ranges:
                yield AnswerEdit(item.span, f"{name} {count}{written}", NAME)
        if written.upper() in ("DIGIT", "%X30-39") and not known.leading_zeros:
            for number in ('("0" / %x31-39 *DIGIT)', "%x31-39 *DIGIT", "%x31-39 DIGIT"):
                yield AnswerEdit(item.span, number, _ZEROS)


def everywhere(edits: Iterable[AnswerEdit], text: str) -> Iterator[AnswerEdit]:
    """Yield edits that change all equal elements, for a mistake that an answer repeats."""
    known = set[str]()
    for edit in edits:
        written = text_of(edit.span, text)
        spans = [Span(*each.span()) for each in re.finditer(as_word(written), text)] if written else []
        if edit.place is None and len(spans) > 1:
            changed = edit.text.join(re.split(as_word(written), text))
            if changed not in known:
                known.add(changed)
                yield AnswerEdit(Span(0, len(text)), changed, edit.code, spans[0], is_each=True)


def as_word(written: str) -> str:
    """Return a pattern for a part of an answer as a whole element."""
    return rf"(?<![A-Za-z%-]){re.escape(written)}(?![\w-])"


def parts(text: str, start: str) -> Iterator[AnswerEdit]:
    """Yield the parts of an answer as elements of ABNF, and the places where an element can be missing.

    The definition of the rule ``start``, which is the whole answer, is not a part.
    """
    for rule in read(text).rules:
        if rule.name.lower() != start.lower():
            yield AnswerEdit(rule.elements.span, text_of(rule.elements.span, text), "")
    for sequence in sequences(text):
        yield from sequence if len(sequence) > 1 else ()
        if not sequence[-1].code:
            whole = Span(sequence[0].span.start, sequence[-1].span.end)
            for offset in {whole.end, *(each.span.start for each in sequence)}:
                yield AnswerEdit(Span(offset, offset), '""', MISSING, whole)


def sequences(text: str) -> Iterator[list[AnswerEdit]]:
    """Yield the elements of each concatenation, and the alternatives of each alternation with its end.

    Elements have no code. Alternatives have that of a part that can only be restricted; the end has that of a
    missing alternative.
    """
    for rule in read(text).rules:
        for elements in (rule.elements, *alternations(rule.elements)):
            whole = elements.alternatives
            for each in whole:
                yield [AnswerEdit(item.span, text_of(item.span, text), "") for item in each.items]
            if len(whole) > 1 or elements is rule.elements:
                end = Span(elements.span.end, elements.span.end)
                several = whole if len(whole) > 1 else ()
                options = [AnswerEdit(each.span, text_of(each.span, text), OVER) for each in several]
                yield [*options, AnswerEdit(end, "", LIST, elements.span)]


def alternation_of(span: Span, text: str) -> Span | None:
    """Return the place of the alternation that has an element as one of several alternatives, or None."""
    for rule in read(text).rules:
        for elements in (rule.elements, *alternations(rule.elements)):
            whole = elements.alternatives
            if len(whole) > 1 and span in [each.items[0].span for each in whole if len(each.items) == 1]:
                return elements.span
    return None


def letters(text: str) -> Iterator[Repetition]:
    """Yield the items that match any letters."""
    for item in (each for rule in read(text).rules for each in walk(rule.elements)):
        match item.element:
            case RuleName(name=name) if name.upper() in ("ALPHA", "VCHAR"):
                yield item
            case NumVal(values=(0x41, 0x5A) | (0x61, 0x7A), is_range=True):
                yield item


def _counts(
    least: int, most: int | None, required: Iterable[tuple[int, int | None]]
) -> list[tuple[int, int | None]]:
    """Return other counts: those of the reference, frequent and near ones, and one end of the reference."""
    counts = [*required, (1, 1), (0, 1), (0, None), (1, None), (least, least), (least, None)]
    if most is not None:
        counts += [(0, most), (most, most)]
        near = (-1, 0, 1, -2, 2)
        counts += [(least + low, most + high) for low in near for high in near]
        counts += [(low, most) for low in range(min(most, MOST_COUNT))]
    else:
        counts += [(least - 1, None), (least + 1, None)]
    counts += [each for low, high in required for each in ((least, high), (low, most))]
    usable = (each for each in counts if each[0] >= 0 and (each[1] is None or 1 <= each[1] >= each[0]))
    return [each for each in dict.fromkeys(usable) if each != (least, most)]


def text_of(span: Span, text: str) -> str:
    return text[span.start : span.end]
