"""Characters and ranges of them as other notations write them: ``"a".."z"``, ``[0-9]``, ``%41``, ``$x41``.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft`. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.draft import Draft, Slip, ends_element
from abnforge.abnf.foreign_text import SKIP
from abnforge.abnf.messages import message
from abnforge.charset import MAX_CODE_POINT
from abnforge.rejection import Edit

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

_DIGIT_RANGES = frozenset({"01", "07", "09", "19"})  # without quotes, others are as likely to be counts

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
    rf"\[(?P<body>\^?[^\]\[\n\"' \t]{{1,200}}|\^[^\]\n]{{1,200}})\]|\\(?P<named>[dw])(?![A-Za-z])|{SKIP}"
)
_CHAR = r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[^\n]|\#x[0-9A-Fa-f]{1,6}|[^\\\n])"
_COUNTS = re.compile(r"\[[0-9]-(?!9\])[0-9]\]|\[[1-9]-9\]")
_QUANTIFIERS = tuple("*+?")
_GLUED = frozenset("[(%<-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_MEMBER = re.compile(rf"(?P<low>{_CHAR})(?:-(?P<high>{_CHAR}))?", re.DOTALL)


def ranges(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``"a"-"z"``, ``'a'..'z'``, ``0-9``, ``%a-f``: a range between two characters, which are no ``known``
    rules.
    """
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
        yield Slip("character-range", *match.span(), problem, edits)


def quoted_classes(draft: Draft) -> Iterator[Slip]:
    """``['1'-'9']``, ``["+","-"]``: a set of characters in some notations, an option in others."""
    for match in _QUOTED.finditer(draft.text):
        if (shown := match["set"]) is None:
            continue
        ranges = list(_QUOTED_RANGE.finditer(shown))
        members = re.findall(_ONE, _QUOTED_RANGE.sub("", shown))
        if not ranges and (len(members) < 2 or ("," not in shown and "'" not in shown)):
            continue
        written = [char_range(each[0][1], each[0][-2]) for each in ranges]
        written += ["DQUOTE" if each[1] == '"' else f'"{each[1]}"' for each in members]
        one = written[0] if len(written) == 1 else f"( {' / '.join(written)} )"
        problem = message("set-or-option", found=shown, set=one, option=f"[{one.strip('() ')}]")
        yield Slip("quoted-class", *match.span(), problem)


def _is_range_of_characters(low: str, high: str) -> bool:
    """Whether the ends of ``%a-f`` can only be meant to be characters: no base, no numbers of control
    characters.
    """
    if low.isdigit() or high.isdigit():
        return low + high in _DIGIT_RANGES
    return low < high and low.isupper() == high.isupper() and low.lower() not in _DIGITS


def char_range(low: str, high: str) -> str:
    """ABNF for a range of characters, or for one."""
    return f"%x{ord(low):02X}" + (f"-{ord(high):02X}" if low != high else "")


def braced(draft: Draft) -> Iterator[Slip]:
    r"""``%x{41}``, ``\u{1F600}``: a value in braces."""
    for match in _BRACED.finditer(draft.text):
        if match["prefix"] is None:
            continue
        base = match["prefix"][1].lower().replace("u", "x")
        digits = f"[{_DIGITS[base]}]+"
        ends = [match["low"]] + ([match["high"]] if match["high"] else [])
        problem = message("value-braces-unclear", value=match[0])
        edits: tuple[Edit, ...] = ()
        alone = re.match("[A-Za-z0-9_.{*-]", draft.text[match.end() : match.end() + 1]) is None
        if alone and all(re.fullmatch(digits, each) for each in ends):
            written = f"%{base}" + "-".join(ends)
            problem = message("value-braces", value=match[0], written=written)
            edits = (Edit(*match.span(), written),)
        yield Slip("braced-value", *match.span(), problem, edits)


def values(draft: Draft) -> Iterator[Slip]:
    """``%41``, ``%x41-%x5A``, ``$x22``: a value whose base is missing, repeated or written otherwise."""
    decimal = re.search("%[dD][0-9]", draft.text) is not None
    for match in _VALUE.finditer(draft.text):
        if match["skip"] is not None:
            continue
        written = _normal(match)
        if written == match[0]:
            continue
        prefix = match["prefix"]
        if not written and re.fullmatch("%[xXdDbB]", prefix):
            continue  # what is wrong with its digits is said where they are read
        if re.fullmatch("%[dDbB]", match[0]) and draft.text.startswith("{", match.end()):
            continue  # told by ``braced``
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
            problem = message(code, value=shown, written=written)
        else:
            problem = message(unclear, value=shown)
        yield Slip(kind, *match.span(), problem, edits)


def _normal(match: re.Match[str]) -> str:
    """The value as ABNF writes it; "" where the parts do not agree."""
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
    """Whether values without a base can only be meant to be hexadecimal."""
    digits = re.findall("[0-9A-Fa-f]+", match["digits"] + match["rest"])
    if any(len(each) == 1 and each.isalpha() for each in digits) or all(len(each) == 1 for each in digits):
        return False  # characters, as likely
    if match["digits"][0] in "bBdD" and len(match["digits"]) > 1 and match["digits"][1:].isdigit():
        return False
    if any(not each.isdigit() for each in digits) or any(each.startswith("0") for each in digits):
        return True
    as_text = "".join(chr(min(int(each, 16), MAX_CODE_POINT)) for each in digits)
    return not decimal and len(digits) > 1 and as_text.isascii() and as_text.isalnum()


def classes(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    r"""``[0-9]``, ``[^"]``, ``\d``: a class of a regular expression. ``known`` are names of rules."""
    text = draft.text
    quantified = -1  # behind the last class and its quantifier: a "*" there is none of ABNF's
    for match in _CLASS.finditer(text):
        if match["named"]:
            written = "DIGIT" if match["named"] == "d" else '( ALPHA / DIGIT / "_" )'
        elif body := match["body"]:
            if body.startswith("^"):
                yield Slip("character-class", *match.span(), message("set-negated", set=match[0]))
                continue
            if body.isdigit() and len(body) > 1:
                members = " / ".join(f'"{each}"' for each in dict.fromkeys(body))
                problem = message("set-or-option", found=match[0], set=f"( {members} )", option=f'["{body}"]')
                yield Slip("character-class", *match.span(), problem)
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
            yield Slip("character-class", *match.span(), problem, edits)
            quantified = match.end() + 1 if follows in _QUANTIFIERS else -1


def class_members(body: str) -> str:
    """ABNF for the inside of a character class, "" if it does not look like one.

    Letters and digits outside a range could as well be a rule's name in brackets.
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
            members.append(_named_range(low, high))
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


def _named_range(low: str, high: str) -> str:
    return "DIGIT" if (low, high) == ("0", "9") else char_range(low, high)


def _char(part: str | None) -> str | None:
    """The character that a member of a class is."""
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
