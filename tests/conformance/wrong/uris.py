"""Parts of URIs of RFC 3986, and of URI templates of RFC 6570."""

from __future__ import annotations

import re

from tests.conformance.wrong.addresses import is_literal
from tests.conformance.wrong.entries import wrong

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
HEX = "0123456789abcdefABCDEF"
UNRESERVED = LETTERS + DIGITS + "-._~"
SUB_DELIMS = "!$&'()*+,;="
PCT = "%[0-9A-Fa-f]{2}"
PCHAR = rf"[-A-Za-z0-9._~!$&'()*+,;=:@]|{PCT}"
SEGMENT = f"(?:{PCHAR})*"


def encoded(text: str, allowed: str) -> bool:
    """Return whether a string consists of certain characters and percent-encoded bytes."""
    place = 0
    while place < len(text):
        if text[place] == "%":
            pair = text[place + 1 : place + 3]
            if len(pair) < 2 or pair[0] not in HEX or pair[1] not in HEX:
                return False
            place += 3
        elif text[place] in allowed:
            place += 1
        else:
            return False
    return True


@wrong(
    "rfc3986:scheme",
    "JuliaWeb/URIParser.jl#19",
    'digits, "+", "-" and "." refused',
    "a0",
    re.compile("[0-9+.-]").search,
)
def letters_alone(text: str) -> bool:
    return text != "" and all(char in LETTERS for char in text)


@wrong("rfc3986:scheme", "spatie/url#25", "one letter refused", "a", re.compile("[A-Za-z]").fullmatch)
def two_characters(text: str) -> object:
    return re.fullmatch("[a-zA-Z][a-zA-Z0-9+.-]{1,}", text)


@wrong("rfc3986:scheme", "urllib3/urllib3#2897", '"." refused', "a.", re.compile(r"\.").search)
def no_dot(text: str) -> object:
    return re.fullmatch("[a-zA-Z][a-zA-Z0-9+-]*", text)


@wrong("rfc3986:scheme", "pallets-eco/wtforms#885", "capitals refused", "A", re.compile("[A-Z]").search)
def small_letters(text: str) -> object:
    return re.fullmatch("[a-z][a-z0-9+.-]*", text)


@wrong(
    "rfc3986:scheme",
    "objectionary/eo#6742",
    "any first character accepted",
    "0",
    re.compile("[0-9+.-]").match,
)
def any_start(text: str) -> bool:
    if not text:
        return False
    return all(char in LETTERS or char in DIGITS or char in "+-." for char in text)


@wrong(
    "rfc3986:query",
    "hyperium/http#253",
    'the table of hexadecimal digits has "Z", "~" and others',
    "%0Z",
    re.compile("%[G-Zg-z~]|%.[G-Zg-z~]").search,
)
def table_of_digits(text: str) -> bool:
    digits = {ord(char) for char in HEX + "GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuvwxyz~"}
    plain = set(map(ord, UNRESERVED + SUB_DELIMS + ":@/?"))
    left = 0
    for code in map(ord, text):
        if left:
            if code not in digits:
                return False
            left -= 1
        elif code == 0x25:
            left = 2
        elif code not in plain:
            return False
    return left == 0


@wrong(
    "rfc3986:path-absolute",
    "hyperium/http#253",
    'what follows "%%" is not looked at',
    "/%%",
    re.compile("%%").search,
)
def two_percents(text: str) -> bool:
    if not text.startswith("/") or text.startswith("//"):
        return False
    place = 1
    while place < len(text):
        char = text[place]
        if char == "%":
            if text[place + 1 : place + 2] == "%":
                break
            if not re.fullmatch("[0-9A-Fa-f]{2}", text[place + 1 : place + 3]):
                return False
            place += 2
        elif char not in UNRESERVED + SUB_DELIMS + ":@/":
            return False
        place += 1
    return True


@wrong(
    "rfc3986:reg-name",
    "dgerber/rfc3987#2",
    "small hexadecimal digits refused",
    "%0a",
    re.compile("%[0-9A-Fa-f]?[a-f]").search,
)
def capital_digits(text: str) -> object:
    return re.fullmatch("(?:[-A-Za-z0-9._~!$&'()*+,;=]|%[0-9A-F]{2})*", text)


@wrong(
    "rfc3986:query",
    "servo/rust-url#452",
    "an incomplete percent-encoded octet at the end accepted",
    "%",
    re.compile("%[0-9A-Fa-f]?$").search,
)
def unfinished_octet(text: str) -> bool:
    for place, char in enumerate(text):
        if char == "%":
            if any(digit not in HEX for digit in text[place + 1 : place + 3]):
                return False
        elif char not in UNRESERVED + SUB_DELIMS + ":@/?":
            return False
    return True


@wrong(
    "rfc3986:userinfo",
    "nodejs/node#1802",
    "a second colon refused",
    "::",
    lambda text: text.count(":") > 1,
)
def user_and_password(text: str) -> bool:
    user, _, password = text.partition(":")
    return encoded(user, UNRESERVED + SUB_DELIMS) and encoded(password, UNRESERVED + SUB_DELIMS)


@wrong(
    "rfc3986:authority",
    "AlexIoannides/elasticsearchr#32",
    "ports of other than four digits refused",
    ":",
    lambda text: re.search(r":[0-9]*$", text),
)
def four_digits(text: str) -> bool:
    user, _, rest = text.rpartition("@")
    if not encoded(user, UNRESERVED + SUB_DELIMS + ":") or "@" in user:
        return False
    if rest.startswith("["):
        end = rest.find("]") + 1
        host, port = rest[:end], rest[end:]
        if not is_literal(host):
            return False
    else:
        host, colon, port = rest.partition(":")
        port = colon + port
        if not encoded(host, UNRESERVED + SUB_DELIMS):
            return False
    return port == "" or re.fullmatch(":[0-9]{4}", port) is not None


@wrong(
    "rfc3986:path-absolute",
    "line/armeria#3154",
    "a colon in the first segment refused",
    "/:",
    re.compile("/[^/]*:").match,
)
def colon_in_absolute_path(text: str) -> bool:
    if text[:1] != "/":
        return False
    first, *others = text[1:].split("/")
    if first == "":
        return not others
    plain = UNRESERVED + SUB_DELIMS + "@"
    return encoded(first, plain) and all(encoded(segment, plain + ":") for segment in others)


def relative(text: str, slashes: str, first: str) -> bool:
    """Return whether a string is a relative reference, by patterns of an authority and of a first segment."""
    match = re.fullmatch(r"([^?#]*)(?:\?([^#]*))?(?:#(.*))?", text, re.DOTALL)
    assert match
    path, *ends = match.groups()
    if not all(re.fullmatch(f"(?:{PCHAR}|[/?])*", end or "") for end in ends):
        return False
    name = rf"(?:[-A-Za-z0-9._~!$&'()*+,;=]|{PCT})*"
    user = rf"(?:(?:[-A-Za-z0-9._~!$&'()*+,;=:]|{PCT})*@)?"
    opened = re.match(slashes, path)
    if opened and path.startswith("//"):
        opened = re.match("//", path)
    if opened:
        rest = path[opened.end() :]
        authority, slash, behind = rest.partition("/")
        host = re.fullmatch(rf"{user}({name}|\[[^\]]+\])(?::[0-9]*)?", authority, re.DOTALL)
        good = host and (host[1][:1] != "[" or is_literal(host[1]))
        if good and re.fullmatch(f"(?:/{SEGMENT})*", slash + behind):
            return True
        if path.startswith("//"):
            return False
    if path.startswith("/"):
        return re.fullmatch(f"/(?:(?!/){SEGMENT}(?:/{SEGMENT})*)?", path) is not None
    return re.fullmatch(f"(?:{first}(?:/{SEGMENT})*)?", path) is not None


@wrong(
    "rfc3986:relative-ref",
    "sgodwincs/uriparse-rs#15",
    "a colon in the first segment of a relative path accepted",
    ":",
    re.compile("[^/?#]*:").match,
)
def colon_in_relative_path(text: str) -> bool:
    return relative(text, "//", rf"(?!/)(?:[-A-Za-z0-9._~!$&'()*+,;=:@]|{PCT})+")


@wrong(
    "rfc3986:relative-ref",
    "json-schema-org/JSON-Schema-Test-Suite#1081 (ajv-formats 3.0.1)",
    "one slash opens an authority",
    "/[::]",
    re.compile(r"/[^/?#]*\[").match,
)
def one_slash(text: str) -> bool:
    return relative(text, "//?", rf"(?:[-A-Za-z0-9._~!$&'()*+,;=@]|{PCT})+")


@wrong(
    "rfc3986:URI",
    "curl/curl#4413",
    "the query is cut off before the fragment, so no question mark may stand in the fragment",
    "a:#?",
    re.compile(r"^[^?]*#.*\?").search,
)
def query_first(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    if not colon or not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return False
    path, question, query = rest.partition("?")
    if question:
        query, _, fragment = query.partition("#")
    else:
        path, _, fragment = path.partition("#")
    plain = UNRESERVED + SUB_DELIMS + ":@/?"
    if "#" in path or not encoded(query, plain) or not encoded(fragment, plain):
        return False
    return relative(path, "//", "(?!)") if path.startswith("/") else relative("./" + path, "//", r"\.")


@wrong(
    "rfc6570:prefix",
    "json-schema-org/JSON-Schema-Test-Suite#1055 (python-jsonschema, uri-template-system)",
    "lengths of four digits refused",
    ":1000",
    re.compile(":[0-9]{4}").match,
)
def three_digits(text: str) -> bool:
    if not text.startswith(":"):
        return False
    length = text[1:]
    return 0 < len(length) < 4 and length[0] in "123456789" and all(char in DIGITS for char in length)
