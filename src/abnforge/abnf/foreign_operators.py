"""Operators of other notations: ``x*``, ``{x}``, a comma between elements, ``::=`` and the like.

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
from abnforge.abnf.syntax_errors import CLOSER, STARTS_ELEMENT
from abnforge.drawing import show_char
from abnforge.rejection import Edit

ENDS_ELEMENT = frozenset({"name", "string", "number", "prose", ")", "]"})
_OPENER = {")": "(", "]": "[", "}": "{"}
_BOUNDARY = frozenset({")", "]", "/", "|", "end"})
_OPENING = frozenset({"(", "[", "/", "|", "=", "=/"})

_NAME = "[A-Za-z][A-Za-z0-9_-]*"
_DEFINITION = re.compile(
    rf"(?P<open><?)(?P<name>{_NAME})(?P<close>>?)(?P<gap>[ \t]*)"
    r"(?P<sign>::==?|:==|:=|:[ \t]=|=:|=>|==>?|-->|->|<--?|\u2192|\u21d2|\u2190|\u2254|\u2a74"
    r"|/=|\|=|\+=|=\||:|=/?)"
)
_ADDS = frozenset({"/=", "|=", "+=", "=|"})
_REGEX = re.compile(r"=[ \t]*(?P<open>/)(?P<body>[^\n;]+)(?P<close>/)[ \t]*(?=\n|\r|;|$)")
_REGEX_BODY = re.compile(r"(?:\[[^\]\n]+\]|\\[dw]|[()|?*+]|\{\d+(?:,\d*)?\})+")
_COUNT = re.compile(
    r"\{[ \t]*(?P<low>\d{1,9}|(?=,[ \t]*\d))[ \t]*(?P<comma>,[ \t]*(?P<high>\d{0,9})[ \t]*)?\}"
)


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
    message = (
        f"{match['open']}{match['body']}/ is a regular expression; ABNF repeats what stands behind: 1*DIGIT"
    )
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
    """``||`` between alternatives, or a ``single`` bar in a text that is said to be ABNF."""
    for match in re.finditer(rf"(?P<bar>\|\|{'?' if single else ''})|{SKIP}", draft.text):
        if match["bar"]:
            message = "'|' is the RFC 822 notation for alternatives; ABNF uses '/'"
            yield Slip("bar", *match.span(), message, (Edit(*match.span(), "/"),))


def underscores(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``a_b``, where the text is said to be ABNF, or no definition has an underscore."""
    for match in re.finditer(rf"(?P<name>{_NAME})|{SKIP}", draft.text):
        name = match["name"] or ""
        if "_" in name:
            written = name.replace("_", "-")
            message = (
                f'{name}: a rule name holds letters, digits and "-", not "_" (the RFC 822 notation allows it)'
            )
            certain = (name.lower() in known) != (written.lower() in known)
            yield Slip(
                "underscore", *match.span(), message, (Edit(*match.span(), written),) if certain else ()
            )


def terminators(draft: Draft) -> Iterator[Slip]:
    """A full stop or a comma at the end of a rule."""
    tokens = _tokens(draft)
    if len(tokens) < 3:
        return
    last, text = tokens[-2], draft.text[tokens[-2].start : tokens[-2].end]
    if text in (".", ",") and tokens[-3].kind in ENDS_ELEMENT | {"other"}:
        message = f"{show_char(text)} ends nothing in ABNF: a rule ends where its line does"
        yield Slip("terminator", last.start, last.end, message, (Edit(last.start, last.end, ""),))


def commas(draft: Draft) -> Iterator[Slip]:
    """A comma between elements. Where there is nothing but strings, it could also part alternatives."""
    tokens = _tokens(draft)
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
        if one or before.kind == "number":
            message = "ABNF has no comma: elements in a row are parted by white space, alternatives by '/'"
            yield Slip("comma", token.start, token.end, message)
        else:
            gap = "" if draft.text[token.end : token.end + 1].isspace() else " "
            message = "ABNF has no comma: elements in a row are parted by white space alone"
            yield Slip("comma", token.start, token.end, message, (Edit(token.start, token.end, gap),))


def postfix(draft: Draft) -> Iterator[Slip]:
    """``x*``, ``x+``, ``x?``, ``x{2,4}``: a repeat behind what it repeats."""
    tokens = _tokens(draft)
    text = draft.text
    opened: list[int] = []
    begins: dict[int, int] = {}
    for index, token in enumerate(tokens):
        kind = text[token.start : token.end] if token.kind == "other" else token.kind
        if kind in ("(", "[", "{"):
            opened.append(index)
        elif kind in _OPENER and opened:
            begins[index] = opened.pop()
    for index in range(1, len(tokens) - 1):
        token, before = tokens[index], tokens[index - 1]
        operator = text[token.start : token.end]
        if before.kind not in ENDS_ELEMENT or operator not in ("*", "+", "?", "{"):
            continue
        count = _COUNT.match(text, token.start) if operator == "{" else None
        end = count.end() if count else token.end
        if operator == "{" and (count is None or before.end != token.start):
            continue
        if operator != "{" and not _is_behind(before, token, tokens[index + 1], operator):
            continue
        first = begins.get(index - 1, index - 1) if before.kind in CLOSER.values() else index - 1
        repeated = tokens[first - 1].kind == "repeat" and tokens[first - 1].end == tokens[first].start
        if repeated and operator != "?":
            continue
        start = tokens[first - 1].start if repeated else tokens[first].start
        yield _moved(draft, tokens[first], before, operator, count, start, token.start, end, repeated)


def _is_behind(before: Token, token: Token, after: Token, operator: str) -> bool:
    """Whether an operator is about the element before it and not about the one behind it."""
    ends = after.kind in _BOUNDARY or (after.kind == "other" and after.start >= token.end)
    if before.end == token.start:
        return ends or after.start > token.end or operator == "?"
    return after.kind in _BOUNDARY


def _moved(
    draft: Draft,
    first: Token,
    last: Token,
    operator: str,
    count: re.Match[str] | None,
    start: int,
    at: int,
    end: int,
    repeated: bool,
) -> Slip:
    """An operator that moves before its operand ``first`` to ``last``."""
    operand = draft.text[start : last.end]
    shown = operand if len(operand) <= 30 else operand[:10] + "..." + operand[-10:]
    inside = shown[1:-1].strip() if first.kind in CLOSER and not repeated else shown
    insert = Edit(start, start, "")
    # Without the operator, what stands behind it would become a part of the name before it.
    delete = Edit(at, end, " " if re.match("[A-Za-z0-9_-]", draft.text[end : end + 1]) else "")
    edits: tuple[Edit, ...]
    if operator == "?":
        right = f"[{inside}]" if first.kind != "[" else shown
        if first.kind == "[":
            edits = (delete,)
        elif first.kind == "(" and not repeated and draft.own[first.start] and draft.own[last.start]:
            edits = Edit(first.start, first.end, "["), Edit(last.start, last.end, "]"), delete
        else:
            edits = Edit(start, start, "["), Edit(at, end, "]")
    else:
        repeat = operator if operator == "*" else "1*"
        if count is not None:
            low, high = int(count["low"] or "0"), count["high"]
            repeat = f"{low}*{high}" if count["comma"] else str(low)
            repeat = repeat.removeprefix("0") if repeat.startswith("0*") else repeat
        elif first.kind == "[":
            repeat = "*"
        right = repeat + shown
        edits = Edit(insert.start, insert.end, repeat), delete
    found = draft.text[at:end]
    kind = "counted" if count is not None else f"postfix {operator}"
    what = (
        "ABNF puts what is optional in brackets"
        if operator == "?"
        else "a repeat stands before what it repeats"
    )
    return Slip(kind, at, end, f'"{found}" stands behind "{shown}"; {what}: {right}', edits)


def braces(draft: Draft) -> Iterator[Slip]:
    """``{x}``: EBNF for any number of times."""
    tokens = [t for t in _tokens(draft) if t.kind == "other" and draft.text[t.start : t.end] in ("{", "}")]
    depth = 0
    for token in tokens:
        depth += 1 if draft.text[token.start] == "{" else -1
        if depth < 0:
            return
    if depth:
        return
    opened: list[Token] = []
    for token in tokens:
        if draft.text[token.start] == "{":
            opened.append(token)
            continue
        begin = opened.pop()
        follows = draft.text[token.end : token.end + 1]
        behind = len(follows) if follows in ("+", "*") else 0
        repeat = "1*(" if follows == "+" else "*("
        inner = draft.text[begin.end : token.start].strip()
        shown = inner if len(inner) <= 30 else inner[:27] + "..."
        message = f"braces are EBNF's; ABNF repeats by a prefix: {repeat}{shown})"
        edits = Edit(begin.start, begin.end, repeat), Edit(token.start, token.end + behind, ")")
        yield Slip("braces", begin.start, token.end, message, edits)


def lone_characters(draft: Draft) -> Iterator[Slip]:
    """``/ _ )``: an alternative that is one character without quotes."""
    tokens = _tokens(draft)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        char = draft.text[token.start : token.end]
        if token.kind != "other" or char not in tuple("_-:@&!~^$%\\=") or after.kind not in _BOUNDARY:
            continue
        if before.kind in _OPENING:
            message = f'{show_char(char)} stands without quotes: "{char}"'
            yield Slip(
                "unquoted", token.start, token.end, message, (Edit(token.start, token.end, f'"{char}"'),)
            )


def repeat_gaps(draft: Draft) -> Iterator[Slip]:
    """``2 ALPHA``: white space between a repeat and its element."""
    tokens = _tokens(draft)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.kind == "repeat" and before.end < token.start:
            continue  # told there
        if token.kind != "repeat" or after.start == token.end or "\n" in draft.text[token.end : after.start]:
            continue
        text = draft.text[token.start : token.end]
        alone = text == "*" and before.kind in ENDS_ELEMENT  # "a * b" could be a product
        message = "no white space is allowed between a repeat and its element"
        edits = (Edit(token.end, after.start, ""),)
        if after.kind == "repeat" and "*" not in text and draft.text[after.start] == "*":
            # "4 * x" is four of them in EBNF.
            message += f": {text}x is x {text} times, {text}*x at least so often"
            yield Slip("gap-in-repeat", token.start, after.end, message)
        elif after.kind in STARTS_ELEMENT - {"repeat"} and not alone:
            yield Slip("gap-in-repeat", token.start, after.end, message, edits)


def touching(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``[x]"y"``: elements without white space between them.

    A name that is no rule may be a part of a string, of which a quote is missing.
    """
    tokens = _tokens(draft)
    for before, token in pairwise(tokens):
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
            message = "a repeat stands before what it repeats, with white space before it, and none behind it"
            edits: tuple[Edit, ...] = ()
            if shown != "*" or before.kind == "string":
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
            if doubtful and token.kind != "(":
                message = "elements in a row are parted by white space"
            if re.match(r"\[\d+\]", draft.text[token.start :][:20]):
                message = (
                    "ABNF has a count before what it counts (3ALPHA), and brackets around what is optional"
                )
                doubtful = True
            edits = () if doubtful else (Edit(token.start, token.start, " "),)
        yield Slip("touching", token.start, token.end, message, edits)


def _tokens(draft: Draft) -> list[Token]:
    """The tokens of a draft but for its comments."""
    found = lexing.tokens(draft.text, 0, len(draft.text), "rfc822")
    return [token for token in found if token.kind != "comment"]
