"""Mail addresses of RFC 5321 and RFC 5322."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

ATEXT = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")


def is_dot_string(text: str) -> bool:
    return all(atom and set(atom) <= ATEXT for atom in text.split("."))


def is_quoted(text: str) -> bool:
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return False
    escaped = False
    for char in text[1:-1]:
        if not " " <= char <= "~":
            return False
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            return False
    return not escaped


@wrong(
    "rfc5321:Dot-string",
    "micke/valid_email2#164",
    "dots side by side are looked for, and none at the ends",
    ".",
    re.compile(r"^\.|\.$").search,
)
def dots_at_the_ends(text: str) -> bool:
    return text != "" and ".." not in text and set(text) <= ATEXT | {"."}


@wrong(
    "rfc5321:Dot-string",
    "mozilla/fxa-content-server#6718",
    "an apostrophe of typesetters stands in the table for the plain one",
    "'",
    re.compile("['’]").search,
)
def typeset_apostrophe(text: str) -> object:
    atom = "[A-Za-z0-9!#$%&’*+/=?^_`{|}~-]+"
    return re.fullmatch(rf"{atom}(?:\.{atom})*", text)


@wrong(
    "rfc5321:Atom",
    "HaveIBeenPwned/EmailAddressExtractor#25",
    'the table has "+-/", which is a range',
    ",",
    re.compile("[,.]").search,
)
def range_of_plus(text: str) -> object:
    return re.fullmatch("[a-zA-Z0-9!#$%&'*+-/=?^_`{|}~]+", text)


@wrong(
    "rfc5322:dot-atom-text",
    "durdana3105/peer-learning#1725",
    'the table has "%-+", which is a range, and so no hyphen',
    "-",
    re.compile("[()-]").search,
)
def range_of_percent(text: str) -> object:
    atom = "[a-zA-Z0-9!#$%-+/=?^_`{|}~]+"
    return re.fullmatch(rf"{atom}(?:\.{atom})*", text)


@wrong(
    "rfc5321:Local-part",
    "hallelujah/valid_email#95",
    "divided at dots before quotes are looked at",
    '"."',
    re.compile(r'".*\.|\..*"').search,
)
def divided_first(text: str) -> bool:
    for part in text.split("."):
        if part.startswith('"'):
            if not is_quoted(part):
                return False
        elif not part or not set(part) <= ATEXT:
            return False
    return True


@wrong(
    "rfc5321:Quoted-string",
    "skeggse/isemail#213",
    "a space without a backslash refused",
    '" "',
    re.compile(" ").search,
)
def no_space(text: str) -> object:
    return re.fullmatch(r'"(?:[!#-\[\]-~]|\\[ -~])*"', text)


@wrong(
    "rfc5321:Quoted-string",
    "egulias/EmailValidator#102",
    "an escaped quotation mark ends the string",
    r'"\""',
    re.compile(r'\\"').search,
)
def escaped_quote(text: str) -> bool:
    if text[:1] != '"':
        return False
    end = text.find('"', 1)
    return end == len(text) - 1 and is_quoted(text)


@wrong(
    "rfc5321:Local-part",
    "jakartaee/mail-api#398",
    "the rules about dots hold for quoted strings, too",
    '".."',
    re.compile(r"\.\.").search,
)
def dots_in_quotes(text: str) -> bool:
    if ".." in text:
        return False
    return is_quoted(text) if text.startswith('"') else is_dot_string(text)
