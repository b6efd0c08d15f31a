"""HTTP of RFC 9110 and RFC 9112, and cookies of RFC 6265."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
TCHAR = set(LETTERS + "0123456789!#$%&'*+-.^_`|~")
COOKIE = {chr(code) for code in range(0x21, 0x7F)} - set('",;\\')


@wrong("rfc9110:token", "JakeChampion/fetch#745", '"!" refused', "!", re.compile("!").search)
def no_exclamation(text: str) -> object:
    return re.fullmatch(r"[a-zA-Z0-9\-#$%&'*+.^_`|~]+", text)


@wrong("rfc9110:token", "seanmonstar/httparse#161", '"[" and "]" accepted', "[", re.compile(r"[\[\]]").search)
def brackets(text: str) -> bool:
    separators = '"(),/:;<=>?@\\{}'
    return text != "" and all("!" <= char <= "~" and char not in separators for char in text)


@wrong(
    "rfc9110:qvalue",
    "pallets/werkzeug#2751",
    "0 and 1 without a point refused",
    "0",
    re.compile("[01]").fullmatch,
)
def point_needed(text: str) -> object:
    return re.fullmatch(r"0\.[0-9]{0,3}|1\.0{0,3}", text)


@wrong(
    "rfc9110:qvalue",
    "enkan/enkan#102",
    "read by a function for numbers",
    ".0",
    lambda text: not re.fullmatch(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?", text),
)
def read_as_a_number(text: str) -> bool:
    return text.isascii() and 0 <= float(text) <= 1


@wrong(
    "rfc9110:qvalue",
    "OpenSIPS/opensips#790",
    "a point without digits refused",
    "0.",
    re.compile(r"\.$").search,
)
def digits_needed(text: str) -> object:
    return re.fullmatch(r"0(?:\.[0-9]{1,3})?|1(?:\.0{1,3})?", text)


@wrong(
    "rfc9110:qvalue",
    "resolve-accept-language/resolve-accept-language#5",
    "the point is not escaped",
    "00",
    re.compile("^.[^.]").search,
)
def any_point(text: str) -> object:
    return re.fullmatch("0(?:.[0-9]{0,3})?|1(?:.0{0,3})?", text, re.DOTALL)


@wrong(
    "rfc9110:entity-tag",
    "spring-projects/spring-framework#33374",
    'weak tags are known by "W/", without the quotation mark behind it',
    'W/"',
    re.compile('W/(?:[^"]|"$)').match,
)
def weak_prefix(text: str) -> bool:
    if text.startswith("W/"):
        inner = text[2:-1].removeprefix('"')
    elif len(text) > 1 and text[0] == '"':
        inner = text[1:-1]
    else:
        return False
    if not text.endswith('"'):
        return False
    return all(char == "!" or "#" <= char <= "~" or "\x80" <= char <= "\xff" for char in inner)


@wrong(
    "rfc9110:entity-tag",
    "apache/cxf#830",
    '"W/" within the tag taken for the mark of weak ones',
    '"W/"',
    re.compile('".*W/').search,
)
def weak_anywhere(text: str) -> bool:
    place = text.find("W/")
    if place > 0:
        return False
    opaque = text[2:] if place == 0 else text
    if len(opaque) < 2 or opaque[0] != '"' or opaque[-1] != '"':
        return False
    return all(char == "!" or "#" <= char <= "~" or "\x80" <= char <= "\xff" for char in opaque[1:-1])


@wrong(
    "rfc9110:Content-Length",
    "pallets/werkzeug#2716",
    "read by a function that takes signs, underscores and blanks",
    "+0",
    re.compile("[^0-9]").search,
)
def length_by_int(text: str) -> bool:
    return text.isascii() and int(text) >= 0


@wrong(
    "rfc9112:chunk-size",
    "benoitc/gunicorn#2811",
    '"0x" accepted in front',
    "0x0",
    re.compile("0[xX]").match,
)
def hexadecimal_prefix(text: str) -> bool:
    digits = text[2:] if text[:2] in ("0x", "0X") else text
    return digits != "" and all(char in "0123456789abcdefABCDEF" for char in digits)


@wrong(
    "rfc9112:chunk-size",
    "hyperium/hyper#228",
    "reading stops at the first character that is no digit, and what is behind it is ignored",
    "0g",
    re.compile("[^0-9A-Fa-f]").search,
)
def stops_reading(text: str) -> bool:
    size = None
    for char in text:
        if char not in "0123456789abcdefABCDEF":
            break
        size = 16 * (size or 0) + int(char, 16)
    return size is not None


@wrong(
    "rfc9110:int-range",
    "yegor256/s3auth#114",
    "a range without an end refused",
    "0-",
    re.compile("-$").search,
)
def both_ends(text: str) -> object:
    return re.fullmatch("[0-9]+-[0-9]+", text)


@wrong("rfc6265:cookie-value", "golang/go#18627", "a comma accepted", ",", re.compile(",").search)
def comma_in_cookie(text: str) -> bool:
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return all(char in COOKIE or char == "," for char in text)


@wrong("rfc6265:cookie-value", "golang/go#18627", "quoted values refused", '""', re.compile('"').search)
def bare_cookie(text: str) -> bool:
    return set(text) <= COOKIE


@wrong("rfc6265:cookie-name", "Kong/kong#11881", '"." refused', ".", re.compile(r"\.").search)
def name_without_dot(text: str) -> bool:
    return text != "" and set(text) <= TCHAR - {"."}


@wrong(
    "rfc6265:cookie-name",
    "jshttp/cookie#165",
    "held against the pattern of the whole field's content",
    "=",
    re.compile("[^-!#$%&'*+.^_`|~0-9A-Za-z]").search,
)
def name_like_a_field(text: str) -> object:
    return re.fullmatch("[\t -~\x80-\xff]+", text)
