"""Numbers and keys of TOML 1.0.0."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

DIGITS = "0123456789"
DEC = "[+-]?(?:0|[1-9](?:_?[0-9])*)"
TAIL = "[0-9](?:_?[0-9])*"
SPECIAL = "[+-]?(?:inf|nan)"


def grouped(text: str, digits: str) -> bool:
    """Return whether digits are separated only by single underscores."""
    return all(part != "" and all(char in digits for char in part) for part in text.split("_"))


@wrong(
    "toml-1.0.0:integer",
    "denoland/std#6605",
    "an underscore behind the last digit accepted",
    "1_",
    re.compile("_$").search,
)
def underscore_behind(text: str) -> bool:
    for prefix, digits in (("0x", "0123456789abcdefABCDEF"), ("0o", "01234567"), ("0b", "01")):
        if text.startswith(prefix):
            return grouped(text[2:], digits)
    number = text[1:] if text[:1] in ("+", "-") else text
    if number.startswith("0"):
        return number == "0"
    if len(number) > 1 and number.endswith("_"):
        number = number[:-1]
    return grouped(number, DIGITS)


@wrong(
    "toml-1.0.0:float",
    "avakar/pytoml#9",
    "leading zeros of the exponent refused",
    "0e00",
    re.compile("[eE][+-]?0[0-9_]").search,
)
def exponent_as_dec_int(text: str) -> object:
    return re.fullmatch(rf"{DEC}(?:[eE]{DEC}|\.{TAIL}(?:[eE]{DEC})?)|{SPECIAL}", text)


@wrong(
    "toml-1.0.0:float",
    "JuliaLang/TOML.jl#19",
    "an exponent behind 0 refused, as if the zero were a leading one",
    "0e0",
    re.compile("[+-]?0[eE]").match,
)
def exponent_of_zero(text: str) -> bool:
    sign = text[:1] in ("+", "-")
    rest = text[sign:]
    if rest in ("inf", "nan"):
        return True
    mantissa, e, exponent = rest.replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(".")
    if whole.startswith("0") and (len(whole) > 1 or not point):
        return False
    if not grouped(whole, DIGITS) or not (e or point) or (point and not grouped(fraction, DIGITS)):
        return False
    return not e or grouped(exponent[exponent[:1] in ("+", "-") :], DIGITS)


@wrong(
    "toml-1.0.0:float",
    "tomlj/tomlj#13",
    "leading zeros of the exponent are read before its sign",
    "0e+00",
    re.compile("[eE](?:[+-]0[0-9_]|0+[+-]|0[0-9]*_)").search,
)
def zeros_before_sign(text: str) -> object:
    exponent = f"[eE]0*{DEC}"
    return re.fullmatch(rf"{DEC}(?:{exponent}|\.{TAIL}(?:{exponent})?)|{SPECIAL}", text)


@wrong("toml-1.0.0:hex-int", "vlang/v#12254", '"0X" accepted', "0X0", re.compile("0X").match)
def capital_prefix(text: str) -> bool:
    return text[:2].lower() == "0x" and text[2:3] != "" and grouped(text[2:], DIGITS + "abcdefABCDEF")


@wrong(
    "toml-1.0.0:unquoted-key",
    "uiri/toml#389",
    "a key of one character is not looked at",
    "@",
    lambda text: len(text) == 1,
)
def one_character(text: str) -> bool:
    if len(text) == 1:
        return text not in "\"' \t\r\n#=.[]{}"
    return re.fullmatch("[A-Za-z0-9_-]+", text) is not None


@wrong(
    "toml-1.0.0:unquoted-key",
    "fbernier/tomlrb#8",
    "digits at the start are a token of their own, and a hyphen does not go on with it",
    "0-",
    re.compile("[0-9]+-").match,
)
def digits_first(text: str) -> bool:
    tokens = re.findall(r"[0-9]+(?=-)|[A-Za-z0-9_-]+|.", text, re.DOTALL)
    return len(tokens) == 1 and re.fullmatch("[A-Za-z0-9_-]+", tokens[0]) is not None


@wrong(
    "toml-1.0.0:unquoted-key",
    "tamasfe/taplo#64",
    "what begins like a hexadecimal number is one",
    "0x0",
    re.compile("0x[0-9A-Fa-f]").match,
)
def hexadecimal_key(text: str) -> bool:
    if text[:2] == "0x" and text[2:3] != "" and text[2] in DIGITS + "abcdefABCDEF":
        return False
    return text != "" and all(char.isascii() and (char.isalnum() or char in "_-") for char in text)
