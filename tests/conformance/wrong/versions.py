"""Versions of SemVer 2.0.0."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

DIGITS = set("0123456789")
IDENTIFIER = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
CORE = r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}"
BUILD = r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"


def divided(text: str) -> tuple[str, list[str], list[str]]:
    """Return the core, and the identifiers of pre-release and build."""
    rest, plus, build = text.partition("+")
    core, hyphen, release = rest.partition("-")
    return core, release.split(".") if hyphen else [], build.split(".") if plus else []


def is_core(text: str) -> bool:
    numbers = text.split(".")
    return len(numbers) == 3 and all(
        number and set(number) <= DIGITS and (number == "0" or number[0] != "0") for number in numbers
    )


def is_identifier(text: str) -> bool:
    return text != "" and set(text) <= IDENTIFIER


def is_release(text: str) -> bool:
    return is_identifier(text) and not (set(text) <= DIGITS and len(text) > 1 and text[0] == "0")


@wrong(
    "semver-2.0.0:valid-semver",
    "dtolnay/semver#220",
    "leading zeros of numbers in a pre-release accepted",
    "0.0.0-00",
    re.compile(r"^[^+]*?-(?:.*\.)?0[0-9]+(?:[.+]|$)").search,
)
def zeros_in_release(text: str) -> bool:
    core, release, build = divided(text)
    return is_core(core) and all(map(is_identifier, release)) and all(map(is_identifier, build))


@wrong(
    "semver-2.0.0:valid-semver",
    "theory/pg-semver#38",
    "a leading zero behind a dot of the build refused",
    "0.0.0+0.00",
    re.compile(r"\+.*\.0[^.]").search,
)
def zero_in_build(text: str) -> bool:
    core, release, build = divided(text)
    if not (is_core(core) and all(map(is_release, release)) and all(map(is_identifier, build))):
        return False
    return not any(identifier[0] == "0" and len(identifier) > 1 for identifier in build[1:])


@wrong(
    "semver-2.0.0:valid-semver",
    "theory/pg-semver#16",
    "any zero of a number in a pre-release taken for a leading one",
    "0.0.0-10",
    re.compile(r"^[^+]*?-(?:[^+]*\.)?[1-9][0-9]*0[0-9]*(?:[.+]|$)").search,
)
def any_zero(text: str) -> bool:
    core, release, build = divided(text)
    if not is_core(core) or not all(map(is_identifier, build)):
        return False
    for identifier in release:
        if not is_identifier(identifier):
            return False
        if set(identifier) <= DIGITS and identifier != "0" and "0" in identifier:
            return False
    return True


@wrong(
    "semver-2.0.0:valid-semver",
    "semver/semver#266",
    "an identifier of a pre-release that begins with 0 and has a letter refused",
    "0.0.0-0-",
    re.compile(r"^[^+]*?-(?:[^+]*\.)?0[0-9A-Za-z-]").search,
)
def zero_and_letters(text: str) -> object:
    identifier = "(?:(?:0|[1-9][0-9]*)|[1-9A-Za-z-][0-9A-Za-z-]*)"
    return re.fullmatch(rf"{CORE}(?:-(?:{identifier}\.)*{identifier})?{BUILD}", text)


@wrong(
    "semver-2.0.0:valid-semver",
    "jubianchi/semver-check#104",
    "a colon in the build accepted",
    "0.0.0+:",
    re.compile(r"\+.*:").search,
)
def colon_in_build(text: str) -> bool:
    core, release, build = divided(text)
    if not is_core(core) or not all(map(is_release, release)):
        return False
    return all(part != "" and set(part) <= IDENTIFIER | {":"} for part in build)


@wrong(
    "semver-2.0.0:valid-semver",
    "sindresorhus/semver-regex#18",
    "the number 0 in a pre-release refused",
    "0.0.0-0",
    re.compile(r"^[^+]*?-(?:[^+]*\.)?0(?:[.+]|$)").search,
)
def release_zero(text: str) -> object:
    identifier = "(?:[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
    return re.fullmatch(rf"{CORE}(?:-{identifier}(?:\.{identifier})*)?{BUILD}", text)
