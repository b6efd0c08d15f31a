"""The surface model back to ABNF text, in one canonical layout.

Law: ``read(print_rulelist(model), dialect=model.dialect) == model`` for every model that the reader makes.
What is printed is always RFC 5234 (with RFC 7405's prefixes): ``/`` for ``|``, ``%x22`` for ``<">``. The
one thing that cannot be expressed is a ``_`` in a name, which stays, so that a text that defines such names
reads as ``"rfc822"`` again.

Layout: a rule on one line where it fits; otherwise one alternative a line, the ``/`` under the ``=``, as
RFCs do; alternatives that are single elements are filled into lines. Comments stay with their alternative,
in one column where they fit, and are never folded. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Comment,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    Rule,
    Rulelist,
    RuleName,
)

MAX_COLUMNS = 72
"""RFCs are set in 72 columns. A single element or comment may be longer: it cannot be folded."""

_MAX_INDENT = 36  # a longer name would leave its alternatives less than half of the line
_NUMBER = {"x": "02X", "d": "d", "b": "b"}
_CHAR_VAL = re.compile(r"[\x20-\x21\x23-\x7e]*")


def print_rulelist(model: Rulelist) -> str:
    """A whole grammar; each rule and comment starts in the first column, and the last line has an end.

    Raises ``ValueError`` for a model that no text has (a line feed in a comment, a quote in a string).
    """
    return "".join(
        (print_rule(item) if isinstance(item, Rule) else _line_comment(item)) + "\n" for item in model.items
    )


def print_rule(rule: Rule) -> str:
    """One rule, folded into lines, with its comments; without the last line's end."""
    head = f"{rule.name} {'=/' if rule.incremental else '='}"
    pieces = list(_pieces(rule.elements))
    flat = " ".join([head, *pieces])
    if len(flat) <= MAX_COLUMNS and not any(map(_is_comment, pieces[:-1])):
        return flat
    indent = len(head) + 1 if len(head) < _MAX_INDENT else 6
    layout = _Layout(head, indent)
    if len(head) >= _MAX_INDENT:
        layout.new_line(indent)
    alternatives = [list(_pieces(Alternation((a,)))) for a in rule.elements.alternatives]
    filled = all(len(alternative) == 1 for alternative in alternatives)
    for index, alternative in enumerate(alternatives):
        if index and (not filled or not layout.fits(["/", *alternative])):
            layout.new_line(indent - 2)
        if index:
            layout.add("/")
        for piece in alternative:
            layout.add(piece)
    return layout.text()


def print_alternation(alternation: Alternation) -> str:
    """An alternation on one line, without its comments."""
    return " ".join(piece for piece in _pieces(alternation) if not _is_comment(piece))


def print_element(element: Element) -> str:
    """An element on one line, without comments."""
    if isinstance(element, Group):
        return f"( {print_alternation(element.alternation)} )"
    if isinstance(element, Option):
        return f"[ {print_alternation(element.alternation)} ]"
    return _terminal(element)


class _Layout:
    """Lines being filled with pieces: indentation and code, and the comment that ends the line."""

    def __init__(self, head: str, indent: int) -> None:
        self.lines: list[tuple[str, str]] = [(head, "")]
        self.indent = indent

    def new_line(self, indent: int) -> None:
        if not any(map(str.strip, self.lines[-1])):
            self.lines.pop()
        self.lines.append((" " * indent, ""))

    def fits(self, pieces: list[str]) -> bool:
        code, comment = self.lines[-1]
        return not comment and len(code) + sum(len(piece) + 1 for piece in pieces) <= MAX_COLUMNS

    def add(self, piece: str) -> None:
        if not self.fits([piece]) and any(map(str.strip, self.lines[-1])):
            self.new_line(self.indent + (0 if piece == "/" or _is_comment(piece) else 2))
        code, _ = self.lines[-1]
        if _is_comment(piece):
            self.lines[-1] = (code, piece)
        else:
            self.lines[-1] = (f"{code} {piece}" if code.strip() else code + piece, "")

    def text(self) -> str:
        commented = [(code, comment) for code, comment in self.lines if comment and code.strip()]
        column = max((len(code) for code, _ in commented), default=0)
        if any(column + 1 + len(comment) > MAX_COLUMNS for _, comment in commented):
            column = 0
        return "\n".join(
            code if not comment else f"{code.ljust(column)} {comment}" if code.strip() else code + comment
            for code, comment in self.lines
        )


def _is_comment(piece: str) -> bool:
    return piece.startswith(";")


def _pieces(alternation: Alternation) -> Iterator[str]:
    """The parts of an alternation that spaces or line ends stand between; comments start with ";"."""
    for index, alternative in enumerate(alternation.alternatives):
        if index:
            yield "/"
        for item in alternative.items:
            repeat = _repeat(item)
            if isinstance(item.element, (Group, Option)):
                opener, closer = ("(", ")") if isinstance(item.element, Group) else ("[", "]")
                yield repeat + opener
                yield from _pieces(item.element.alternation)
                yield closer
            else:
                yield repeat + _terminal(item.element)
        for comment in alternative.comments:
            yield _comment(comment)


def _terminal(element: RuleName | CharVal | NumVal | ProseVal) -> str:
    match element:
        case RuleName(name=name):
            return f"<{name}>" if element.in_prose else name
        case CharVal(value=value, prefix=prefix):
            if not _CHAR_VAL.fullmatch(value):
                raise ValueError(f"an ABNF string cannot hold {value!r}")
            return f'{prefix}"{value}"'
        case NumVal(base=base, values=values):
            separator = "-" if element.is_range else "."
            return f"%{base}" + separator.join(format(value, _NUMBER[base]) for value in values)
        case ProseVal(text=text):
            if ">" in text or "\n" in text:
                raise ValueError(f"ABNF prose cannot hold {text!r}")
            return f"<{text}>"


def _repeat(item: Repetition) -> str:
    low, high = item.min, item.max
    if item.listed:
        return f"{low or ''}#{'' if high is None else high}"
    if low == high:
        return "" if low == 1 else str(low)
    return f"{low or ''}*{'' if high is None else high}"


def _comment(text: str) -> str:
    if "\n" in text:
        raise ValueError(f"a comment is one line: {text!r}")
    return f";{text}".rstrip(" \t\r")


def _line_comment(comment: Comment) -> str:
    return _comment(comment.text) if comment.text else ""
