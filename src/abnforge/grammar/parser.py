"""Parse ABNF into a syntax tree: RFC 5234, the string prefixes of RFC 7405, and the "|" notation.

The lexer splits a grammar into chunks of one rule each; each rule is parsed separately. An explicit stack
holds the open parentheses, so nested elements do not cause nested Python calls. The parser does not know
which names are defined (see ``grammar.binding``). ``Terminals`` turns a token into a terminal or repeat (RFC
5234, sections 2.3, 2.4, 3.6 to 3.8); ``core_rules`` returns the rules of RFC 5234, appendix B.1. Cost:
linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from abnforge._arguments import choice_argument
from abnforge._lazy import gc_paused, lazy_pattern
from abnforge.charset import MAX_CODE_POINT
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar import lexer
from abnforge.grammar.lexer import (
    CLOSER,
    DIALECTS,
    NAME,
    Chunk,
    Token,
    coded_characters,
    comment_text,
    detect_dialect,
    section_of,
)
from abnforge.grammar.messages import message
from abnforge.grammar.syntax import (
    BRACKETS,
    Alternation,
    CharVal,
    Comment,
    Concatenation,
    Element,
    Group,
    NumVal,
    ProseVal,
    Repetition,
    RuleDefinition,
    Rulelist,
    RuleName,
)
from abnforge.grammar.syntax_errors import REPEATS, STARTS_ELEMENT, SyntaxErrors, shorten
from abnforge.records import dataclass, field
from abnforge.text import Source, Span

MAX_REPEAT_DIGITS = 9
"""Maximum number of significant digits of a repeat count. More digits would mean a billion repetitions, and
CPython does not convert numbers of more than 4,300 digits.
"""

MAX_LITERAL = 65_536
"""Maximum length of one string: each character becomes a state, and no protocol needs long strings."""

_BASES = {"b": ("binary", lazy_pattern("[01]+"), 2), "d": ("decimal", lazy_pattern("[0-9]+"), 10)}
_BASES["x"] = ("hexadecimal", lazy_pattern("[0-9A-Fa-f]+"), 16)
_ASCII_PAIRS = lazy_pattern("(?:0[9AaDd]|[2-7][0-9A-Fa-f])+")  # several characters without dots
_MAX_VALUE_DIGITS = MAX_CODE_POINT.bit_length()  # no base needs more digits than binary


class Terminals:
    """The terminals and repeats of a grammar.

    The methods raise an error, or report it to ``errors`` if the element can still be used.
    """

    def __init__(self, dialect: str, errors: SyntaxErrors) -> None:
        self._text = errors.text
        self._dialect = dialect
        self._errors = errors

    def char_val(self, text: str, span: Span) -> CharVal:
        """Parse ``char-val = DQUOTE *(%x20-21 / %x23-7E) DQUOTE``, with a prefix of RFC 7405."""
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
        for index, char in enumerate("" if value.isascii() and value.isprintable() else value):
            if not " " <= char <= "~":
                place = span.start + quote + 1 + index
                value, utf8 = f"%x{ord(char):02X}", char.encode("utf-8", "surrogatepass").hex(".").upper()
                problem = message("string-character", char=char, value=value)
                if not char.isascii():
                    problem = message("string-not-ascii", char=char, value=value, utf8=f"%x{utf8}")
                raise self._errors.error(Token("other", place, place + 1), problem)
        return CharVal(value, text[:quote].lower(), span)

    def num_val(self, token: Token) -> NumVal:
        """Parse ``num-val = "%" (bin-val / dec-val / hex-val)``."""
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
            low, _, high = written[2:].rpartition("-")
            complete = low[: len(low) - len(high)] + high  # for %x30-7, which means %x30-37
            if len(high) < len(low) <= len(complete) and int(complete, _BASES[base][2]) >= values[0]:
                problem = message("range-short", range=written, written=f"{written[:2]}{low}-{complete}")
            self._errors.report(self._errors.error(token, problem, "empty-range"))
        return NumVal(base, tuple(values), separator == "-", span)

    def _value(self, base: str, position: int) -> tuple[int, int]:
        name, digits, radix = _BASES[base]
        match = digits.match(self._text, position)
        if match is None:
            char = self._errors.char_at(position)
            problem = message("digits-missing", base=name, found=self._errors.found(char))
            raise self._errors.unexpected(char, problem)
        significant = match[0].lstrip("0") or "0"
        value = int(significant, radix) if len(significant) <= _MAX_VALUE_DIGITS else MAX_CODE_POINT + 1
        if value > MAX_CODE_POINT:
            problem = message("value-too-large", value=shorten(match[0]))
            if radix == 16 and _ASCII_PAIRS.fullmatch(match[0]):
                written = shorten("%x" + ".".join(re.findall("..", match[0])))
                problem = message("value-without-dots", value=shorten(match[0]), written=written)
            raise self._errors.error(Token("number", position, match.end()), problem, "value-out-of-range")
        return value, match.end()

    def prose_val(self, text: str, span: Span) -> Element:
        """Parse ``prose-val = "<" *(%x20-3D / %x3F-7E) ">"``; a bracketed rule name is a reference."""
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
        """Return an element that matches the characters that ``<US-ASCII coded characters ...>`` names."""
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
        """Parse ``repeat = 1*DIGIT / (*DIGIT "*" *DIGIT)``, or with "#" for a list."""
        text = self._text[token.start : token.end]
        low, star, high = text.partition("#" if token.kind == "list" else "*")
        if not star:
            count = self._count(low, token)
            return count, count
        minimum = self._count(low, token) if low else 0
        maximum = self._count(high, token) if high else None
        if maximum is not None and minimum > maximum:
            self._errors.report(
                self._errors.error(token, message("repeat-reversed", repeat=text), "repetition-out-of-order")
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


MAX_NESTING = 50
"""Maximum nesting depth of brackets. Published grammars need six levels; comparing, printing and compiling a
model may recurse, and this depth stays well within CPython's default recursion limit.
"""


def parse(
    text: str | Source, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """Return the well-formed rules and an error for each malformed rule, in source order.

    ``name`` is the name of the grammar in messages; a Source has its own name. ``dialect`` is ``"abnf"``,
    ``"rfc822"`` or None to detect it. A rule that RFC 5234 forbids but whose meaning is clear (``5*3ALPHA``,
    ``%x5A-41``) is in the result *and* has an error. Raises ValueError for an unknown dialect. Cost: linear.
    """
    if dialect is not None:
        choice_argument(dialect, "dialect", DIALECTS)
    source = Source(text, name) if isinstance(text, str) else text
    reader = _Reader(source, dialect or detect_dialect(source.text))
    with gc_paused(len(source.text)):
        items = tuple(reader.items())
    recognized = dialect is None and reader.dialect != "abnf"
    return Rulelist(items, reader.dialect, reader.errors.source, recognized), reader.errors.errors


@dataclass(slots=True)
class _Draft:
    """A concatenation that is being parsed."""

    items: list[Repetition] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """An alternation that is being parsed: a rule's (``opener`` is "") or a bracket's, with its repeat."""

    opener: str
    opened: int
    repeat: tuple[int, int | None]
    listed: bool
    start: int
    drafts: list[_Draft] = field(default_factory=lambda: [_Draft()])

    def add_comment(self, text: str) -> None:
        """Add a comment to the preceding alternative, or to the first alternative."""
        draft = self.drafts[-1]
        if not draft.items and len(self.drafts) > 1:
            draft = self.drafts[-2]
        draft.comments.append(text)

    def alternation(self) -> Alternation:
        alternatives = tuple(
            Concatenation(
                tuple(draft.items),
                tuple(draft.comments),
                Span(draft.items[0].span.start, draft.items[-1].span.end),
            )
            for draft in self.drafts
        )
        return Alternation(alternatives, Span(alternatives[0].span.start, alternatives[-1].span.end))


_OF_OPENER = {opener: kind for kind, (opener, _) in BRACKETS.items()}
_ENDS = frozenset([*CLOSER.values(), "end"])


class _Reader:
    def __init__(self, source: Source, dialect: str) -> None:
        self.text = source.text
        self.dialect = dialect
        self.errors = SyntaxErrors(source)
        self.terminals = Terminals(dialect, self.errors)

    def items(self) -> Iterator[RuleDefinition | Comment]:
        section: str | None = None
        for part in lexer.parts(self.text):
            if isinstance(part, Comment):
                section = section_of(part.text) or section
                yield part
                continue
            self.errors.rule = None
            try:
                yield self._rule(part, section)
            except GrammarError as error:
                self.errors.report(error)

    def _rule(self, chunk: Chunk, section: str | None) -> RuleDefinition:
        """Parse ``rule = rulename defined-as elements c-nl`` (RFC 5234, section 4)."""
        tokens = lexer.tokens(self.text, chunk.start, chunk.end, self.dialect)
        name = next(tokens)
        if name.kind != "name":
            raise self.errors.unexpected(name, self.errors.at_rule(name))
        self.errors.rule = written = self.text[name.start : name.end]
        level = _Level("", name.start, (1, 1), False, name.start)
        defined_as = next(tokens)
        while defined_as.kind == "comment":
            level.add_comment(comment_text(self.text, defined_as.start, defined_as.end))
            defined_as = next(tokens)
        if defined_as.kind not in ("=", "=/"):
            raise self.errors.unexpected(defined_as, self.errors.at_defined_as(written, defined_as))
        elements = self._elements(tokens, level, defined_as)
        return RuleDefinition(
            written,
            elements,
            defined_as.kind == "=/",
            section,
            Span(name.start, elements.span.end),
            Span(name.start, name.end),
        )

    def _elements(self, tokens: Iterator[Token], level: _Level, before: Token) -> Alternation:
        """Parse ``elements = alternation *c-wsp``; ``outer`` is a stack of levels."""
        outer: list[_Level] = []
        touching = -1  # the end of the last element: no other element may start here
        for token in tokens:
            kind = token.kind
            draft = level.drafts[-1]
            if kind == "comment":
                level.add_comment(comment_text(self.text, token.start, token.end))
                continue
            if kind in ("/", "|") and (kind == "/" or self.dialect == "rfc822"):
                if not draft.items:
                    raise self.errors.unexpected(token, self.errors.element_missing(before, token))
                level.drafts.append(_Draft())
            elif kind in _ENDS:
                if not draft.items:
                    raise self.errors.unexpected(token, self.errors.element_missing(before, token), level)
                if CLOSER.get(level.opener, "end") != kind:
                    raise self.errors.unbalanced(token, level)
                if kind == "end":
                    return level.alternation()
                inner, level = level, outer.pop()
                span = Span(inner.opened, token.end)
                element: Element = _OF_OPENER[inner.opener](inner.alternation(), span)
                level.drafts[-1].items.append(
                    Repetition(element, *inner.repeat, Span(inner.start, token.end), inner.listed)
                )
                touching = token.end
            else:
                start = token.start
                if start == touching and self.dialect == "abnf" and kind in STARTS_ELEMENT:
                    problem = message("whitespace-missing", found=self.errors.found(token))
                    raise self.errors.error(token, problem)
                repeat: tuple[int, int | None] = (1, 1)
                listed = kind == "list"
                if kind in REPEATS:
                    repeat = self.terminals.repeat(token)
                    following = next(tokens)
                    if following.start != token.end or following.kind not in STARTS_ELEMENT - REPEATS:
                        problem = self.errors.at_repeat(before, token, following)
                        raise self.errors.unexpected(following, problem)
                    token, kind = following, following.kind
                if kind in CLOSER:
                    if len(outer) >= MAX_NESTING:
                        raise LimitExceeded(
                            message("nesting-limit", limit=MAX_NESTING),
                            operation="reading brackets",
                            used=MAX_NESTING + 1,
                            limit=MAX_NESTING,
                            setting="MAX_NESTING",
                            code="nesting-too-deep",
                            source=self.errors.source,
                            span=Span(token.start, token.end),
                            rule=self.errors.rule,
                        )
                    outer.append(level)
                    level = _Level(kind, token.start, repeat, listed, start)
                    touching = -1
                else:
                    element, end = self._element(token)
                    draft.items.append(Repetition(element, *repeat, Span(start, end), listed))
                    touching = end
            before = token
        raise AssertionError("the end token ends every rule")

    def _element(self, token: Token) -> tuple[Element, int]:
        """Parse ``element = rulename / char-val / num-val / prose-val``; return it and its end offset."""
        span = Span(token.start, token.end)
        text = self.text[token.start : token.end]
        if token.kind == "name":
            if self.text[token.end : token.end + 1] == "_":
                place = Token("other", token.end, token.end + 1)
                raise self.errors.error(place, message("rule-name-underscore", name=text))
            return RuleName(text, span=span), token.end
        if token.kind == "string":
            return self.terminals.char_val(text, span), token.end
        if token.kind == "number":
            return self.terminals.num_val(token), token.end
        if token.kind == "prose":
            return self.terminals.prose_val(text, span), token.end
        raise self.errors.unexpected(token, self.errors.in_elements(token))


CORE_RULES = """\
; RFC 5234, appendix B.1
ALPHA   = %x41-5A / %x61-7A  ; A-Z / a-z
BIT     = "0" / "1"
CHAR    = %x01-7F            ; any 7-bit US-ASCII character, excluding NUL
CR      = %x0D               ; carriage return
CRLF    = CR LF              ; Internet standard newline
CTL     = %x00-1F / %x7F     ; controls
DIGIT   = %x30-39            ; 0-9
DQUOTE  = %x22               ; " (Double Quote)
HEXDIG  = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB    = %x09               ; horizontal tab
LF      = %x0A               ; linefeed
LWSP    = *(WSP / CRLF WSP)  ; linear whitespace: lines of whitespace alone are dangerous in headers
OCTET   = %x00-FF            ; 8 bits of data
SP      = %x20
VCHAR   = %x21-7E            ; visible (printing) characters
WSP     = SP / HTAB          ; whitespace
"""


@cache
def core_rules() -> Mapping[str, RuleDefinition]:
    """Return the 16 core rules by lower-case name, in the order of RFC 5234, appendix B.1.

    Their spans are offsets in :data:`CORE_RULES`.
    """
    rulelist, _ = parse(CORE_RULES, "RFC 5234, appendix B.1", "abnf")
    return MappingProxyType({rule.name.lower(): rule for rule in rulelist.rules})
