"""Quotes, escapes and characters that another notation, a word processor or a web page has put into a text.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft`. Strings, prose and comments as ABNF has
them are passed over. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.draft import Draft, Slip
from abnforge.abnf.messages import message
from abnforge.catalog import Message
from abnforge.rejection import Edit

SKIP = (
    r'(?P<skip>;[^\n]*|(?:%[iIsS])?"[^"\n]*"|<[^<>\n]*>'
    r"|(?<![A-Za-z0-9_\"'])'(?:[^'\\\n]|\\.)+'(?![A-Za-z0-9']))"
)
"""What a pass reads over."""

BEFORE = r"(?<![A-Za-z0-9_\"'])"
"""What stands before a string: nothing that it could belong to."""

_BOUNDARY = frozenset(" \t\r\n)]}/|,;*+?{") | {""}
_MAX_STRING = 80  # characters between foreign quotes: more is prose with two apostrophes

_ENTITY = re.compile(rf"&(?P<name>lt|gt|amp|quot|apos|nbsp|#\d{{1,6}}|#[xX][0-9A-Fa-f]{{1,6}});|{SKIP}")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
_SPACES = re.compile("(?P<space>[\u00a0\u2000-\u200b\u202f\u2060\u3000\ufeff])|" + SKIP)
_MARKDOWN = re.compile(rf"\\(?P<char>[*_\[\]()|<>#+{{}}/=\"-])|{SKIP}")
_SINGLE = re.compile(
    rf"{BEFORE}(?P<prefix>(?:%[iIsS])?)'(?P<body>(?:[^'\\\n]|\\.){{0,{_MAX_STRING}}}|\\|')'(?![A-Za-z0-9'])|{SKIP}"
)
_CURLY = re.compile(
    "(?P<open>[\u201c\u201d\u201e\u201f\u00ab\u2033\u2018\u2019\u201a`\u00b4])"
    f"(?P<body>[^\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2018\u2019\u201a`\u00b4\\n]{{0,{_MAX_STRING}}})"
    f"(?P<close>[\u201c\u201d\u201f\u00bb\u2033\u2018\u2019`\u00b4'])|{SKIP}"
)
_STRING = re.compile(r';[^\n]*|<[^<>\n]*>|(?P<string>(?P<prefix>(?:%[iIsS])?)"(?P<body>[^"\n]*)"?)')
_ESCAPED = re.compile(r'(?P<prefix>(?:%[iIsS])?)"(?P<body>(?:[^"\\\n]|\\.)*)"')
_LETTER = re.compile("[A-Za-z]")
_SINGLE_OPENERS = "\u2018\u2019\u201a"
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "/": "/"}
_DEFINED = re.compile(
    r"^[ \t]*<?[A-Za-z][A-Za-z0-9_-]*>?[ \t]*(?P<sign>::==?|<--?|--?>|[\u2190\u2192]|:(?![:=\w]))",
    re.MULTILINE,
)
_ABNF_RULE = re.compile(r"^[ \t]*<?[A-Za-z][\w.-]*>?[ \t]*=", re.MULTILINE)
_TERMINATED = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[^"';])*;\s*""")
_NAMED = {'"': "DQUOTE", "\n": "LF", "\r": "CR", "\t": "HTAB"}


def entities(draft: Draft) -> Iterator[Slip]:
    """``&lt;``: a character as HTML writes it."""
    for match in _ENTITY.finditer(draft.text):
        if name := match["name"]:
            char = _ENTITIES.get(name) or _number(name)
            char = "/" if char == "|" else char  # outside strings it parts alternatives
            yield _replaced("entity", match, char, message("html-entity", entity=match[0], char=char))


def _number(name: str) -> str:
    value = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(value) if value < 0x110000 else "?"


def spaces(draft: Draft) -> Iterator[Slip]:
    """White space that is neither a space nor a tab."""
    for match in _SPACES.finditer(draft.text):
        if char := match["space"]:
            written = "" if char in "\u200b\u2060\ufeff" else " "
            yield _replaced("white-space", match, written, message("space-character", char=char))


def markdown(draft: Draft) -> Iterator[Slip]:
    r"""``1\*(x)``: a character escaped for Markdown."""
    for match in _MARKDOWN.finditer(draft.text):
        if char := match["char"]:
            edit = Edit(match.start(), match.start() + 1, "")
            problem = message("markdown-escape", char=char)
            yield Slip("escape", match.start(), match.end(), problem, (edit,))


def escapes(draft: Draft) -> Iterator[Slip]:
    r"""``"\""``, ``\"""``: a double quote in a string; and where there is one, ``"\\\\"`` is a backslash."""
    text = draft.text
    position = 0
    escaping = False
    doubled: list[Slip] = []
    while match := _STRING.search(text, position):
        position = match.end()
        if match["string"] is None:
            continue
        body, start = match["body"], match.start()
        tripled = next((q for q in ('""""', '"""') if text.startswith(q, start)), "")
        if tripled and _stands_alone(text, start, start + len(tripled)):
            position = start + len(tripled)
            yield _literal("quote-in-string", text, start, position, "", '"')
        elif body.endswith("\\") and text[position : position + 1] not in _BOUNDARY:
            escaped = _ESCAPED.match(text, start)
            if escaped and _stands_alone(text, start, escaped.end()):
                position = escaped.end()
                value = unescape(escaped["body"])
                if value is not None:
                    escaping = True
                    yield _literal("quote-in-string", text, start, position, escaped["prefix"], value)
        elif "\\\\" in body and (value := unescape(body)) is not None:
            doubled.append(_literal("quote-in-string", text, start, position, match["prefix"], value))
    if escaping:
        yield from doubled


def definition_signs(text: str) -> set[str]:
    """Return the signs that a text defines rules with as BNF, EBNF, PEG or ANTLR do. "a" is not "A" there."""
    return {match["sign"] for match in _DEFINED.finditer(text)}


def has_abnf_rule(text: str) -> bool:
    """Return whether a rule of a text is defined by "=" or "=/"."""
    return _ABNF_RULE.search(text) is not None


def is_terminated(rule: str) -> bool:
    """Return whether a rule ends with a bare ";", as all rules of ISO EBNF do."""
    return _TERMINATED.fullmatch(rule) is not None


def letters(draft: Draft, escapes: bool) -> Iterator[Slip]:
    """``"text"`` in a notation in which case matters. ``escapes`` tells that a backslash is an escape."""
    for match in _STRING.finditer(draft.text):
        body = match["body"]
        if not body or match["prefix"] or not all(draft.own[match.start() : match.end()]):
            continue
        if "\\" in body:
            value = unescape(body)
            if not escapes:
                yield _unclear(match, body, value)
            elif value is not None and value != body:
                yield _literal("quote-in-string", draft.text, *match.span(), "%s", value)
        elif _LETTER.search(body):
            problem = message("string-case", string=match[0], written=f"%s{match[0]}")
            # A repeat that moves here goes before the prefix: an insertion does so before a replacement.
            yield Slip("case", *match.span(), problem, (Edit(match.start(), match.start() + 1, '%s"'),))


def _unclear(match: re.Match[str], body: str, value: str | None) -> Slip:
    """A string with a backslash, which is an escape in some notations and a character in others."""
    literal = abnf_string(body, "%s")[0]
    if value is None:
        problem = message("backslash-literal", string=match[0], literal=literal)
    else:
        escaped = abnf_string(value, "%s")[0]
        problem = message("backslash-ambiguous", string=match[0], literal=literal, escaped=escaped)
    return Slip("backslash", *match.span(), problem)


def single_quotes(draft: Draft, escapes: bool, tells_case: bool) -> Iterator[Slip]:
    """``'text'``. ``tells_case`` tells that case matters in it; ``escapes`` is as for ``letters``."""
    default = "%s" if tells_case else ""
    for match in _SINGLE.finditer(draft.text):
        body = match["body"]
        if body is None:
            continue
        value = body if body in ("\\", "'") else unescape(body)
        if "\\" in body and body != "\\" and not escapes:
            yield _unclear(match, body, value)
        elif value is not None:
            yield _literal("single-quotes", draft.text, *match.span(), match["prefix"] or default, value)


def curly_quotes(draft: Draft, known: frozenset[str], tells_case: bool) -> Iterator[Slip]:
    """Typographic quotes, and `backticks`. ``tells_case`` is as for ``single_quotes``."""
    for match in _CURLY.finditer(draft.text):
        body = match["body"]
        if body is None:
            continue
        if match["open"] == match["close"] == "`" and body.strip().lower() in known:
            problem = message("markdown-code", name=body.strip())
            edits = Edit(match.start(), match.start() + 1, ""), Edit(match.end() - 1, match.end(), "")
            yield Slip("backtick", *match.span(), problem, edits)
        else:
            prefix = "%s" if tells_case and match["open"] in _SINGLE_OPENERS else ""
            yield _literal("typographic-quotes", draft.text, *match.span(), prefix, body)


def unescape(body: str) -> str | None:
    r"""A string's text with ``\n`` and the like replaced; None where an escape is not known."""
    parts = re.split(r"\\(.)", body)
    for index in range(1, len(parts), 2):
        if parts[index] not in _ESCAPES:
            return None
        parts[index] = _ESCAPES[parts[index]]
    return "".join(parts)


def abnf_string(value: str, prefix: str = "") -> tuple[str, int]:
    """ABNF for a text, and how many elements it has: a string holds no double quote (RFC 5234, section
    2.3).
    """
    elements = []
    for part in re.findall(r"[ !#-~]+|.", value, re.DOTALL):
        if part in _NAMED:
            elements.append(_NAMED[part])
        elif " " <= part[0] <= "~":
            elements.append(f'{prefix if _LETTER.search(part) else ""}"{part}"')
        else:
            elements.append(f"%x{ord(part):02X}")
    return (" ".join(elements), len(elements)) if elements else ('""', 1)


def _literal(kind: str, text: str, start: int, end: int, prefix: str, value: str) -> Slip:
    """A string in another notation."""
    written, count = abnf_string(value, prefix)
    if count > 1 and (
        text[start - 1 : start] in tuple("*0123456789") or text[end : end + 1] in tuple("*+?{")
    ):
        written = f"({written})"
    found = text[start:end]
    codes = {
        "quote-in-string": "string-escaped",
        "single-quotes": "string-in-single-quotes",
        "typographic-quotes": "string-in-typographic-quotes",
    }
    problem = message(codes[kind], string=found, written=written)
    return Slip(kind, start, end, problem, (Edit(start, end, written),))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a string touches nothing that it could be a part of."""
    return (
        text[start - 1 : start] in (*" \t\n=([{/|,*", *"0123456789", "") and text[end : end + 1] in _BOUNDARY
    )


def _replaced(kind: str, match: re.Match[str], by: str, problem: Message) -> Slip:
    return Slip(kind, *match.span(), problem, (Edit(*match.span(), by),))
