"""Operators of other notations: ``::=``, ``||``, a comma between elements, elements that touch and the like.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft` that holds one rule; strings and values
are ABNF's already. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from abnforge.abnf import lexing
from abnforge.abnf.draft import Draft, Slip
from abnforge.abnf.foreign_text import SKIP
from abnforge.abnf.lexing import Token
from abnforge.abnf.syntax_errors import STARTS_ELEMENT, shorten
from abnforge.drawing import show_char
from abnforge.rejection import Edit

ENDS_ELEMENT = frozenset({"name", "string", "number", "prose", ")", "]"})
BOUNDARY = frozenset({")", "]", "/", "|", "end"})
_OPENING = frozenset({"(", "[", "/", "|", "=", "=/"})

_NAME = "[A-Za-z][A-Za-z0-9_-]*"
_DEFINITION = re.compile(
    rf"(?P<open><?)(?P<name>{_NAME})(?P<close>>?)(?P<gap>[ \t]*)"
    r"(?P<sign>::==?|:==|:=|:[ \t]=|=:|=>|==>?|-->|->|<--?|\u2192|\u21d2|\u2190|\u2254|\u2a74"
    r"|/=|\|=|\+=|=\||:|=/?)"
)

REPEATS = "a repeat stands before what it repeats: *ALPHA is any number of them, 2ALPHA are two"
"""What ABNF has, where it is not known what a repeat is about."""

_VALUES = re.compile(
    r"%(?:[xX][0-9A-Fa-f]+(?:[ \t]*,[ \t]*[0-9A-Fa-f]+)+|[dD][0-9]+(?:[ \t]*,[ \t]*[0-9]+)+"
    r"|[bB][01]+(?:[ \t]*,[ \t]*[01]+)+)(?![A-Za-z0-9_*-])"
)
_CASES = 'ABNF tells the case of a string by %i"text" or %s"text"'
_QUOTES = (
    "elements in a row are parted by white space; no string holds a double quote: that is DQUOTE, or %x22"
)
_ADDS = frozenset({"/=", "|=", "+=", "=|"})
_REGEX = re.compile(r"=[ \t]*(?P<open>/)(?P<body>[^\n;]+)(?P<close>/)[ \t]*(?=\n|\r|;|$)")
_REGEX_BODY = re.compile(r"(?:\[[^\]\n]+\]|\\[dw]|[()|?*+]|\{\d+(?:,\d*)?\})+")


def definition(draft: Draft) -> Iterator[Slip]:
    """``<name> ::=``, ``name :=``: what another notation writes where ABNF has ``name =``."""
    match = _DEFINITION.match(draft.text, len(draft.text) - len(draft.text.lstrip(" \t")))
    if match is None or bool(match["open"]) != bool(match["close"]):
        return
    sign = "=/" if match["sign"] in _ADDS or match["sign"] == "=/" else "="
    edits = []
    if match["open"]:
        edits += [
            Edit(match.start("open"), match.end("open"), ""),
            Edit(match.start("close"), match.end("close"), ""),
        ]
    if match["sign"] != sign:
        edits.append(Edit(*match.span("sign"), sign))
    if not edits:
        return
    name = match["name"]
    if match["open"]:
        message = f'{match[0]}: ABNF defines a rule by its bare name and "=": {name} {sign}'
        yield Slip("angle-definition", *match.span(), message, tuple(edits))
    else:
        what = "adds alternatives to" if sign == "=/" else "defines"
        message = f'"{match["sign"]}" is not ABNF: ABNF {what} a rule with "{sign}"'
        yield Slip("definition", *match.span("sign"), message, tuple(edits))


def repeated_name(draft: Draft) -> Iterator[Slip]:
    """``name = name = ...``"""
    match = re.match(
        rf"[ \t]*(?P<name>{_NAME})[ \t]*=[ \t]*(?P<again>(?P=name)[ \t]*=[ \t]*)(?![/=])", draft.text
    )
    if match:
        message = f'"{match["name"]} =" is written twice'
        yield Slip("repeated-name", *match.span("again"), message, (Edit(*match.span("again"), ""),))


def regex(draft: Draft) -> Iterator[Slip]:
    """``/[a-z]+/``: the slashes around a regular expression of classes, groups and quantifiers."""
    match = _REGEX.search(draft.text)
    if match is None or not _REGEX_BODY.fullmatch(match["body"]):
        return
    message = f"{match['open']}{match['body']}/ is a regular expression, which ABNF does not have"
    if "[^" in match["body"]:
        message += ", nor the complement of a set"
    bars = [
        match.start("body") + each.start()
        for each in re.finditer(r"\[[^\]]*\]|(?P<bar>\|)", match["body"])
        if each["bar"]
    ]
    edits = (
        Edit(*match.span("open"), ""),
        *(Edit(bar, bar + 1, " / ") for bar in bars),
        Edit(*match.span("close"), ""),
    )
    yield Slip("regex", match.start("open"), match.end("close"), message, edits)


def bars(draft: Draft, single: bool) -> Iterator[Slip]:
    """``||`` or ``//`` between alternatives, or a ``single`` bar in a text that is said to be ABNF."""
    for match in re.finditer(rf"(?P<bar>\|\|{'?' if single else ''})|(?P<slashes>//)|{SKIP}", draft.text):
        if match["slashes"]:
            message = '"//" is not ABNF: alternatives are parted by one "/", and a comment starts with ";"'
            yield Slip("slashes", *match.span(), message)
        if match["bar"]:
            message = "'|' is the RFC 2396 notation for alternatives; ABNF uses '/'"
            yield Slip("bar", *match.span(), message, (Edit(*match.span(), "/"),))


def underscores(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``a_b``, where the text is said to be ABNF, or no definition has an underscore."""
    for match in re.finditer(rf"(?P<name>{_NAME})|{SKIP}", draft.text):
        name = match["name"] or ""
        if "_" in name:
            written = name.replace("_", "-")
            what = 'a rule name holds letters, digits and "-", not "_" (the RFC 2396 notation allows it)'
            message = f"{name}: {what}"
            certain = (name.lower() in known) != (written.lower() in known)
            yield Slip(
                "underscore", *match.span(), message, (Edit(*match.span(), written),) if certain else ()
            )


def terminators(draft: Draft) -> Iterator[Slip]:
    """A full stop or a comma at the end of a rule."""
    tokens = tokens_of(draft)
    if len(tokens) < 3:
        return
    last, text = tokens[-2], draft.text[tokens[-2].start : tokens[-2].end]
    if text in (".", ",") and tokens[-3].kind in ENDS_ELEMENT | {"other"}:
        message = f"{show_char(text)} ends nothing in ABNF: a rule ends where its line does"
        yield Slip("terminator", last.start, last.end, message, (Edit(last.start, last.end, ""),))


def commas(draft: Draft) -> Iterator[Slip]:
    """A comma between elements. Where there is nothing but strings, it could also part alternatives."""
    tokens = tokens_of(draft)
    places = [
        (before, token)
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if draft.text[token.start : token.end] == ","
        and (before.kind in ENDS_ELEMENT or draft.text[before.start : before.end] in ("}", "*", "+", "?"))
        and (after.kind in STARTS_ELEMENT or draft.text[after.start : after.end] == "{")
    ]
    elements = [token for token in tokens[1:] if token.kind in STARTS_ELEMENT | {"/", "|"}]
    one = len(places) > 1 and all(token.kind == "string" for token in elements)
    for before, token in places:
        if before.kind == "name" and before.end == token.start and draft.text[token.end].isalpha():
            message = 'a comma that is matched is written ","; ABNF has none between elements'
            yield Slip("comma", token.start, token.end, message)
        elif values := _VALUES.match(draft.text, before.start):
            written = shorten(re.sub(r"[ \t]*,[ \t]*", ".", values[0]))
            message = f"ABNF has no comma: values in a row have dots ({written}), alternatives have '/'"
            yield Slip("comma", token.start, token.end, message)
        elif one or before.kind == "number":
            message = "ABNF has no comma: elements in a row are parted by white space, alternatives by '/'"
            yield Slip("comma", token.start, token.end, message)
        else:
            gap = "" if draft.text[token.end : token.end + 1].isspace() else " "
            message = "ABNF has no comma: elements in a row are parted by white space alone"
            yield Slip("comma", token.start, token.end, message, (Edit(token.start, token.end, gap),))


def lone_characters(draft: Draft) -> Iterator[Slip]:
    """``/ _ )``: an alternative that is one character without quotes."""
    tokens = tokens_of(draft)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        char = draft.text[token.start : token.end]
        if token.kind != "other" or char not in tuple("_-:@&!~^$%\\=") or after.kind not in BOUNDARY:
            continue
        if before.kind in _OPENING:
            message = f'{show_char(char)} stands without quotes: "{char}"'
            edits: tuple[Edit, ...] = (Edit(token.start, token.end, f'"{char}"'),)
            if before.kind == "[" and before.end == token.start and after.start == token.end:
                message = f'[{char}]: as a set of characters, ABNF has "{char}"; as an option, ["{char}"]'
                edits = ()
            yield Slip("unquoted", token.start, token.end, message, edits)


def touching(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``[x]"y"``: elements without white space between them.

    A name that is no rule may be a part of a string, of which a quote is missing.
    """
    tokens = tokens_of(draft)
    for index, (before, token) in enumerate(pairwise(tokens)):
        if before.end != token.start or before.kind not in ENDS_ELEMENT or token.kind not in STARTS_ELEMENT:
            continue
        shown = draft.text[token.start : token.end]
        quoted = (
            shown
            if shown[0] in '"<%' and len(shown) > 1
            else show_char(shown)
            if len(shown) == 1
            else f'"{shown}"'
        )
        message = f"white space is missing before {quoted}"
        if token.kind == "repeat" and draft.own[token.start]:
            message = REPEATS
            edits: tuple[Edit, ...] = ()
            if tokens[index + 2].start == token.end and shown[0] != "*":
                message = (
                    "a repeat stands before what it repeats, with white space before it, and none behind it"
                )
                edits = (Edit(token.start, token.start, " "),)
        else:
            names = [t for t in (before, token) if t.kind == "name"]
            strange = any(draft.text[t.start : t.end].lower() not in known for t in names)
            if strange and token.kind == "(":
                message = (
                    "ABNF has no calls: a group in brackets is parted from the name before it by white space"
                )
            # A call, and a string with a double quote in it, look the same as what only lacks a space.
            doubtful = strange and (token.kind == "(" or "string" in (before.kind, token.kind))
            doubtful = doubtful or before.kind == token.kind == "string"
            if any(_quoted(draft.text, tokens, at) for at in (index, index + 1)):
                doubtful = True
            if doubtful and token.kind != "(":
                name = draft.text[before.start : before.end].lower()
                message = _CASES if name in ("i", "s") and token.kind == "string" else _QUOTES
            if re.match(r"\[\d+\]|\(\d+(?:,\d*)?\)", draft.text[token.start :][:20]):
                message = (
                    "ABNF has a count before what it counts (3ALPHA), and brackets around what is optional"
                )
                doubtful = True
            edits = () if doubtful else (Edit(token.start, token.start, " "),)
        yield Slip("touching", token.start, token.end, message, edits)


def _quoted(text: str, tokens: list[Token], index: int) -> bool:
    """Whether what touches strings may be a part of a string that has double quotes in it."""
    token = tokens[index]
    if token.kind == "string":
        return text[token.start : token.end] == '""'
    before, after = tokens[index - 1], tokens[index + 1]
    touched = before.end == token.start and token.end == after.start
    prefix = text[token.start : token.end].lower() in ("i", "s") and token.end == after.start
    return (
        token.kind == "name" and after.kind == "string" and (prefix or (touched and before.kind == "string"))
    )


def tokens_of(draft: Draft) -> list[Token]:
    """The tokens of a draft but for its comments."""
    found = lexing.tokens(draft.text, 0, len(draft.text), "rfc822")
    return [token for token in found if token.kind != "comment"]
