"""Lines of other notations: comments that do not start with ";", Markdown's fences, indentation that tells
nothing or the wrong thing.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft` that holds a whole text, in which some rule
could not be read. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf import lexing
from abnforge.abnf.draft import Draft, Slip
from abnforge.abnf.foreign_text import SKIP
from abnforge.abnf.model import Comment
from abnforge.rejection import Edit

MAX_COMMENT = 10_000
"""Characters of a block comment: its end is not looked for beyond."""

_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[^\n`]*(?:\n|\Z)", re.MULTILINE)
_BLOCK = re.compile(rf"(?P<open>\(\*(?=[\s*])|/\*|<!--)|{SKIP}")
_CLOSER = {"(*": re.compile(r"(?<=[\s*])\*\)"), "/*": re.compile(r"\*/"), "<!--": re.compile("-->")}
_LINE = re.compile(
    rf"(?P<mark>(?<![^\s])(?://+(?!\S*/\s*$)|\#+(?=[ \t!-])|--+(?=[ \t])))|^(?P<hash>\#+)(?!\w*\()|{SKIP}",
    re.MULTILINE,
)
_DEFINES = re.compile(r"[ \t]*<?[A-Za-z][\w-]*>?[ \t]*(?:=|:(?!\w)|->|\u2192|::)")
_INDENTED = re.compile(r"^(?P<indent>[ \t]+)(?P<name>[A-Za-z][\w-]*)[ \t]*=/?(?![=>])", re.MULTILINE)
_UNFINISHED = tuple("=/|([{,")
_STRINGS = re.compile(r'"[^"\n]*"|<[^>\n]*>|;[^\n]*')


def fences(draft: Draft) -> Iterator[Slip]:
    """A line of three backticks or tildes, which marks code in Markdown."""
    for match in _FENCE.finditer(draft.text):
        message = f"{match['mark']} marks code in Markdown, and is no part of the grammar"
        yield Slip("fence", match.start("mark"), match.end("mark"), message, (Edit(*match.span(), ""),))


def block_comments(draft: Draft) -> Iterator[Slip]:
    """``(* ... *)``, ``/* ... */``: comments with an end."""
    text, position = draft.text, 0
    if not any(closer.search(text) for closer in _CLOSER.values()):
        return
    while match := _BLOCK.search(text, position):
        position = match.end()
        if not match["open"]:
            continue
        closed = _CLOSER[match["open"]].search(text, position, position + MAX_COMMENT)
        if closed is None:
            continue
        position = closed.end()
        message = f'{match["open"]} starts no comment in ABNF: one starts with ";" and ends with its line'
        newline = text.find("\n", position)
        rest = text[position : newline if newline >= 0 else len(text)]
        edits = tuple(_as_lines(text, match, closed)) if not rest.split(";")[0].strip() else ()
        yield Slip("block-comment", *match.span(), message, edits)


def _as_lines(text: str, opened: re.Match[str], closed: re.Match[str]) -> Iterator[Edit]:
    yield Edit(*opened.span(), ";")
    last = opened.end()
    for line in re.finditer(r"\n[ \t]*(?=[^\s])", text[opened.end() : closed.start()]):
        last = opened.end() + line.end()
        if text[last] != ";":
            yield Edit(last, last, "; ")
    alone = (
        not text[text.rfind("\n", 0, closed.start()) + 1 : closed.start()].strip() and last != opened.end()
    )
    alone = alone or (
        "\n" in text[opened.end() : closed.start()]
        and not text[text.rfind("\n", 0, closed.start()) + 1 : closed.start()].strip()
    )
    start = closed.start()
    while not alone and text[start - 1] in " \t":
        start -= 1
    yield Edit(start, closed.end(), ";" if alone else "")


def line_comments(draft: Draft) -> Iterator[Slip]:
    """``// ...``, ``# ...``, ``-- ...``: comments to the end of the line."""
    text, position = draft.text, 0
    while match := _LINE.search(text, position):
        position = match.end()
        mark = match["mark"] or match["hash"]
        if mark:
            message = f'{mark} starts no comment in ABNF: a comment starts with ";" and ends with its line'
            start = position - len(mark)
            yield Slip("line-comment", start, position, message, (Edit(start, position, ";"),))
            newline = text.find("\n", position)
            position = newline if newline >= 0 else len(text)


def continuations(draft: Draft) -> Iterator[Slip]:
    """A line that continues a rule and stands where rules start."""
    before = ""
    for part in lexing.parts(draft.text):
        if isinstance(part, Comment):
            continue
        chunk = draft.text[part.start : part.end]
        start = part.start + len(chunk) - len(chunk.lstrip())
        code = _STRINGS.sub(lambda match: "" if match[0][0] == ";" else '"', chunk).strip()
        if before and not _DEFINES.match(chunk):
            unfinished = before.endswith(_UNFINISHED) or _open(before)
            if unfinished or code.startswith(("/", ")", "]", "|", "}")):
                message = "a line that continues a rule must be indented deeper than the rule"
                yield Slip("indentation", start, start + 1, message, (Edit(start, start, "    "),))
                before += code
                continue
        before = code


def _open(code: str) -> bool:
    """Whether a bracket is not closed yet."""
    return sum(code.count(char) for char in "([{") > sum(code.count(char) for char in ")]}")


def definitions(draft: Draft) -> Iterator[Slip]:
    """A rule that is indented deeper than the first one, and so reads as a part of the rule before."""
    for part in lexing.parts(draft.text):
        if isinstance(part, Comment):
            continue
        base = len(re.match("[ \t]*", draft.text[part.start : part.end])[0])  # type: ignore[index]
        for match in _INDENTED.finditer(draft.text, part.start + base, part.end):
            before = _STRINGS.sub(
                lambda m: "" if m[0][0] == ";" else '"', draft.text[part.start : match.start()]
            )
            if before.rstrip().endswith(_UNFINISHED) or _open(before) or "=" not in before:
                continue
            indent = draft.text[part.start : part.start + base]
            message = (
                f'the rule "{match["name"]}" is indented deeper than the first one, so that it continues a '
                "rule; rules start in the same column"
            )
            edits = (Edit(match.start("indent"), match.end("indent"), indent),)
            yield Slip("indentation-of-rule", match.start("name"), match.end("name"), message, edits)
