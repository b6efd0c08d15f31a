"""Structural mistakes: wrong numbers of items, missing rules, exceptions, text around the input.

The correct items are unknown, so most of these mistakes have a place and no fix. If a string is a sequence of
records, such as lines, a wrong record does not hide mistakes in other records.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from abnforge.catalog import listed
from abnforge.charset import ANY, CharSet, union
from abnforge.explain.derive.builder import (
    EMPTY,
    MistakeBuilder,
    chars,
    escaped,
    literal,
    name,
    one,
    quoted_literal,
    some,
    text,
    unless_others,
)
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.derive.missing import sign_of_rule
from abnforge.explain.derive.runs import CharacterRun
from abnforge.explain.mistakes import AFTER, ANY_RULE, BEFORE, NO_VALUE, Slot, Text, literal_text
from abnforge.explain.signs import (
    PUNCTUATION,
    QUOTES,
    briefly,
    described,
)
from abnforge.grammar.syntax import Alternation, CharVal, Element, Group, Repetition, RuleName

MAX_WORDS, MAX_DEEP = 4, 4  # words listed by a message, and searched depth of rules
MAX_COUNTED = 256  # larger counts are not checked

# Words and marks for a missing value in tables, logs and exports. ``NA`` must have this case.
NULL_WORDS = (
    *("null", "none", "nil", "nan", "n/a", "n.a.", "undefined", "unknown", "tbd", "todo", "not available"),
    *("(null)", "(none)", "<null>", "<na>", "[null]", "\\N", "#N/A", "-", "--", "---", "?"),
)


def count_mistakes(builder: MistakeBuilder, key: str) -> None:
    """Add too few or too many characters if a rule counts them (``4DIGIT``)."""
    context = builder.context
    rule, where = builder.rule_name(key), builder.location(key)
    items: list[object] = []
    for site in context.sites(key):
        low, high = site.item.min, site.item.max
        shape = context.shape(site.item.element)
        if high is None or high < 2 or high > MAX_COUNTED or shape.longest != 1 or site.item in items:
            continue
        items.append(site.item)
        if not context.charset(shape.alone) - PUNCTUATION:
            continue  # a delimiter
        is_whole = site.last and site.depth == 0 and len(site.concatenation.items) == 1
        is_whole = is_whole and len(site.alternation.alternatives) == 1
        part = None if is_whole else site.item
        kind = escaped(described(context.charset(shape.alone), several=True))
        # A preceding character of the same kind is not counted, as in ``%x31-39 *2DIGIT``.
        previous = site.concatenation.items[site.index - 1] if site.index else None
        further = " more" if previous is not None and context.item(previous).alone & shape.alone else ""
        maximum = f"{low}" if low == high else f"at most {high}"
        minimum = f"{low}" if low == high else f"at least {low}"
        counts = _alternative_counts(context, site)
        if len(counts) > 1:
            minimum = maximum = " or ".join(map(str, sorted(counts)))
        if low > 1:
            builder.add(
                f"too-few-in-{rule}",
                (key,),
                [[some(site.item.element, 1, low - 1)]],
                f"{{all}} must have {minimum}{further} {kind}{where}",
                part=part,
                is_short=True,
            )
        others = [each for each in site.alternation.alternatives if each is not site.concatenation]
        is_longest = site.index > 0 or not any(
            other.first & shape.first and other.longest > high
            for other in (context.sequence(each.items) for each in others)
        )
        if (is_longest or len(counts) > 1) and not site.after & shape.first:
            builder.add(
                f"too-many-in-{rule}",
                (key,),
                [[some(site.item.element, high + 1)]],
                f"{{all}} must have {maximum}{further} {kind}{where}",
                part=part,
                reach=high,
            )


def _alternative_counts(context: FollowSets, site: Site) -> set[int]:
    """Return the counts of alternatives such as ``3HEXDIG / 6HEXDIG`` over the same characters."""
    charset = context.shape(site.item.element).alone
    counts = set()
    for alternative in site.alternation.alternatives:
        item = alternative.items[0]
        is_count = len(alternative.items) == 1 and item.min == item.max
        if is_count and context.shape(item.element).alone == charset:
            counts.add(item.min)
    is_alone = len(site.concatenation.items) == 1 and site.item.min == site.item.max
    return counts if is_alone else set()


def exception_mistakes(builder: MistakeBuilder, key: str) -> None:
    """Add the strings that ``;@ except`` excludes."""
    rule = builder.rule_name(key)
    for each in builder.context.grammar.rules[key].excepted:
        other = builder.rule_name(each.name.lower())
        say = f"{{all}} is not allowed as the {rule}; it is excluded as {other}"
        builder.add_once(f"{other}-as-{rule}", (key,), [[Repetition(each)]], say, is_exception=True)


def empty_mistakes(
    builder: MistakeBuilder, key: str, runs: list[CharacterRun], is_after_delimiter: bool
) -> None:
    """Add an empty string instead of a rule or of a run in the rule.

    ``is_after_delimiter`` means that the place where the rule begins is visible.
    """
    context = builder.context
    rule = builder.rule_name(key)
    for run in runs:
        if run.item.min == 1 and not run.whole and not run.site.others:
            held = context.charset(run.shape.alone)
            what, more = escaped(described(held)), unless_others(held)
            builder.add_missing(f"nothing-in-{rule}", (key,), [[EMPTY]], what, part=run.item, cost=2, **more)
    if context.shapes[key].nullable or not context.shapes[key].first & ~context.bits(context.whitespace):
        return
    if is_after_delimiter or key == context.start or any(run.last for run in runs):
        begun = context.charset(context.shapes[key].first)
        what = escaped(described(begun)) if builder.is_too_small(key) else f"the {rule}"
        cost = 2 if is_after_delimiter else 3
        builder.add_missing(f"missing-{rule}", (key,), [[EMPTY]], what, cost=cost, **unless_others(begun))


def first_character_mistakes(builder: MistakeBuilder, key: str) -> None:
    """Add wrong first characters of the start rule or of a rule after a delimiter."""
    context = builder.context
    if context.shapes[key].nullable or any(
        _is_one_of(context, parent, key) for parent in context.parents[key]
    ):
        return  # a message about the parent is better
    stops = context.charset(context.outer[key])
    bad = ~(stops | context.charset(context.begun[key]))
    # Whitespace is not in the innermost rule that begins there.
    space = context.whitespace
    for inner, wrong in ((_first_rule(builder, key), bad - space), (key, bad & space)):
        if not wrong:
            continue
        rule = builder.rule_name(inner)
        first_wrong = builder.helper(f"first-here-in-{rule}", [one(chars(wrong))])
        rest = builder.helper(f"rest-of-{rule}", [some(chars(~stops))])
        slot = Slot(first_wrong.name.lower())
        where = f"at the start of the {rule}"
        if builder.is_too_small(key):
            where = f"{builder.location(key)} here".strip()
        allowed = None
        if context.begun[key] == context.shapes[key].first:
            opening = _opening_words(context, context.grammar.rules[key].elements, 0)
            words = list(islice(opening, MAX_WORDS + 1))
            characters = escaped(briefly(context.charset(context.begun[key])))
            if all(words) and len(words) <= MAX_WORDS and max(map(len, words)) > 1:
                blank = briefly(CharSet.of(" "))
                names = [blank if word == " " else quoted_literal(word) for word in words]
                characters = listed(dict.fromkeys(names), "or")
            if characters:
                where, allowed = f"{where}; use {characters}", context.charset(context.begun[key])
        builder.add(
            f"first-character-in-{rule}",
            (key,),
            [[name(first_wrong.name), name(rest.name)]],
            f"{{{slot}}} is not allowed {where}",
            blame=(slot,),
            cost=2,
            reach=0,
            listed=allowed,
            about=None if inner == key else inner,
        )


def _first_rule(builder: MistakeBuilder, key: str) -> str:
    """Return the innermost rule that begins in every string of a rule, at its start."""
    context, seen = builder.context, {key}
    while True:
        alternatives = context.grammar.rules[key].elements.alternatives
        item = alternatives[0].items[0]
        if len(alternatives) > 1 or not isinstance(item.element, RuleName) or item.min < 1:
            return key
        inner = item.element.name.lower()
        if inner in seen or context.shapes[inner].nullable or builder.is_too_small(inner):
            return key
        seen.add(key := inner)


def _opening_words(context: FollowSets, alternation: Alternation, depth: int) -> Iterator[str]:
    """Yield the literal that begins each alternative, or "" for another element."""
    for each in alternation.alternatives:
        item = each.items[0]
        inner = None
        if isinstance(item.element, RuleName):
            inner = context.grammar.rules[item.element.name.lower()].elements
        elif isinstance(item.element, Group):
            inner = item.element.alternation
        if item.min != 1 or depth > MAX_DEEP:
            yield ""
        elif inner is not None:
            yield from _opening_words(context, inner, depth + 1)
        else:
            word = literal_text(item.element) or ""
            yield word if word.isascii() and word.isprintable() else ""


def rules_after_delimiters(context: FollowSets, signs: frozenset[str]) -> frozenset[str]:
    """Return the rules that directly follow a delimiter somewhere.

    The place where such a rule begins is visible.

    ``signs`` are the rules that consist only of a delimiter.
    """
    whitespace = context.bits(context.whitespace)
    rules: set[str] = set()
    for parent in context.names:
        for site in context.sites(parent):
            element = site.item.element
            if not isinstance(element, RuleName) or not site.index:
                continue
            previous = site.concatenation.items[site.index - 1]
            previous_rule = previous.element.name.lower() if isinstance(previous.element, RuleName) else None
            if _ends_in_sign(previous) or previous_rule in signs:
                rules.add(element.name.lower())
    shapes = context.shapes
    return frozenset(
        key for key in rules - signs if not shapes[key].nullable and shapes[key].first & ~whitespace
    )


def _ends_in_sign(item: Repetition) -> bool:
    """Return whether an item is a literal that ends in a sign, such as ``"q="``."""
    text = literal_text(item.element) if item.min == item.max == 1 else None
    return bool(text and text[-1] in PUNCTUATION)


def _is_one_of(context: FollowSets, parent: str, key: str) -> bool:
    """Return whether a rule is one of several alternatives of another rule."""
    alternatives = context.grammar.rules[parent].elements.alternatives
    return len(alternatives) > 1 and any(
        len(each.items) == 1
        and isinstance(each.items[0].element, RuleName)
        and each.items[0].element.name.lower() == key
        for each in alternatives
    )


_LINE_ENDS = CharSet.of("\r\n")

WRAPPERS = (
    ('"', '"'),
    ("'", "'"),
    ("<", ">"),
    ("`", "`"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\xab", "\xbb"),
)
"""Pairs of quotes around copied strings (RFC 3986, appendix C)."""


def null_mistakes(builder: MistakeBuilder) -> None:
    """Add words for a missing value, and unfilled placeholders, instead of the start rule.

    They precede other mistakes of the same cost, but do not change the order of others. Marks such as ``-``
    are only added if the rule cannot start with them, and does not require them once between other items.
    """
    context = builder.context
    first = context.charset(context.shapes[context.start].first)
    required = _required_literals(context)
    words = [
        [one(CharVal(word))]
        for word in NULL_WORDS
        if (word[0] not in first or word[0].isalpha()) and required.count(word) != 1
    ]
    builder.add(
        NO_VALUE,
        (context.start,),
        [[one(CharVal("NA", "%s"))], *words],
        "{all} is a placeholder for a missing value; replace it",
        order=0,
    )
    inside = some(chars(ANY - CharSet.of("{}")), 1)
    sites = (site for key in context.names for site in context.sites(key))
    if any((literal_text(site.item.element) or "").startswith(("{{", "${")) for site in sites):
        return  # the grammar describes templates
    builder.add(
        f"template-in-{builder.rule_name(context.start)}",
        (context.start,),
        [[text("{{"), inside, text("}}")], [text("${"), inside, text("}")]],
        "{all} is an unfilled placeholder; replace it",
        order=0,
    )


def _required_literals(context: FollowSets) -> list[str]:
    """Return the literals in all strings of the start rule; those of a rule that is used twice occur once."""
    result = []
    for key in (queue := [context.start]):
        for site in context.sites(key):
            element = site.item.element
            if site.optional or (site.item.min, site.item.max) != (1, 1):
                continue
            if isinstance(element, RuleName):
                if (named := element.name.lower()) not in queue:
                    queue.append(named)
            elif literal := literal_text(element):
                result.append(literal)
    return result


def mistakes_around_start(builder: MistakeBuilder) -> None:
    """Add whitespace and quotes around the start rule."""
    context = builder.context
    start = builder.rule_name(context.start)
    spaces = context.blanks
    # The end comes first, since whitespace before a string can belong to the rule. Whitespace that the rule
    # can contain is a mistake only at the end.
    first = context.charset(context.shapes[context.start].first)
    follows = context.shapes[context.start].continuation & context.bits(context.whitespace)
    kinds = (
        (AFTER, "at the end of the" if follows else "after the", spaces),
        (BEFORE, "before the", spaces - first),
        (BEFORE, "before other characters of the", spaces if spaces & first else CharSet()),
    )
    for place, where, charset in kinds:
        if charset:
            body, say = [[some(chars(charset), 1)]], f"{{all}} is not allowed {where} {start}; remove it"
            builder.add(f"space-{place}", (ANY_RULE,), body, say, place=place, fix=(Text(""),))
    valid_first = first | union(context.look_alikes(mark) for mark in QUOTES if mark in first)
    opening = [
        (opening_mark, closing_mark)
        for opening_mark, closing_mark in WRAPPERS
        if opening_mark in context.characters - valid_first
    ]
    if opening:
        begin = builder.helper(
            "opening-around", *([one(literal(opening_mark))] for opening_mark, _ in opening)
        )
        builder.add(
            "wrapped",
            (ANY_RULE,),
            [
                [
                    name(begin.name),
                    name(start),
                    one(chars(CharSet.of("".join(closing_mark for _, closing_mark in opening)))),
                ]
            ],
            f"{{{begin.name.lower()}}} is not allowed around the {start}; remove both delimiters",
            blame=(Slot(begin.name.lower()),),
            fix=(Slot(context.start),),
            inner=frozenset({context.start}),
        )


def mistakes_after_start(builder: MistakeBuilder) -> None:
    """Add further characters after a string of the start rule."""
    context = builder.context
    start = builder.rule_name(context.start)
    if context.shapes[context.start].nullable:
        return  # otherwise any input could follow the empty string
    rest = builder.helper("text-at-end", [some(chars(ANY), 1)])
    slot = Slot(rest.name.lower())
    builder.add(
        "text-after",
        (ANY_RULE,),
        [[name(start), name(rest.name)]],
        f"{{{slot}}} is not allowed after the {start}",
        blame=(slot,),
        cost=3,
        reach=0,
        is_vague=context.shapes[context.start].continuation != 0,
    )


def record_mistakes(builder: MistakeBuilder) -> None:
    """Add further characters in a record of a sequence, and records that do not match at all.

    The records after it are parsed as usual.
    """
    context = builder.context
    for parent in _wholes(context):
        for site in context.sites(parent):
            if site.item.max is None:
                for element in _of_each(site.item.element):
                    if sign_of_rule(context, element) is None:
                        _record(builder, element.name.lower())
            if isinstance(site.item.element, RuleName) and not site.depth:
                _line(builder, site.item.element.name.lower())


def _wholes(context: FollowSets) -> list[str]:
    """Return the start rule and the rules that are its alternatives, directly or indirectly."""
    wholes = dict.fromkeys([context.start])
    for key in (queue := [context.start]):
        for each in context.grammar.rules[key].elements.alternatives:
            item = each.items[0]
            if len(each.items) == 1 and isinstance(item.element, RuleName) and item.max == 1:
                named = item.element.name.lower()
                if named not in wholes:
                    wholes[named] = None
                    queue.append(named)
    return list(wholes)


def _record(builder: MistakeBuilder, key: str) -> None:
    """Add the mistakes of a record, which ends where another item begins."""
    context = builder.context
    if _line(builder, key):
        return
    stops = context.charset(context.outer[key] & ~context.shapes[key].first)
    shape = context.shapes[key]
    is_whitespace = not shape.chars & ~context.bits(context.whitespace)
    if not stops or key in context.recursive or shape.longest <= 2 or is_whitespace:
        return
    rule = builder.rule_name(key)
    inside = [key] if not context.shapes[key].nullable else _records_in(builder, key)
    text = some(chars(~stops), 1)
    valid = f"valid{builder.location(key)}" if builder.is_too_small(key) else f"a valid {rule}"
    for each in inside:
        shown = builder.rule_name(each)
        say = f"{{all}} is not allowed after the {shown}"
        is_vague = context.shapes[each].continuation != 0
        more = {"cost": 3, "reach": 0, "is_vague": is_vague}
        builder.add_once(f"text-after-{shown}", (each,), [[text]], say, place=AFTER, **more)
    builder.add_once(f"other-than-{rule}", (key,), [[text]], f"{{all}} is not {valid}", cost=3, is_vague=True)


def _line(builder: MistakeBuilder, key: str) -> bool:
    """Add the mistake of a rule that ends in a line end; return whether the rule does."""
    context = builder.context
    alternatives = context.grammar.rules[key].elements.alternatives
    end = alternatives[0].items[-1]
    shape = context.item(end)
    if len(alternatives) > 1 or len(alternatives[0].items) < 2 or shape.nullable:
        return False
    ends = context.bits(_LINE_ENDS)
    if shape.first & ~ends or key in context.recursive or not context.shapes[key].first & ~ends:
        return False
    rule = builder.rule_name(key)
    code = f"other-than-{rule}"
    if builder.has_code(code):
        return True
    text = builder.helper(f"text-of-{rule}", [some(chars(~_LINE_ENDS), 1)])
    slot = Slot(text.name.lower())
    say = f"{{{slot}}} is not a valid {rule}"
    builder.add(code, (key,), [[name(text.name), end]], say, blame=(slot,), cost=3, is_vague=True)
    return True


def _of_each(element: Element) -> list[RuleName]:
    """Return the rules in an element that are used exactly once in an alternative."""
    if isinstance(element, RuleName):
        return [element]
    if not isinstance(element, Group):
        return []
    return [
        item.element
        for each in element.alternation.alternatives
        for item in each.items
        if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1)
    ]


def _records_in(builder: MistakeBuilder, key: str) -> list[str]:
    """Return the nonempty rules in the alternatives of a rule that can be empty."""
    context = builder.context
    records: dict[str, None] = {}
    for site in context.sites(key):
        element = site.item.element
        if isinstance(element, RuleName) and not site.depth and (site.item.min, site.item.max) == (1, 1):
            record = element.name.lower()
            if not context.shapes[record].nullable:
                records[record] = None
    return list(records)
