"""Language tags of RFC 5646, JSON pointers of RFC 6901, and UUIDs of RFC 9562."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
DIGITS = frozenset("0123456789")
HEX = frozenset("0123456789abcdefABCDEF")


def alpha(text: str, *lengths: int) -> bool:
    return len(text) in lengths and LETTERS.issuperset(text)


def alnum(text: str, least: int, most: int) -> bool:
    return least <= len(text) <= most and (LETTERS | DIGITS).issuperset(text)


def is_variant(text: str) -> bool:
    return alnum(text, 5, 8) or (alnum(text, 4, 4) and text[0] in DIGITS)


def is_region(text: str) -> bool:
    return alpha(text, 2) or (len(text) == 3 and DIGITS.issuperset(text))


def reads_end(subtags: list[str]) -> bool:
    """Parse variants, extensions and private use."""
    while subtags and is_variant(subtags[0]):
        subtags.pop(0)
    while subtags and alnum(subtags[0], 1, 1) and subtags[0] not in "xX":
        subtags.pop(0)
        if not subtags or not alnum(subtags[0], 2, 8):
            return False
        while subtags and alnum(subtags[0], 2, 8):
            subtags.pop(0)
    if subtags and subtags[0] in ("x", "X"):
        return len(subtags) > 1 and all(alnum(subtag, 1, 8) for subtag in subtags[1:])
    return not subtags


@wrong(
    "rfc5646:privateuse",
    "rspeer/langcodes#50",
    "lengths of subtags are not looked at",
    "x-",
    re.compile("--|-$|[^-]{9}").search,
)
def any_length(text: str) -> bool:
    head, *subtags = text.split("-")
    return head in ("x", "X") and subtags != [] and all(map((LETTERS | DIGITS).issuperset, subtags))


@wrong(
    "rfc5646:langtag",
    "rspeer/langcodes#50",
    "languages of five to eight letters refused",
    "aaaaa",
    re.compile("[A-Za-z]{5,8}(?:-|$)").match,
)
def registered_languages(text: str) -> bool:
    subtags = text.split("-")
    language = subtags.pop(0)
    if not alpha(language, 2, 3, 4):
        return False
    for _ in range(3):
        if len(language) < 4 and subtags and alpha(subtags[0], 3):
            subtags.pop(0)
    if subtags and alpha(subtags[0], 4):
        subtags.pop(0)
    if subtags and is_region(subtags[0]):
        subtags.pop(0)
    return reads_end(subtags)


@wrong(
    "rfc5646:langtag",
    "OnroerendErfgoed/language-tags#17",
    "a script behind the region accepted",
    "aa-aa-aaaa",
    re.compile("-(?:[A-Za-z]{2}|[0-9]{3})-[A-Za-z]{4}(?:-|$)").search,
)
def any_order(text: str) -> bool:
    subtags = text.split("-")
    language = subtags.pop(0)
    if not alpha(language, 2, 3, 4, 5, 6, 7, 8):
        return False
    for _ in range(3):
        if len(language) < 4 and subtags and alpha(subtags[0], 3):
            subtags.pop(0)
    script = region = False
    while subtags:
        if not script and alpha(subtags[0], 4):
            script = True
        elif not region and is_region(subtags[0]):
            region = True
        else:
            break
        subtags.pop(0)
    return reads_end(subtags)


@wrong(
    "rfc5646:langtag",
    "wooorm/bcp-47#24",
    "a variant refused whose first two letters end in a digit: they are taken for a region",
    "aa-aa000",
    re.compile("^[A-Za-z]{2,8}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?-[A-Za-z]{2}[0-9]").match,
)
def region_in_variant(text: str) -> object:
    language = "(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}(?![A-Za-z0-9])){0,3}|[A-Za-z]{4,8})(?![A-Za-z0-9])"
    script = "(?:-[A-Za-z]{4}(?![A-Za-z0-9]))?"
    variant = "(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3})(?![A-Za-z0-9]))*"
    rest = "(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-[xX](?:-[A-Za-z0-9]{1,8})+)?"
    head = re.match(language + script, text)
    if not head:
        return False
    taken = re.compile("-(?:[A-Za-z]{2}(?![A-Za-z])|[0-9]{3}(?![A-Za-z0-9]))").match(text, head.end())
    return re.compile(variant + rest).fullmatch(text, taken.end() if taken else head.end())


@wrong(
    "rfc6901:json-pointer",
    "chanced/jsonptr#128",
    "a second tilde begins the escape once more",
    "/~~0",
    re.compile("~~").search,
)
def tilde_again(text: str) -> bool:
    if text and text[0] != "/":
        return False
    escape = False
    for char in text:
        if char == "~":
            escape = True
        elif escape:
            if char not in "01":
                return False
            escape = False
    return not escape


@wrong(
    "rfc6901:json-pointer",
    "stefankoegl/python-json-pointer#20",
    "a tilde at the end accepted",
    "/~",
    re.compile(r"~\Z").search,
)
def tilde_at_the_end(text: str) -> bool:
    return text == "" or (text[0] == "/" and not re.search("~[^01]", text))


@wrong(
    "rfc6901:array-index",
    "jg-rp/python-jsonpath#86",
    "leading zeros accepted",
    "00",
    re.compile("0[0-9]").match,
)
def leading_zeros(text: str) -> bool:
    return text != "" and DIGITS.issuperset(text)


@wrong(
    "rfc9562:UUID",
    "hapijs/joi#2320",
    "accepted without hyphens",
    "0" * 32,
    re.compile("[^-]{32}").fullmatch,
)
def optional_hyphens(text: str) -> object:
    return re.fullmatch(r"[0-9a-fA-F]{8}(-?)(?:[0-9a-fA-F]{4}\1){3}[0-9a-fA-F]{12}", text)


@wrong(
    "rfc9562:UUID",
    "coduo/php-matcher#400",
    "versions and variants that are not known refused, and so the nil UUID",
    "00000000-0000-0000-0000-000000000000",
    lambda text: text[14:15] not in tuple("12345") or text[19:20] not in tuple("89abAB"),
)
def known_versions(text: str) -> object:
    return re.fullmatch(
        "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[1-5][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}", text
    )


@wrong(
    "rfc9562:UUID",
    "json-schema-org/JSON-Schema-Test-Suite#1170",
    "accepted with braces",
    "{00000000-0000-0000-0000-000000000000",
    re.compile("[{}]").search,
)
def braces(text: str) -> bool:
    groups = text.strip("{}").split("-")
    return [len(group) for group in groups] == [8, 4, 4, 4, 12] and all(map(HEX.issuperset, groups))
