"""Terminals and repeats: one token's text to what it stands for (RFC 5234, sections 2.3, 2.4, 3.6 to 3.8)."""

from __future__ import annotations

from abnforge.abnf.dialects import NAME, coded_characters
from abnforge.abnf.lexing import Token
from abnforge.abnf.messages import message
from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    ProseVal,
    Repetition,
    RuleName,
)
from abnforge.abnf.syntax_errors import SyntaxErrors, shorten
from abnforge.charset import MAX_CODE_POINT
from abnforge.errors import LimitExceeded
from abnforge.once import lazy_pattern
from abnforge.source import Span

MAX_REPEAT_DIGITS = 9
"""Significant digits of a repeat count: more would repeat a billion times, and CPython refuses to
convert numbers of over 4,300 digits."""

MAX_LITERAL = 65_536
"""Characters of one string: no protocol has one of a thousandth of that, and each is a state."""

_BASES = {"b": ("binary", lazy_pattern("[01]+"), 2), "d": ("decimal", lazy_pattern("[0-9]+"), 10)}
_BASES["x"] = ("hexadecimal", lazy_pattern("[0-9A-Fa-f]+"), 16)
_MAX_VALUE_DIGITS = MAX_CODE_POINT.bit_length()  # no base needs more digits than binary


class Terminals:
    """Reads the terminals of one text. What is wrong with them is raised, or reported to ``errors`` where
    reading can go on.
    """

    def __init__(self, dialect: str, errors: SyntaxErrors) -> None:
        self._text = errors.text
        self._dialect = dialect
        self._errors = errors

    def char_val(self, text: str, span: Span) -> CharVal:
        """char-val = DQUOTE *(%x20-21 / %x23-7E) DQUOTE, with a prefix of RFC 7405"""
        quote = text.index('"')
        if len(text) < quote + 2 or not text.endswith('"'):
            raise self._errors.error(Token("string", span.start, span.end), message("string-unclosed"))
        value = text[quote + 1 : -1]
        if len(value) > MAX_LITERAL:
            raise LimitExceeded(
                message("string-limit", limit=MAX_LITERAL),
                operation="reading a string",
                used=len(value),
                limit=MAX_LITERAL,
                setting="MAX_LITERAL",
                code="value-out-of-range",
                source=self._errors.source,
                span=Span(span.start, span.start + quote + 1),
                rule=self._errors.rule,
            )
        for index, char in enumerate(value):
            if not " " <= char <= "~":
                place = span.start + quote + 1 + index
                problem = message("string-character", char=char, value=f"%x{ord(char):02X}")
                raise self._errors.error(Token("other", place, place + 1), problem)
        return CharVal(value, text[:quote].lower(), span)

    def num_val(self, token: Token) -> NumVal:
        """num-val = "%" (bin-val / dec-val / hex-val)"""
        base = self._text[token.start + 1].lower()
        span = Span(token.start, token.end)
        position = token.start + 2
        values: list[int] = []
        separator = ""
        while True:
            value, position = self._value(base, position)
            values.append(value)
            following = self._text[position] if position < token.end else ""
            if not following:
                break
            if following not in ".-" or (separator and (separator == "-" or following == "-")):
                if following in "oOlI":
                    digit = "0" if following in "oO" else "1"
                    problem = message("digit-looks-like-letter", found=following, digit=digit)
                elif base == "d" and following in "abcdefABCDEF":
                    problem = message("digit-hexadecimal", found=following)
                elif following in ".-":
                    problem = message("value-forms-mixed", found=following)
                else:
                    problem = message("digit-invalid", found=following, base=_BASES[base][0])
                raise self._errors.unexpected(Token("other", position, position + 1), problem)
            separator = following
            position += 1
        if separator == "-" and values[0] > values[1]:
            written = self._text[token.start : token.end]
            problem = message("range-reversed", range=written)
            self._errors.report(self._errors.error(token, problem, "empty-range"))
        return NumVal(base, tuple(values), separator == "-", span)

    def _value(self, base: str, position: int) -> tuple[int, int]:
        name, digits, radix = _BASES[base]
        match = digits.match(self._text, position)
        if match is None:
            found = self._errors.char_at(position)
            problem = message("digits-missing", base=name, found=self._errors.found(found))
            raise self._errors.unexpected(found, problem)
        significant = match[0].lstrip("0") or "0"
        value = int(significant, radix) if len(significant) <= _MAX_VALUE_DIGITS else MAX_CODE_POINT + 1
        if value > MAX_CODE_POINT:
            raise self._errors.error(
                Token("number", position, match.end()),
                message("value-too-large", value=shorten(match[0])),
                "value-out-of-range",
            )
        return value, match.end()

    def prose_val(self, text: str, span: Span) -> Element:
        """prose-val = "<" *(%x20-3D / %x3F-7E) ">" ; a rule's name in it is a reference"""
        if not text.endswith(">"):
            raise self._errors.error(Token("prose", span.start, span.end), message("prose-unclosed"))
        prose = text[1:-1]
        if NAME[self._dialect].fullmatch(prose):
            return RuleName(prose, True, span)
        if self._dialect == "rfc822":
            if prose == '"':
                return NumVal("x", (0x22,), span=span)
            coded = coded_characters(prose)
            if coded:
                return self._coded(coded, span)
        return ProseVal(prose, span)

    def _coded(self, parts: list[tuple[str, str | None]], span: Span) -> Element:
        """The characters that ``<US-ASCII coded characters ...>`` names."""
        values = []
        for low, high in parts:
            ends = (int(low, 16),) if high is None else (int(low, 16), int(high, 16))
            if ends[-1] > MAX_CODE_POINT or ends[0] > ends[-1]:
                raise self._errors.error(
                    Token("prose", span.start, span.end),
                    message("range-invalid", range=f"{low}-{high or low}"),
                    "value-out-of-range",
                )
            values.append(NumVal("x", ends, high is not None, span))
        if len(values) == 1:
            return values[0]
        alternatives = tuple(Concatenation((Repetition(v, span=span),), span=span) for v in values)
        return Group(Alternation(alternatives, span), span)

    def repeat(self, token: Token) -> tuple[int, int | None]:
        """repeat = 1*DIGIT / (*DIGIT "*" *DIGIT), or with "#" for a list"""
        text = self._text[token.start : token.end]
        low, star, high = text.partition("#" if token.kind == "list" else "*")
        if not star:
            count = self._count(low, token)
            return count, count
        minimum = self._count(low, token) if low else 0
        maximum = self._count(high, token) if high else None
        if maximum is not None and minimum > maximum:
            self._errors.report(
                self._errors.error(
                    token,
                    message("repeat-reversed", repeat=text),
                    "repetition-out-of-order",
                )
            )
        return minimum, maximum

    def _count(self, digits: str, token: Token) -> int:
        digits = digits.lstrip("0") or "0"
        if len(digits) > MAX_REPEAT_DIGITS:
            raise LimitExceeded(
                message("repeat-limit", count=shorten(digits), limit=MAX_REPEAT_DIGITS),
                operation="reading a repeat count",
                used=len(digits),
                limit=MAX_REPEAT_DIGITS,
                setting="MAX_REPEAT_DIGITS",
                code="value-out-of-range",
                source=self._errors.source,
                span=Span(token.start, token.end),
                rule=self._errors.rule,
            )
        return int(digits)
