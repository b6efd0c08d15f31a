"""Checks for likely mistakes: in elements, terminals, names, lists, the notation and examples.

Each check requires evidence that hardly has another explanation: a warning about a correct grammar costs more
than a missing warning. ``abnforge test`` runs the examples; the result of lint does not depend on their
number, and lint does not match strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from abnforge.catalog import Message
from abnforge.charset import CharSet, union
from abnforge.explain.declare import MAY_DECLARE
from abnforge.explain.mistakes_file import split_mistakes
from abnforge.grammar.annotations import read_examples
from abnforge.grammar.binding import OWS, SPACE, lists
from abnforge.grammar.facts import Facts
from abnforge.grammar.messages import message as _abnf
from abnforge.grammar.reader import read_partial
from abnforge.grammar.repair.notations import Notation, bar_places, underscored_names
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    RuleName,
    references,
)
from abnforge.grammar.syntax_errors import MAX_RELATED, and_more
from abnforge.linting.comments import COMMENT, SENSITIVE
from abnforge.linting.finding import (
    Finding,
    concatenations,
    from_error,
    inside,
    label,
    make,
    own_alternatives,
    own_rules,
    repetitions,
)
from abnforge.linting.messages import message
from abnforge.rejection import Edit
from abnforge.text import Source

MIN_SEQUENCE = 8
"""Minimum number of consecutive characters in a string that looks like a set; half if it is repeated."""

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", '"': '"', "'": "'"}
_SET_NAME = re.compile(
    r"(?:^|-)(?:digits|letters|chars|characters|symbols|specials|punctuation|vowels|alphabet)$", re.I
)
_LINE_NAME = re.compile(
    r"(?:^|-)(?:nl|lf|cr|crlf|eol|newlines?|line-?(?:end|break|feed)(?:ing)?|tab|white-?space|ws)$", re.I
)
_ESCAPE = re.compile(r"(?:\\[nrtfv0])+")
_ESCAPES = {"n": "LF", "r": "CR", "t": "HTAB", "f": "%x0C", "v": "%x0B", "0": "%x00"}

# The bounds of a range as written -> a range with the same digits in the other base.
_WRONG_BASE = {
    ("d", 30, 39): "%x30-39",
    ("x", 0x48, 0x57): "%d48-57",
    ("x", 0x65, 0x90): "%d65-90",
    ("x", 0x97, 0x122): "%d97-122",
}
SURROGATES = (0xD800, 0xDFFF)


def slips(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield the findings about elements and terminals that look like mistakes. Cost: linear."""
    for _, rule in own_rules(grammar):
        yield from _alternatives(grammar, rule)
        for item in repetitions(rule):
            if isinstance(item.element, NumVal) and item.element.is_range:
                yield from _range(grammar, rule, item.element)
        yield from _sets(grammar, rule)
        yield from _letters(grammar, rule)


def _alternatives(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """Yield findings for ``"(" a / b ")"``: brackets that are opened and closed in different alternatives."""
    own = own_alternatives(rule)
    groups = [own] + [
        inner.alternatives
        for each in concatenations(own)
        for item in each.items
        if (inner := inside(item.element)) is not None
    ]
    for alternatives in groups:
        first, last = alternatives[0], alternatives[-1]
        opener = _character(first.items[0])
        closer = _PAIRS.get(opener)
        if len(alternatives) < 2 or closer is None or _character(last.items[-1]) != closer:
            continue
        if len(first.items) < 2 or len(last.items) < 2:
            continue
        own_count = 1 if opener == closer else 0
        if (
            _count(first, closer) == own_count
            and _count(last, opener) == own_count
            and _count(first, opener) == 1
        ):
            yield make(
                grammar.source,
                rule.name,
                first.span,
                message("unbalanced-alternatives", opener=opener, closer=closer),
                related=[(last.span, message("closed-here"))],
                fix=message(
                    "unbalanced-alternatives-fix",
                    opener=label(grammar.source, first.items[0].span),
                    closer=label(grammar.source, last.items[-1].span),
                ),
            )


def _character(item: Repetition) -> str:
    """Return the character if an item matches exactly one character; "" otherwise."""
    element = item.element
    if (item.min, item.max) != (1, 1):
        return ""
    if isinstance(element, RuleName) and element.name.upper() == "DQUOTE":
        return '"'
    if isinstance(element, NumVal) and len(element.values) == 1:
        return chr(element.values[0])
    return element.value if isinstance(element, CharVal) and len(element.value) == 1 else ""


def _count(alternative: Concatenation, char: str) -> int:
    """Return the number of times that a character occurs in an alternative, including brackets."""
    return sum(_occurs(item.element, char) for each in concatenations([alternative]) for item in each.items)


def _occurs(element: Element, char: str) -> int:
    match element:
        case CharVal(value=value):
            return value.count(char)
        case NumVal(values=values, is_range=False):
            return values.count(ord(char))
        case RuleName(name=name):
            return int(name.upper() == "DQUOTE" and char == '"')
        case _:
            return 0


def _range(grammar: BoundGrammar, rule: BoundRule, value: NumVal) -> Iterator[Finding]:
    """Yield findings for ranges whose bounds are in the wrong base, or which are empty."""
    report = partial(make, grammar.source, rule.name)
    low, high = value.values
    written = grammar.source.text[value.span.start : value.span.end]
    intended = _WRONG_BASE.get((value.base, low, high))
    if intended is not None:
        base = "decimal" if value.base == "x" else "hexadecimal"
        yield report(
            value.span,
            message("suspicious-range", range=written, low=f"U+{low:04X}", high=f"U+{high:04X}", base=base),
            fix=intended,
        )
    if low < SURROGATES[0] and high > SURROGATES[1]:
        prefix = f"%x{low:X}-D7FF", f"%xE000-{high:X}"
        yield report(value.span, message("surrogates-in-range", range=written), fix=" / ".join(prefix))


def _sets(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """Yield findings for strings that list the characters of a set: a string is a sequence."""
    report = partial(make, grammar.source, rule.name)
    alternatives = own_alternatives(rule)
    sole = len(alternatives) == 1 and len(alternatives[0].items) == 1
    for item in repetitions(rule):
        string = item.element
        repeated = item.max is None
        if isinstance(string, Group) and repeated and (inner := _only(string.alternation)) is not None:
            string = inner
        if not isinstance(string, CharVal):
            continue
        value = string.value
        length = MIN_SEQUENCE // 2 if repeated else MIN_SEQUENCE
        run = len(value) >= length and _is_run(value)
        distinct = len(set(value)) == len(value) >= 3
        signs = distinct and not any(char.isalnum() or char == " " for char in value)
        if run or (signs and repeated) or (distinct and sole and _SET_NAME.search(rule.name)):
            yield report(
                string.span,
                message("string-as-set", string=value),
                witness=value,
                fix=_choice(value) if len(value) <= MIN_SEQUENCE or run else None,
            )
        elif _LINE_NAME.search(rule.name) and _ESCAPE.fullmatch(value):
            intended = " ".join(_ESCAPES[char] for char in value[1::2])
            yield report(
                string.span,
                message("escape-in-string", string=value),
                witness=value,
                fix="CRLF" if intended == "CR LF" else intended,
            )


def _only(alternation: Alternation) -> CharVal | None:
    """Return the string in brackets, if there is nothing else in them."""
    items = [item for each in alternation.alternatives for item in each.items]
    element = items[0].element
    plain = len(items) == 1 and (items[0].min, items[0].max) == (1, 1)
    return element if plain and isinstance(element, CharVal) else None


def _is_run(value: str) -> bool:
    """Return whether the code points of a string are consecutive."""
    return all(ord(b) - ord(a) == 1 for a, b in pairwise(value))


def _choice(value: str) -> str:
    """Return ABNF for one of several characters."""
    if value == "0123456789":
        return "DIGIT"
    if _is_run(value):
        return f"%x{ord(value[0]):X}-{ord(value[-1]):X}"
    return " / ".join(f'"{char}"' for char in value)


def _letters(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """Yield findings for ``%x0-9 / %xA-F`` (hexadecimal digits), and for letters of two cases that differ."""
    report = partial(make, grammar.source, rule.name)
    ranges = [
        item.element
        for item in repetitions(rule)
        if isinstance(item.element, NumVal) and item.element.is_range and item.element.base == "x"
    ]
    ends = {(each.values[0], each.values[1]): each for each in ranges}
    digits = ends.get((0x0, 0x9))
    others = set(ends) - {(0x0, 0x9), (0xA, 0xF)}
    named = re.search(r"digit|number|integer|octal|decimal|hex", rule.name, re.IGNORECASE)
    if digits is not None and not others and (named or (0xA, 0xF) in ends):
        yield report(
            digits.span, message("suspicious-range-control", range="%x0-9", characters="digits"), fix="DIGIT"
        )
    letters = ends.get((0xA, 0xF))
    if letters is not None and all(low >= 0x20 for low, _ in set(ends) - {(0xA, 0xF)}):
        written = grammar.source.text[letters.span.start : letters.span.end]
        intended = {"a-f": "%x61-66", "A-F": "%x41-46"}.get(written[2:])  # digits as in 0A mean the value
        if intended is not None:
            yield report(
                letters.span,
                message("suspicious-range-control", range=written, characters="letters"),
                fix=intended,
            )
    upper = [end for end in ends if end[0] == 0x41 and end[1] <= 0x5A]
    lower = [end for end in ends if end[0] == 0x61 and end[1] <= 0x7A]
    if len(upper) == len(lower) == 1 and abs(upper[0][1] + 0x20 - lower[0][1]) == 1:
        wide = upper[0] if upper[0][1] + 0x20 > lower[0][1] else lower[0]
        pair = [f"{chr(low)}-{chr(high)}" for low, high in (upper[0], lower[0])]
        yield report(
            ends[wide].span,
            message("suspicious-range-cases", upper=pair[0], lower=pair[1]),
            related=[
                (ends[each].span, message("other-case")) for each in (upper[0], lower[0]) if each != wide
            ],
        )


MAX_LITERALS_SHOWN = 6  # maximum number of further literals that a finding lists


def literals(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield the findings about prose and about the case of strings. Cost: linear."""
    case = _Case(grammar)
    for _, rule in own_rules(grammar):
        for item in repetitions(rule):
            # An element that is repeated zero times is the empty string.
            if isinstance(item.element, ProseVal) and item.max != 0:
                yield make(
                    grammar.source,
                    rule.name,
                    item.element.span,
                    message("prose-val", rule=rule.name, prose=item.element.text),
                    fix=message("prose-val-fix"),
                )
        yield from case.findings(rule)


class _Case:
    """The evidence that case matters in a grammar.

    This is a string with exact case, a comment that requires exact case, examples that differ in case, and
    words that are written as numbers. ``"e" / "E"`` and ``"e" / %x61-7A`` are evidence for one rule only.
    """

    def __init__(self, grammar: BoundGrammar) -> None:
        self._grammar = grammar
        elements = [item.element for _, rule in own_rules(grammar) for item in repetitions(rule)]
        self._exact = any(isinstance(each, CharVal) and each.case_sensitive for each in elements) or any(
            SENSITIVE.search(each["comment"] or "") for each in COMMENT.finditer(grammar.source.text)
        )
        self._words = {
            word.lower()
            for each in elements
            if isinstance(each, NumVal) and not each.is_range and len(each.values) > 1
            if (word := "".join(map(chr, each.values))).lower() != word.upper()
        }.union(_words_of_examples(grammar))

    def findings(self, rule: BoundRule) -> Iterator[Finding]:
        """Yield at most one finding: for the first string whose case seems to matter."""
        elements = [item.element for item in repetitions(rule)]
        strings = [each for each in elements if isinstance(each, CharVal)]
        spellings: dict[str, set[str]] = {}
        for string in strings:
            if not string.prefix:
                spellings.setdefault(string.value.lower(), set()).add(string.value)
        exact = any(string.case_sensitive for string in strings)
        letters = union(map(_letters_of, elements))

        def matters(string: CharVal) -> bool:
            value = string.value
            if value.lower() == value.upper():
                return False
            if exact or len(spellings[value.lower()]) > 1 or value.lower() in self._words:
                return True
            cases = [value.lower() in letters, value.upper() in letters] if len(value) == 1 else []
            return len(value) == 1 and (self._exact or cases[0] != cases[1])

        suspicious = [string for string in strings if not string.prefix and matters(string)]
        if not suspicious:
            return
        first, *others = suspicious
        if len(spellings[first.value.lower()]) > 1:
            problem = message("case-insensitive-literal-repeated", literal=first.value)
        elif exact:
            problem = message("case-insensitive-literal-mixed", literal=first.value)
        else:
            problem = message("case-insensitive-literal", literal=first.value, other=first.value.swapcase())
        yield make(
            self._grammar.source,
            rule.name,
            first.span,
            problem,
            witness=first.value.swapcase(),
            related=[
                (other.span, message("case-insensitive-too", literal=other.value))
                for other in others[:MAX_LITERALS_SHOWN]
            ],
            fix=message("case-insensitive-literal-fix", literal=first.value),
        )


def _words_of_examples(grammar: BoundGrammar) -> Iterator[str]:
    """Yield the words of examples that must not match, although they match in another case."""
    names = {rule.name.lower() for _, rule in own_rules(grammar)}
    examples = read_examples(grammar.source, grammar.annotations, names)[0]
    valid = {(each.rule, each.text.lower()): each.text for each in examples if each.valid}
    for each in examples:
        other = valid.get((each.rule, each.text.lower()))
        if other is not None and not each.valid:
            for word in re.finditer("[A-Za-z]{2,}", each.text):
                if word[0] != other[word.start() : word.end()]:
                    yield word[0].lower()


def _letters_of(element: Element) -> CharSet:
    """Return the letters of an element that is a letter or a range of letters of one case, as numbers."""
    if isinstance(element, NumVal) and (element.is_range or len(element.values) == 1):
        low, high = element.values[0], element.values[-1]
        if any(first <= low and high <= first + 25 for first in (0x41, 0x61)):
            return CharSet.from_ranges([(low, high)])
    return CharSet()


def unused_rules(grammar: BoundGrammar, facts: Facts, starts: Iterable[str] | None) -> Iterator[Finding]:
    """Yield findings for rules that no start needs.

    ``starts`` are keys; None means every rule that no other rule refers to. Complexity: linear in references.
    """
    excepted = {key: [e.name.lower() for e in rule.excepted] for key, rule in grammar.rules.items()}
    needed = {key: [*targets, *excepted[key]] for key, targets in facts.references.items()}
    if starts is None:
        referred = {target for key, targets in needed.items() for target in targets if target != key}
        own = [key for key, _ in own_rules(grammar)]
        # The first rule is a start rule, even if another rule refers to it (``expr = term *( "+" term )``).
        begin = [key for key in own if key not in referred or key == own[0]]
    else:
        begin = list(starts)
    named = () if starts is None else tuple(grammar.rules[key].name for key in begin)
    reached: set[str] = set()
    stack = [*begin]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached.add(key)
            stack.extend(needed[key])
    for key, rule in own_rules(grammar):
        if key not in reached:
            yield make(
                grammar.source,
                rule.name,
                rule.rule.name_span,
                message("unused-rule-from-starts", rule=rule.name, starts=named)
                if named
                else message("unused-rule", rule=rule.name),
                fix=message("unused-rule-fix"),
            )


def quoted_names(grammar: BoundGrammar, facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each rule name that occurs only in quotes, as a string.

    No rule refers to the rule. Keyword rules do not count: they contain the string themselves (``search =
    "search" SP word``). The string must have the same case as the rule name. Complexity: linear.
    """
    own = dict(own_rules(grammar))
    strings = {
        key: [i.element for i in repetitions(rule) if isinstance(i.element, CharVal)]
        for key, rule in own.items()
    }
    needed = {next(iter(own), ""), *(target for targets in facts.references.values() for target in targets)}
    needed |= {excepted.name.lower() for rule in own.values() for excepted in rule.excepted}
    alone = {
        rule.name: rule
        for key, rule in own.items()
        if key not in needed and key not in {string.value.lower() for string in strings[key]}
    }
    for key, rule in own.items():
        for string in strings[key]:
            target = alone.pop(string.value, None)
            if target is None:
                continue
            yield make(
                grammar.source,
                rule.name,
                string.span,
                message("rule-name-in-quotes", name=string.value),
                related=[(target.rule.name_span, message("rule-here"))],
                fix=message("rule-name-in-quotes-fix", rule=target.name),
            )


def names_in_another_case(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield findings for references whose case differs from the definition: the first of each spelling.

    References to core rules count only if the grammar also refers to one in upper case.
    """
    own = dict(own_rules(grammar))
    uses = [(name, rule) for rule in own.values() for name in references(Alternation(own_alternatives(rule)))]
    core = {rule.name for rule in grammar.rules.values() if rule.origin == "core"}
    exact = any(name.name in core for name, _ in uses)
    for name, rule in {name.name: (name, rule) for name, rule in reversed(uses)}.values():
        key = name.name.lower()
        target = own.get(key) or (grammar.rules.get(key) if exact and name.name.upper() in core else None)
        if target is not None and target.name != name.name:
            yield make(
                grammar.source,
                rule.name,
                name.span,
                message("name-in-another-case", name=name.name, rule=target.name),
                related=[(target.rule.name_span, _abnf("defined-here"))] if key in own else [],
            )


def core_rules_redefined(grammar: BoundGrammar, same: Callable[[str], bool]) -> Iterator[Finding]:
    """Yield the warnings of binding about core rules that are redefined with another meaning.

    ``same`` returns whether the rule of a key matches the same strings as the core rule.
    """
    for warning in grammar.warnings:
        if warning.code != "core-rule-redefined":
            continue
        if warning.rule is None or not same(warning.rule.lower()):
            yield from_error(warning, grammar.source)


def list_notation(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield at most one finding for all lists of a grammar text.

    Its edits expand lists in the form for senders (RFC 9110, section 5.6.1.1). Complexity: linear.
    """
    rules = [rule.rule for _, rule in own_rules(grammar)]
    space = grammar.rules.get(SPACE.lower())
    yield from lists_of(grammar.source, rules, spaced=space is not None and space.origin != "core")


def lists_of(source: Source, rules: Sequence[RuleDefinition], *, spaced: bool) -> Iterator[Finding]:
    """Yield the finding about lists for rules that are not bound.

    ``spaced`` says whether a rule exists for the space around commas.
    """
    items = [(item, rule.name) for rule in rules for item in lists(rule.elements)]
    if not items:
        return
    text = source.text
    edits = [edit for rule in rules for edit in _edits(rule.elements, text)]
    if not spaced:
        edits.append(
            Edit(len(text), len(text), ("" if text.endswith("\n") else "\n") + OWS.partition("  ;")[0] + "\n")
        )
    (first, rule), *others = items
    written = text[first.span.start : first.element.span.start]
    yield make(
        source,
        rule,
        first.span,
        and_more(message, message("list-notation", list=written), len(others)),
        related=[(item.span, _abnf("further-place")) for item, _ in others[:MAX_RELATED]],
        edits=edits,
    )


def _edits(alternation: Alternation, text: str) -> Iterator[Edit]:
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if item.listed:
                yield Edit(item.span.start, item.span.end, _written(item, text))
            elif isinstance(item.element, Group | Option):
                yield from _edits(item.element.alternation, text)


def _written(item: Repetition, text: str) -> str:
    """Return a list in the form for senders."""
    start, end = item.element.span.start, item.element.span.end
    element = text[start:end]
    if isinstance(item.element, Group | Option):
        for edit in sorted(_edits(item.element.alternation, text), key=lambda edit: -edit.start):
            element = element[: edit.start - start] + edit.text + element[edit.end - start :]
    low, high = max(0, item.min - 1), None if item.max is None else item.max - 1
    if item.max == 0:
        return f"0{element}"
    times = f"{low}" if low == high else f"{low or ''}*{'' if high is None else high}"
    row = element if high == 0 else f'{element} {times}( {SPACE} "," {SPACE} {element} )'
    return row if item.min else f"[ {row} ]"


def notation(source: Source, rules: Iterable[RuleDefinition]) -> Iterator[Finding]:
    """Yield at most one finding for bars, and one for underscores. Complexity: linear."""
    rules = list(rules)
    bars, names = bar_places(source.text), underscored_names(source.text)
    if bars.places:
        yield _found(message("bar-notation"), bars, source, rules)
    if names.places:
        first = names.places[0]
        problem = message("underscore-name", name=source.text[first.start : first.end])
        yield _found(problem, names, source, rules)


def _found(problem: Message, notation: Notation, source: Source, rules: list[RuleDefinition]) -> Finding:
    first, *others = notation.places
    inside = [rule.name for rule in rules if rule.span.start <= first.start]
    return make(
        source,
        inside[-1] if inside else None,
        first,
        and_more(message, problem, len(others)),
        related=[(span, _abnf("further-place")) for span in others[:MAX_RELATED]],
        edits=notation.edits,
    )


def example_directives(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield a finding for each error of ``;@ match`` and ``;@ no-match``. Cost: linear."""
    if not grammar.annotations:
        return
    source = Source(grammar.source.text, grammar.source.name)
    names: Collection[str] = grammar.rules
    if MAY_DECLARE.search(source.text):
        # Lint parses mistakes as rules; the examples of a mistake are of another kind.
        rules, _ = split_mistakes(read_partial(source)[0], grammar.name)
        names = {rule.name.lower() for rule in rules.rules}
    for error in read_examples(source, grammar.annotations, names)[1]:
        yield from_error(error, grammar.source)
