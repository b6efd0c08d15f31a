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

from abnforge.abnf.layout import MAX_COLUMNS, Line, Style, Word, content_column, drawn, lay
from abnforge.abnf.messages import message
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
from abnforge.catalog import ArgumentError

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
    words = list(_words(rule.elements))
    flat = " ".join([head, *(word.text for word in words)])
    if len(flat) <= MAX_COLUMNS and not any(word.kind == ";" for word in words[:-1]):
        return flat
    alternatives = [list(_words(Alternation((a,)))) for a in rule.elements.alternatives]
    if any(len(alternative) > 1 for alternative in alternatives):
        at = -1
        for alternative in alternatives[:-1]:
            at += len(alternative) + 1
            words[at].broken = True
    lines: list[Line] = []
    for line in lay(head, words, Style()):
        if line.said is not None and line.code and len(line.code) + 1 + len(line.said.text) > MAX_COLUMNS:
            lines += [Line(line.code), Line("", line.said, content_column(head))]
        else:
            lines.append(line)
    return "\n".join(drawn([lines], 1, MAX_COLUMNS))


def print_alternation(alternation: Alternation) -> str:
    """An alternation on one line, without its comments."""
    return " ".join(word.text for word in _words(alternation) if word.kind != ";")


def print_element(element: Element) -> str:
    """An element on one line, without comments."""
    if isinstance(element, Group):
        return f"( {print_alternation(element.alternation)} )"
    if isinstance(element, Option):
        return f"[ {print_alternation(element.alternation)} ]"
    return _terminal(element)


def _words(alternation: Alternation) -> Iterator[Word]:
    """What spaces or line ends stand between in an alternation."""
    for index, alternative in enumerate(alternation.alternatives):
        if index:
            yield Word("/", "/")
        for item in alternative.items:
            repeat = _repeat(item)
            if isinstance(item.element, (Group, Option)):
                opener, closer = ("(", ")") if isinstance(item.element, Group) else ("[", "]")
                yield Word(repeat + opener, "open")
                yield from _words(item.element.alternation)
                yield Word(closer, "close")
            else:
                yield Word(repeat + _terminal(item.element), "element")
        for comment in alternative.comments:
            yield Word(_comment(comment), ";")


def _terminal(element: RuleName | CharVal | NumVal | ProseVal) -> str:
    match element:
        case RuleName(name=name):
            return f"<{name}>" if element.in_prose else name
        case CharVal(value=value, prefix=prefix):
            if not _CHAR_VAL.fullmatch(value):
                raise ArgumentError(message("string-unwritable", text=value))
            return f'{prefix}"{value}"'
        case NumVal(base=base, values=values):
            separator = "-" if element.is_range else "."
            return f"%{base}" + separator.join(format(value, _NUMBER[base]) for value in values)
        case ProseVal(text=text):
            if ">" in text or "\n" in text:
                raise ArgumentError(message("prose-unwritable", text=text))
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
        raise ArgumentError(message("comment-unwritable", text=text))
    return f";{text}".rstrip(" \t\r")


def _line_comment(comment: Comment) -> str:
    return _comment(comment.text) if comment.text else ""
