"""Find characters of other notations: quotes, escapes, ranges, classes, typography and HTML entities.

Each function is a pass: it yields the mistakes of a :class:`~abnforge.grammar.source_map.SourceMap`. ABNF
strings, prose and comments stay unchanged. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.charset import MAX_CODE_POINT
from abnforge.grammar.messages import message
from abnforge.grammar.source_map import NotationError, SourceMap, ends_element, replacement
from abnforge.rejection import Edit

SKIP = (
    r'(?P<skip>;[^\n]*|(?:%[iIsS])?"[^"\n]*"|<[^<>\n]*>'
    r"|(?<![A-Za-z0-9_\"'])'(?:[^'\\\n]|\\.)+'(?![A-Za-z0-9']))"
)
"""Strings, prose and comments, which a pass skips."""

BEFORE = r"(?<![A-Za-z0-9_\"'])"  # a string does not start directly after these characters

_BOUNDARY = frozenset(" \t\r\n)]}/|,;*+?{") | {""}
_MAX_STRING = 80  # characters between foreign quotes; a longer match is prose with apostrophes

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


def entities(draft: SourceMap) -> Iterator[NotationError]:
    """Find characters written as HTML entities: ``&lt;``."""
    matches = [match for match in _ENTITY.finditer(draft.text) if match["name"]]
    chars = {match[0]: _entity_char(match["name"]) for match in matches}
    written = tuple(
        f"'{char}'" if len(chars) == 1 else f"'{char}' for \"{entity}\"" for entity, char in chars.items()
    )
    for match in matches:
        problem = message("html-entity", entity=match[0], written=written)
        yield replacement("entity", match.span(), problem, chars[match[0]])


def _entity_char(name: str) -> str:
    char = _ENTITIES.get(name)
    if char is None:
        value = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        char = chr(value) if value < 0x110000 else "?"
    return "/" if char == "|" else char  # a bar outside strings


def spaces(draft: SourceMap) -> Iterator[NotationError]:
    """Find whitespace that is neither a space nor a tab."""
    for match in _SPACES.finditer(draft.text):
        if char := match["space"]:
            written = "" if char in "\u200b\u2060\ufeff" else " "
            yield replacement("white-space", match.span(), message("space-character", char=char), written)


def markdown(draft: SourceMap) -> Iterator[NotationError]:
    r"""Find characters escaped for Markdown: ``1\*(x)``."""
    for match in _MARKDOWN.finditer(draft.text):
        if char := match["char"]:
            edit = Edit(match.start(), match.start() + 1, "")
            problem = message("markdown-escape", char=char)
            yield NotationError("escape", match.start(), match.end(), problem, (edit,))


def escapes(draft: SourceMap, tells_case: bool) -> Iterator[NotationError]:
    r"""Find escaped double quotes in strings; in a grammar with such strings, ``"\\\\"`` is a backslash.

    Strings are case-sensitive if ``tells_case``.
    """
    default = "%s" if tells_case else ""
    text = draft.text
    position = 0
    escaping = False
    doubled: list[NotationError] = []
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
                    prefix = escaped["prefix"] or default
                    yield _literal("quote-in-string", text, start, position, prefix, value)
        elif "\\\\" in body and (value := unescape(body)) is not None:
            prefix = match["prefix"] or default
            doubled.append(_literal("quote-in-string", text, start, position, prefix, value))
    if escaping:
        yield from doubled


def definition_signs(text: str) -> set[str]:
    """Return the definition signs of case-sensitive notations such as BNF, EBNF, PEG or ANTLR."""
    return {match["sign"] for match in _DEFINED.finditer(text)}


def has_abnf_rule(text: str) -> bool:
    """Return whether a grammar defines some rule with "=" or "=/"."""
    return _ABNF_RULE.search(text) is not None


def is_terminated(rule: str) -> bool:
    """Return whether a rule ends with a bare ";", as all rules of ISO EBNF do."""
    return _TERMINATED.fullmatch(rule) is not None


def letters(draft: SourceMap, escapes: bool) -> Iterator[NotationError]:
    """Find strings of a case-sensitive notation; with ``escapes``, a backslash is an escape."""
    for match in _STRING.finditer(draft.text):
        body = match["body"]
        if not body or match["prefix"] or not all(draft.own[match.start() : match.end()]):
            continue
        value = unescape(body)
        if value != body and not escapes:
            yield _unclear(match, body, value)
        elif value != body:
            if value is not None:
                yield _literal("quote-in-string", draft.text, *match.span(), "%s", value)
        elif _LETTER.search(body):
            problem = message("string-case", string=match[0], written=f"%s{match[0]}")
            # A repeat that moves here comes before the prefix, since insertions come before replacements.
            yield NotationError(
                "case", *match.span(), problem, (Edit(match.start(), match.start() + 1, '%s"'),)
            )


def _unclear(match: re.Match[str], body: str, value: str | None) -> NotationError:
    """Return the mistake about a backslash, which is an escape only in some notations."""
    literal = abnf_string(body, "%s")[0]
    if value is None:
        problem = message("backslash-literal", string=match[0], literal=literal)
    else:
        escaped = abnf_string(value, "%s")[0]
        problem = message("backslash-ambiguous", string=match[0], literal=literal, escaped=escaped)
    return NotationError("backslash", *match.span(), problem)


def single_quotes(draft: SourceMap, escapes: bool, tells_case: bool) -> Iterator[NotationError]:
    """Find ``'text'``, case-sensitive if ``tells_case``. ``escapes`` is the same as for :func:`letters`."""
    default = "%s" if tells_case else ""
    for match in _SINGLE.finditer(draft.text):
        body = match["body"]
        if body is None:
            continue
        value = body if body in ("\\", "'") else unescape(body)
        if value != body and not escapes:
            yield _unclear(match, body, value)
        elif value is not None:
            yield _literal("single-quotes", draft.text, *match.span(), match["prefix"] or default, value)


def curly_quotes(draft: SourceMap, known: frozenset[str], tells_case: bool) -> Iterator[NotationError]:
    """Find typographic quotes and `backticks`. ``tells_case`` is the same as for :func:`single_quotes`."""
    for match in _CURLY.finditer(draft.text):
        body = match["body"]
        if body is None:
            continue
        if match["open"] == match["close"] == "`" and body.strip().lower() in known:
            problem = message("markdown-code", name=body.strip())
            edits = Edit(match.start(), match.start() + 1, ""), Edit(match.end() - 1, match.end(), "")
            yield NotationError("backtick", *match.span(), problem, edits)
        else:
            prefix = "%s" if tells_case and match["open"] in _SINGLE_OPENERS else ""
            yield _literal("typographic-quotes", draft.text, *match.span(), prefix, body)


def unescape(body: str) -> str | None:
    r"""Return a string with ``\n`` and similar escapes replaced, or None for an unknown escape.

    A backslash at the end stays because it escapes nothing.
    """
    parts = re.split(r"\\(.)", body)
    for index in range(1, len(parts), 2):
        if parts[index] not in _ESCAPES:
            return None
        parts[index] = _ESCAPES[parts[index]]
    return "".join(parts)


def abnf_string(value: str, prefix: str = "") -> tuple[str, int]:
    """Return ABNF for a string, and its number of elements: ABNF strings cannot contain a double quote.

    RFC 5234, section 2.3.
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


def _literal(kind: str, text: str, start: int, end: int, prefix: str, value: str) -> NotationError:
    """Return the mistake about a string in another notation."""
    written, count = abnf_string(value, prefix)
    if count > 1 and (
        text[start - 1 : start] in tuple("*0123456789") or text[end : end + 1] in tuple("*+?{")
    ):
        written = f"({written})"
    string = text[start:end]
    codes = {
        "quote-in-string": "string-escaped",
        "single-quotes": "string-in-single-quotes",
        "typographic-quotes": "string-in-typographic-quotes",
    }
    code = codes[kind] if count == 1 and '"' in written else "string-escaped"
    problem = message(code, string=string, written=written)
    return replacement(kind, (start, end), problem, written)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether no adjacent character could belong to the string."""
    return (
        text[start - 1 : start] in (*" \t\n=([{/|,*", *"0123456789", "") and text[end : end + 1] in _BOUNDARY
    )


_DASH = "-\u2010\u2011\u2012\u2013\u2014\u2212"
_TO = rf"[ \t]*(?:[{_DASH}~]|\.\.\.?|\u2026|[ \t]to[ \t])[ \t]*"
_ONE = r"""(?:"[^"\n]"|'[^'\n\\]'|[\u201c\u201d\u201e\u2018][^\n][\u201c\u201d\u2019])"""
_RANGE = re.compile(
    rf"(?P<low>{_ONE}){_TO}(?P<high>{_ONE})"
    rf"|%(?P<percent_low>[A-Za-z0-9])[{_DASH}](?P<percent_high>[A-Za-z0-9])(?![A-Za-z0-9_.{_DASH}])"
    rf"|(?<![A-Za-z0-9%_-])(?P<bare_low>[A-Za-z0-9])(?:\.\.\.?|\u2026|[{_DASH}](?<=[0-9].))"
    rf"(?P<bare_high>[A-Za-z0-9])(?![A-Za-z0-9_\]-])|{SKIP}"
)

_QUOTED = re.compile(
    rf"(?P<set>\[[ \t]*{_ONE}(?:{_TO}{_ONE})?(?:[ \t]*,?[ \t]*{_ONE}(?:{_TO}{_ONE})?)*[ \t]*\])|{SKIP}"
)
_SPACED_CLASS = re.compile(r"\[[ \t]*\w(?:-\w)?(?:[ \t]+\w(?:-\w)?)+[ \t]*\]")
_QUOTED_RANGE = re.compile(_ONE + _TO + _ONE)

_DIGIT_RANGES = frozenset({"01", "07", "09", "19"})  # without quotes, any other range could be a count

_PREFIX = (
    r"%[xXdDbB]|\$[xXdDbB]|%[hHuU]\+?|%[uU]\+|(?<![A-Za-z0-9_])[uU]\+|\\[xu]|\#x|%0[xX]|%[xX]0[xX]"
    r"|%[xX][ \t]+(?=[0-9A-Fa-f])|%[ \t]+[xXdDbB]|%"
)
_SEPARATOR = rf"(?:[{_DASH}.]|\.\.\.?|\u2026)"
_VALUE = re.compile(
    rf"(?P<prefix>{_PREFIX})(?P<digits>[0-9A-Fa-f]+)"
    rf"(?P<rest>(?:(?:[ \t]*{_SEPARATOR}[ \t]*(?:{_PREFIX}|[xX]|0[xX])|{_SEPARATOR})"
    rf"[0-9A-Fa-f]+)*)|{SKIP}"
)
_PART = re.compile(
    rf"[ \t]*(?P<sep>[{_DASH}]|\.+|\u2026)[ \t]*(?P<prefix>{_PREFIX}|[xX]|0[xX]|)(?P<digits>[0-9A-Fa-f]+)"
)
_DIGITS = {"x": "0-9A-Fa-f", "d": "0-9", "b": "01"}

_BRACED = re.compile(
    r"(?P<prefix>%[xXdDbB]|\\[xu])\{(?P<low>[0-9A-Fa-f]+)\}"
    rf"(?:-(?:%[xXdDbB]|\\[xu])?\{{(?P<high>[0-9A-Fa-f]+)\}})?|{SKIP}"
)

_CLASS = re.compile(
    rf"\[(?P<body>\^?[^\]\[\n\"' \t]{{1,200}}|\^[^\]\n]{{1,200}})\]"
    rf"|\\(?P<named>r\\n|[dwsnrt])(?![A-Za-z])|{SKIP}"
)
_CLASSES = {
    "d": "DIGIT",
    "w": '( ALPHA / DIGIT / "_" )',
    "s": "WSP",
    "r\\n": "CRLF",
    "n": "LF",
    "r": "CR",
    "t": "HTAB",
}
_SIGN = re.compile(r"(?:\{\d+(?:,\d*)?\}|[*+?])?(?P<sign>[-:,])(?=\\[dw]|\[)")  # a sign between two classes
_CHAR = r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[^\n]|\#x[0-9A-Fa-f]{1,6}|[^\\\n])"
_COUNTS = re.compile(r"\[[0-9]-(?!9\])[0-9]\]|\[[1-9]-9\]")
_QUANTIFIERS = tuple("*+?")
_GLUED = frozenset("[(%<-_\\ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_MEMBER = re.compile(rf"(?P<low>{_CHAR})(?:-(?P<high>{_CHAR}))?", re.DOTALL)


def ranges(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find character ranges, unless an end is a ``known`` rule: ``"a"-"z"``, ``'a'..'z'``, ``0-9``."""
    spaced = [match.span() for match in _SPACED_CLASS.finditer(draft.text)]
    for match in _RANGE.finditer(draft.text):
        if match["skip"] is not None:
            continue
        if match["percent_low"] and not _is_range_of_characters(match["percent_low"], match["percent_high"]):
            continue
        low = match["percent_low"] or match["bare_low"] or match["low"][1]
        high = match["percent_high"] or match["bare_high"] or match["high"][1]
        if match["bare_low"] and {low.lower(), high.lower()} & known:
            continue
        if low > high or (match["bare_low"] and low.isdigit() and low + high not in _DIGIT_RANGES):
            continue
        written = char_range(low, high)
        is_member = match["bare_low"] and any(start < match.start() < end for start, end in spaced)
        problem = message(
            "range-in-set" if is_member else "range-of-characters", found=match[0], written=written
        )
        edits = () if is_member else (Edit(*match.span(), written),)
        yield NotationError("character-range", *match.span(), problem, edits)


def quoted_classes(draft: SourceMap) -> Iterator[NotationError]:
    """Find ``['1'-'9']`` or ``["+","-"]``, a character set in some notations and an option in others."""
    for match in _QUOTED.finditer(draft.text):
        if (shown := match["set"]) is None:
            continue
        ranges = list(_QUOTED_RANGE.finditer(shown))
        members = re.findall(_ONE, _QUOTED_RANGE.sub("", shown))
        if not ranges and (len(members) < 2 or ("," not in shown and "'" not in shown)):
            continue
        written = [char_range(match[0][1], match[0][-2]) for match in ranges]
        written += ["DQUOTE" if member[1] == '"' else f'"{member[1]}"' for member in members]
        alternatives = written[0] if len(written) == 1 else f"( {' / '.join(written)} )"
        problem = message(
            "set-or-option", found=shown, set=alternatives, option=f"[{alternatives.strip('() ')}]"
        )
        yield NotationError("quoted-class", *match.span(), problem)


def _is_range_of_characters(low: str, high: str) -> bool:
    """Return whether the ends of ``%a-f`` can only be characters: neither a base nor control characters."""
    if low.isdigit() or high.isdigit():
        return low + high in _DIGIT_RANGES
    return low < high and low.isupper() == high.isupper() and low.lower() not in _DIGITS


def char_range(low: str, high: str) -> str:
    """Return ABNF for a range of characters or a single character."""
    return f"%x{ord(low):02X}" + (f"-{ord(high):02X}" if low != high else "")


def braced(draft: SourceMap) -> Iterator[NotationError]:
    r"""Find values in braces: ``%x{41}``, ``\u{1F600}``."""
    for match in _BRACED.finditer(draft.text):
        if match["prefix"] is None:
            continue
        base = match["prefix"][1].lower().replace("u", "x")
        digits = f"[{_DIGITS[base]}]+"
        ends = [match["low"]] + ([match["high"]] if match["high"] else [])
        problem = message("value-braces-unclear", value=match[0])
        edits: tuple[Edit, ...] = ()
        alone = re.match("[A-Za-z0-9_.{*-]", draft.text[match.end() : match.end() + 1]) is None
        if alone and all(re.fullmatch(digits, end) for end in ends):
            written = f"%{base}" + "-".join(ends)
            problem = message("value-braces", value=match[0], written=written)
            edits = (Edit(*match.span(), written),)
        yield NotationError("braced-value", *match.span(), problem, edits)


def values(draft: SourceMap) -> Iterator[NotationError]:
    """Find values with a missing or repeated base, or in another form: ``%41``, ``%x41-%x5A``, ``$x22``."""
    decimal = re.search("%[dD][0-9]", draft.text) is not None
    for match in _VALUE.finditer(draft.text):
        if match["skip"] is not None:
            continue
        written = _normal(match)
        if written == match[0]:
            continue
        prefix = match["prefix"]
        if not written and re.fullmatch("%[xXdDbB]", prefix):
            continue  # the parser reports the digits
        if re.fullmatch("%[dDbB]", match[0]) and draft.text.startswith("{", match.end()):
            continue  # reported by ``braced``
        edits = (Edit(*match.span(), written),) if written else ()
        shown = match[0]
        if prefix == "%":
            kind = "missing-base"
            if edits and not _hexadecimal(match, decimal):
                edits = ()
            code, unclear = "value-base-implied", "value-base-missing"
        elif prefix[:2].lower() in ("%x", "%d", "%b") and len(prefix) == 2:
            kind = "repeated-base" if "%" in match["rest"] or "x" in match["rest"].lower() else "range-dash"
            is_range = kind == "range-dash"
            code = "value-notation" if is_range else "value-base-repeated"
            unclear = "range-malformed" if is_range else "value-malformed"
        else:
            kind, code, unclear = "value-prefix", "value-notation", "value-malformed"
        if edits and (digits := re.fullmatch("%x([0-9])-([0-9])", written)):
            characters = char_range(*digits.groups())
            problem = message("value-or-digits", value=shown, written=written, digits=characters)
            edits = ()
        elif edits:
            if written == "".join(shown.split()):
                code = "value-spaced"
            problem = message(code, value=shown, written=written)
        else:
            problem = message(unclear, value=shown)
        yield NotationError(kind, *match.span(), problem, edits)


def _normal(match: re.Match[str]) -> str:
    """Return a value in ABNF, or "" if its parts contradict each other."""
    prefix = re.sub(r"[ \t]", "", match["prefix"])
    base = prefix[1].lower() if prefix[1:2].lower() in ("x", "d", "b") and prefix[0] in "%$" else "x"
    if base != "x" and not re.fullmatch(f"[{_DIGITS[base]}]+", match["digits"]):
        return ""
    spelling = prefix if prefix in ("%x", "%X", "%d", "%D", "%b", "%B") else "%" + base
    result = spelling + match["digits"]
    separators = set()
    for part in _PART.finditer(match["rest"]):
        own = part["prefix"].lower().lstrip("%$\\#0+")
        if own not in ("", base) and not (own in ("u", "h", "u+", "h+") and base == "x"):
            return ""
        if not re.fullmatch(f"[{_DIGITS[base]}]+", part["digits"]):
            return ""
        separator = "." if part["sep"] == "." else "-"
        separators.add(separator)
        result += separator + part["digits"]
    dashes = result.count("-")
    return result if dashes <= 1 and len(separators) <= 1 else ""


def _hexadecimal(match: re.Match[str], decimal: bool) -> bool:
    """Return whether values without a base can only be hexadecimal."""
    digits = re.findall("[0-9A-Fa-f]+", match["digits"] + match["rest"])
    if any(len(number) == 1 and number.isalpha() for number in digits) or all(
        len(number) == 1 for number in digits
    ):
        return False  # characters are as likely
    if match["digits"][0] in "bBdD" and len(match["digits"]) > 1 and match["digits"][1:].isdigit():
        return False
    if any(not number.isdigit() for number in digits) or any(number.startswith("0") for number in digits):
        return True
    as_text = "".join(chr(min(int(number, 16), MAX_CODE_POINT)) for number in digits)
    return not decimal and len(digits) > 1 and as_text.isascii() and as_text.isalnum()


def classes(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    r"""Find character classes: ``[0-9]``, ``[^"]``, ``\d``. ``known`` contains rule names."""
    text = draft.text
    quantified = -1  # end of the last class and its quantifier; "*" there is not an ABNF repeat
    for match in _CLASS.finditer(text):
        if match["named"]:
            written = _CLASSES[match["named"]]
        elif body := match["body"]:
            if body.startswith("^"):
                yield NotationError("character-class", *match.span(), message("set-negated", set=match[0]))
                continue
            if body.isdigit() and len(body) > 1:
                members = " / ".join(f'"{digit}"' for digit in dict.fromkeys(body))
                problem = message("set-or-option", found=match[0], set=f"( {members} )", option=f'["{body}"]')
                yield NotationError("character-class", *match.span(), problem)
                continue
            ends = body.lower().split("-")
            rules = body.lower() in known or (len(ends) == 2 and known.issuperset(ends))
            written = "" if rules else class_members(body)
        else:
            continue
        if written:
            problem = message("set-of-regex", set=match[0], written=written)
            follows = text[match.end() : match.end() + 1]
            edits: tuple[Edit, ...] = ()
            if (
                _COUNTS.fullmatch(match[0])
                and follows not in _QUANTIFIERS
                and ends_element(text, match.start())
            ):
                problem = message("set-or-repeat", set=match[0], written=written)
            else:
                edits = (Edit(*match.span(), written),)
                if match.start() == quantified:
                    edits = (Edit(match.start(), match.start(), " "), *edits)
                if follows in _GLUED:
                    edits = (*edits, Edit(match.end(), match.end(), " "))
            if edits and (between := _SIGN.match(text, match.end())):
                gap = "" if between.start("sign") == match.end() else " "  # a gap follows a glued class
                edits = (*edits, Edit(*between.span("sign"), f'{gap}"{between["sign"]}" '))
            yield NotationError("character-class", *match.span(), problem, edits)
            quantified = match.end() + 1 if follows in _QUANTIFIERS else -1


def class_members(body: str) -> str:
    """Return ABNF for the content of a character class, or "" if it is not a class.

    Letters and digits outside a range could also be a rule name in brackets.
    """
    members: list[str] = []
    ranges, letters = 0, False
    for match in _MEMBER.finditer(body):
        low, high = (_char(part) for part in (match["low"], match["high"]))
        if low is None or (match["high"] and (high is None or high < low)):
            return ""
        if high is not None:
            same = [
                low.isdigit() and high.isdigit(),
                low.islower() and high.islower(),
                low.isupper() and high.isupper(),
            ]
            if not any(same) and (low.isalnum() or high.isalnum()) and not match[0].startswith("#"):
                return ""
            ranges += 1
            members.append("DIGIT" if (low, high) == ("0", "9") else char_range(low, high))
        else:
            letters = letters or (low.isalnum() and not match[0].startswith(("\\", "#")))
            members.append(
                "DQUOTE" if low == '"' else f'"{low}"' if " " <= low <= "~" else char_range(low, low)
            )
    if not ranges or letters:
        return ""
    if {"%x41-5A", "%x61-7A"} <= set(members):
        members[members.index("%x41-5A")] = "ALPHA"
        members.remove("%x61-7A")
        members.sort(key=lambda member: member != "ALPHA")
    return members[0] if len(members) == 1 else f"( {' / '.join(members)} )"


def _char(part: str | None) -> str | None:
    """Return the character that a class member represents."""
    if part is None:
        return None
    if part.startswith(("\\x", "\\u")) and len(part) > 2:
        return chr(int(part[2:], 16))
    if part.startswith("#x"):
        return chr(int(part[2:], 16)) if int(part[2:], 16) <= MAX_CODE_POINT else None
    if part.startswith("\\"):
        named = {"n": "\n", "r": "\r", "t": "\t"}
        return named.get(part[1], None if part[1].isalnum() else part[1])
    return part
