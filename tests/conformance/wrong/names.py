"""Host names of RFC 5321 and RFC 6265."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

ALNUM = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


@wrong(
    "rfc5321:Domain",
    "micke/valid_email2#320",
    "only the whole is checked for a leading hyphen",
    "0.-0",
    re.compile(r"\.-").search,
)
def hyphen_in_front(text: str) -> bool:
    if text.startswith("-") or text.endswith("-") or "-." in text:
        return False
    return all(label and set(label) <= ALNUM | {"-"} for label in text.split("."))


@wrong(
    "rfc6265:domain-value",
    "hannesm/domain-name#14",
    "labels may end with a hyphen",
    "0-",
    re.compile(r"-(?:\.|$)").search,
)
def hyphen_behind(text: str) -> bool:
    for label in text.split("."):
        if not label or label[0] not in ALNUM:
            return False
        for char in label[1:]:
            if char not in ALNUM and char != "-":
                return False
    return True


@wrong(
    "rfc5321:Domain",
    "Vanilla-OS/first-setup#380",
    "the whole has at most 64 characters, which is the limit of a label",
    "0" * 65,
    lambda text: len(text) > 64,
)
def whole_name(text: str) -> bool:
    if not 0 < len(text) <= 64:
        return False
    return all(
        label and set(label) <= ALNUM | {"-"} and label[0] != "-" and label[-1] != "-"
        for label in text.split(".")
    )
