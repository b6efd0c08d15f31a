"""IP addresses of RFC 3986."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

HEX = set("0123456789abcdefABCDEF")
OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4 = rf"{OCTET}(?:\.{OCTET}){{3}}"


def is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(
        0 < len(part) < 4
        and set(part) <= set("0123456789")
        and int(part) < 256
        and (part == "0" or part[0] != "0")
        for part in parts
    )


def is_group(text: str) -> bool:
    return 1 <= len(text) <= 4 and set(text) <= HEX


def width(text: str, last: bool) -> int | None:
    """Return the number of 16-bit groups in a side of an address, or None for an invalid side.

    The last group may be an IPv4 address.
    """
    if not text:
        return 0
    groups = text.split(":")
    filled = 0
    if last and is_ipv4(groups[-1]):
        groups.pop()
        filled = 2
    return filled + len(groups) if all(map(is_group, groups)) else None


def is_literal(text: str) -> bool:
    if text[:1] != "[" or text[-1:] != "]":
        return False
    inner = text[1:-1]
    if inner[:1] in ("v", "V"):
        return re.fullmatch(r"[0-9A-Fa-f]+\.[-A-Za-z0-9._~!$&'()*+,;=:]+", inner[1:]) is not None
    before, gap, behind = inner.partition("::")
    left, right = width(before, not gap), width(behind, True)
    if left is None or right is None:
        return False
    return left + right < 8 if gap else left == 8


@wrong(
    "rfc3986:IPv6address",
    "ip-num/ip-num#75",
    'more than one "::" accepted',
    "::0::",
    re.compile("::.+::").search,
)
def several_gaps(text: str) -> bool:
    sides = text.split("::")
    if len(sides) == 1:
        return width(text, True) == 8
    filled = [width(side, number == len(sides) - 1) for number, side in enumerate(sides)]
    if None in filled or 0 in filled[1:-1]:
        return False
    return sum(filled) <= 7


@wrong(
    "rfc3986:IPv6address",
    "bufbuild/protovalidate-go#224",
    '"::" accepted beside eight groups',
    "0::0:0:0:0:0:0:0",
    lambda text: "::" in text and len(text.replace("::", ":").strip(":").split(":")) + ("." in text) == 8,
)
def gap_of_nothing(text: str) -> bool:
    before, gap, behind = text.partition("::")
    if not gap:
        return width(text, True) == 8
    left, right = width(before, False), width(behind, True)
    return left is not None and right is not None and left + right <= 8


@wrong(
    "rfc3986:IPv6address",
    "whitequark/ipaddr.js#205",
    "a group's value is limited, not its length",
    "00000::",
    re.compile("[0-9A-Fa-f]{5}").search,
)
def long_groups(text: str) -> bool:
    groups, total, gaps = text.split(":"), 0, text.count("::")
    if text.startswith("::"):
        groups = groups[1:]
    if text.endswith("::"):
        groups = groups[:-1]
    if gaps > 1 or ":::" in text or groups.count("") > 1 + (text == "::"):
        return False
    for number, group in enumerate(groups):
        if group == "":
            if not gaps:
                return False
        elif number == len(groups) - 1 and is_ipv4(group):
            total += 2
        elif set(group) <= HEX and int(group, 16) <= 0xFFFF:
            total += 1
        else:
            return False
    return total < 8 if gaps else total == 8


@wrong(
    "rfc3986:IPv6address",
    "jgonian/commons-ip-math#4",
    'six groups, "::" and an IPv4 address accepted, which leaves nothing for "::"',
    "0::0:0:0:0:0:0.0.0.0",
    lambda text: "::" in text and "." in text and len(text.replace("::", ":").strip(":").split(":")) == 7,
)
def gap_before_ipv4(text: str) -> bool:
    match = re.fullmatch(rf"(.*?):({IPV4})", text)
    if not match:
        before, gap, behind = text.partition("::")
        left, right = width(before, False), width(behind, False)
        if left is None or right is None:
            return False
        return left + right < 8 if gap else left == 8
    head = match[1] + ":" if match[1].endswith(":") else match[1]
    before, gap, behind = head.partition("::")
    left, right = width(before, False), width(behind, False)
    if left is None or right is None:
        return False
    return left + right <= 6 if gap else left == 6


@wrong(
    "rfc3986:IPv6address",
    "rsyslog/rsyslog#2357",
    "too few groups before an IPv4 address accepted",
    "0:0.0.0.0",
    lambda text: "." in text and "::" not in text,
)
def few_groups_before_ipv4(text: str) -> bool:
    if "::" in text:
        before, behind = text.split("::", 1)
        left, right = width(before, False), width(behind, True)
        return left is not None and right is not None and left + right < 8
    *groups, last = text.split(":")
    if is_ipv4(last):
        return 1 <= len(groups) <= 6 and all(map(is_group, groups))
    return len(groups) == 7 and is_group(last) and all(map(is_group, groups))


@wrong(
    "rfc3986:IPv6address",
    "ziglang/zig#25896",
    'behind "::ffff:" nothing but an IPv4 address is read',
    "::ffff:0",
    re.compile("::ffff:", re.IGNORECASE).match,
)
def mapped_only(text: str) -> bool:
    if text.lower().startswith("::ffff:"):
        return is_ipv4(text[7:])
    before, gap, behind = text.partition("::")
    if not gap:
        return width(text, True) == 8
    left, right = width(before, False), width(behind, True)
    return left is not None and right is not None and left + right < 8


@wrong(
    "rfc3986:IPv6address",
    "web-platform-tests/wpt#62254",
    'divided at "::" first, so an IPv4 address may end either half',
    "0.0.0.0::",
    re.compile(r"\.[0-9]+::").search,
)
def ipv4_in_both_halves(text: str) -> bool:
    halves = text.split("::")
    filled = [width(half, True) for half in halves]
    if None in filled or len(halves) > 2:
        return False
    return sum(filled) <= 7 if len(halves) == 2 else filled == [8]


@wrong(
    "rfc3986:IPv6address",
    "uriparser/uriparser#146",
    "a lone colon at the start or at the end accepted",
    ":::",
    lambda text: re.search("^:[^:]|^:::|[^:]:$|:::$", text),
)
def lone_colons(text: str) -> bool:
    if "::" not in text:
        return width(text, True) == 8
    before, behind = text.split("::", 1)
    left = width(before.removeprefix(":"), False)
    right = width(behind.removesuffix(":"), True)
    return left is not None and right is not None and left + right < 8


@wrong(
    "rfc3986:IPv6address",
    "uriparser/uriparser#146",
    "behind a compressed part, an IPv4 address whose last octet has three digits and ends in 0 refused",
    "::0.0.0.100",
    re.compile(r"::.*\.[12][0-9]0$").search,
)
def last_octet(text: str) -> bool:
    if "::" not in text:
        return width(text, True) == 8
    before, behind = text.split("::", 1)
    left, right = width(before, False), width(behind, True)
    if left is None or right is None or left + right > 7:
        return False
    tail = text.rpartition(".")[2]
    return not ("." in text and len(tail) == 3 and tail[2] == "0")


@wrong(
    "rfc3986:IPv6address",
    "sourcemeta/core#2353",
    'seven groups without "::" accepted',
    "0:0:0:0:0:0:0",
    lambda text: "::" not in text,
)
def seven_groups(text: str) -> bool:
    group = "[0-9A-Fa-f]{1,4}"
    if "::" in text:
        before, behind = text.split("::", 1)
        left, right = width(before, False), width(behind, True)
        return left is not None and right is not None and left + right <= 7
    return bool(re.fullmatch(rf"(?:{group}:){{6}}(?:{group}:{group}|{IPV4}|{group})", text))


@wrong(
    "rfc3986:IPv6address",
    "siemens/element#818",
    "^ and $ bind closer than |, so the alternatives between are searched for anywhere",
    ":::",
    lambda text: text.count(":") > 1,
)
def loose_anchors(text: str) -> object:
    group = "[0-9A-Fa-f]{1,4}"
    tail = f"(?:{group}:{group}|{IPV4})"
    alternatives = [f"(?:{group}:){{6}}{tail}"]
    for left in range(6):
        before = f"(?:(?:{group}:){{0,{left - 1}}}{group})?" if left else ""
        alternatives.append(f"{before}::(?:{group}:){{{5 - left}}}{tail}")
    alternatives += [f"(?:(?:{group}:){{0,5}}{group})?::{group}", f"(?:(?:{group}:){{0,6}}{group})?::"]
    return re.search("^" + "|".join(alternatives) + r"\Z", text)


@wrong(
    "rfc3986:IPv6address",
    "whatwg/url#196",
    "the last dots of an IPv4 address are not counted",
    "::0.0",
    lambda text: text.count(".") in (1, 2),
)
def few_octets(text: str) -> bool:
    head, _, last = text.rpartition(":")
    if "." in last and last.count(".") < 3 and all(re.fullmatch(OCTET, part) for part in last.split(".")):
        text = f"{head}:0.0.0.0"
    before, gap, behind = text.partition("::")
    left, right = width(before, not gap), width(behind, True)
    if left is None or right is None:
        return False
    return left + right < 8 if gap else left == 8


@wrong(
    "rfc3986:IPv4address",
    "garycourt/JSV#18",
    "the dots between octets are not escaped",
    "0000000",
    lambda text: text.count(".") < 3,
)
def any_dot(text: str) -> object:
    return re.fullmatch(".".join([OCTET] * 4), text, re.DOTALL)


@wrong(
    "rfc3986:IPv4address",
    "rust-lang/rust#86984",
    "zero may have leading zeros",
    "0.0.0.00",
    re.compile(r"(?:^|\.)00").search,
)
def octal_zero(text: str) -> bool:
    octets = text.split(".")
    if len(octets) != 4:
        return False
    for octet in octets:
        value = 0
        for char in octet:
            if char not in "0123456789":
                return False
            value = 10 * value + ord(char) - ord("0")
            if value > 255:
                return False
        if not octet or (octet[0] == "0" and value != 0):
            return False
    return True


@wrong(
    "rfc3986:IPv4address",
    "RicoSuter/NJsonSchema#151",
    "octets between 2x6 and 2x9 refused",
    "0.0.0.206",
    re.compile("2[0-4][6-9]").search,
)
def octets_of_two_hundred(text: str) -> object:
    octet = "(?:2[0-5][0-5]|1[0-9][0-9]|[1-9]?[0-9])"
    return re.fullmatch(rf"(?:{octet}\.){{3}}{octet}", text)


@wrong(
    "rfc3986:IP-literal",
    "sourcemeta/core#2353",
    "empty brackets accepted",
    "[]",
    re.compile(r"\[\]").fullmatch,
)
def empty_brackets(text: str) -> bool:
    if not (text.startswith("[") and text.endswith("]")):
        return False
    return text == "[]" or is_literal(text)


@wrong("rfc3986:IPvFuture", "python/cpython#105708", '"V" refused', "V0.a", re.compile("V").match)
def small_v(text: str) -> object:
    return re.fullmatch(r"v[0-9A-Fa-f]+\.[-A-Za-z0-9._~!$&'()*+,;=:]+", text)


@wrong(
    "rfc3986:IPvFuture",
    "python/cpython#137147",
    "anything accepted behind the dot",
    "v0.@",
    re.compile(r"[^-A-Za-z0-9._~!$&'()*+,;=:]").search,
)
def any_future(text: str) -> object:
    return re.fullmatch(r"[vV][0-9A-Fa-f]+\..+", text)


@wrong(
    "rfc3986:IPvFuture",
    "lo48576/iri-string#17",
    "version and address may be empty",
    "v.",
    lambda text: text[1:2] == "." or text.find(".") == len(text) - 1,
)
def empty_future(text: str) -> bool:
    version, dot, address = text[1:].partition(".")
    allowed = HEX | set("ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ-._~!$&'()*+,;=:")
    return text[:1] in ("v", "V") and dot == "." and set(version) <= HEX and set(address) <= allowed
