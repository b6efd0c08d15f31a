"""ABNF text to the surface model: RFC 5234 with RFC 7405's string prefixes, and the "|" notation.

A text is cut into *chunks* first: a line that is not indented deeper than the least indented one
starts a rule, deeper lines continue it (RFC 5234, section 2.2: "continuation lines [are] indented",
and a uniform indentation of the whole grammar does not matter). Each chunk is then
parsed on its own, so one malformed rule hides no other one. Brackets are kept on an explicit stack:
no nesting in the text becomes nesting of Python calls.

What is read more generously than RFC 5234's own grammar: lines may end in LF alone and the last one
need not end at all, blank lines may stand inside a rule, comments may hold any character. Everything else
is an error with a place. Nothing here knows which names are defined (see ``abnf.binding``).

The dialect ``"rfc822"`` is the notation of RFC 822 as RFC 2396 and its time used it: ``|`` as well as
``/``, ``_`` in names, ``<">`` for a double quote, elements that touch, and prose of the form
``<US-ASCII coded characters 00-1F and 7F hexadecimal>``, which is understood as these characters.

Cost: linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Comment,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    Rule,
    Rulelist,
    RuleName,
)
from abnforge.charset import MAX_CODE_POINT
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.text import Source, Span, show_char

MAX_NESTING = 50
"""Brackets inside brackets. Published grammars need six; comparing, printing and compiling a model may
recurse, and this many levels stay well within CPython's default recursion limit."""

MAX_REPEAT_DIGITS = 9
"""Significant digits of a repeat count: more would repeat a billion times, and CPython refuses to
convert numbers of over 4,300 digits."""

MAX_ERRORS = 50
"""Errors collected from one text. Beyond this, a list helps nobody: the text is not ABNF."""

_TAB = 8  # columns; only the comparison of indentations depends on it
_BASES = {"b": ("binary", re.compile("[01]+"), 2), "d": ("decimal", re.compile("[0-9]+"), 10)}
_BASES["x"] = ("hexadecimal", re.compile("[0-9A-Fa-f]+"), 16)
_MAX_VALUE_DIGITS = MAX_CODE_POINT.bit_length()  # no base needs more digits than binary

_NAME = {
    "abnf": re.compile("[A-Za-z][A-Za-z0-9-]*"),
    "rfc822": re.compile("[A-Za-z][A-Za-z0-9_-]*"),
}
# An unterminated string or prose runs to the end of its line: each alternative consumes what it looked at, so
# that scanning stays linear.
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\r?\n)
    |(?P<comment>;[^\n]*)
    |(?P<string>(?:%[iIsS])?"[^"\n]*"?)
    |(?P<number>%[bBdDxX])
    |(?P<prose><[^>\n]*>?)
    |(?P<repeat>[0-9]*\*[0-9]*|[0-9]+)
    |(?P<mark>=/|[()\[\]/|=])
    |(?P<name>[A-Za-z])
    |(?P<other>.|\r)""",
    re.VERBOSE,
)
_BAR = re.compile(r';[^\n]*|"[^"\n]*"?|<[^>\n]*>?|(\|)')
_UNDERSCORE = re.compile(r"^[ \t]*[A-Za-z][A-Za-z0-9-]*_[A-Za-z0-9_-]*[ \t]*=", re.MULTILINE)
_CODED = re.compile(r"US-ASCII coded characters? (.*) hexadecimal", re.IGNORECASE)
_CODED_PART = re.compile(r"([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?", re.IGNORECASE)
_SECTION = re.compile(
    r"[;\s]*(?:(?:RFC\s*\d+\s*[,:]?\s*)?(?:section|appendix)\s+(?P<named>[0-9A-Z]+(?:\.[0-9]+)*)\b"
    r"|(?P<titled>\d+(?:\.\d+)*)\.\s+\S)",
    re.IGNORECASE,
)

_AN_ELEMENT = 'an element (a rule name, "text", %x41, <prose>, "(" or "[")'
_CLOSER = {"(": ")", "[": "]"}


class UnfinishedRule(GrammarError):
    """A rule that ends too early: further lines could make it well-formed, which nothing else can."""


def read(text: str, name: str = "<string>", dialect: str | None = None) -> Rulelist:
    """Read a grammar.

    ``name`` stands for the text in messages. ``dialect`` is ``"abnf"``, ``"rfc822"`` or None: then a ``|``
    between elements, or a ``_`` in the name of a rule being defined, tells that it is ``"rfc822"``.
    A text without rules is an empty model.

    Raises :class:`GrammarError` with every error found (``.errors``, at most :data:`MAX_ERRORS`);
    :class:`LimitExceeded` when the first one is a limit. Cost: linear.
    """
    rulelist, errors = read_partial(text, name, dialect)
    if errors:
        raise GrammarError.combine(errors)
    return rulelist


def read_partial(
    text: str, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """Read what can be read: the rules that are well-formed, and the errors in source order.

    A rule whose text can be understood but must not be written so (``5*3ALPHA``, ``%x5A-41``) is in the model
    *and* has an error.
    """
    if dialect not in (None, "abnf", "rfc822"):
        raise ValueError(f'unknown dialect {dialect!r}: "abnf" or "rfc822"')
    reader = _Reader(Source(text, name), dialect or detect_dialect(text))
    items = tuple(reader.items())
    return Rulelist(items, reader.dialect, reader.source), reader.errors


def detect_dialect(text: str) -> str:
    """``"rfc822"`` if ``|`` stands outside strings, prose and comments or a defined name has a ``_``."""
    if any(match[1] for match in _BAR.finditer(text)) or _UNDERSCORE.search(text):
        return "rfc822"
    return "abnf"


def section_of(comment: str) -> str | None:
    """The section that a comment (without its ";") announces: ``Section 3.2.2``, ``;;; 3.2.2. Title``."""
    match = _SECTION.match(comment)
    return (match["named"] or match["titled"]) if match else None


@dataclass(slots=True)
class _Chunk:
    """The lines of one rule: offsets of the first character and behind the last one."""

    start: int
    end: int


@dataclass(slots=True)
class _Token:
    kind: str
    start: int
    end: int


@dataclass(slots=True)
class _Draft:
    """A concatenation being read."""

    items: list[Repetition] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """An alternation being read: that of the rule (``opener`` is "") or of a bracket and its repeat."""

    opener: str
    opened: int
    repeat: tuple[int, int | None]
    start: int
    drafts: list[_Draft] = field(default_factory=lambda: [_Draft()])

    def add_comment(self, text: str) -> None:
        """A comment belongs to the alternative before it, or to the first one."""
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


class _Reader:
    def __init__(self, source: Source, dialect: str) -> None:
        self.source = source
        self.text = source.text
        self.dialect = dialect
        self.errors: list[GrammarError] = []
        self.rule: str | None = None

    # -- lines to chunks

    def items(self) -> Iterator[Rule | Comment]:
        section: str | None = None
        for part in self._parts():
            if isinstance(part, Comment):
                section = section_of(part.text) or section
                yield part
                continue
            self.rule = None
            try:
                yield self._rule(part, section)
            except GrammarError as error:
                self._report(error)

    def _parts(self) -> Iterator[_Chunk | Comment]:
        """Chunks of one rule each, and the comments and blank lines between them."""
        lines = list(self._lines())
        base = min((indent for _, _, indent, kind in lines if kind == "content"), default=0)
        chunk: _Chunk | None = None
        waiting: list[Comment] = []  # between two rules, or inside one: the next line of content tells
        for start, end, indent, kind in lines:
            if kind == "content":
                if chunk is not None and indent > base:
                    chunk.end = end
                else:
                    if chunk is not None:
                        yield chunk
                    yield from waiting
                    chunk = _Chunk(start, end)
                waiting = []
            elif kind == "comment" and chunk is not None and indent > base and not waiting:
                chunk.end = end
            else:
                semicolon = self.text.find(";", start, end) if kind == "comment" else end
                text = self._comment(semicolon, end) or " " if kind == "comment" else ""
                waiting.append(Comment(text, Span(semicolon, end)))
        if chunk is not None:
            yield chunk
        yield from waiting

    def _lines(self) -> Iterator[tuple[int, int, int, str]]:
        """Every line: start, end (without LF or CRLF), indentation in columns, and its kind."""
        text, start = self.text, 0
        while start < len(text):
            newline = text.find("\n", start)
            end = newline if newline >= 0 else len(text)
            after = end + 1
            if newline >= 0 and end > start and text[end - 1] == "\r":
                end -= 1
            indent, position = 0, start
            while position < end and text[position] in " \t":
                indent = (indent // _TAB + 1) * _TAB if text[position] == "\t" else indent + 1
                position += 1
            kind = "blank" if position == end else "comment" if text[position] == ";" else "content"
            yield start, end, indent, kind
            start = after

    def _comment(self, semicolon: int, end: int) -> str:
        return self.text[semicolon + 1 : end].rstrip(" \t\r")

    # -- one rule

    def _tokens(self, start: int, end: int) -> Iterator[_Token]:
        """The tokens of a chunk, an ``end`` token last. Spaces are left out."""
        last = start
        while start < end:
            match = _TOKEN.match(self.text, start, end)
            assert match is not None  # the last alternative takes any character
            kind = str(match.lastgroup)
            stop = match.end()
            if kind == "name":
                named = _NAME[self.dialect].match(self.text, start, end)
                stop = named.end() if named else stop
            elif kind == "mark":
                kind = match[0]
            elif kind == "number":
                # The digits are checked where the value is read; here only the token's end matters.
                while stop < end and (self.text[stop].isalnum() or self.text[stop] in ".-"):
                    stop += 1
            start, before = stop, start
            if kind != "space":
                yield _Token(kind, before, stop)
                last = stop if kind != "comment" else last
        yield _Token("end", last, last)

    def _rule(self, chunk: _Chunk, section: str | None) -> Rule:
        """rule = rulename defined-as elements c-nl ; RFC 5234, section 4"""
        tokens = self._tokens(chunk.start, chunk.end)
        name = next(tokens)
        if name.kind != "name":
            raise self._expected(name, "a rule name", self._hint_at_rule(name))
        self.rule = self.text[name.start : name.end]
        level = _Level("", name.start, (1, 1), name.start)
        defined_as = next(tokens)
        while defined_as.kind == "comment":
            level.add_comment(self._comment(defined_as.start, defined_as.end))
            defined_as = next(tokens)
        if defined_as.kind not in ("=", "=/"):
            raise self._expected(
                defined_as,
                f'"=" or "=/" after the rule name "{self.rule}"',
                self._hint_at_defined_as(defined_as),
            )
        elements = self._elements(tokens, level, defined_as)
        return Rule(
            self.rule,
            elements,
            defined_as.kind == "=/",
            section,
            Span(name.start, elements.span.end),
            Span(name.start, name.end),
        )

    def _elements(self, tokens: Iterator[_Token], level: _Level, before: _Token) -> Alternation:
        """elements = alternation *c-wsp ; the levels below it stand on ``outer``"""
        outer: list[_Level] = []
        touching = -1  # where the last element ended: another one must not follow at once
        for token in tokens:
            kind = token.kind
            draft = level.drafts[-1]
            if kind == "comment":
                level.add_comment(self._comment(token.start, token.end))
                continue
            if kind in ("/", "|") and (kind == "/" or self.dialect == "rfc822"):
                if not draft.items:
                    raise self._expected(token, _AN_ELEMENT, self._after(before))
                level.drafts.append(_Draft())
            elif kind in (")", "]", "end"):
                if not draft.items:
                    raise self._expected(token, _AN_ELEMENT, self._after(before), level)
                if _CLOSER.get(level.opener, "end") != kind:
                    raise self._unbalanced(token, level)
                if kind == "end":
                    return level.alternation()
                inner, level = level, outer.pop()
                span = Span(inner.opened, token.end)
                wrap = Group if inner.opener == "(" else Option
                element: Element = wrap(inner.alternation(), span)
                level.drafts[-1].items.append(
                    Repetition(element, *inner.repeat, Span(inner.start, token.end))
                )
                touching = token.end
            else:
                start = token.start
                if start == touching and self.dialect == "abnf" and kind in _STARTS_ELEMENT:
                    raise self._error(token, f"white space is missing before {self._found(token)}")
                repeat: tuple[int, int | None] = (1, 1)
                if kind == "repeat":
                    repeat = self._repeat(token)
                    following = next(tokens)
                    if following.start != token.end or following.kind not in _STARTS_ELEMENT - {"repeat"}:
                        hint = ""
                        if following.kind in _STARTS_ELEMENT - {"repeat"}:
                            hint = "no white space is allowed between a repeat and its element"
                        raise self._expected(following, "an element to repeat", hint)
                    token, kind = following, following.kind
                if kind in _CLOSER:
                    if len(outer) >= MAX_NESTING:
                        raise LimitExceeded(
                            f"brackets are nested deeper than {MAX_NESTING} levels (MAX_NESTING)",
                            code="nesting-too-deep",
                            source=self.source,
                            span=Span(token.start, token.end),
                            rule=self.rule,
                        )
                    outer.append(level)
                    level = _Level(kind, token.start, repeat, start)
                    touching = -1
                else:
                    element, end = self._element(token)
                    draft.items.append(Repetition(element, *repeat, Span(start, end)))
                    touching = end
            before = token
        raise AssertionError("the end token ends every rule")

    def _element(self, token: _Token) -> tuple[Element, int]:
        """element = rulename / char-val / num-val / prose-val, and the offset behind it"""
        span = Span(token.start, token.end)
        text = self.text[token.start : token.end]
        if token.kind == "name":
            if self.text[token.end : token.end + 1] == "_":
                raise self._error(
                    _Token("other", token.end, token.end + 1),
                    'a rule name holds letters, digits and "-", not "_" (the RFC 822 notation allows it)',
                )
            return RuleName(text, span=span), token.end
        if token.kind == "string":
            return self._char_val(text, span), token.end
        if token.kind == "number":
            return self._num_val(token), token.end
        if token.kind == "prose":
            return self._prose_val(text, span), token.end
        raise self._expected(token, _AN_ELEMENT, self._hint_in_elements(token))

    def _char_val(self, text: str, span: Span) -> CharVal:
        quote = text.index('"')
        if len(text) < quote + 2 or not text.endswith('"'):
            raise self._error(
                _Token("string", span.start, span.end), "a string is not closed: a double quote is missing"
            )
        value = text[quote + 1 : -1]
        for index, char in enumerate(value):
            if not " " <= char <= "~":
                place = span.start + quote + 1 + index
                raise self._error(
                    _Token("other", place, place + 1),
                    f"{show_char(char)} cannot stand in a string, which holds printable ASCII: "
                    f"write %x{ord(char):02X}",
                )
        return CharVal(value, text[:quote].lower(), span)

    def _num_val(self, token: _Token) -> NumVal:
        """num-val = "%" (bin-val / dec-val / hex-val)"""
        base = self.text[token.start + 1].lower()
        span = Span(token.start, token.end)
        position = token.start + 2
        values: list[int] = []
        separator = ""
        while True:
            value, position = self._value(base, position)
            values.append(value)
            following = self.text[position] if position < token.end else ""
            if not following:
                break
            if following not in ".-" or (separator and (separator == "-" or following == "-")):
                what = "the value to end here" if separator else '".", "-" or the end of the value'
                hint = "a range has two ends" if following in ".-" else ""
                raise self._expected(_Token("other", position, position + 1), what, hint)
            separator = following
            position += 1
        if separator == "-" and values[0] > values[1]:
            self._report(
                self._error(
                    token,
                    f"the range {self.text[token.start : token.end]} is empty: its first value is the larger",
                    "empty-range",
                )
            )
        return NumVal(base, tuple(values), separator == "-", span)

    def _value(self, base: str, position: int) -> tuple[int, int]:
        name, digits, radix = _BASES[base]
        match = digits.match(self.text, position)
        if match is None:
            raise self._expected(self._char_at(position), f"{name} digits")
        significant = match[0].lstrip("0") or "0"
        value = int(significant, radix) if len(significant) <= _MAX_VALUE_DIGITS else MAX_CODE_POINT + 1
        if value > MAX_CODE_POINT:
            raise self._error(
                _Token("number", position, match.end()),
                f"{_shorten(match[0])} is above U+10FFFF, the last code point",
                "value-out-of-range",
            )
        return value, match.end()

    def _prose_val(self, text: str, span: Span) -> Element:
        if not text.endswith(">"):
            raise self._error(
                _Token("prose", span.start, span.end), 'prose is not closed: ">" is missing on this line'
            )
        prose = text[1:-1]
        if _NAME[self.dialect].fullmatch(prose):
            return RuleName(prose, True, span)
        if self.dialect == "rfc822":
            if prose == '"':
                return NumVal("x", (0x22,), span=span)
            coded = _CODED.fullmatch(prose)
            parts = re.split(r",? and |, ", coded[1]) if coded else []
            matches = [_CODED_PART.fullmatch(part) for part in parts]
            if coded and all(matches):
                return self._coded([(m[1], m[2]) for m in matches if m], span)
        return ProseVal(prose, span)

    def _coded(self, parts: list[tuple[str, str | None]], span: Span) -> Element:
        """The characters that ``<US-ASCII coded characters ...>`` names."""
        values = []
        for low, high in parts:
            ends = (int(low, 16),) if high is None else (int(low, 16), int(high, 16))
            if ends[-1] > MAX_CODE_POINT or ends[0] > ends[-1]:
                raise self._error(
                    _Token("prose", span.start, span.end),
                    f"{low}-{high or low} is not a range of code points",
                    "value-out-of-range",
                )
            values.append(NumVal("x", ends, high is not None, span))
        if len(values) == 1:
            return values[0]
        alternatives = tuple(Concatenation((Repetition(v, span=span),), span=span) for v in values)
        return Group(Alternation(alternatives, span), span)

    def _repeat(self, token: _Token) -> tuple[int, int | None]:
        """repeat = 1*DIGIT / (*DIGIT "*" *DIGIT)"""
        text = self.text[token.start : token.end]
        low, star, high = text.partition("*")
        if not star:
            count = self._count(low, token)
            return count, count
        minimum = self._count(low, token) if low else 0
        maximum = self._count(high, token) if high else None
        if maximum is not None and minimum > maximum:
            self._report(
                self._error(
                    token,
                    f'the repetition "{text}" asks for at least {minimum} and at most {maximum}',
                    "repetition-out-of-order",
                )
            )
        return minimum, maximum

    def _count(self, digits: str, token: _Token) -> int:
        digits = digits.lstrip("0") or "0"
        if len(digits) > MAX_REPEAT_DIGITS:
            raise LimitExceeded(
                f"the repeat count {_shorten(digits)} has more than {MAX_REPEAT_DIGITS} digits"
                " (MAX_REPEAT_DIGITS)",
                code="value-out-of-range",
                source=self.source,
                span=Span(token.start, token.end),
                rule=self.rule,
            )
        return int(digits)

    # -- errors

    def _report(self, error: GrammarError) -> None:
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def _error(self, token: _Token, message: str, code: str = "syntax-error") -> GrammarError:
        return GrammarError(
            message, code=code, source=self.source, span=Span(token.start, token.end), rule=self.rule
        )

    def _expected(
        self, token: _Token, expected: str, hint: str = "", level: _Level | None = None
    ) -> GrammarError:
        message = f"expected {expected}, found {self._found(token)}" + (f"; {hint}" if hint else "")
        related = []
        if level is not None and level.opener:
            related.append((Span(level.opened, level.opened + 1), f'"{level.opener}" was opened here'))
        kind = UnfinishedRule if token.kind == "end" else GrammarError
        return kind(
            message, source=self.source, span=Span(token.start, token.end), rule=self.rule, related=related
        )

    def _unbalanced(self, token: _Token, level: _Level) -> GrammarError:
        if not level.opener:
            return self._error(token, f"{self._found(token)} closes nothing: no bracket is open here")
        return self._expected(token, f'"{_CLOSER[level.opener]}"', level=level)

    def _char_at(self, position: int) -> _Token:
        if self.text[position : position + 2] in ("", "\r\n") or self.text[position] == "\n":
            return _Token("eol", position, position)
        return _Token("other", position, position + 1)

    def _found(self, token: _Token) -> str:
        if token.kind == "end":
            return "the end of the rule"
        if token.kind == "eol":
            return "the end of the line"
        text = self.text[token.start : token.end]
        if token.kind in ("other", "|") or len(text) == 1:
            return show_char(text)
        return _shorten(text) if text[0] in '"<%' else f'"{_shorten(text)}"'

    def _after(self, before: _Token) -> str:
        text = self.text[before.start : before.end]
        return f'nothing stands after "{text}"' if text in ("=", "=/", "/", "|", "(", "[") else ""

    def _hint_at_rule(self, token: _Token) -> str:
        char = self.text[token.start]
        if char == "#":
            return 'a comment starts with ";"'
        if char in '/|()[]"%<*':
            return "a line that continues a rule must be indented deeper than the rule"
        return ""

    def _hint_at_defined_as(self, token: _Token) -> str:
        if self.text.startswith((":=", "::="), token.start):
            return 'ABNF defines a rule with "="'
        if self.text[token.start : token.start + 1] == "_":
            return '"_" cannot be part of a rule name (the RFC 822 notation allows it)'
        if token.kind in _STARTS_ELEMENT:
            return "a line that continues a rule must be indented deeper than the rule"
        return ""

    def _hint_in_elements(self, token: _Token) -> str:
        char = self.text[token.start : token.start + 1]
        hints = {
            "|": "'|' is the RFC 822 notation for alternatives; ABNF uses '/'",
            "=": "a rule starts in the same column as the first one; a line indented deeper continues a rule",
            "#": "'#' is the list notation of RFC 822 and HTTP, which ABNF does not have; write the list out",
            "'": 'a string stands between double quotes (")',
            "%": 'a value is written %x41, %d65 or %b1000001, a string %s"text" or %i"text"',
            ">": 'prose starts with "<"',
            "\\": "nothing is escaped in ABNF",
            "\r": "a line ends with LF or CR LF",
        }
        return hints.get(char, "")


_STARTS_ELEMENT = frozenset({"name", "string", "number", "prose", "repeat", "(", "["})


def _shorten(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "..."
