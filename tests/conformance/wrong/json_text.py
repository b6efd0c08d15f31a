"""JSON of RFC 8259."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

DIGITS = "0123456789"
HEX = "0123456789abcdefABCDEF"


class Number:
    """A parser that reads a number from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def take(self, chars: str) -> bool:
        result = self.place < len(self.text) and self.text[self.place] in chars
        self.place += result
        return result

    def digits(self) -> int:
        start = self.place
        while self.take(DIGITS):
            pass
        return self.place - start

    def done(self) -> bool:
        return self.place == len(self.text)


@wrong("rfc8259:number", "haskell/aeson#480", "leading zeros accepted", "00", re.compile("-?0[0-9]").match)
def leading_zero(text: str) -> bool:
    number = Number(text)
    number.take("-")
    if not number.digits():
        return False
    if number.take(".") and not number.digits():
        return False
    if number.take("eE"):
        number.take("+-")
        if not number.digits():
            return False
    return number.done()


@wrong(
    "rfc8259:number",
    "HaxeFoundation/haxe#6734",
    "a point in the exponent accepted",
    "0e0.0",
    re.compile(r"[eE].*\.").search,
)
def point_in_exponent(text: str) -> bool:
    point = e = False
    last = ""
    for place, char in enumerate(text):
        if char in DIGITS:
            if text[:place] in ("0", "-0"):
                return False
        elif char == "-":
            if place and last not in ("e", "E"):
                return False
        elif char == "+":
            if last not in ("e", "E"):
                return False
        elif char == ".":
            if point or not last or last not in DIGITS:
                return False
            point = True
        elif char in "eE":
            if e or not last or last not in DIGITS:
                return False
            e = True
        else:
            return False
        last = char
    return last != "" and last in DIGITS


@wrong(
    "rfc8259:number",
    "noamgat/lm-format-enforcer#181",
    "an exponent right behind the point accepted",
    "0.e0",
    re.compile(r"\.[eE]").search,
)
def exponent_behind_point(text: str) -> object:
    return re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+|\.(?=[eE]))?(?:[eE][-+]?[0-9]+)?", text)


@wrong(
    "rfc8259:number",
    "IBM/JSONata4Java#395",
    "leading zeros of the exponent refused",
    "0e00",
    re.compile("[eE][+-]?0[0-9]").search,
)
def exponent_like_an_integer(text: str) -> object:
    integer = "(?:0|[1-9][0-9]*)"
    return re.fullmatch(rf"-?{integer}(?:\.[0-9]+)?(?:[eE][+-]?{integer})?", text)


@wrong(
    "rfc8259:number",
    "rouge-ruby/rouge#597",
    "an exponent without a sign refused",
    "0e0",
    re.compile("[eE][0-9]").search,
)
def signed_exponent(text: str) -> object:
    return re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-][0-9]+)?", text)


@wrong(
    "rfc8259:number",
    "bignerdranch/Freddy#201",
    "behind a leading zero nothing but a point is expected",
    "0e0",
    re.compile("-?0[eE]").match,
)
def zero_with_exponent(text: str) -> bool:
    number = Number(text)
    number.take("-")
    if number.take("0"):
        if number.done():
            return True
        if not number.take("."):
            return False
        if not number.digits():
            return False
    elif number.take("123456789"):
        number.digits()
        if number.take(".") and not number.digits():
            return False
    else:
        return False
    if number.take("eE"):
        number.take("+-")
        return number.digits() > 0 and number.done()
    return number.done()


@wrong(
    "rfc8259:string",
    "jqlang/jq#2909",
    "the first and the last control character accepted",
    '"\0"',
    re.compile("[\0\x1f]").search,
)
def ends_of_controls(text: str) -> object:
    if any(0 < ord(char) < 0x1F for char in text):
        return False
    return re.fullmatch(r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"', text)


@wrong(
    "rfc8259:string",
    "salsify/jsonstreamingparser#53",
    "U+007F taken for a control character",
    '"\x7f"',
    re.compile("\x7f").search,
)
def delete(text: str) -> object:
    return re.fullmatch(r'"(?:[^\x00-\x1f\x7f"\\]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*"', text)


@wrong(
    "rfc8259:string",
    "typelevel/jawn#122",
    "any four letters or digits accepted in an escape",
    r'"\uzzzz"',
    re.compile(r"\\u[0-9A-Za-z]{0,3}[G-Zg-z]").search,
)
def any_four(text: str) -> bool:
    if len(text) < 2 or text[0] != '"':
        return False
    place = 1
    while place < len(text):
        char = text[place]
        if char == '"':
            return place == len(text) - 1
        if char < " ":
            return False
        if char == "\\":
            place += 1
            kind = text[place : place + 1]
            if kind == "u":
                four = text[place + 1 : place + 5]
                if len(four) < 4 or not all(digit.isascii() and digit.isalnum() for digit in four):
                    return False
                place += 4
            elif kind == "" or kind not in '"\\/bfnrt':
                return False
        place += 1
    return False


@wrong(
    "rfc8259:string",
    "sidorares/json-bigint#100",
    "an escape of less than four digits accepted",
    r'"\u"',
    re.compile(r"\\u(?![0-9A-Fa-f]{4})").search,
)
def short_escape(text: str) -> bool:
    if text[:1] != '"':
        return False
    chars = iter(text[1:])
    char = next(chars, None)
    while char is not None and char != '"':
        if char < " ":
            return False
        if char != "\\":
            char = next(chars, None)
            continue
        kind = next(chars, None)
        char = next(chars, None)
        if kind == "u":
            for _ in range(4):
                if char is None or char not in HEX:
                    break
                char = next(chars, None)
        elif kind is None or kind not in '"\\/bfnrt':
            return False
    return char == '"' and next(chars, None) is None


@wrong(
    "rfc8259:string",
    "apache/groovy#2757",
    "the digits of an escape are read by a function that takes a sign",
    r'"\u+000"',
    re.compile(r"\\u[+-]").search,
)
def signed_escape(text: str) -> bool:
    if not re.fullmatch(r'"(?:[^\x00-\x1f"\\]|\\["\\/bfnrt]|\\u[-+0-9A-Fa-f]{4})*"', text):
        return False
    for digits in re.findall(r"(?<!\\)(?:\\\\)*\\u(.{4})", text, re.DOTALL):
        try:
            int(digits, 16)
        except ValueError:
            return False
    return True


@wrong("rfc8259:ws", "lloyd/yajl#180", "\\v and \\f accepted", "\f", re.compile("[\v\f]").search)
def more_space(text: str) -> bool:
    return all(char in "\t\n\v\f\r " for char in text)


class Document:
    """A recursive descent parser; ``comma`` names the parts that may end with a comma."""

    def __init__(self, text: str, comma: str) -> None:
        self.text, self.comma, self.place = text, comma, 0

    def space(self) -> None:
        while self.text[self.place : self.place + 1] in ("\t", "\n", "\r", " "):
            self.place += 1

    def match(self, pattern: str) -> bool:
        result = re.compile(pattern).match(self.text, self.place)
        if result:
            self.place = result.end()
        return result is not None

    def value(self) -> bool:
        self.space()
        if self.match(r"\["):
            good = self.members("]", self.value)
        elif self.match(r"\{"):
            good = self.members("}", self.member)
        else:
            good = (
                self.match("null|true|false")
                or self.string()
                or self.match(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
            )
        self.space()
        return good

    def string(self) -> bool:
        return self.match(r'"(?:[^\x00-\x1f"\\]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*"')

    def member(self) -> bool:
        self.space()
        if not self.string():
            return False
        self.space()
        return self.match(":") and self.value()

    def members(self, end: str, item: object) -> bool:
        self.space()
        if self.match(re.escape(end)):
            return True
        while item():
            if self.match(re.escape(end)):
                return True
            if not self.match(","):
                return False
            self.space()
            if end == self.comma and self.match(re.escape(end)):
                return True
        return False


@wrong(
    "rfc8259:array",
    "JamesNK/Newtonsoft.Json.Schema#133",
    "a comma behind the last element accepted",
    "[0,]",
    re.compile(r",[ \t\r\n]*\]").search,
)
def comma_in_array(text: str) -> bool:
    document = Document(text, "]")
    return text.lstrip("\t\n\r ")[:1] == "[" and document.value() and document.place == len(text)


@wrong(
    "rfc8259:JSON-text",
    "Hans-Halverson/brimstone#211",
    "a comma behind the last member accepted",
    '{"":0,}',
    re.compile(r",[ \t\r\n]*\}").search,
)
def comma_in_object(text: str) -> bool:
    document = Document(text, "}")
    return document.value() and document.place == len(text)
