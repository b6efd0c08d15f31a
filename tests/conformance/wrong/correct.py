"""Implementations without a bug, in three styles: regexes, loops, and other libraries."""

from __future__ import annotations

import ipaddress
import json
import re
import tomllib
import uuid
from functools import partial

import lark

from tests.conformance.wrong.dates import DIGITS, is_fraction, is_offset, shaped
from tests.conformance.wrong.entries import right
from tests.conformance.wrong.json_text import Document
from tests.conformance.wrong.mail import is_dot_string, is_quoted
from tests.conformance.wrong.others import alnum, alpha, is_region, reads_end
from tests.conformance.wrong.uris import SUB_DELIMS, UNRESERVED, encoded, relative
from tests.conformance.wrong.versions import divided, is_core, is_identifier, is_release

GROUP = "[0-9A-Fa-f]{1,4}"


@right("rfc3986:IPv6address", "regex")
def address_by_lookahead(text: str) -> object:
    """Accept at most seven groups and a gap; an IPv4 address counts as two groups."""
    octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    as_groups = re.sub(rf"(?<=:){octet}(?:\.{octet}){{3}}\Z", "0:0", text)
    if not re.fullmatch(r"[0-9A-Fa-f:]*", as_groups) or ":::" in as_groups:
        return False
    if re.fullmatch(rf"{GROUP}(?::{GROUP}){{7}}", as_groups):
        return True
    side = rf"(?:{GROUP}(?::{GROUP})*)?"
    return re.fullmatch(rf"{side}::{side}", as_groups) and len(re.findall(GROUP, as_groups)) < 8


@right("rfc3986:scheme", "regex")
def scheme(text: str) -> object:
    return re.fullmatch(r"(?i:[a-z][a-z0-9.+\-]*)", text) if text.isascii() else None


@right("rfc3986:query", "regex")
def query(text: str) -> object:
    return not re.search(r"%(?![0-9A-Fa-f]{2})|[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]", text)


@right("rfc3339:date-time", "regex")
def date_time(text: str) -> object:
    pattern = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
    return re.fullmatch(pattern, text, re.ASCII)


@right("rfc8259:number", "regex")
def number(text: str) -> object:
    return re.fullmatch(r"-?(?!0[0-9])[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?", text)


@right("semver-2.0.0:valid-semver", "regex")
def version(text: str) -> object:
    number = "(?:0|[1-9][0-9]*)"
    release = f"(?:{number}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
    core, build = rf"{number}\.{number}\.{number}", "[0-9a-zA-Z-]+"
    return re.fullmatch(rf"{core}(?:-{release}(?:\.{release})*)?(?:\+{build}(?:\.{build})*)?", text)


@right("rfc9110:qvalue", "regex")
def weight(text: str) -> object:
    return re.fullmatch(r"(?!1\.0*[1-9])[01](?:\.[0-9]{0,3})?", text)


@right("rfc9110:token", "regex")
def token(text: str) -> object:
    return re.fullmatch(r"[!#-'*+\-.0-9A-Z^-z|~]+", text)


@right("rfc6901:json-pointer", "regex")
def pointer(text: str) -> object:
    return not re.search(r"\A[^/]|~(?![01])", text)


@right("rfc3986:relative-ref", "loop")
def relative_reference(text: str) -> bool:
    return relative(text, "//", "(?:[-A-Za-z0-9._~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})+")


@right("rfc3986:path-absolute", "loop")
def absolute_path(text: str) -> bool:
    plain = UNRESERVED + SUB_DELIMS + ":@/"
    return text[:1] == "/" and text[1:2] != "/" and encoded(text, plain)


@right("rfc3339:full-time", "loop")
def full_time(text: str) -> bool:
    if not shaped(text[:8], "00:00:00"):
        return False
    place = 8
    while place < len(text) and (text[place] == "." or text[place] in DIGITS):
        place += 1
    return is_fraction(text[8:place]) and is_offset(text[place:])


@right("rfc5321:Local-part", "loop")
def local_part(text: str) -> bool:
    return is_quoted(text) or is_dot_string(text)


@right("rfc5646:langtag", "loop")
def language_tag(text: str) -> bool:
    language, *subtags = text.split("-")
    if not alpha(language, 2, 3, 4, 5, 6, 7, 8):
        return False
    left = 3 if len(language) < 4 else 0
    while left and subtags and alpha(subtags[0], 3):
        subtags.pop(0)
        left -= 1
    if subtags and alpha(subtags[0], 4):
        subtags.pop(0)
    if subtags and is_region(subtags[0]):
        subtags.pop(0)
    return reads_end(subtags)


@right("rfc5646:privateuse", "loop")
def private_use(text: str) -> bool:
    head, *subtags = text.split("-")
    return head in ("x", "X") and subtags != [] and all(alnum(subtag, 1, 8) for subtag in subtags)


@right("semver-2.0.0:valid-semver", "loop")
def version_in_parts(text: str) -> bool:
    core, release, build = divided(text)
    return is_core(core) and all(map(is_release, release)) and all(map(is_identifier, build))


@right("rfc8259:JSON-text", "loop")
def document(text: str) -> bool:
    reader = Document(text, "")
    return reader.value() and reader.place == len(text)


@right("toml-1.0.0:unquoted-key", "loop")
def bare_key(text: str) -> bool:
    left = len(text)
    for char in text:
        left -= "a" <= char <= "z" or "A" <= char <= "Z" or "0" <= char <= "9" or char in "-_"
    return text != "" and left == 0


@right("rfc3986:IPv4address", "library")
def by_ipaddress(text: str) -> object:
    return ipaddress.IPv4Address(text)


@right("rfc3986:IPv6address", "library")
def by_ipaddress_without_zones(text: str) -> bool:
    return "%" not in text and ipaddress.IPv6Address(text) is not None


@right("rfc9562:UUID", "library")
def by_uuid(text: str) -> bool:
    return str(uuid.UUID(text)) == text.lower() if text.isascii() else False


@right("rfc8259:string", "library")
def by_json(text: str) -> bool:
    return text[:1] == text[-1:] == '"' and isinstance(json.loads(text), str)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


@right("rfc8259:JSON-text", "library")
def by_json_without_constants(text: str) -> bool:
    partial(json.loads, parse_constant=_refuse)(text)
    return True


@right("toml-1.0.0:integer", "library")
def by_tomllib(text: str) -> bool:
    return type(tomllib.loads(f"a={text}")["a"]) is int and not set(text) & set(" \t\r\n#")


TAG = lark.Lark(r'start: "W/"? "\"" CHAR* "\""' "\n" r"CHAR: /[!#-~\x80-\xff]/", parser="lalr")


@right("rfc9110:entity-tag", "library")
def by_lark(text: str) -> object:
    return TAG.parse(text)
