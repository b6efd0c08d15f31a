"""What is said about a text that is not ABNF: what was found, where, and what could stand there."""

from __future__ import annotations

import re
from typing import Protocol

from abnforge.abnf.lexing import Token
from abnforge.drawing import show_char
from abnforge.errors import GrammarError
from abnforge.once import lazy_pattern
from abnforge.source import Source, Span

MAX_ERRORS = 50
"""Errors collected from one text. Beyond this, a list helps nobody: the text is not ABNF."""

MAX_RELATED = 5
"""Further places named with one error: a mistake that is made a thousand times is still one."""

CLOSER = {"(": ")", "[": "]"}
STARTS_ELEMENT = frozenset({"name", "string", "number", "prose", "repeat", "list", "(", "["})
REPEATS = frozenset({"repeat", "list"})

AN_ELEMENT = 'an element (a rule name, "text", %x41, <prose>, "(" or "[")'


_A_RULE = (
    'a rule is a name, "=" and its elements; a line that continues a rule is indented deeper than its first'
)
NOTHING = 'nothing at all is written ""'
REPEATED = "a repeat stands right before what it repeats: 4ALPHA"
_POWER = lazy_pattern(r"\^[ \t]*([0-9]{1,9})")
_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9-]{,29}\Z")
_PREFIX_GAP = lazy_pattern(r'(?P<prefix>%[isIS])[ \t]+(?P<string>"[^"\n]*")')
_RANGE_GAP = lazy_pattern(
    r"(?P<low>%[xXdDbB][0-9A-Fa-f]+)[ \t]*-[ \t]*(?:%[xXdDbB])?(?P<high>[0-9A-Fa-f]+)\b"
)
_COUNT_RANGE = lazy_pattern(
    r"\b(?P<one>\d{1,9})(?P<name>[A-Za-z][\w-]*)[ \t]+-[ \t]+(?P<other>\d{1,9})(?P=name)\b"
)
_DIFFERENCE = lazy_pattern(r"[A-Za-z][\w-]*[ \t]+-[ \t]+(?P<less>[A-Za-z][\w-]*)")
_QUOTED_NAME = lazy_pattern(r'"[^"\n]*"[ \t]*(?:=|::?)')
_LIST = (
    "'#' is the list notation of HTTP, and stands right before its element: 1#element; a comment starts "
    'with ";"'
)
_HINTS = {
    "|": "'|' is the RFC 2396 notation for alternatives; ABNF uses '/'",
    "#": _LIST,
    "'": 'a string stands between double quotes (")',
    "%": 'a value is written %x41, %d65 or %b1000001, a string %s"text" or %i"text"',
    ">": 'prose starts with "<"',
    "\\": "nothing is escaped in ABNF",
    "\r": "a line ends with LF or CR LF",
    ",": "ABNF has no comma: elements in a row are parted by white space",
    "+": "ABNF has 1*element for one or more, and white space between elements in a row",
    "?": "ABNF has [element] for what is optional",
    "*": "a repeat stands before what it repeats",
    "{": "ABNF has *( ) for what is repeated and [ ] for what is optional",
    "}": "ABNF has *( ) for what is repeated and [ ] for what is optional",
    ":": 'a ":" that is matched stands in quotes; ABNF has no other in a rule\'s elements',
    ".": 'a dot that is matched is written "."; ABNF has none between elements, in a range (%x41-5A) or at '
    "the end of a rule",
    "-": "ABNF has ranges of characters (%x41-5A), none of numbers such as 1-12, and no difference of sets",
    "^": "ABNF has no complement of a set, and no anchors: a rule is about all of a text",
    "!": "ABNF has no negation",
    "&": "ABNF has no conjunction",
    "~": "ABNF has no complement of a set",
    "\u00d7": REPEATED,
    **dict.fromkeys("\u03b5\u03f5\u03bb\u2205", NOTHING),
}
"""Character -> what ABNF has where other notations have it."""


class UnfinishedRuleError(GrammarError):
    """A rule that ends too early: further lines could make it well-formed, which nothing else can."""


class Bracket(Protocol):
    """An open bracket: ``opener`` is ``(``, ``[``, or "" for the rule itself; ``opened`` is its offset."""

    opener: str
    opened: int


class SyntaxErrors:
    """The errors of one text. ``rule`` names the rule that is being read, None between two rules."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.errors: list[GrammarError] = []
        self.rule: str | None = None

    def report(self, error: GrammarError) -> None:
        """Keep an error; beyond MAX_ERRORS it is dropped."""
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def error(self, token: Token, message: str, code: str = "syntax-error") -> GrammarError:
        """An error at a token."""
        return GrammarError(
            message, code=code, source=self.source, span=Span(token.start, token.end), rule=self.rule
        )

    def expected(
        self, token: Token, expected: str, hint: str = "", level: Bracket | None = None
    ) -> GrammarError:
        """An error about what should stand at a token; ``level`` is the bracket that matters."""
        message = f"expected {expected}, found {self.found(token)}" + (f"; {hint}" if hint else "")
        related = []
        if level is not None and level.opener:
            related.append((Span(level.opened, level.opened + 1), f'"{level.opener}" was opened here'))
        kind = UnfinishedRuleError if token.kind == "end" else GrammarError
        return kind(
            message, source=self.source, span=Span(token.start, token.end), rule=self.rule, related=related
        )

    def unbalanced(self, token: Token, level: Bracket) -> GrammarError:
        """An error about a token that closes a bracket, or the rule, where it cannot."""
        if not level.opener:
            return self.error(token, f"{self.found(token)} closes nothing: no bracket is open here")
        return self.expected(token, f'"{CLOSER[level.opener]}"', level=level)

    def char_at(self, position: int) -> Token:
        """The character at an offset, or the end of its line, as a token to complain about."""
        if self.text[position : position + 2] in ("", "\r\n") or self.text[position] == "\n":
            return Token("eol", position, position)
        return Token("other", position, position + 1)

    def found(self, token: Token) -> str:
        """A token as a message quotes it."""
        if token.kind == "end":
            return "the end of the rule"
        if token.kind == "eol":
            return "the end of the line"
        text = self.text[token.start : token.end]
        if token.kind in ("other", "|") or len(text) == 1:
            return show_char(text)
        return shorten(text) if text[0] in '"<%' else f'"{shorten(text)}"'

    def after(self, before: Token, token: Token) -> str:
        """A hint for a place where an element is missing: ``token`` stands there."""
        text = self.text[before.start : before.end]
        if text == self.text[token.start : token.end] == "/":
            return 'alternatives are parted by one "/"'
        if text not in ("=", "=/", "/", "|", "(", "["):
            return ""
        said = f'nothing stands after "{text}"'
        empty = text in ("=", "=/") or (text == "(" and token.kind == ")")  # a "/" may be one too many
        return f"{said}; {NOTHING}" if empty else said

    def hint_at_repeat(self, before: Token, token: Token, following: Token) -> str:
        """A hint for a repeat (``token``) with no element right behind it."""
        text = self.text[token.start : token.end]
        gap = following.kind in STARTS_ELEMENT - REPEATS
        if before.kind == "number" and text.isdigit():
            value = self.text[before.start : before.end]
            return f"values in a row are parted by dots: {value}.{text}"
        if text.isdigit() and (gap or following.kind in REPEATS | {"end", ")", "]", "/", "|"}):
            what = "is a count of what stands right behind it"
            return f'{shorten(text)} {what} ({shorten(text)}ALPHA); as text, it is written "{shorten(text)}"'
        if gap:
            return "no white space is allowed between a repeat and its element"
        return self.hint_in_elements(following)

    def hint_at_rule(self, token: Token) -> str:
        """A hint for a line that begins no rule."""
        char = self.text[token.start]
        if char in "0123456789_":
            return "a name begins with a letter"
        if char == '"' and _QUOTED_NAME.match(self.text, token.start):
            return "a rule's name stands without quotes"
        return (
            _A_RULE
            if char not in "/|)]"
            else "a line that continues a rule must be indented deeper than the rule"
        )

    def hint_at_defined_as(self, token: Token) -> str:
        """A hint for a rule's name without "=" behind it."""
        char = self.text[token.start : token.start + 1]
        if char == ".":
            return 'a rule name holds letters, digits and "-", not "."'
        if char == "_":
            return '"_" cannot be part of a rule name (the RFC 2396 notation allows it)'
        if token.kind == "name":
            return f"a name has no white space in it, and {_A_RULE}"
        return _A_RULE if token.kind in STARTS_ELEMENT | {"end"} else ""

    def hint_in_elements(self, token: Token) -> str:
        """A hint for a character that begins no element: what ABNF has where others have it, and no more."""
        char = self.text[token.start : token.start + 1]
        before = self.text[self.text.rfind("\n", 0, token.start) + 1 : token.start]  # on its line
        if char == "=":
            if len(before.split()) == 1 and before[:1].isspace():
                return "rules start in the same column; a line indented deeper continues a rule"
            return 'a rule has one "=", and each rule starts on a line of its own'
        if char not in ("'", "%") and self._quotes_on_line(token.start) % 2:
            return "the line has an odd number of double quotes"
        if before.rstrip()[-1:] not in ("", *"=/([") and (power := _POWER.match(self.text, token.start)):
            name = _NAME.search(self.text, max(0, token.start - 30), token.start)
            return f"a repeat stands before what it repeats: {power[1]}{name[0] if name else 'ALPHA'}"
        return self._hint_around(token.start, len(before)) or _HINTS.get(char, "")

    def _hint_around(self, position: int, column: int) -> str:
        """A hint that depends on what stands before and after a character."""
        text = self.text
        if match := _PREFIX_GAP.match(text, position):
            written = shorten(match["prefix"] + match["string"])
            return f"no white space is allowed between {match['prefix']} and its string: {written}"
        char = text[position : position + 1]
        if char == "." and text[position + 1 : position + 2] in tuple("*+?"):
            return 'a dot that is matched is written "."; any character is a range of values: %x00-10FFFF'
        if char != "-":
            return ""
        start = position - min(column, 40)
        for pattern in (_RANGE_GAP, _COUNT_RANGE, _DIFFERENCE):
            match = next(
                (
                    each
                    for each in pattern.finditer(text, start, position + 40)
                    if position in range(*each.span())
                ),
                None,
            )
            if match is None:
                continue
            if pattern is _RANGE_GAP:
                return f"no white space is allowed in a range: {match['low']}-{match['high']}"
            if pattern is _COUNT_RANGE:
                low, high = sorted((int(match["one"]), int(match["other"])))
                written = f"{low}*{high}{shorten(match['name'])}"
                return f'from {low} to {high} times is written {written}, the character "-"'
            less = shorten(match["less"])
            return f"ABNF has no difference of sets; a comment above the rule can have it: ;@ except {less}"
        return ""

    def _quotes_on_line(self, position: int) -> int:
        start, end = self.text.rfind("\n", 0, position) + 1, self.text.find("\n", position)
        line = re.sub(
            r'("[^"\n]*")|;.*', lambda match: match[1] or "", self.text[start : end if end >= 0 else None]
        )
        return line.count('"')


def shorten(text: str) -> str:
    """A long text's beginning."""
    return text if len(text) <= 30 else text[:27] + "..."
