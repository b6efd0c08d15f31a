"""Give hints about undefined and repeated names, and edits if the intention is certain."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from abnforge.catalog import Message
from abnforge.grammar.messages import message
from abnforge.grammar.parser import core_rules
from abnforge.grammar.repair.values import char_range, class_members
from abnforge.grammar.source_map import disjoint
from abnforge.grammar.syntax import Alternation, CharVal, Concatenation, RuleDefinition, RuleName, references
from abnforge.records import dataclass
from abnforge.rejection import Edit
from abnforge.text import MAX_NEAR_MISS_LENGTH, Source, Span

MIN_TYPO = 5  # minimum length of a misspelled name: "item" and "stem" may be two rules
MIN_PROSE = 3  # the minimum number of words in prose

WORDS = frozenset({
    "an", "and", "any", "are", "as", "at", "be", "but", "by", "each", "except", "excluding",
    "followed", "for", "from", "in", "is", "it", "may", "must", "no", "not", "of", "on", "or",
    "see", "than", "that", "the", "this", "to", "which", "with", "without",
})  # fmt: skip
"""Common words of prose that are unlikely to be rule names."""

_COMMENT = re.compile(r'"[^"\n]*"|<[^>\n]*>?|(?P<comment>;[^\n]*)')
_SIGN = re.compile(r"(?:[ \t]|\r?\n|;[^\n]*)*(?P<sign>=/?)")
_OPERATORS = {"or": "name-or", "and": "name-and", "not": "name-not"}
_WORDS = {
    **dict.fromkeys(("empty", "epsilon", "eps", "lambda", "nil"), "name-of-nothing"),
    **dict.fromkeys(("eof", "eoi", "end-of-file", "end-of-input", "end-of-text"), "name-of-end"),
}
"""Words of other notations -> code of the hint."""

_CORE_RULES = {
    "blank": "SP",
    "byte": "OCTET",
    "eol": "CRLF",
    "hex": "HEXDIG",
    "letter": "ALPHA",
    "newline": "CRLF",
    "space": "SP",
    "whitespace": "WSP",
}
"""Names of core rules in other notations, if the names are not similar."""

_PLAIN_IMPORT = re.compile(
    r"^[ \t]*(;[ \t]*(?:(?<!;)@[ \t]*)?import[ \t]+[\w.-]+[ \t\r]*(?::[^\n]*)?)$", re.MULTILINE
)
_LETTERS = re.compile("([A-Za-z])-([A-Za-z])")
_USUAL = re.compile("a-[c-z]|A-[C-Z]")  # unlikely to be a rule name
_CLASS = re.compile(r"(?:[A-Za-z0-9]-[A-Za-z0-9])+")
_LOW, _HIGH = re.compile(r'(?<![A-Za-z"])"([^"\n])"[ \t]+\Z'), re.compile(r'[ \t]+"([^"\n])"')
_HEX = re.compile("x(?P<low>[0-9a-f]+)(?:-(?:0?x)?(?P<high>[0-9a-f]+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Advice:
    """The hints in a message, and edits; ``core`` is True if a core rule is intended."""

    hints: tuple[Message, ...] = ()
    edits: tuple[Edit, ...] = ()
    core: bool = False


def duplicate(rule: RuleDefinition, source: Source, same: bool) -> Advice:
    """Return advice about a second definition of a rule; ``same`` is True if it equals the first.

    The advice is not ``=/`` if the definition refers to the rule, which would then derive itself.
    """
    if same:
        parts = _COMMENT.finditer(source.text, rule.span.start, rule.span.end)
        edits = () if any(part["comment"] for part in parts) else _removal(source.text, rule.span)
        return Advice((message("definition-equal"),), edits)
    if any(reference.name.lower() == rule.name.lower() for reference in references(rule.elements)):
        return Advice((message("definition-recursive"),))
    return Advice((message("definition-extending"),))


def without_base(rule: RuleDefinition, base: RuleDefinition | None, source: Source, near: bool) -> Advice:
    """Return advice about ``=/`` before or without a definition; ``near``: whether a similar name exists."""
    signs = [_sign(source.text, definition) for definition in (rule, base) if definition is not None]
    edits = tuple(Edit(*sign, by) for sign, by in zip(signs, ("=", "=/"), strict=False) if sign is not None)
    return Advice((), edits if len(edits) == len(signs) and not near else ())


def undefined(uses: list[RuleName], source: Source, near: Collection[str], known: Collection[str]) -> Advice:
    """Return advice about an undefined name; ``near`` has similar names, ``known`` all in lower case."""
    reference = uses[0]
    text, name = source.text, reference.name
    rules = [part in known for part in name.lower().split("-")]
    written = _range(text, reference)
    if all(rules) or (any(rules) and len(rules) == 2 and written and text[written.start] != "["):
        if written:
            return Advice((message("name-with-hyphen-or-range", written=written.text),))
        return Advice((message("name-with-hyphen"),))
    if written:
        edits = tuple(edit for use in uses if (edit := _range(text, use)))
        if any(text[edit.start] != "[" for edit in edits) and not _USUAL.fullmatch(name):
            return Advice((message("name-as-range-or-rule", written=written.text, name=name),))
        return Advice((message("name-as-range", written=written.text),), edits)
    if (written := _hex(text, reference)) is not None:
        edits = tuple(edit for use in uses if (edit := _hex(text, use)))
        return Advice((message("name-as-value", written=written.text),), edits)
    ranges = [edit for use in uses if (edit := _between(text, use))]
    if len(ranges) == len(uses) and disjoint(ranges):
        return Advice((message("name-as-range", written=ranges[0].text),), tuple(ranges))
    if (code := _OPERATORS.get(name.lower())) is not None:
        return Advice((message(code),))
    if (code := _WORDS.get(name.lower())) is not None and not near:
        return Advice((message(code),))
    if _HEX.fullmatch(name) and not near:
        return Advice((message("name-as-values"),))
    if (core := _CORE_RULES.get(name.lower())) is not None:
        near = (core, *(other for other in near if other != core))
    names = list(near)
    intended = [other for other in near if _typo(name.lower(), other.lower())]
    edits = (
        tuple(Edit(use.span.start, use.span.end, intended[0]) for use in uses) if len(intended) == 1 else ()
    )
    if joined := run_together(name, known):
        names, edits = [*names, joined], ()
    if any(text[edit.start : edit.end].lower() != name.lower() for edit in edits):
        edits = ()  # <name>
    is_core = name.lower() in _CORE_RULES or name.lower().removesuffix("s") in core_rules()
    return Advice((message("name-near", names=tuple(names)),) if names else (), edits, is_core)


def elsewhere(grammars: Sequence[str], source: Source) -> Iterator[Message]:
    """Yield hints about grammars that define a name and could be imported.

    A comment that looks like an import, such as ``; import rfc3986``, also results in a hint.
    """
    if not grammars:
        return
    yield message("import-possible", grammars=tuple(grammars))
    if comment := _PLAIN_IMPORT.search(source.text):
        line, _ = source.position(comment.start(1))
        yield message("import-in-comment", line=line)


def hints(advice: Advice, reference: RuleName, defined: Sequence[str], source: Source) -> tuple[Message, ...]:
    """Return the hints about an undefined name; ``defined`` lists the grammars that define the name."""
    messages: list[Message] = []
    if not (advice.edits or advice.core):
        messages += elsewhere(defined, source)
    is_question = bool(advice.hints) and advice.hints[0].code == "name-near"
    messages = [*messages, *advice.hints] if is_question else [*advice.hints, *messages]
    plain = not messages or (not advice.hints and reference.name.isupper())
    if plain and len(reference.name) > 1 and reference.name.isalpha() and not reference.in_prose:
        messages.append(message("name-as-text-too" if messages else "name-as-text", name=reference.name))
    return tuple(messages)


def run_together(name: str, known: Collection[str]) -> str:
    """Split a word into the names of two rules; return them with a space between, or ""."""
    for at in range(1, len(name) if len(name) <= MAX_NEAR_MISS_LENGTH else 0):
        if name[:at].lower() in known and name[at:].lower() in known:
            return f"{name[:at]} {name[at:]}"
    return ""


def prose(elements: Alternation, known: Collection[str], text: str) -> Iterator[Concatenation]:
    """Yield the alternatives of a rule that consist of prose words rather than rule names."""
    for alternative in elements.alternatives:
        names = [item.element for item in alternative.items if isinstance(item.element, RuleName)]
        plain = all(
            isinstance(item.element, RuleName | CharVal) and (item.min, item.max) == (1, 1)
            for item in alternative.items
        )
        unknown = {use.name.lower() for use in names if use.name.lower() not in known and not use.in_prose}
        written = text[alternative.span.start : alternative.span.end]
        if (
            plain
            and len(alternative.items) >= MIN_PROSE
            and len(unknown) >= MIN_PROSE - 1
            and unknown & WORDS
            and not set("<>\n;") & set(written)
        ):
            yield alternative


def _sign(text: str, rule: RuleDefinition) -> tuple[int, int] | None:
    """Return the span of the ``=`` or ``=/`` of a rule, or None for a sign of another notation."""
    match = _SIGN.match(text, rule.name_span.end)
    return match.span("sign") if match else None


def _removal(text: str, span: Span) -> tuple[Edit, ...]:
    """Return the edits that remove a rule's lines but keep comments, or none next to other code."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end) + 1 or len(text)
    after = text[span.end : end].strip()
    if text[start : span.start].strip() or after[:1] not in ("", ";"):
        return ()
    return (Edit(span.start, span.end, "") if after else Edit(start, end, ""),)


def _range(text: str, reference: RuleName) -> Edit | None:
    """Return the edit for a range or class that parses as a name: ``a-z`` or ``[A-Za-z]``."""
    start, end = reference.span.start, reference.span.end
    if reference.in_prose:
        return None
    bracketed = text[start - 1 : start] == "[" and text[end : end + 1] == "]"
    if bracketed and _CLASS.fullmatch(reference.name) and (written := class_members(reference.name)):
        return Edit(start - 1, end + 1, written)
    match = _LETTERS.fullmatch(reference.name)
    if match and match[1] < match[2] and match[1].isupper() == match[2].isupper():
        return Edit(start, end, char_range(match[1], match[2]))
    return None


def _between(text: str, reference: RuleName) -> Edit | None:
    """Return the edit for a range in words: ``"0" to "9"``."""
    before = max(0, text.rfind("\n", 0, reference.span.start), reference.span.start - 20)
    low, high = (_LOW.search(text, before, reference.span.start), _HIGH.match(text, reference.span.end))
    if reference.name.lower() != "to" or low is None or high is None or low[1] >= high[1]:
        return None
    return Edit(low.start(), high.end(), char_range(low[1], high[1]))


def _hex(text: str, reference: RuleName) -> Edit | None:
    """Return the edit for ``0x41``, which parses as zero repetitions of the rule ``x41``."""
    start = reference.span.start - 1
    match = _HEX.fullmatch(reference.name)
    if (
        match is None
        or reference.in_prose
        or text[start : start + 1] != "0"
        or text[start - 1 : start].isalnum()
    ):
        return None
    return Edit(
        start, reference.span.end, f"%x{match['low']}" + (f"-{match['high']}" if match["high"] else "")
    )


def _typo(wrong: str, right: str) -> bool:
    """Return whether names differ by one letter or two swapped letters, but not by a plural or number."""
    if wrong.replace("-", "") == right.replace("-", ""):
        return len(right) >= MIN_TYPO
    if len(wrong) == len(right) == MIN_TYPO - 1:
        # For a short name, only swapped letters count: "CLRF".
        return wrong != right and sorted(wrong) == sorted(right) and right in core_rules()
    if (
        min(len(wrong), len(right)) < MIN_TYPO
        or wrong in (right + "s", right + "es")
        or right in (wrong + "s", wrong + "es")
    ):
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(wrong, right, strict=False)) if a != b), min(len(wrong), len(right))
    )
    left, other = wrong[start:], right[start:]
    changed = {*left[:1], *other[:1]}
    if any(char.isdigit() for char in changed):
        return False
    return (
        left[1:] == other
        or left == other[1:]
        or left[1:] == other[1:]
        or (left[:2] == other[:2][::-1] and left[2:] == other[2:])
    )
