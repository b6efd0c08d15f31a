"""Repeats of other notations: ``x*``, ``x{2}``, ``{x}``, and a repeat that does not touch its element.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft` that holds one rule; strings and values
are ABNF's already. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.draft import Draft, Slip
from abnforge.abnf.foreign_operators import BOUNDARY, ENDS_ELEMENT, tokens_of
from abnforge.abnf.foreign_text import SKIP
from abnforge.abnf.lexing import Token
from abnforge.abnf.messages import message
from abnforge.abnf.name_slips import run_together
from abnforge.abnf.syntax_errors import CLOSER, STARTS_ELEMENT
from abnforge.abnf.syntax_errors import REPEATS as REPEAT_KINDS
from abnforge.records import replace
from abnforge.rejection import Edit

_OPENER = {")": "(", "]": "[", "}": "{"}
_COUNT = re.compile(
    r"\{[ \t]*(?P<low>\d{1,9}|(?=,[ \t]*\d))[ \t]*(?P<comma>,[ \t]*(?P<high>\d{0,9})[ \t]*)?\}"
)
# A repeat right before a place.
_COUNTED = re.compile(r"(?<![\w.%\"-])(?:\d{1,9}(?:\*\d{0,9})?|\*\d{0,9})\Z")

_COUNTS = re.compile(
    r"(?<![A-Za-z0-9_.%*$-])(?P<low>\d{1,9})(?P<sign>-|\.\.\.?|,|:|\u2013)(?P<high>\d{1,9})"
    rf"(?=[A-Za-z(\[]|%[a-zA-Z]|\")|{SKIP}"
)
_STARS = re.compile(rf"(?<![A-Za-z0-9_.%*$-])(?P<low>\d*)\*(?P<high>\d+)\*(?=[A-Za-z(\[\"%<])|{SKIP}")

_TIMES = re.compile(r"[ \t]*[xX][ \t]*")


def counts(draft: Draft) -> Iterator[Slip]:
    """``1-2DIGIT``, ``1..2DIGIT``, ``1*2*DIGIT``: a repeat whose bounds are written otherwise."""
    for pattern in (_COUNTS, _STARS):
        for match in pattern.finditer(draft.text):
            if match["high"] is None:
                continue
            low, high = match["low"], match["high"]
            written = f"{low}*{high}"
            likely = int(low or 0) <= int(high)
            certain = likely and pattern is _COUNTS  # a second star could be what is meant
            edits = (Edit(match.start(), match.end(), written),) if certain else ()
            problem = (
                message("repeat-bounds", found=match[0], written=written)
                if likely
                else message("repeat-bounds-reversed", found=match[0])
            )
            yield Slip("counts", match.start(), match.end(), problem, edits)


def postfix(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``x*``, ``x+``, ``x?``, ``x{2,4}``: a repeat behind what it repeats."""
    tokens = tokens_of(draft)
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
        if before.kind not in ENDS_ELEMENT or operator not in ("*", "+", "?", "{") or _is_base(before):
            continue
        count = _COUNT.match(text, token.start) if operator == "{" else None
        end = count.end() if count else token.end
        if operator == "{" and (count is None or before.end != token.start):
            continue
        if operator != "{" and not _is_behind(before, token, tokens[index + 1], operator):
            continue
        first = begins.get(index - 1, index - 1) if before.kind in CLOSER.values() else index - 1
        repeated = tokens[first - 1].kind == "repeat" and tokens[first - 1].end == tokens[first].start
        if repeated and (operator != "?" or _touches(tokens, first - 1)):
            continue
        if draft.text[end : end + 1] in tuple("*+?") or _COUNT.match(draft.text, end):
            problem = message("repeat-combined", found=draft.text[token.start : end + 1])
            yield Slip("operators", token.start, end, problem)
            continue
        start = tokens[first - 1].start if repeated else tokens[first].start
        slip = _moved(draft, tokens[first], before, operator, count, start, token.start, end, repeated)
        row = run_together(text[before.start : before.end], known) if before.kind == "name" else ""
        if row and text[before.start : before.end].lower() not in known:
            problem = message("repeat-of-joined-rules", name=row.replace(" ", ""), names=row)
            slip = replace(slip, message=problem, edits=())
        yield slip


def _is_base(token: Token) -> bool:
    """Whether a value has no digits: ``%x``."""
    return token.kind == "number" and token.end - token.start == 2


def _is_behind(before: Token, token: Token, after: Token, operator: str) -> bool:
    """Whether an operator is about the element before it and not about the one behind it."""
    ends = after.kind in BOUNDARY or (after.kind == "other" and after.start >= token.end)
    if before.end == token.start:
        return ends or after.start > token.end or operator == "?"
    return after.kind in BOUNDARY


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
    # Without the operator, what stands behind it would become a part of the name, or the string, before it.
    delete = Edit(at, end, " " if re.match('["A-Za-z0-9_-]', draft.text[end : end + 1]) else "")
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
    problem = message("repeat-after-element", operator=found, element=shown, written=right)
    return Slip(kind, at, end, problem, edits)


def braces(draft: Draft) -> Iterator[Slip]:
    """``{x}``: EBNF for any number of times."""
    tokens = [t for t in tokens_of(draft) if t.kind == "other" and draft.text[t.start : t.end] in ("{", "}")]
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
        if re.search("%[xXdDbB]$", draft.text[max(0, begin.start - 2) : begin.start]):
            continue
        count = _COUNT.fullmatch(draft.text, begin.start, token.end)
        if count:
            right = f"{count['low'] or ''}{'*' + count['high'] if count['comma'] else ''}"
            problem = message("repeat-in-braces", found=count[0], written=right)
            yield Slip("count", begin.start, token.end, problem)
            continue
        if counted := _COUNTED.search(draft.text, max(0, begin.start - 30), begin.start):
            yield _counted_group(draft, counted, begin, token)
            continue
        follows = draft.text[token.end : token.end + 1]
        behind = len(follows) if follows in ("+", "*") else 0
        repeat = "1*(" if follows == "+" else "*("
        problem = message("braces", written=f"{repeat}{_shown(draft, begin, token)})")
        edits = Edit(begin.start, begin.end, repeat), Edit(token.start, token.end + behind, ")")
        yield Slip("braces", begin.start, token.end, problem, edits)


def _counted_group(draft: Draft, counted: re.Match[str], begin: Token, end: Token) -> Slip:
    """``3{"a" / "b"}``: the braces are those of a group, and the repeat is there."""
    right = f"{counted[0]}({_shown(draft, begin, end)})"
    edits = Edit(begin.start, begin.end, "("), Edit(end.start, end.end, ")")
    return Slip("braces", begin.start, end.end, message("braces", written=right), edits)


def _shown(draft: Draft, begin: Token, end: Token) -> str:
    """What stands between two tokens, short enough for a message."""
    inner = draft.text[begin.end : end.start].strip()
    return inner if len(inner) <= 30 else inner[:27] + "..."


def repeat_gaps(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``2 ALPHA``: white space between a repeat and its element. ``x*2 y`` could be about either; the ``x``
    of ``2 x ALPHA`` is a sign where it is no ``known`` rule.
    """
    tokens = tokens_of(draft)
    ends = [*tokens[3:], tokens[-1]]
    for before, token, after, behind in zip(tokens, tokens[1:], tokens[2:], ends, strict=False):
        if before.kind == "repeat" and before.end < token.start:
            continue  # told there
        if before.kind == "other" and before.end == token.start and draft.text[before.start] == "#":
            continue  # "#1 first" may be a comment
        if token.kind != "repeat" or after.start == token.end or "\n" in draft.text[token.end : after.start]:
            continue
        text = draft.text[token.start : token.end]
        # "a * b" could be a product.
        unclear = before.kind in ENDS_ELEMENT and (before.end == token.start or text == "*")
        problem = message("repeat-spaced", repeat=text)
        edits = (Edit(token.end, after.start, ""),)
        if after.kind == "repeat" and "*" not in text and draft.text[after.start] == "*":
            # "4 * x" is four of them in EBNF.
            high = draft.text[after.start + 1 : after.end]
            if behind.kind == "repeat" and not high and after.end < behind.start:
                high = draft.text[behind.start : behind.end]
            found = draft.text[token.start : after.end]
            problem = (
                message("repeat-ambiguous-range", found=found, count=text, high=high)
                if high.isdigit()
                else message("repeat-ambiguous", found=found, count=text)
            )
            yield Slip("gap-in-repeat", token.start, after.end, problem)
        elif after.kind in STARTS_ELEMENT - {"repeat"} and unclear:
            yield Slip("gap-in-repeat", token.start, after.end, message("repeat-misplaced"))
        elif (
            text.isdigit()
            and "x" not in known
            and _TIMES.fullmatch(draft.text, token.end, behind.start)
            and behind.kind in STARTS_ELEMENT - REPEAT_KINDS
        ):
            problem = message("times", count=text)
            yield Slip("times", token.start, after.end, problem, (Edit(token.end, behind.start, ""),))
        elif after.kind == "string" and text.isdigit():
            yield Slip("gap-in-repeat", token.start, after.end, message("repeat-or-text", count=text))
        elif after.kind in STARTS_ELEMENT - {"repeat"}:
            yield Slip("gap-in-repeat", token.start, after.end, problem, edits)


def _touches(tokens: list[Token], index: int) -> bool:
    """Whether an element ends where a token begins."""
    return tokens[index - 1].kind in ENDS_ELEMENT and tokens[index - 1].end == tokens[index].start
