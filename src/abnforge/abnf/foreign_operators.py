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
from abnforge.abnf.messages import message
from abnforge.abnf.syntax_errors import STARTS_ELEMENT, shorten
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

_VALUES = re.compile(
    r"%(?:[xX][0-9A-Fa-f]+(?:[ \t]*,[ \t]*[0-9A-Fa-f]+)+|[dD][0-9]+(?:[ \t]*,[ \t]*[0-9]+)+"
    r"|[bB][01]+(?:[ \t]*,[ \t]*[01]+)+)(?![A-Za-z0-9_*-])"
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
        problem = message("definition-brackets", found=match[0], written=f"{name} {sign}")
        yield Slip("angle-definition", *match.span(), problem, tuple(edits))
    else:
        extends = sign == "=/"
        problem = message("definition-sign-extending" if extends else "definition-sign", sign=match["sign"])
        yield Slip("definition", *match.span("sign"), problem, tuple(edits))


def repeated_name(draft: Draft) -> Iterator[Slip]:
    """``name = name = ...``"""
    match = re.match(
        rf"[ \t]*(?P<name>{_NAME})[ \t]*=[ \t]*(?P<again>(?P=name)[ \t]*=[ \t]*)(?![/=])", draft.text
    )
    if match:
        problem = message("definition-repeated", name=match["name"])
        yield Slip("repeated-name", *match.span("again"), problem, (Edit(*match.span("again"), ""),))


def regex(draft: Draft) -> Iterator[Slip]:
    """``/[a-z]+/``: the slashes around a regular expression of classes, groups and quantifiers."""
    match = _REGEX.search(draft.text)
    if match is None or not _REGEX_BODY.fullmatch(match["body"]):
        return
    problem = message("regex-negated" if "[^" in match["body"] else "regex", regex=f"/{match['body']}/")
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
    yield Slip("regex", match.start("open"), match.end("close"), problem, edits)


def bars(draft: Draft, single: bool) -> Iterator[Slip]:
    """``||`` or ``//`` between alternatives, or a ``single`` bar in a text that is said to be ABNF."""
    for match in re.finditer(rf"(?P<bar>\|\|{'?' if single else ''})|(?P<slashes>//)|{SKIP}", draft.text):
        if match["slashes"]:
            yield Slip("slashes", *match.span(), message("slashes"))
        if match["bar"]:
            yield Slip("bar", *match.span(), message("bar", found=match["bar"]), (Edit(*match.span(), "/"),))


def underscores(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``a_b``, where the text is said to be ABNF, or no definition has an underscore."""
    for match in re.finditer(rf"(?P<name>{_NAME})|{SKIP}", draft.text):
        name = match["name"] or ""
        if "_" in name:
            written = name.replace("_", "-")
            certain = (name.lower() in known) != (written.lower() in known)
            edits = (Edit(*match.span(), written),) if certain else ()
            yield Slip("underscore", *match.span(), message("rule-name-underscore", name=name), edits)


def terminators(draft: Draft) -> Iterator[Slip]:
    """A full stop or a comma at the end of a rule."""
    tokens = tokens_of(draft)
    if len(tokens) < 3:
        return
    last, text = tokens[-2], draft.text[tokens[-2].start : tokens[-2].end]
    if text in (".", ",") and tokens[-3].kind in ENDS_ELEMENT | {"other"}:
        problem = message("terminator", found=text)
        yield Slip("terminator", last.start, last.end, problem, (Edit(last.start, last.end, ""),))


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
            yield Slip("comma", token.start, token.end, message("comma-unquoted"))
        elif values := _VALUES.match(draft.text, before.start):
            written = shorten(re.sub(r"[ \t]*,[ \t]*", ".", values[0]))
            yield Slip("comma", token.start, token.end, message("comma-between-values", written=written))
        elif one or before.kind == "number":
            yield Slip("comma", token.start, token.end, message("comma-ambiguous"))
        else:
            gap = "" if draft.text[token.end : token.end + 1].isspace() else " "
            problem = message("comma-misplaced", found=",")
            yield Slip("comma", token.start, token.end, problem, (Edit(token.start, token.end, gap),))


def lone_characters(draft: Draft) -> Iterator[Slip]:
    """``/ _ )``: an alternative that is one character without quotes."""
    tokens = tokens_of(draft)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        char = draft.text[token.start : token.end]
        if token.kind != "other" or char not in tuple("_-:@&!~^$%\\=") or after.kind not in BOUNDARY:
            continue
        if before.kind in _OPENING:
            problem = message("character-unquoted", found=char, written=f'"{char}"')
            edits: tuple[Edit, ...] = (Edit(token.start, token.end, f'"{char}"'),)
            if before.kind == "[" and before.end == token.start and after.start == token.end:
                problem = message("set-or-option", found=f"[{char}]", set=f'"{char}"', option=f'["{char}"]')
                edits = ()
            yield Slip("unquoted", token.start, token.end, problem, edits)


def touching(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``[x]"y"``: elements without white space between them.

    A name that is no rule may be a part of a string, of which a quote is missing.
    """
    tokens = tokens_of(draft)
    for index, (before, token) in enumerate(pairwise(tokens)):
        if before.end != token.start or before.kind not in ENDS_ELEMENT or token.kind not in STARTS_ELEMENT:
            continue
        shown = draft.text[token.start : token.end]
        problem = message("whitespace-missing", found=shown)
        if token.kind == "repeat" and draft.own[token.start]:
            edits: tuple[Edit, ...] = ()
            if tokens[index + 2].start == token.end and shown[0] != "*":
                edits = (Edit(token.start, token.start, " "),)
            else:
                problem = message("repeat-misplaced")
        else:
            names = [t for t in (before, token) if t.kind == "name"]
            strange = any(draft.text[t.start : t.end].lower() not in known for t in names)
            if strange and token.kind == "(":
                problem = message("call")
            # A call, and a string with a double quote in it, look the same as what only lacks a space.
            doubtful = strange and (token.kind == "(" or "string" in (before.kind, token.kind))
            doubtful = doubtful or before.kind == token.kind == "string"
            if any(_quoted(draft.text, tokens, at) for at in (index, index + 1)):
                doubtful = True
            if doubtful and token.kind != "(":
                name = draft.text[before.start : before.end]
                is_prefix = name.lower() in ("i", "s") and token.kind == "string"
                problem = (
                    message("string-prefix", prefix=name)
                    if is_prefix
                    else message("string-with-quote", found=shown)
                )
            if count := re.match(r"\[\d+\]|\(\d+(?:,\d*)?\)", draft.text[token.start :][:20]):
                problem = message("repeat-in-brackets", found=count[0])
                doubtful = True
            edits = () if doubtful else (Edit(token.start, token.start, " "),)
        yield Slip("touching", token.start, token.end, problem, edits)


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
