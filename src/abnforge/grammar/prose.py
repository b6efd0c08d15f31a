"""Replace prose that has a single meaning with elements.

* ``<host, see [RFC3986], Section 3.2.2>``, as in RFC 9110 and many other RFCs, names a rule;
* ``<any CHAR except CTLs>`` and similar phrases describe a character set by the names of others;
* some phrases in RFC 822 and RFC 2616 describe characters.

Other prose stays prose, which cannot be matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from abnforge._lazy import lazy_pattern
from abnforge.charset import CharSet
from abnforge.grammar.shipped import defining
from abnforge.grammar.syntax import (
    Alternation,
    BoundRule,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    ProseVal,
    Repetition,
    RuleName,
    elements,
)
from abnforge.text import Span

_NAMED = lazy_pattern(
    r"(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:,\s*|\s+)"
    r"(?:(?:see|(?:as\s+|is\s+)?(?:defined|specified)|per|from)\s+(?:(?:in|by)\s+)?(?=\S*[\[(0-9A-Z])"
    r"|as\s+in\s+(?=\[|RFC)|(?=\(\[?RFC[ -]?[0-9]))(?P<where>\S.*)",
    re.DOTALL,
)

_CITES = lazy_pattern(r"\[(?!section|appendix)|\bRFC ?[0-9]", re.IGNORECASE)
_SPECIFICATION = lazy_pattern(r"\bRFC[ -]?0*([0-9]+)", re.IGNORECASE)
_DEFINES_CORE = lazy_pattern(
    r"(?:(?P<name>[A-Za-z]+)(?:,\s*|\s+))?"
    r"(?:(?:see|(?:as\s+|is\s+)?(?:defined|specified)|per|from)\s+(?:(?:in|by)\s+)?|as\s+in\s+|\()"
    r"(?:\[?RFC ?(?:2234|4234|5234)\]?|\[ABNF\])(?![0-9]).*",
    re.DOTALL | re.IGNORECASE,
)

PHRASES: Mapping[str, CharSet] = {
    # RFC 2616, section 2.2
    "any 8-bit sequence of data": CharSet(((0x00, 0xFF),)),
    "any us-ascii character (octets 0 - 127)": CharSet(((0x00, 0x7F),)),
    'any us-ascii uppercase letter "a".."z"': CharSet(((0x41, 0x5A),)),
    'any us-ascii lowercase letter "a".."z"': CharSet(((0x61, 0x7A),)),
    'any us-ascii digit "0".."9"': CharSet(((0x30, 0x39),)),
    "any us-ascii control character (octets 0 - 31) and del (127)": CharSet(((0x00, 0x1F), (0x7F, 0x7F))),
    "us-ascii cr, carriage return (13)": CharSet(((0x0D, 0x0D),)),
    "us-ascii lf, linefeed (10)": CharSet(((0x0A, 0x0A),)),
    "us-ascii sp, space (32)": CharSet(((0x20, 0x20),)),
    "us-ascii ht, horizontal-tab (9)": CharSet(((0x09, 0x09),)),
    "us-ascii double-quote mark (34)": CharSet(((0x22, 0x22),)),
    # RFC 822, section 3.3
    "any ascii character": CharSet(((0x00, 0x7F),)),
    "any ascii control character and del": CharSet(((0x00, 0x1F), (0x7F, 0x7F))),
    "any ascii alphabetic character": CharSet(((0x41, 0x5A), (0x61, 0x7A))),
    "any ascii decimal digit": CharSet(((0x30, 0x39),)),
}
"""Prose in lower case with single spaces -> the characters that it describes."""

_ANY = lazy_pattern(
    r"any (?P<base>[A-Za-z][A-Za-z0-9-]*)"
    r"(?:,? (?:except|excepting|excluding|but not|other than) (?P<less>.*?))?"
    r"(?:,? but including (?P<more>[A-Za-z][A-Za-z0-9-]*))?",
    re.IGNORECASE,
)
_PART = lazy_pattern(r'"(?P<text>[^"])"|(?P<name>[A-Za-z][A-Za-z0-9-]*)')
_BETWEEN = lazy_pattern(r"\s*(?:,\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+)\s*")

MAX_DEPTH = 50  # maximum nesting depth of rules in a character set: RFC 2616 needs three levels


def named_rule(prose: str) -> str | None:
    """Return the rule that prose names along with its specification, or None."""
    match = _NAMED.fullmatch(prose)
    return match["name"] if match else None


def cites(prose: str) -> bool:
    """Return whether prose names another specification: ``[RFC3986]``, not ``Section 3.2`` alone."""
    return _CITES.search(prose) is not None


def names_core_rule(prose: str, key: str) -> bool:
    """Return whether prose in the definition of a core rule says that RFC 5234 defines it."""
    match = _DEFINES_CORE.fullmatch(prose)
    return match is not None and (match["name"] is None or match["name"].lower() in (key, "as", "is"))


def importable_for(prose: str, rule: str) -> list[str]:
    """Return the built-in grammars that prose may refer to when it cites another specification's rule.

    The result is the grammars that the prose names, or else all grammars that define the rule.
    """
    if not cites(prose):
        return []
    grammars = defining(named_rule(prose) or rule)
    return [grammar for grammar in grammars if grammar in prose.lower().replace(" ", "")] or grammars


class ProseResolver:
    """Finds the meaning of prose in one grammar, whose rules are keyed by lower-case name.

    ``cited`` maps rules of other specifications whose names this grammar also defines to their names here.
    ``grammar`` is the name of this grammar. Cost: linear in the visited rules; each is visited once.
    """

    def __init__(self, rules: Mapping[str, BoundRule], cited: Mapping[str, str], grammar: str = "") -> None:
        self._rules = rules
        self._grammar = grammar
        self._cited = cited
        self._known: dict[str, CharSet | None] = {}
        self._read: dict[tuple[str, str], Element | None] = {}
        self._depth = 0

    def element(self, prose: ProseVal, within: str) -> Element | None:
        """Return the meaning of prose in the rule ``within``, or None if it is uncertain."""
        name = named_rule(prose.text)
        if name is not None:
            if cites(prose.text):
                name = self._cited.get(name.lower(), name)
            rule = self._rules.get(name.lower())
            is_known = rule is not None and name.lower() != within and self._is_meant(rule, prose.text)
            return RuleName(name, True, prose.span) if is_known else None
        phrase = " ".join(prose.text.split())
        chars = PHRASES.get(phrase.lower())
        if chars is not None:
            return _element(chars, [], prose.span)
        match = _ANY.fullmatch(phrase)
        if match is None or self._depth >= MAX_DEPTH:
            return None
        if (phrase, within) not in self._read:
            self._read[phrase, within] = None  # prose that refers to itself has no meaning
            self._depth += 1
            self._read[phrase, within] = self._any(match, within, prose.span)
            self._depth -= 1
        return self._read[phrase, within]

    def _is_meant(self, rule: BoundRule, prose: str) -> bool:
        """Return whether prose can refer to a rule.

        Prose can refer to a rule of the specification that it cites, or to any rule if it cites none.
        """
        if rule.origin != "file" or not cites(prose):
            return True
        own = _SPECIFICATION.findall(f"{self._grammar} {rule.section or ''}".replace("_", " "))
        return not set(own).isdisjoint(_SPECIFICATION.findall(prose))

    def _any(self, match: re.Match[str], within: str, span: Span) -> Element | None:
        """Return X without the characters Y and Z for ``any X except Y and Z``, or None if uncertain."""
        base = self._key(match["base"], within)
        less = self._excepted(match["less"], within)
        if base is None or less is None:
            return None
        chars = CharSet()
        others: list[Element] = []
        for alone in self._alternatives(self._rules[base].elements):
            charset = self._characters(alone)
            if charset is not None:
                chars |= charset
                continue
            reached = self._reached(alone)
            if reached is None or reached & less:
                return None
            others.append(Group(alone, span))
        if match["more"]:
            more = self._key(match["more"], within)
            if more is None:
                return None
            others.append(RuleName(self._rules[more].name, True, span))
        return _element(chars - less, others, span) if chars else None

    def _alternatives(self, alternation: Alternation) -> Iterator[Alternation]:
        """Yield each alternative separately; a group is replaced by its alternatives."""
        for alternative in alternation.alternatives:
            item = alternative.items[0]
            if len(alternative.items) == 1 and (item.min, item.max) == (1, 1):
                element: Element | None = item.element
                if isinstance(element, ProseVal):
                    element = self.element(element, "")
                if isinstance(element, Group):
                    yield from self._alternatives(element.alternation)
                    continue
            yield Alternation((alternative,))

    def _key(self, name: str, within: str) -> str | None:
        """Return the key of the rule with a name, which may be in the plural."""
        for key in (name.lower(), name.lower().removesuffix("s")):
            if key in self._rules and key != within:
                return key
        return None

    def _excepted(self, text: str | None, within: str) -> CharSet | None:
        """Return the characters of a list of names and quoted characters, or None for any other list."""
        charset = CharSet()
        for part in _BETWEEN.split(text) if text else ():
            match = _PART.fullmatch(part.strip())
            if match is None:
                return None
            if match["text"]:
                charset |= CharSet.of(match["text"])
                continue
            key = self._key(match["name"], within)
            chars = None if key is None else self._of_rule(key)
            if chars is None:
                return None
            charset |= chars
        return charset

    def _of_rule(self, key: str) -> CharSet | None:
        """Return the characters that a rule matches, or None if it matches anything else."""
        if key not in self._known:
            if self._depth >= MAX_DEPTH:
                return None
            self._depth += 1
            self._known[key] = None  # a recursive rule is not a set
            self._known[key] = self._characters(self._rules[key].elements, key)
            self._depth -= 1
        return self._known[key]

    def _characters(self, alternation: Alternation, within: str = "") -> CharSet | None:
        charset = CharSet()
        for alternative in alternation.alternatives:
            if len(alternative.items) != 1:
                return None
            [item] = alternative.items
            chars = self._of_element(item.element, within) if (item.min, item.max) == (1, 1) else None
            if chars is None:
                return None
            charset |= chars
        return charset

    def _of_element(self, element: Element, within: str = "") -> CharSet | None:
        match element:
            case NumVal(values=values, is_range=True):
                return CharSet.from_ranges([(values[0], values[1])]) if values[0] <= values[1] else None
            case NumVal(values=(value,)):
                return CharSet(((value, value),))
            case CharVal(charsets=(chars,)):
                return chars
            case Group(alternation):
                return self._characters(alternation, within)
            case RuleName(name=name) if name.lower() in self._rules:
                return self._of_rule(name.lower())
            case ProseVal():
                read = self.element(element, within)
                return None if read is None else self._of_element(read, within)
        return None

    def _reached(self, alternation: Alternation) -> CharSet | None:
        """Return all characters that occur in strings of an alternation, or None if unknown."""
        charset = CharSet()
        entered: set[str] = set()
        pending = [alternation]
        while pending:
            for element in elements(pending.pop()):
                if isinstance(element, RuleName):
                    rule = self._rules.get(element.name.lower())
                    if rule is None:
                        return None
                    if element.name.lower() not in entered:
                        entered.add(element.name.lower())
                        pending.append(rule.elements)
                elif isinstance(element, CharVal):
                    for chars in element.charsets:
                        charset |= chars
                elif isinstance(element, NumVal) and not element.is_range:
                    charset |= CharSet.of("".join(map(chr, element.values)))
                else:
                    members = self._of_element(element)
                    if members is None:
                        return None
                    charset |= members
        return charset


def _element(chars: CharSet, more: Iterable[Element], span: Span) -> Element | None:
    """Return one element that matches a character of a set or one of the other elements."""
    parts: list[Element] = [
        NumVal("x", (low,) if low == high else (low, high), low != high, span) for low, high in chars.ranges
    ]
    parts += more
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    alternatives = tuple(Concatenation((Repetition(part, span=span),), span=span) for part in parts)
    return Group(Alternation(alternatives, span), span)
