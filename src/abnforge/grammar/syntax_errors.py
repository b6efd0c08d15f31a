"""Create syntax errors of grammars: the unexpected token, its place, and the fix."""

from __future__ import annotations

import re
from typing import Protocol

from abnforge._lazy import lazy_pattern
from abnforge.catalog import Catalog, Message
from abnforge.errors import GrammarError
from abnforge.grammar.lexer import CLOSER, Token
from abnforge.grammar.messages import message
from abnforge.text import Source, Span

MAX_ERRORS = 50  # maximum number of errors for one grammar; a file with more is not ABNF

MAX_RELATED = 5
"""The maximum number of further places that one error names."""

STARTS_ELEMENT = frozenset({"name", "string", "number", "prose", "repeat", "list", *CLOSER})
REPEATS = frozenset({"repeat", "list"})

_OPENER = {closer: opener for opener, closer in CLOSER.items()}
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
_FOREIGN = {
    "|": "bar",
    "#": "hash-misplaced",
    "'": "quote-single",
    "%": "percent-misplaced",
    ">": "prose-unopened",
    "\\": "backslash-misplaced",
    "\r": "line-break-misplaced",
    ",": "comma-misplaced",
    "+": "plus-misplaced",
    "?": "question-mark-misplaced",
    "{": "brace-misplaced",
    "}": "brace-misplaced",
    ":": "colon-misplaced",
    ".": "dot-misplaced",
    "-": "hyphen-misplaced",
    "^": "caret-misplaced",
    "!": "negation-misplaced",
    "&": "conjunction-misplaced",
    "~": "complement-misplaced",
    "\u00d7": "times-misplaced",
    **dict.fromkeys("\u03b5\u03f5\u03bb\u2205", "empty-symbol"),
}
"""Character of another notation -> code of the message with the correction."""


class UnfinishedRuleError(GrammarError):
    """Raised if a rule ends too early and only further lines could make it well-formed."""


class Bracket(Protocol):
    """An open bracket: ``opener`` is ``(``, ``[``, or "" for the rule itself; ``opened`` is its offset."""

    opener: str
    opened: int


class SyntaxErrors:
    """The errors of a grammar. ``rule`` is the name of the rule being parsed, or None between rules."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.errors: list[GrammarError] = []
        self.rule: str | None = None

    def report(self, error: GrammarError) -> None:
        """Record an error, unless MAX_ERRORS errors have been recorded."""
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def error(self, token: Token, problem: Message, code: str = "syntax-error") -> GrammarError:
        """Return an error at a token."""
        return GrammarError(
            problem, code=code, source=self.source, span=Span(token.start, token.end), rule=self.rule
        )

    def unexpected(self, token: Token, problem: Message, level: Bracket | None = None) -> GrammarError:
        """Return the error about an unexpected token; ``level`` is the open bracket, if any."""
        related = []
        if level is not None and level.opener:
            note = message("opened-here", opener=level.opener)
            related.append((Span(level.opened, level.opened + 1), note))
        kind = UnfinishedRuleError if token.kind == "end" else GrammarError
        return kind(
            problem, source=self.source, span=Span(token.start, token.end), rule=self.rule, related=related
        )

    def unbalanced(self, token: Token, level: Bracket) -> GrammarError:
        """Return the error about a token that closes a bracket or a rule too early."""
        shown = self.found(token)
        if not level.opener:
            return self.error(token, message("opener-missing", opener=_OPENER[token.kind], found=shown))
        problem = message("closer-missing", closer=CLOSER[level.opener], found=shown)
        return self.unexpected(token, problem, level)

    def char_at(self, position: int) -> Token:
        """Return the character at an offset, or the end of its line, as a token for an error."""
        if self.text[position : position + 2] in ("", "\r\n") or self.text[position] == "\n":
            return Token("eol", position, position)
        return Token("other", position, position + 1)

    def found(self, token: Token) -> str:
        """Return a token as text for a message."""
        if token.kind == "end":
            return message("rule-end")
        if token.kind == "eol":
            return message("line-end")
        return shorten(self.text[token.start : token.end])

    def element_missing(self, before: Token, token: Token) -> Message:
        """Return the message about a missing element between two tokens."""
        text = self.text[before.start : before.end]
        if text == self.text[token.start : token.end] == "/":
            return message("alternative-empty", before=text)
        if text not in ("=", "=/", "/", "|", "(", "["):
            return message("element-expected", found=self.found(token))
        empty = text in ("=", "=/") or (text == "(" and token.kind == ")")  # the "/" may be superfluous
        return message("element-missing-or-empty" if empty else "element-missing", before=text)

    def at_repeat(self, before: Token, token: Token, following: Token) -> Message:
        """Return the message about a repeat (``token``) that is not directly followed by an element."""
        text = shorten(self.text[token.start : token.end])
        gap = following.kind in STARTS_ELEMENT - REPEATS
        if before.kind == "number" and text.isdigit():
            value = self.text[before.start : before.end]
            return message("values-without-dot", found=text, written=f"{value}.{text}")
        if text.isdigit() and (gap or following.kind in REPEATS | {"end", ")", "]", "/", "|"}):
            return message("repeat-or-text" if gap else "repeat-of-nothing", count=text)
        if gap:
            return message("repeat-spaced", repeat=text)
        both = self.text[token.start : following.end]
        if following.kind == "repeat" and both.count("*") > 1 and "#" not in both:
            return message("star-repeated", found=both, written=f"{_one_repeat(both)}ALPHA")
        return self._foreign(following) or message("repeated-element-missing", repeat=text)

    def at_rule(self, token: Token) -> Message:
        """Return the message about a line that does not start with a rule name."""
        char = self.text[token.start]
        shown = self.found(token)
        if char in "0123456789_":
            return message("rule-name-start", found=char)
        if char == '"' and _QUOTED_NAME.match(self.text, token.start):
            return message("rule-name-quoted", found=shown)
        if char in "/|)]":
            return message("line-not-indented")
        return message("rule-name-expected", found=shown)

    def at_defined_as(self, name: str, token: Token) -> Message:
        """Return the message about a rule name that is not followed by '='."""
        char = self.text[token.start : token.start + 1]
        if char == ".":
            return message("rule-name-dot")
        if char == "_":
            return message("rule-name-underscore", name=name)
        return message("rule-name-space" if token.kind == "name" else "equals-missing", name=name)

    def in_elements(self, token: Token) -> Message:
        """Return the message about a character that cannot start an element."""
        return self._foreign(token) or message("element-expected", found=self.found(token))

    def _foreign(self, token: Token) -> Message | None:
        """Return the message about a character of another notation, or None for any other character."""
        char = self.text[token.start : token.start + 1]
        before = self.text[self.text.rfind("\n", 0, token.start) + 1 : token.start]  # line up to it
        if char == "=":
            indented = len(before.split()) == 1 and before[:1].isspace()
            return message("equals-indented" if indented else "equals-repeated")
        if char not in ("'", "%") and self._quotes_on_line(token.start) % 2:
            return message("quote-missing", found=self.found(token))
        if before.rstrip()[-1:] not in ("", *"=/([") and (power := _POWER.match(self.text, token.start)):
            name = _NAME.search(self.text, max(0, token.start - 30), token.start)
            written = f"{power[1]}{name[0] if name else 'ALPHA'}"
            return message("power-misplaced", found=power[0], written=written)
        if (problem := self._around(token.start, len(before))) is not None:
            return problem
        return message(code, found=char) if (code := _FOREIGN.get(char)) else None

    def _around(self, position: int, column: int) -> Message | None:
        """Return a message that depends on the characters around an offset."""
        text = self.text
        if match := _PREFIX_GAP.match(text, position):
            written = shorten(match["prefix"] + match["string"])
            return message("prefix-spaced", prefix=match["prefix"], written=written)
        char = text[position : position + 1]
        if char == "." and text[position + 1 : position + 2] in tuple("*+?"):
            return message("dot-any")
        if char != "-":
            return None
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
                return message("hyphen-spaced", written=f"{match['low']}-{match['high']}")
            if pattern is _COUNT_RANGE:
                low, high = sorted((int(match["one"]), int(match["other"])))
                written = f"{low}*{high}{shorten(match['name'])}"
                return message("hyphen-between-counts", low=low, high=high, written=written)
            return message("hyphen-between-rules", name=shorten(match["less"]))
        return None

    def _quotes_on_line(self, position: int) -> int:
        start, end = self.text.rfind("\n", 0, position) + 1, self.text.find("\n", position)
        line = re.sub(
            r'("[^"\n]*")|;.*', lambda match: match[1] or "", self.text[start : end if end >= 0 else None]
        )
        return line.count('"')


def _one_repeat(text: str) -> str:
    """Return one repeat with the first and last number of several repeats: ``5*8`` for ``*5*8``."""
    counts = re.findall("[0-9]+", text)
    if len(counts) > 1:
        return "*".join(
            sorted((shorten(counts[0]), shorten(counts[-1])), key=lambda count: (len(count), count))
        )
    count = shorten("".join(counts))
    return f"*{count}" if text.startswith("*") else f"{count}*"


def and_more(catalog: Catalog, problem: Message, count: int) -> Message:
    """Return a mistake's message, with the number of further places inserted before the fix."""
    if not count:
        return problem
    fix = catalog.fix(problem)
    head = problem.reworded(problem.removesuffix(fix))
    return problem.reworded(message("and-more", problem=head, count=count) + fix)


def shorten(text: str) -> str:
    """Return a string, or only the start of a long string."""
    return text if len(text) <= 30 else text[:27] + "..."
